// How long a text message is: 160 characters of the GSM alphabet in one segment, or 70 UTF-16 units if one
// character is of another. https://www.twilio.com/docs/glossary/what-is-gsm-7-character-encoding

const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const extension = '\f^{}\\[~]|€'
const septets = new Map([
  ...[...basic].map((character) => [character, 1] as const),
  // Each has an escape before it.
  ...[...extension].map((character) => [character, 2] as const),
])
const [gsmLimit, unicodeLimit] = [160, 70]
/** How much of a segment is left for words; an address that leaves less is left out. */
const minWords = 60

/** Typographic characters that would make each message shorter than half, and what is written instead. */
const plain: Record<string, string> = {
  ...Object.fromEntries([...'“”„«»'].map((quote) => [quote, '"'])),
  ...Object.fromEntries([...'‘’‚`´'].map((quote) => [quote, "'"])),
  ...Object.fromEntries([...'‐‑‒–—−'].map((dash) => [dash, '-'])),
  '…': '...',
  '•': '-',
  '→': '->',
  '\u00a0': ' ',
}
const replaceable = new RegExp(`[${Object.keys(plain).join('')}]`, 'g')

/** Return how much of a segment a text takes, and how much one has for it. */
function measure(text: string): { size: number; limit: number } {
  let size = 0
  for (const character of text) {
    const cost = septets.get(character)
    if (cost === undefined) return { size: text.length, limit: unicodeLimit }
    size += cost
  }
  return { size, limit: gsmLimit }
}

/** Whether a text is sent as one segment. */
export function isOneSegment(text: string): boolean {
  const { size, limit } = measure(text)
  return size <= limit
}

/**
 * Write a text message of one segment: the text on one line, cut behind a word, and the address below it if
 * it fits. A word that is too long alone is cut.
 */
export function writeSms(text: string, url: string | null = null): string {
  const line = text
    .replace(replaceable, (character) => plain[character] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  const { limit } = measure(line)
  const end = url !== null && measure(url).size <= limit - minWords ? `\n${url}` : ''
  return cutWords(line, end)
}

function cutWords(line: string, end: string): string {
  if (isOneSegment(line + end)) return line + end
  const mark = '...'
  const words = line.split(' ')
  for (let count = words.length - 1; count > 0; count--) {
    const start = words.slice(0, count).join(' ')
    if (isOneSegment(start + mark + end)) return start + mark + end
  }
  const characters = [...line]
  while (characters.length > 0 && !isOneSegment(characters.join('') + mark + end)) characters.pop()
  return characters.join('') + mark + end
}
