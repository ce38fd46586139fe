import type { SyntaxNodeRef, Tree } from '@lezer/common'
import { parser } from '@lezer/python'
import { findMarked, type MarkedScript, numberMark } from '#rules/scripts/markers.ts'
import type { JudgedPlaceholder } from '#rules/scripts/placeholders.ts'
import { insideQuotes } from '#rules/scripts/placement-reasons.ts'
import type { WorkBudget } from '#rules/text/work-budget.ts'
import { decodeEscapes } from './escapes.ts'

export type Token =
  | { kind: 'name' | 'operator' | 'number'; text: string }
  /** `text` is the value. If it is not known, because of a `\N{name}`, it is the text between the quotes. */
  | { kind: 'string'; text: string; isFormat: boolean; isKnown: boolean }
  | { kind: 'placeholder'; text: ''; placeholder: JudgedPlaceholder }

export interface PythonScript {
  /** The tokens of each logical line. */
  statements: Token[][]
  /** The placeholders inside strings, with their reasons. */
  reasons: Map<number, string>
  /** The placeholders that stand as literals where they may. */
  placed: Set<number>
  /** Where the check cannot follow the script. */
  stoppedAt: number | undefined
}

interface Reader extends PythonScript {
  marked: MarkedScript
  bracketDepth: number
  /** The end of the last token. */
  end: number
}

const stepsPerCharacter = 100
/** Brackets nested more deeply would take the check too long. */
const maxDepth = 60

/** Otherwise the parser would guess what a wrong script means. */
const strictParser = parser.configure({ strict: true })

/** Return the tree of a script, or the position of its first error. */
function parse(text: string): Tree | number {
  try {
    return strictParser.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return Number(/\d+/.exec(error.message)?.[0] ?? 0)
  }
}

/** Parse a Python script, in which markers stand for the placeholders, into the tokens of its statements. */
export function readPythonScript(marked: MarkedScript, budget: WorkBudget): PythonScript {
  budget.spend(marked.text.length * stepsPerCharacter)
  const reader: Reader = { marked, statements: [[]], reasons: new Map(), placed: new Set(), stoppedAt: undefined, bracketDepth: 0, end: 0 }
  const tree = parse(marked.text)
  if (typeof tree === 'number') return { ...reader, stoppedAt: tree }
  tree.iterate({ enter: (node) => readNode(reader, node) })
  reader.statements = reader.statements.filter((statement) => statement.length > 0)
  return reader
}

/** Read a token. Return whether the tokens inside the node are to be read. */
function readNode(reader: Reader, { name, from, to, node }: SyntaxNodeRef): boolean {
  const text = reader.marked.text.slice(from, to)
  if (name === 'String' || name === 'FormatString') {
    endStatement(reader, from)
    addString(reader, text, from, name === 'FormatString')
  } else if (name === 'Comment') endStatement(reader, from)
  else if (!node.firstChild && text) {
    endStatement(reader, from)
    addToken(reader, text)
    // A number may belong to the name before it.
    if (reader.bracketDepth > maxDepth || text.indexOf(numberMark) > 0) reader.stoppedAt ??= from
  } else return true
  reader.end = to
  return false
}

/** Start another statement after a line break that neither a bracket nor a backslash continues. */
function endStatement({ marked, end, bracketDepth, statements }: Reader, start: number): void {
  const between = marked.text.slice(end, start).replace(/\\(\r\n|\n|\r)/g, '')
  if (bracketDepth === 0 && /[\r\n]/.test(between)) statements.push([])
}

function addToken(reader: Reader, text: string): void {
  const statement = reader.statements.at(-1)
  if (text === ';') reader.statements.push([])
  else if (/^\d|^\.\d/.test(text) || text.startsWith(numberMark)) statement?.push({ kind: 'number', text })
  // Python compares names in this normal form.
  else if (/^[\p{L}_]/u.test(text)) statement?.push({ kind: 'name', text: text.normalize('NFKC') })
  else {
    if ('([{'.includes(text)) reader.bracketDepth++
    if (')]}'.includes(text)) reader.bracketDepth--
    const operators = text.match(/.=|[^=]|=/g) ?? []
    for (const operator of operators) statement?.push({ kind: 'operator', text: operator })
  }
}

const stringSource = /^([a-zA-Z]{0,3})("""|'''|"|')(.*)\2$/s

function addString(reader: Reader, text: string, start: number, isFormat: boolean): void {
  const statement = reader.statements.at(-1)
  const placeholder = reader.marked.placeholderByMark.get(start + 1)
  if (placeholder?.start === start && placeholder.end === start + text.length) {
    reader.placed.add(placeholder.start)
    statement?.push({ kind: 'placeholder', text: '', placeholder })
    return
  }
  for (const marked of findMarked(reader.marked, text, start)) reader.reasons.set(marked.start, insideQuotes)
  const [, prefix = '', quotes = '', source] = stringSource.exec(text) ?? []
  // Before Python 3.12 the braces of such a string may not contain the same quotes.
  if (source === undefined || (isFormat && (source.includes(quotes) || !hasClosedBraces(source)))) reader.stoppedAt ??= start
  const decoded = source === undefined || /r/i.test(prefix) ? source : decodeEscapes(source, /b/i.test(prefix))
  statement?.push({ kind: 'string', text: decoded ?? source ?? '', isFormat, isKnown: decoded !== undefined })
}

function hasClosedBraces(text: string): boolean {
  const braces = text.replaceAll('{{', '').replaceAll('}}', '')
  return braces.split('{').length === braces.split('}').length
}
