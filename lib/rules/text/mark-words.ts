import { fold } from './words.ts'

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
  const folded = foldText(text)
  const marks = words.flatMap((word) => findWord(folded, word.replace(/\*$/, ''), word.endsWith('*')))
  return joinMarks(marks.sort((a, b) => a.start - b.start || b.end - a.end))
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

/**
 * Return a text of the same length in lower case and without accents. A character whose form has another
 * length stays.
 */
function foldText(text: string): string {
  return Array.from(text, (character) => {
    const folded = fold(character)
    return folded.length === character.length ? folded : character
  }).join('')
}
