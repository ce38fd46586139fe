import { joinLines } from '#rules/text/lines.ts'

// What is markdown and what is plain text is part of the type, so that a plain text cannot become markup by
// accident.

declare const markup: unique symbol
/** A text in CommonMark. */
export type Markdown = string & { readonly [markup]: 'markdown' }

/**
 * Take a text as markdown. Only for what an author or a model wrote as markdown, and for what the code itself
 * writes.
 */
export function toMarkdown(text: string): Markdown {
  return text as Markdown
}

const [tab, space, percent, colon, backslash, noBreakSpace] = [0x09, 0x20, 0x25, 0x3a, 0x5c, 0xa0]

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

/**
 * How an ASCII character is escaped: never, everywhere, beside certain characters, or only at the start of a
 * line.
 */
const [plain, escapedEverywhere, escapedBeside, escapedAtStart] = [0, 1, 2, 3]
const escapeKinds = new Uint8Array(128).fill(plain)
for (const char of '`*[]<|~') escapeKinds[char.charCodeAt(0)] = escapedEverywhere
for (const char of '\\_&#') escapeKinds[char.charCodeAt(0)] = escapedBeside
for (const char of '-+=>0123456789 \t') escapeKinds[char.charCodeAt(0)] = escapedAtStart
const markupAtStart = /^[ \t]*(?:(>|-(?=\s|[- \t]*$)|\+(?=\s|$)|=(?=[= \t]*$))|(\d{1,9})([.)])(?=\s|$))/

/**
 * Escape a plain text so that CommonMark shows it literally, and join its lines. Pass `isInPath` for a text
 * that continues a word that may be a path: our parser keeps the backslashes of paths, so a character is
 * written by its number there. A loop over character codes is faster than a regular expression here.
 */
export function escapeMarkdown(text: string, isInPath = false): Markdown {
  const escaped = escapeInline(text.includes('\n') ? joinLines(text) : text, isInPath)
  const first = escapeKinds[escaped.charCodeAt(0)]
  return first === escapedAtStart ? escapeLineStart(escaped, isInPath) : escaped
}

/** Escape a text that does not start a line. Its line breaks stay. */
export function escapeInline(text: string, isInPath = false): Markdown {
  let escaped = ''
  let copiedTo = 0
  let isPath = isInPath
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code <= space) isPath = false
    if (code === backslash || code === colon || code === percent) isPath = true
    const kind = code < 128 ? escapeKinds[code] : plain
    if (kind !== escapedEverywhere && (kind !== escapedBeside || !needsEscape(text, index, code))) continue
    escaped += text.slice(copiedTo, index) + (isPath ? `&#${code};` : `\\${text[index]}`)
    copiedTo = index + 1
  }
  return (escaped + text.slice(copiedTo)) as Markdown
}

/**
 * Escape what would start a list, a quote or an underline at the start of a line, whose other characters are
 * escaped.
 */
export function escapeLineStart(line: string, isInPath: boolean | number = false): Markdown {
  const escapeMark = (mark: string) => (isInPath === true ? `&#${mark.charCodeAt(0)};` : `\\${mark}`)
  return line.replace(markupAtStart, (_, sign, digits, delimiter) =>
    sign ? escapeMark(sign) : digits + escapeMark(delimiter),
  ) as Markdown
}

function needsEscape(text: string, index: number, code: number): boolean {
  const [before, after] = [text[index - 1] ?? '', text[index + 1] ?? '']
  switch (code) {
    case backslash:
      return !/[^!-/:-@[-`{-~]/.test(after)
    case 0x26: // &
      return after === '' || /[#a-z]/i.test(after)
    case 0x23: // #
      return before.trim() === ''
    default: // An underscore inside of a word.
      return !/[a-z\d]/i.test(before) || !/[a-z\d]/i.test(after)
  }
}
