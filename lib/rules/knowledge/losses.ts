/** What an article has and its import has not. A picture is named where it was. */
export interface Losses {
  pictures: string[]
  /** How many there are of each other kind, such as `comment`. */
  others: Map<LostKind, number>
  /** The letters of a PDF that have no Unicode value, and a text with such letters. */
  letters: { count: number; example: string }
  /** Whether the encoding of the text was guessed. */
  isEncodingGuessed: boolean
}

const lostKinds = {
  comment: ['comment is', 'comments are'],
  object: ['embedded object is', 'embedded objects are'],
  document: ['embedded document is', 'embedded documents are'],
  picture: ['picture is', 'pictures are'],
  struck: ['struck-through text is', 'struck-through texts are'],
  hidden: ['hidden text is', 'hidden texts are'],
  sloping: ['text that is not level is', 'texts that are not level are'],
  stream: [
    'part of a page is packed in a way that is not known and is',
    'parts of pages are packed in ways that are not known and are',
  ],
  symbol: ['symbol of a special font is', 'symbols of special fonts are'],
} as const
export type LostKind = keyof typeof lostKinds

export function createLosses(): Losses {
  return { pictures: [], others: new Map(), letters: { count: 0, example: '' }, isEncodingGuessed: false }
}

export function countLoss({ others }: Losses, kind: LostKind): void {
  others.set(kind, (others.get(kind) ?? 0) + 1)
}

/** Count letters that cannot be read. The text shows each as U+FFFD. */
export function loseLetters({ letters }: Losses, count: number, text: string): void {
  letters.count += count
  if (!/[^\ufffd\s]/.test(letters.example)) letters.example = text.trim().toWellFormed()
}

/** Add the counts of a part to those of the whole. */
export function mergeLosses(losses: Losses, { others, letters }: Losses): void {
  for (const [kind, count] of others) losses.others.set(kind, (losses.others.get(kind) ?? 0) + count)
  loseLetters(losses, letters.count, letters.example)
}

const maxNames = 5
const maxNameLength = 80
/** What is read of a name, whose white space is then collapsed. */
const maxReadLength = 500

/** Return the start of a picture's name: a copy, because a slice would keep the whole text in memory. */
export const cutPictureName = (name: string): string => [...name.slice(0, maxReadLength)].join('')

/**
 * Note a picture, and return the text that stands for it. A page without a name for it has the name of its
 * file.
 */
export function losePicture({ pictures }: Losses, name: string): string {
  const shortName =
    cutPictureName(name)
      .replace(/[\s[\]]+/g, ' ')
      .trim()
      .slice(0, maxNameLength)
      .toWellFormed() || 'picture'
  pictures.push(shortName)
  return `[image: ${shortName}]`
}

/** Return a sentence for each kind of loss. */
export function describeLosses({ pictures, others, letters, isEncodingGuessed }: Losses): string[] {
  const names = [...new Set(pictures)].slice(0, maxNames).map((name) => `“${name}”`)
  const more = pictures.length > names.length ? ` (${pictures.length} in all)` : ''
  return [
    ...(pictures.length > 0 ? [`Pictures are named, but not imported: ${names.join(', ')}${more}.`] : []),
    ...Array.from(
      others,
      ([kind, count]) => `${count} ${lostKinds[kind][count === 1 ? 0 : 1]} not imported.`,
    ),
    ...(letters.count > 0
      ? [
          `${letters.count.toLocaleString('en')} ${letters.count === 1 ? 'letter' : 'letters'} of the PDF cannot be read and ${letters.count === 1 ? 'is' : 'are'} left out, such as in “${letters.example}”.`,
        ]
      : []),
    ...(isEncodingGuessed
      ? [
          'The file does not declare its encoding and was read as Windows-1252. Save it as UTF-8 if letters are wrong.',
        ]
      : []),
  ]
}
