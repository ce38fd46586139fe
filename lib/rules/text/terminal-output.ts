import { removeInvisible } from './plain-name.ts'

// Sequences of ECMA-48, which colour a terminal or move its cursor:
// https://ecma-international.org/publications-and-standards/standards/ecma-48/ Text in the wrong encoding has
// single C1 characters, so a string that begins with one must have an end on its line.
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x9d[^\x07\x1b\x80-\x9f\n]*(?:\x07|\x1b\\|\x9c)|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g

/**
 * Return what a program printed as plain text: without the colours and the control characters of a terminal
 * and without characters that hide or reverse text, with `\n` at the end of lines. A line that the program
 * wrote again, as a progress bar does, is another line.
 */
export function toPlainOutput(text: string): string {
  return removeInvisible(text.replace(/\r+\n?/g, '\n').replace(controls, ''))
}
