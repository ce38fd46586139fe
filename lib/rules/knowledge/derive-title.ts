import MarkdownIt from 'markdown-it'
import { spend } from '#rules/budget.ts'
import { countPlaces } from '#rules/text/count-places.ts'

/** Return the characters that escapes and entities of a text without other markup stand for. */
export const unescapeMarkdown: (text: string) => string = new MarkdownIt().utils.unescapeAll
const maxTitleLength = 120
// A link may be much longer than the title. The expressions below take quadratic time in the length of a
// line.
const maxLineLength = 1000

/**
 * Return a title of at most 120 characters: the first sentence of the first line with text, without markdown.
 * Return the name of its first picture's file, or 'Untitled', if there is none.
 */
export function deriveTitle(markdown: string): string {
  const firstLine = findFirstLine(markdown)
  const sentence = /^.{8,}?[.!?](?=\s)/u.exec(firstLine)?.[0] ?? firstLine
  if (sentence.length <= maxTitleLength) return sentence || namePicture(markdown) || 'Untitled'
  const withoutLoneSurrogate = sentence.slice(0, maxTitleLength - 1).replace(/[\ud800-\udbff]$/, '')
  const withoutPartialWord = withoutLoneSurrogate.replace(/(?<!\s)\s+\S*$/, '')
  return `${withoutPartialWord}…`
}

/** Return the name of the file of the first picture: `lamp.png` for `![](https://x.example/lamp.png?v=2)`. */
function namePicture(markdown: string): string {
  const [, address = ''] = /!\[[^\][!]{0,200}\]\(<?([^\s)>?#]{1,2000})/.exec(markdown) ?? []
  return address.split('/').at(-1)?.slice(0, maxTitleLength).toWellFormed() ?? ''
}

/** Lines of a text that was wrapped are at least this long. */
const minWrappedLength = 55
const startOfBlock = /^\s*(?:$|[-*+•–|>#]|\(?\d{1,3}[.)]\s|`{3}|~{3})/

/**
 * Return the start of the first line that has more than markup, together with the lines to which it was
 * wrapped.
 */
function findFirstLine(markdown: string): string {
  const lines = markdown.split('\n')
  for (const [index, line] of lines.entries()) {
    const start = line.slice(0, maxLineLength)
    if (!hasLetter.test(start) || !hasLetter.test(removeMarkup(start))) continue
    let paragraph = start
    for (
      let next = index + 1;
      next < lines.length && isWrapped(lines[next - 1] ?? '', lines[next] ?? '', paragraph);
      next++
    )
      paragraph += ` ${lines[next]?.trim()}`
    return removeMarkup(paragraph.slice(0, maxLineLength))
  }
  return ''
}

const hasLetter = /[\p{L}\p{N}]/u

/**
 * Return whether the next line continues a line. A paragraph that is already long enough for a title is not
 * continued.
 */
function isWrapped(line: string, nextLine: string, paragraph: string): boolean {
  return (
    line.length >= minWrappedLength && paragraph.length < 2 * maxTitleLength && !startOfBlock.test(nextLine)
  )
}

const stepsPerBracket = 100
const stepsPerMark = 200

/**
 * Return the plain text of a markdown line. It is empty for a code fence, a horizontal rule and the separator
 * row of a table.
 */
export function removeMarkup(line: string): string {
  // Each bracket may start a link, whose text is looked for.
  spend(countPlaces(line, '[') * stepsPerBracket)
  // And each mark an emphasis.
  for (const mark of '*_`~') spend(countPlaces(line, mark) * stepsPerMark)
  const codeFence = /^[\s>]*(?:`{3}|~{3}).*$/s
  const headingOrListMarker = /^[\s>]*(?:#{1,6}\s+|(?:[-*+•–]|\(?\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?)/i
  const linkOrImage =
    // Bounded: each bracket is counted.
    /!?\[((?:[^\]\\]|\\.){0,500})\](?:\((?:[^()\s]|\([^()\s]{0,500}\)){0,2000}\)|\[[^\]]{0,200}\])/g
  // Bounded: each mark is counted.
  const emphasisOrCode = /(\*\*|__|`+|~~)(?=\S)(.{1,500}?)\1/g
  // Bounded: as above. It starts with a letter or a number, and so `*.log` stays.
  const slanted =
    /(?<![\p{L}\p{N}*_\\])([*_])(?=[\p{L}\p{N}])([^*_\n]{1,500})(?<![\s\\])\1(?![\p{L}\p{N}*_])/gu
  const tableRow = /^\s*\|(.*)\|\s*$/
  const ruleOrTableSeparator = /^[\s|:=_*-]+$/
  const plainLine = line
    .replace(codeFence, '')
    .replace(headingOrListMarker, '')
    .replace(linkOrImage, '$1')
    .replace(emphasisOrCode, '$2')
    .replace(slanted, '$2')
    .replace(ruleOrTableSeparator, '')
    .replace(tableRow, (_, cells: string) =>
      cells
        .split('|')
        .map((cell) => cell.trim())
        .filter(Boolean)
        .join(', '),
    )
  return unescapeMarkdown(plainLine).replace(/\s+/g, ' ').trim()
}
