import type {
  ArithmeticExpression,
  ParameterExpansionPart,
  ParameterOperation,
  Word as ParsedWord,
  WordPart,
} from 'unbash'
import { forEachChild } from 'unbash'
import { spend } from '#rules/budget.ts'
import { numberMark, textMark } from '#rules/scripts/markers.ts'
import {
  insideArithmetic,
  insideBraces,
  insideHereDocument,
  insideQuotes,
  joinedToTextBefore,
} from '#rules/scripts/placement-reasons.ts'
import {
  type Reader,
  readInBackticks,
  readInside,
  readSingleQuoted,
  refuseMarked,
  UnreadableScriptError,
} from './reader.ts'
import { anyText, createText, type Part, type Word } from './syntax.ts'

/** The name under which the output of a command inside arithmetic is stored. */
const substitutionInArithmetic = '=arithmetic'
const stepsPerPart = 200

type Quoting = 'none' | 'double' | 'here-document'

export function readWord(reader: Reader, word: ParsedWord, quoting: Quoting = 'none'): Word {
  return { parts: readParts(reader, word, quoting) }
}

export function readParts(
  reader: Reader,
  word: { text: string; pos: number; parts?: readonly WordPart[] | undefined },
  quoting: Quoting,
): Part[] {
  if (!word.parts) return readText(reader, word.text, word.pos, quoting)
  return word.parts.flatMap((part, index) => {
    const parts = readPart(reader, part, quoting)
    // A number may belong to the name before it.
    const isJoined = part.type === 'SimpleExpansion' && word.parts?.[index + 1]?.text.startsWith(numberMark)
    return isJoined ? [...parts, { kind: 'variable', name: anyText, parts: [] }] : parts
  })
}

/** How the parts end that the parser also returns without their end. */
const closings: Partial<Record<WordPart['type'], RegExp>> = {
  SingleQuoted: /^'.*'$/s,
  DoubleQuoted: /^".*"$/s,
  LocaleString: /^\$".*"$/s,
  AnsiCQuoted: /^\$'.*'$/s,
  ParameterExpansion: /\}$/,
  ArithmeticExpansion: /^\$\(\(.*\)\)$|^\$\[.*\]$/s,
  // Older shells read `${ … }` as the name of a variable.
  CommandExpansion: /^\$\(.*\)$|^`.*`$/s,
  ProcessSubstitution: /\)$/,
}

function readPart(reader: Reader, part: WordPart, quoting: Quoting): Part[] {
  spend(stepsPerPart)
  if (!(closings[part.type]?.test(part.text) ?? true)) throw new UnreadableScriptError(part.pos)
  switch (part.type) {
    case 'Literal':
      return readText(reader, part.text, part.pos, quoting)
    case 'SingleQuoted':
      return [readSingleQuoted(reader, part, insideQuotes)]
    case 'DoubleQuoted':
    case 'LocaleString':
      return [createText(''), ...readParts(reader, part, 'double')]
    case 'AnsiCQuoted':
      refuseMarked(reader, part.text, part.pos, insideQuotes)
      return [{ kind: 'text', text: part.value, isQuoted: true, isLiteral: !part.text.includes('\\') }]
    case 'Glob':
      return part.parts
        ? [createText('[', false), ...readParts(reader, part, quoting), createText(']', false)]
        : [createText(part.text, false)]
    case 'ExtendedGlob':
      if (!reader.knowsExtendedGlobs && !enablesExtendedGlobs.test(reader.marked.text.slice(0, part.pos)))
        throw new UnreadableScriptError(part.pos)
      return [
        { kind: 'text', text: '', isQuoted: false, isLiteral: false },
        ...readParts(reader, part, quoting),
      ]
    case 'BraceExpansion':
      return [
        { kind: 'text', text: '', isQuoted: false, isLiteral: false },
        ...readParts(reader, part, quoting),
      ]
    case 'SimpleExpansion':
      return [{ kind: 'variable', name: part.text.slice(1), parts: [] }]
    case 'ParameterExpansion':
      return [readParameter(reader, part, quoting)]
    case 'ArithmeticExpansion':
      if (!part.expression && !/^\$(\(\(\s*\)\)|\[\s*\])$/.test(part.text))
        throw new UnreadableScriptError(part.pos)
      readArithmetic(reader, part.expression)
      return [{ kind: 'arithmetic' }]
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return [readSubstitution(reader, part)]
    default:
      throw new UnreadableScriptError((part satisfies never as WordPart).pos)
  }
}

/**
 * Otherwise `@(a|b)` is an error outside of tests, after which the shell may read the lines of a value as
 * commands.
 */
const enablesExtendedGlobs = /^shopt -s [a-z ]*extglob/m

/** Return why a marker among other text is refused. */
function findReason({ marked }: Reader, text: string, position: number, quoting: Quoting): string {
  if (quoting === 'here-document') return insideHereDocument
  // The quotes of the marker ended and opened those around it.
  const before = marked.text.charAt(position + text.indexOf(textMark) - 1)
  if (quoting === 'double' || before === "'") return insideQuotes
  return before === '$' ? insideBraces : joinedToTextBefore
}

/** Read text and its escapes. Text that the shell would expand is refused, in case the parser missed it. */
function readText(reader: Reader, text: string, position: number, quoting: Quoting): Part[] {
  refuseMarked(reader, text, position, reader.reason ?? findReason(reader, text, position, quoting))
  const parts: Part[] = []
  for (const [matched, escaped] of text.matchAll(/\\(.?)|[^\\]+/gs)) {
    if (escaped === undefined) {
      const isExpanded =
        /[`]|\$[\w({@*#?!]/.test(matched) || (quoting === 'none' && /['"]|\$['"]|[<>]\(/.test(matched))
      if (isExpanded) throw new UnreadableScriptError(position)
      parts.push(createText(matched, quoting !== 'none'))
    } else if (quoting === 'none') parts.push(createText(escaped === '\n' ? '' : escaped || '\\'))
    else if (escaped !== '\n') parts.push(createText(/["$`\\]/.test(escaped) ? escaped : `\\${escaped}`))
  }
  return parts.length > 0 ? parts : [createText('', quoting !== 'none')]
}

function readSubstitution(
  reader: Reader,
  part: Extract<WordPart, { type: 'CommandExpansion' | 'ProcessSubstitution' }>,
): Part {
  const { script, text, pos } = part
  if (!script) throw new UnreadableScriptError(pos)
  const { knowsExtendedGlobs } = reader
  reader.knowsExtendedGlobs = false
  const read = () => readInside(reader, undefined, () => reader.readScript(reader, script))
  const commands = text.startsWith('`') ? readInBackticks(reader, part, read) : read()
  reader.knowsExtendedGlobs = knowsExtendedGlobs
  return { kind: 'substitution', commands }
}

const variableName = /^([A-Za-z_]\w*|\d+|[@*#?$!-])$/

/** Read `${…}`. */
function readParameter(reader: Reader, part: ParameterExpansionPart, quoting: Quoting): Part {
  const { parameter: name, prefix, index, operation, pos } = part
  return readInside(reader, insideBraces, () => {
    refuseMarked(reader, name, part.parameterPos, insideBraces)
    // In double quotes the meaning of a single quote depends on the operator.
    const isAmbiguous = quoting !== 'none' && part.text.replace(/'\u{f8fd}+'/gu, '').includes("'")
    if (isAmbiguous || !variableName.test(name)) throw new UnreadableScriptError(pos)
    const isList = index && /^[@*]$/.test(index.text)
    if (index && !isList) readIndex(reader, index)
    if (prefix === '!' && !isList && operation?.type !== 'Names') reader.result.expandedNames.push(name)
    const parts = operation ? readOperation(reader, operation, name, quoting) : []
    // No key of an array is text, because its subscripts are arithmetic.
    return prefix === '#' || (prefix === '!' && isList)
      ? { kind: 'arithmetic' }
      : { kind: 'variable', name, parts }
  })
}

function readOperation(
  reader: Reader,
  operation: ParameterOperation,
  name: string,
  quoting: Quoting,
): Part[] {
  const { result } = reader
  switch (operation.type) {
    case 'Default': {
      const parts = readParts(reader, operation.operand, quoting)
      if (operation.operator.includes('=')) result.assignments.push({ name, value: [{ parts }] })
      return parts
    }
    case 'Remove':
    case 'Replace':
    case 'CaseModification': {
      const parts: Part[] = []
      forEachChild(operation, (word) => parts.push(...readParts(reader, word as ParsedWord, quoting)))
      return parts
    }
    case 'Slice':
      for (const word of [operation.offset, operation.length]) if (word) readIndex(reader, word)
      return []
    case 'Names':
      return []
    case 'Transform':
      if (!/^[UuLQEKak]$/.test(operation.operand.text)) result.expandedNames.push(name)
      return []
    default:
      throw new UnreadableScriptError(operation.pos)
  }
}

/** Note the variables that arithmetic evaluates. */
export function readArithmetic(reader: Reader, expression: ArithmeticExpression | undefined): void {
  if (!expression) return
  spend(stepsPerPart)
  switch (expression.type) {
    case 'ArithmeticBinary':
    case 'ArithmeticUnary':
    case 'ArithmeticTernary':
    case 'ArithmeticGroup':
      forEachChild(expression, (child) => readArithmetic(reader, child as ArithmeticExpression))
      return
    case 'ArithmeticWord': {
      readIndex(reader, { text: expression.value, pos: expression.pos, parts: expression.parts })
      return
    }
    case 'ArithmeticCommandExpansion':
      noteEvaluated(reader, [readSubstitution(reader, { ...expression, type: 'CommandExpansion' })])
      return
    default:
      throw new UnreadableScriptError((expression satisfies never as ArithmeticExpression).pos)
  }
}

/** Read a word that is arithmetic, such as a subscript. */
export function readIndex(reader: Reader, word: Parameters<typeof readParts>[1]): void {
  noteEvaluated(
    reader,
    readInside(reader, insideArithmetic, () => readParts(reader, word, 'none')),
  )
}

/** The name of a variable that ends with a number of a parameter. */
const nameOfNumber = new RegExp(`(?<!\\w)\\d*[A-Za-z_]\\w*${numberMark}`, 'u')

/** Note the variables in arithmetic, which evaluates their values, and quoted text too. */
function noteEvaluated(reader: Reader, parts: readonly Part[]): void {
  const { arithmeticNames, assignments, problems } = reader.result
  for (const part of parts) {
    if (part.kind === 'variable') {
      arithmeticNames.push(part.name)
      noteEvaluated(reader, part.parts)
    } else if (part.kind === 'text') {
      for (const [name] of part.text.matchAll(/[A-Za-z_]\w*/g)) arithmeticNames.push(name)
      if (nameOfNumber.test(part.text)) arithmeticNames.push(anyText)
    } else if (part.kind === 'placeholder') problems.set(part.placeholder.start, insideArithmetic)
    else if (part.kind === 'substitution') {
      assignments.push({ name: substitutionInArithmetic, value: [{ parts: [part] }] })
      arithmeticNames.push(substitutionInArithmetic)
    }
  }
}
