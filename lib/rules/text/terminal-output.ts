// Sequences of ECMA-48, which colour a terminal or move its cursor: https://ecma-international.org/publications-and-standards/standards/ecma-48/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const controls = /\x1b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|[\x00-\x08\x0b-\x1f\x7f]/g

/** Return what a program printed as plain text: without the colours and the control characters of a terminal, with `\n` at the end of lines. */
export function toPlainOutput(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(controls, '')
}
