import { insideArithmetic, insideBackticks, insideBraces } from '#rules/scripts/placement-reasons.ts'
import { createParser, isAt, isAtEnd, matchHere, nest, type Parser, peek, stop, takePlaceholder } from './parser.ts'
import { createText, type Part } from './syntax.ts'

const variableName = /[A-Za-z_]\w*|\d+|[@*#?$!-]/y
const simpleName = /[A-Za-z_]\w*|[0-9@*#?$!-]/y

/** Read `$…`, `<( … )` or `>( … )`. */
export function readExpansion(parser: Parser, isQuoted: boolean): Part {
  if (isAt(parser, '$((')) {
    const arithmetic = tryArithmetic(parser, 3, '))')
    if (arithmetic) return arithmetic
  }
  if (peek(parser, 1) === '(') return readSubstitution(parser, isQuoted)
  if (isAt(parser, '$[')) return tryArithmetic(parser, 2, ']') ?? createText('$[')
  if (isAt(parser, '${')) return nest(parser, createText(''), () => readBraces(parser, isQuoted))
  parser.position++
  const name = matchHere(parser, simpleName)
  parser.position += name.length
  return name ? { kind: 'variable', name, isQuoted, parts: [] } : createText('$')
}

/** Read arithmetic. Stop if it does not end with `closing`: then the brackets may be those of commands. */
function tryArithmetic(parser: Parser, openingLength: number, closing: string): Part | undefined {
  parser.position += openingLength
  nest(parser, undefined, () => readArithmetic(parser, closing))
  return { kind: 'arithmetic' }
}

const identifier = /[A-Za-z_]\w*/y

/** Read arithmetic until `closing`, and note the variables whose values it evaluates. */
export function readArithmetic(parser: Parser, closing: string, arrayName = ''): void {
  const { arithmeticNames } = parser.result
  let depth = 0
  while (!isAtEnd(parser)) {
    if (takePlaceholder(parser, insideArithmetic)) continue
    if (depth === 0 && isAt(parser, closing)) {
      parser.position += closing.length
      return
    }
    const name = matchHere(parser, identifier)
    if (name) arithmeticNames.push({ name, arrayName })
    const char = peek(parser)
    if (name) parser.position += name.length
    else if (char === '(' || char === '[') depth++
    else if (char === ')' || char === ']') depth--
    if (name) continue
    if (depth < 0) break
    if ('$`"\'\\'.includes(char)) noteNames(parser, parser.readPart(parser, char), arrayName)
    else parser.position++
  }
  stop(parser)
}

/** Arithmetic evaluates the values of variables, and also quoted text. */
function noteNames(parser: Parser, parts: readonly Part[], arrayName: string): void {
  for (const part of parts) {
    if (part.kind === 'variable') {
      parser.result.arithmeticNames.push({ name: part.name, arrayName })
      noteNames(parser, part.parts, arrayName)
    } else if (part.kind === 'text')
      for (const [name] of part.text.matchAll(/[A-Za-z_]\w*/g)) parser.result.arithmeticNames.push({ name, arrayName })
    else if (part.kind === 'placeholder') parser.result.problems.set(part.placeholder.start, insideArithmetic)
    else if (part.kind === 'substitution') {
      parser.result.assignments.push({ name: substitutionInArithmetic, value: [{ parts: [part] }] })
      parser.result.arithmeticNames.push({ name: substitutionInArithmetic, arrayName })
    }
  }
}

/** The name under which the output of a command inside arithmetic is stored. No variable has this name. */
const substitutionInArithmetic = '=arithmetic'

function readSubstitution(parser: Parser, isQuoted: boolean): Part {
  parser.position += 2
  const outerDocuments = parser.hereDocuments
  parser.hereDocuments = []
  const commands = nest(parser, [], () => parser.readCommands(parser, ')'))
  if (peek(parser) !== ')' || parser.hereDocuments.length > 0) stop(parser)
  else parser.position++
  parser.hereDocuments = outerDocuments
  return { kind: 'substitution', isQuoted, commands }
}

/** Read the commands inside backticks. They are parsed apart, because backslashes have another meaning there. */
export function readBackticks(parser: Parser, isQuoted: boolean): Part {
  parser.position++
  let text = ''
  while (!isAtEnd(parser) && peek(parser) !== '`') {
    if (takePlaceholder(parser, insideBackticks)) {
      text += ' 0 '
      continue
    }
    const isEscape = peek(parser) === '\\' && '\\`$'.includes(peek(parser, 1))
    if (isEscape) parser.position++
    text += peek(parser)
    parser.position++
  }
  if (isAtEnd(parser)) stop(parser)
  else parser.position++
  const commands = parseNestedText(parser, text)
  return { kind: 'substitution', isQuoted, commands }
}

/** Parse a text that the shell executes as commands. Stop if it cannot be understood. */
export function parseNestedText(parser: Parser, text: string) {
  return nest(parser, [], () => {
    const nested = createParser(text, [], parser.result, parser, parser.depth)
    const commands = parser.readCommands(nested, '')
    if (nested.isStopped || !isAtEnd(nested)) stop(parser)
    return commands
  })
}

/** Read `${…}`. */
function readBraces(parser: Parser, isQuoted: boolean): Part {
  parser.position += 2
  const isIndirect = peek(parser) === '!' && /[\w@*#]/.test(peek(parser, 1))
  const isLength = peek(parser) === '#' && /[\w@*]/.test(peek(parser, 1))
  if (isIndirect || isLength) parser.position++
  const name = matchHere(parser, variableName)
  parser.position += name.length
  if (!name && !takePlaceholder(parser, insideBraces)) stop(parser)
  const hasSubscript = peek(parser) === '['
  if (hasSubscript) {
    parser.position++
    if (/^[@*]\]/.test(parser.script.slice(parser.position, parser.position + 2))) parser.position += 2
    else nest(parser, undefined, () => readArithmetic(parser, ']', name))
  }
  const listsNames = isIndirect && (hasSubscript || /^[@*]\}/.test(peek(parser) + peek(parser, 1)))
  if (isIndirect && !listsNames) parser.result.expandedNames.push(name)
  if (/^@[PA]/.test(peek(parser) + peek(parser, 1))) parser.result.expandedNames.push(name)
  const isOffset = peek(parser) === ':' && !/[-=?+]/.test(peek(parser, 1))
  const parts = isOffset ? readOffset(parser) : readOperand(parser, name, isQuoted)
  if (isLength) return { kind: 'arithmetic' }
  return { kind: 'variable', name, isQuoted, parts }
}

/** Read the offset and length of `${name:offset:length}`, which are arithmetic. */
function readOffset(parser: Parser): Part[] {
  parser.position++
  readArithmetic(parser, '}')
  return []
}

/** Read the operator and its word until the closing brace. */
function readOperand(parser: Parser, name: string, isQuoted: boolean): Part[] {
  const assigns = peek(parser) === '=' || isAt(parser, ':=')
  const parts: Part[] = []
  while (!isAtEnd(parser) && peek(parser) !== '}') {
    if (takePlaceholder(parser, insideBraces)) continue
    // In double quotes the meaning of a single quote depends on the operator.
    if (isQuoted && peek(parser) === "'") stop(parser)
    else if (isQuoted) parts.push(...readQuotedOperand(parser))
    else parts.push(...parser.readPart(parser, peek(parser)))
  }
  if (isAtEnd(parser)) stop(parser)
  else parser.position++
  if (assigns) parser.result.assignments.push({ name, value: [{ parts }] })
  return parts
}

function readQuotedOperand(parser: Parser): Part[] {
  const char = peek(parser)
  if (char === '"' || char === '\\' || char === '`' || char === '$') return parser.readPart(parser, char)
  parser.position++
  return [createText(char)]
}

/** Read the body of a here-document whose delimiter is not quoted. */
export function readHereDocumentBody(parser: Parser, end: number, reason: string): Part[] {
  const outerEnd = parser.end
  parser.end = end
  const parts = nest(parser, [], () => parser.readQuotedParts(parser, '', reason))
  if (!parser.isStopped) parser.position = end
  parser.end = outerEnd
  if (parser.isStopped) stop(parser)
  return parts
}
