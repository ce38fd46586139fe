import { insideBraces, insideQuotes, joinedToTextBefore } from '#rules/scripts/placement-reasons.ts'
import { readBackticks, readExpansion } from './expansions.ts'
import { isAt, isAtEnd, matchHere, nest, type Parser, peek, stop, takePlaceholder } from './parser.ts'
import { createText, type Part, type Word } from './syntax.ts'

/** Characters that end a word outside quotes. */
const metacharacters = ' \t\n;&|()<>'
const plainText = /[^\s;&|()<>\\'"`${}]+/y

/** Read a word. `extraText` are metacharacters that belong to it, as brackets do in the pattern after `=~`. */
export function readWord(parser: Parser, extraText = ''): Word {
  const parts: Part[] = []
  while (!isAtEnd(parser)) {
    const placeholder = takePlaceholder(parser)
    if (placeholder) {
      parts.push({ kind: 'placeholder', placeholder })
      continue
    }
    const char = peek(parser)
    const isProcessSubstitution = (char === '<' || char === '>') && peek(parser, 1) === '(' && !extraText
    if (isProcessSubstitution) {
      parts.push(readExpansion(parser, false))
      continue
    }
    if (metacharacters.includes(char) && !extraText.includes(char)) {
      if (char !== '(' || !isExtendedPattern(parts.at(-1))) break
      readPatternGroup(parser, parts)
    } else parts.push(...readPart(parser, char))
  }
  return { parts }
}

function isExtendedPattern(part: Part | undefined): boolean {
  return part?.kind === 'text' && !part.isQuoted && /[?*+@!]$/.test(part.text)
}

/** Read the brackets of an extended pattern such as `@(a|b)`. */
function readPatternGroup(parser: Parser, parts: Part[]): void {
  parser.position++
  addText(parts, '(')
  nest(parser, undefined, () => {
    while (!isAtEnd(parser) && peek(parser) !== ')') {
      if (peek(parser) === '\n') stop(parser)
      else parts.push(...readWord(parser, ' \t|;&<>').parts)
      if (peek(parser) === '(') stop(parser)
    }
  })
  if (peek(parser) !== ')') stop(parser)
  else parser.position++
  addText(parts, ')')
}

function addText(parts: Part[], text: string): void {
  parts.push(createText(text, false))
}

/** Read one part of a word outside quotes. */
export function readPart(parser: Parser, char: string): Part[] {
  if (char === '\\') return readEscape(parser)
  if (char === "'") return [readSingleQuoted(parser)]
  if (char === '"') return readDoubleQuoted(parser)
  if (char === '`') return [readBackticks(parser, false)]
  if (char === '$') return readDollar(parser)
  const text = matchHere(parser, plainText) || char
  parser.position += text.length
  return [createText(text, false)]
}

function readEscape(parser: Parser): Part[] {
  parser.position++
  if (takePlaceholder(parser, joinedToTextBefore)) return []
  const text = peek(parser)
  parser.position++
  return text === '\n' ? [] : [createText(text)]
}

function readDollar(parser: Parser): Part[] {
  const next = peek(parser, 1)
  if (next === "'") return [readAnsiQuoted(parser)]
  if (next === '"') {
    parser.position++
    return readDoubleQuoted(parser)
  }
  if (parser.placeholderByStart.has(parser.position + 1)) {
    parser.position++
    takePlaceholder(parser, insideBraces)
    return []
  }
  return [readExpansion(parser, false)]
}

function readSingleQuoted(parser: Parser): Part {
  const start = parser.position + 1
  refusePlaceholdersUntil(parser, start, findClosingQuote(parser, start))
  return createText(parser.script.slice(start, parser.position - 1))
}

function findClosingQuote(parser: Parser, start: number): number {
  const index = parser.script.indexOf("'", start)
  return index < 0 || index >= parser.end ? -1 : index
}

/** Move behind the closing quote at `end`. Refuse the placeholders before it. */
function refusePlaceholdersUntil(parser: Parser, start: number, end: number): void {
  parser.position = start
  while (parser.position < (end < 0 ? parser.end : end)) if (!takePlaceholder(parser, insideQuotes)) parser.position++
  if (end < 0) stop(parser)
  else parser.position = end + 1
}

function readAnsiQuoted(parser: Parser): Part {
  parser.position += 2
  const start = parser.position
  while (!isAtEnd(parser) && peek(parser) !== "'") {
    if (peek(parser) === '\\') parser.position += 2
    else if (!takePlaceholder(parser, insideQuotes)) parser.position++
  }
  const text = parser.script.slice(start, parser.position)
  if (isAtEnd(parser)) stop(parser)
  else parser.position++
  return { kind: 'text', text, isQuoted: true, isLiteral: !text.includes('\\') }
}

function readDoubleQuoted(parser: Parser): Part[] {
  parser.position++
  const parts = nest(parser, [], () => readQuotedParts(parser, '"', insideQuotes))
  if (peek(parser) === '"') parser.position++
  else stop(parser)
  return parts
}

const quotedText = /[^\\"`${]+/y

/** Read what the shell expands like the text in double quotes, until `closingQuote` or the end. */
export function readQuotedParts(parser: Parser, closingQuote: string, reason: string): Part[] {
  const parts: Part[] = [createText('')]
  while (!isAtEnd(parser)) {
    const char = peek(parser)
    if (char === closingQuote) break
    const part = readQuotedPart(parser, char, reason)
    if (part) parts.push(part)
  }
  return parts
}

function readQuotedPart(parser: Parser, char: string, reason: string): Part | undefined {
  const placeholder = takePlaceholder(parser, reason)
  if (placeholder) return { kind: 'placeholder', placeholder }
  if (char === '`') return readBackticks(parser, true)
  if (char === '$' && !parser.placeholderByStart.has(parser.position + 1)) return readExpansion(parser, true)
  if (char === '\\') {
    const next = peek(parser, 1)
    if (parser.placeholderByStart.has(parser.position + 1)) {
      parser.position++
      return undefined
    }
    parser.position += 2
    const text = next === '\n' ? '' : '$`"\\'.includes(next) ? next : `\\${next}`
    return createText(text)
  }
  const text = matchHere(parser, quotedText) || char
  parser.position += text.length
  return createText(text)
}

/** Skip blanks, continued lines and a comment. */
export function skipBlanks(parser: Parser, commentReason: string): void {
  while (!isAtEnd(parser)) {
    if (isAt(parser, '\\\n')) parser.position += 2
    else if (peek(parser) === ' ' || peek(parser) === '\t') parser.position++
    else break
  }
  if (peek(parser) !== '#') return
  while (!isAtEnd(parser) && peek(parser) !== '\n') if (!takePlaceholder(parser, commentReason)) parser.position++
}
