import { isReadForm, listLetters, toReadForm } from '#rules/text/fold.ts'

// The rules judge a text as a reader sees it. The masked text keeps the signs that were written.

/**
 * Characters other than printable ASCII, with the letter that their marks may belong to; signs of addresses as a
 * URL may write them.
 */
const unusualRun = /%(?:2[Ee]|3[Aa]|5[Cc])|[ -~]?[^\t\n\r -~]+/g
const encodedSign = /^%\w\w$/
const option = /^[–—]$/
const lineBreak = /^[\u0085\u2028\u2029]$/
const control = /^[\p{Cc}\ufff9-\ufffb]$/u
const unreadable = /[\p{Cc}\ufff9-\ufffb\u2028\u2029]/u
/** Letters that look like one of ASCII, which is at the same place of the text below. */
const lookalikes = 'аеорсухѕіјԁԛԝһӏАВЕКМНОРСТУХЅІЈԚԜӀοανρκιΑΒΕΖΗΙΚΜΝΟΡΤΥΧ'
const lookedLike = 'aeopcyxsijdqwhlABEKMHOPCTYXSIJQWIoavpkiABEZHIKMNOPTYX'

/** A part of a text that reads otherwise than it is written. */
interface Difference {
  /** Where it is in the reading. */
  at: number
  read: string
  written: string
}

/** Apply rules to a text as a reader sees it: the text stays as it is written, apart from the masks. */
export function maskAsRead(text: string, maskText: (text: string) => string): string {
  const { reading, differences } = read(text)
  const masked = maskText(reading)
  if (differences.length === 0) return masked
  return masked === reading ? text : leadBack(masked, reading, differences)
}

/** Return a text as a reader sees it. */
export const toReading = (text: string): string => read(text).reading

function read(text: string): { reading: string; differences: Difference[] } {
  let reading = ''
  let copied = 0
  const differences: Difference[] = []
  for (const { 0: run, index } of text.matchAll(unusualRun)) {
    reading += text.slice(copied, index)
    copied = index + run.length
    if (encodedSign.test(run)) {
      const sign = decodeURIComponent(run)
      differences.push({ at: reading.length, read: sign, written: run })
      reading += sign
      continue
    }
    const mayBeDisguise = isInLatinWord(run, text[copied])
    // Most runs are words that read as they are written.
    if (!mayBeDisguise && !unreadable.test(run) && isReadForm(run)) {
      reading += run
      continue
    }
    const letters = listLetters(run)
    const isDisguise = mayBeDisguise && letters.every(isAsciiOrLookalike)
    for (const [n, letter] of letters.entries()) {
      const before = letters[n - 1] ?? text[index - 1] ?? ' '
      const after = letters[n + 1] ?? text[copied] ?? ' '
      const read = isDisguise ? undisguise(letter) : readLetter(letter, before, after)
      if (read !== letter) differences.push({ at: reading.length, read, written: letter })
      reading += read
    }
  }
  return { reading: reading + text.slice(copied), differences }
}

function readLetter(letter: string, before: string, after: string): string {
  if (letter < '\x7f' && letter.length === 1) return control.test(letter) ? '' : letter
  // Word processors write the hyphens of an option as a dash. Between words, a dash is none.
  if (option.test(letter)) return /\s/.test(before) && /[\w-]/.test(after) ? dashes(letter) : letter
  if (lineBreak.test(letter)) return '\n'
  return control.test(letter) ? '' : toReadForm(letter)
}

const dashes = (dash: string): string => (dash === '—' ? '--' : '-')
const isInLatinWord = (run: string, after = ''): boolean => /^[a-z]/i.test(run) || /^[a-z]/i.test(after)
const isAsciiOrLookalike = (letter: string): boolean => /^[ -~]$/.test(letter) || lookalikes.includes(letter)
const undisguise = (letter: string): string => lookedLike[lookalikes.indexOf(letter)] ?? letter

/** What the rules write instead of a value. */
export const mark = /(\[masked [^\]\n]{1,30}\])/

/** A part of a masked text: a mark, or what stays with its place in the text. */
export type MaskedPart = { mark: string } | { text: string; start: number; isLast: boolean }

/** Return the parts of a masked text, or null if they are not those of the text. */
export function listMaskedParts(masked: string, text: string): MaskedPart[] | null {
  const found: MaskedPart[] = []
  const parts = masked.split(mark)
  let from = 0
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) {
      found.push({ mark: part })
      continue
    }
    const isLast = index === parts.length - 1
    // Which of several equal places it is does not matter: what is shown is the same.
    const start = isLast ? text.length - part.length : text.indexOf(part, from)
    if (start < from || !text.startsWith(part, start)) return null
    found.push({ text: part, start, isLast })
    from = start + part.length
  }
  return found
}

/** Return the text as it was written, with the marks of its masked reading. */
const leadBack = (masked: string, reading: string, differences: readonly Difference[]): string =>
  listMaskedParts(masked, reading)
    ?.map((part) => ('mark' in part ? part.mark : write(part.text, part.start, differences, part.isLast)))
    .join('') ?? masked

/** Return a part of a reading as it was written. */
function write(part: string, start: number, differences: readonly Difference[], isLast: boolean): string {
  const end = start + part.length
  let text = ''
  let copied = start
  for (let n = findFirst(differences, start); n < differences.length; n++) {
    const { at, read, written } = differences[n] as Difference
    if (at > end || (at === end && !isLast)) break
    if (at + read.length > end) break
    text += part.slice(copied - start, at - start) + written
    copied = at + read.length
  }
  return text + part.slice(copied - start)
}

/** Return the index of the first difference at a position or after it. */
function findFirst(differences: readonly Difference[], position: number): number {
  let low = 0
  let high = differences.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((differences[middle] as Difference).at < position) low = middle + 1
    else high = middle
  }
  return low
}
