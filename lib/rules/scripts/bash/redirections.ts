import { insideComment, insideHereDocument } from '#rules/scripts/placement-reasons.ts'
import { readHereDocumentBody } from './expansions.ts'
import { matchHere, type Parser, stop, takePlaceholder } from './parser.ts'
import { createText, getStaticText, type Part, type Redirection } from './syntax.ts'
import { readWord, skipBlanks } from './words.ts'

const redirectionOperator = /(?:\d+|\{[A-Za-z_]\w*\})?(?:<<<|<<-?|<>|<&|>&|>>|>\||[<>](?!\())|&>>?/y

/** Read a redirection, if there is one here. The body of a here-document is read after its line. */
export function readRedirection(parser: Parser, redirections: Redirection[]): boolean {
  const text = matchHere(parser, redirectionOperator)
  if (!text) return false
  parser.position += text.length
  const operator = text.replace(/^(\d+|\{\w+\})/, '')
  skipBlanks(parser, insideComment)
  if (operator.startsWith('<<') && operator !== '<<<') readHereDocumentStart(parser, operator, redirections)
  else redirections.push({ operator, word: readWord(parser) })
  return true
}

function readHereDocumentStart(parser: Parser, operator: string, redirections: Redirection[]): void {
  const start = parser.position
  if (takePlaceholder(parser, 'is the delimiter of a here-document')) {
    stop(parser)
    return
  }
  const word = readWord(parser)
  const delimiter = getStaticText(word)
  const rawText = parser.script.slice(start, parser.position)
  const hasUnknownText = delimiter === undefined || /[$`\n]/.test(rawText) || !rawText
  if (hasUnknownText) {
    stop(parser)
    return
  }
  const isQuoted = /['"\\]/.test(rawText)
  const redirection: Redirection = { operator: '<<', word: { parts: [] } }
  redirections.push(redirection)
  const addBody = (parts: Part[]) => redirection.word.parts.push(...parts)
  parser.hereDocuments.push({ delimiter: delimiter ?? '', isQuoted, ignoresTabs: operator === '<<-', addBody })
}

/** Read the bodies of the here-documents that start after this line. */
export function readHereDocuments(parser: Parser): void {
  for (const { delimiter, isQuoted, ignoresTabs, addBody } of parser.hereDocuments.splice(0)) {
    const { bodyEnd, next } = findHereDocumentEnd(parser, delimiter, isQuoted, ignoresTabs)
    if (isQuoted) {
      addBody([createText(parser.script.slice(parser.position, bodyEnd))])
      while (parser.position < bodyEnd) if (!takePlaceholder(parser, insideHereDocument)) parser.position++
    } else addBody(readHereDocumentBody(parser, bodyEnd, insideHereDocument))
    if (!parser.isStopped) parser.position = next
  }
}

function findHereDocumentEnd({ script, position, end }: Parser, delimiter: string, isQuoted: boolean, ignoresTabs: boolean) {
  let lineStart = position
  while (lineStart < end) {
    const { line, next } = readLogicalLine(script, lineStart, end, isQuoted)
    if ((ignoresTabs ? line.replace(/^\t+/, '') : line) === delimiter) return { bodyEnd: lineStart, next }
    lineStart = next
  }
  return { bodyEnd: end, next: end }
}

/** Read a line of a here-document. If the delimiter is not quoted, a backslash at the end of a line continues it. */
function readLogicalLine(script: string, start: number, end: number, isQuoted: boolean): { line: string; next: number } {
  let line = ''
  let lineStart = start
  while (true) {
    const lineBreak = script.indexOf('\n', lineStart)
    const isLast = lineBreak < 0 || lineBreak >= end
    const text = script.slice(lineStart, isLast ? end : lineBreak)
    const isContinued = !isQuoted && !isLast && /(?:^|[^\\])(?:\\\\)*\\$/.test(text)
    line += isContinued ? text.slice(0, -1) : text
    lineStart = isLast ? end : lineBreak + 1
    if (!isContinued) return { line, next: lineStart }
  }
}
