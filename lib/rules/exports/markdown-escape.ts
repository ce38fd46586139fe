import { joinLines } from '#rules/text/join-lines.ts'

const [tab, lineFeed, space, noBreakSpace] = [0x09, 0x0a, 0x20, 0xa0]

/** Trim spaces and tabs: leading ones could start a code block. Also remove leading no-break spaces. */
export function trimBlanks(line: string): string {
  let start = 0
  let end = line.length
  while (isBlank(line.charCodeAt(start)) || line.charCodeAt(start) === noBreakSpace) start++
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--
  return line.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === space || code === tab
}

/** How an ASCII character is escaped: never, everywhere, or only where it would start a list or a heading underline. */
const [plain, escapedEverywhere, escapedAtStart] = [0, 1, 2]
const escapeKinds = new Uint8Array(128).fill(plain)
for (const char of '\\`*_[]<>|~&#') escapeKinds[char.charCodeAt(0)] = escapedEverywhere
for (const char of '-+=0123456789 \t') escapeKinds[char.charCodeAt(0)] = escapedAtStart
const markupAtStart = /^[ \t]*(?:([-+=])|(\d{1,9})([.)])(?=\s|$))/

/**
 * Escape a text so that CommonMark shows it literally, and join its lines. A loop over character codes is faster than a regular expression
 * here.
 */
export function escapeMarkdown(text: string): string {
  let escaped = ''
  let copiedTo = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === lineFeed) return escapeMarkdown(joinLines(text))
    if (code < 128 && escapeKinds[code] === escapedEverywhere) {
      escaped += `${text.slice(copiedTo, index)}\\`
      copiedTo = index
    }
  }
  escaped += text.slice(copiedTo)
  if (escapeKinds[text.charCodeAt(0)] !== escapedAtStart) return escaped
  return escaped.replace(markupAtStart, (_, sign, digits, delimiter) => (sign ? `\\${sign}` : `${digits}\\${delimiter}`))
}
