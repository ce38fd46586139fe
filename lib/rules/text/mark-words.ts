import { fold } from './fold.ts'

/** A part of a text, in UTF-16 code units. */
export interface Mark {
  start: number
  end: number
}

/**
 * Return where words occur in a text, without regard to case and accents. The words are in lower case and
 * without accents; one that ends with an asterisk is the start of a word.
 */
export function markWords(text: string, words: readonly string[]): Mark[] {
  const { folded, origins } = foldText(text)
  const marks = words.flatMap((word) => findWord(folded, word.replace(/\*$/, ''), word.endsWith('*')))
  const placed = marks.map(({ start, end }) => ({
    start: origins[start] ?? 0,
    end: origins[end] ?? text.length,
  }))
  return joinMarks(placed.sort((a, b) => a.start - b.start || b.end - a.end))
}

/** Scripts without spaces between words, as in app.pair_characters. */
const withoutSpaces =
  /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u{20000}-\u{3ffff}]/u

function findWord(folded: string, word: string, isPrefix: boolean): Mark[] {
  const marks: Mark[] = []
  for (
    let start = folded.indexOf(word);
    word && start >= 0;
    start = folded.indexOf(word, start + word.length)
  ) {
    const end = findWordEnd(folded, start + word.length)
    // A script without spaces has no starts of words.
    const startsWord = withoutSpaces.test(word) || !isWordPart(folded.slice(0, start).slice(-2))
    if (startsWord && (isPrefix || withoutSpaces.test(word) || end === start + word.length))
      marks.push({ start, end: withoutSpaces.test(word) ? start + word.length : end })
  }
  return marks
}

function findWordEnd(folded: string, from: number): number {
  const [rest = ''] = /^[\p{L}\p{N}]*/u.exec(folded.slice(from)) ?? []
  return from + rest.length
}

function isWordPart(before: string): boolean {
  return /[\p{L}\p{N}]$/u.test(before)
}

/** Join marks that overlap. They are sorted by their start. */
function joinMarks(marks: readonly Mark[]): Mark[] {
  const joinedMarks: Mark[] = []
  for (const mark of marks) {
    const last = joinedMarks.at(-1)
    if (last && mark.start < last.end) last.end = Math.max(last.end, mark.end)
    else joinedMarks.push({ ...mark })
  }
  return joinedMarks
}

/** Fold a text, and return for each character of the result where it comes from. */
function foldText(text: string): { folded: string; origins: number[] } {
  const origins: number[] = []
  let folded = ''
  let at = 0
  for (const character of text) {
    const part = fold(character)
    for (let n = 0; n < part.length; n++) origins.push(at)
    folded += part
    at += character.length
  }
  return { folded, origins }
}
