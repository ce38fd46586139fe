import { parser } from '@lezer/python'
import { spend } from '#rules/budget.ts'
import { findMarked, type MarkedScript, numberMark } from '#rules/scripts/markers.ts'
import type { JudgedPlaceholder } from '#rules/scripts/placeholders.ts'
import { insideQuotes } from '#rules/scripts/placement-reasons.ts'
import { decodeEscapes } from './escapes.ts'

/** A node of the syntax tree, with the name that the parser gives to its kind. */
export interface Node {
  /** The name of the node in the graph of values. */
  id: string
  kind: string
  /** The source. The text of a name is in the normal form in which Python compares it. */
  text: string
  start: number
  children: Node[]
  parent: Node | undefined
  /** The node after it in the same parent. */
  next: Node | undefined
  /** Whether it is no expression, but contains statements. */
  isCompound: boolean
  placeholder?: JudgedPlaceholder
  /** The value of a string without replacements, if it is known. */
  value?: string | undefined
}

export interface PythonScript {
  /** All nodes, each after its parent. */
  nodes: Node[]
  /** The placeholders inside strings, with their reasons. */
  reasons: Map<number, string>
  /** The placeholders that stand as literals where they may. */
  placed: Set<number>
  /** Where the check cannot follow the script. */
  stoppedAt: number | undefined
}

const stepsPerCharacter = 100
/** The check follows the tree by recursion. */
const maxDepth = 300

/** Otherwise the parser would guess what a wrong script means. */
const strictParser = parser.configure({ strict: true })

/** Parse a Python script, in which markers stand for the placeholders. */
export function readPythonScript(marked: MarkedScript): PythonScript {
  spend(marked.text.length * stepsPerCharacter)
  const script: PythonScript = { nodes: [], reasons: new Map(), placed: new Set(), stoppedAt: undefined }
  try {
    readNodes(script, marked)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    script.stoppedAt = Number(/\d+/.exec(error.message)?.[0] ?? 0)
  }
  return script
}

const compound =
  /^(Script|Body|StatementGroup|(If|While|For|Try|With|Decorated|Match)Statement|(Function|Class)Definition|MatchBody|MatchClause)$/

function readNodes(script: PythonScript, marked: MarkedScript): void {
  let parent: Node | undefined
  let depth = 0
  strictParser.parse(marked.text).iterate({
    enter: ({ name: kind, from, to }) => {
      if (kind === 'Comment') return false
      const text = marked.text.slice(from, to)
      const isCompound = compound.test(kind)
      const node: Node = {
        id: `=${script.nodes.length}`,
        kind,
        text,
        start: from,
        children: [],
        parent,
        next: undefined,
        isCompound,
      }
      script.nodes.push(node)
      const before = parent?.children.at(-1)
      if (before) before.next = node
      parent?.children.push(node)
      if (kind === 'String' || kind === 'FormatString') readString(script, marked, node, from)
      if (kind === 'VariableName' || kind === 'PropertyName') readName(script, node, from)
      if (++depth > maxDepth) script.stoppedAt ??= from
      if (kind === 'String' || depth > maxDepth) {
        depth--
        return false
      }
      parent = node
      return true
    },
    leave: ({ name }) => {
      if (name === 'Comment') return
      parent = parent?.parent
      depth--
    },
  })
}

function readName(script: PythonScript, node: Node, start: number): void {
  node.text = node.text.normalize('NFKC')
  const mark = node.text.indexOf(numberMark)
  if (mark === 0) node.kind = 'Number'
  // A number may belong to the name before it.
  if (mark > 0) script.stoppedAt ??= start
}

const stringSource = /^([a-zA-Z]{0,3})("""|'''|"|')(.*)\2$/s

function readString(script: PythonScript, marked: MarkedScript, node: Node, start: number): void {
  const { text, kind } = node
  const placeholder = marked.placeholderByMark.get(start + 1)
  if (placeholder?.start === start && placeholder.end === start + text.length) {
    script.placed.add(placeholder.start)
    node.placeholder = placeholder
    return
  }
  for (const { start: position } of findMarked(marked, text, start))
    script.reasons.set(position, insideQuotes)
  const [, prefix = '', quotes = '', source] = stringSource.exec(text) ?? []
  // Before Python 3.12 the braces of such a string may not contain the same quotes.
  if (source === undefined || (kind === 'FormatString' && source.includes(quotes))) script.stoppedAt ??= start
  else if (kind === 'String')
    node.value = /r/i.test(prefix) ? source : decodeEscapes(source, /b/i.test(prefix))
}

/** Return the nodes inside a node, and the node itself. */
export function listNodes(node: Node): Node[] {
  return [node, ...node.children.flatMap(listNodes)]
}

export function isName({ kind }: Node): boolean {
  return kind === 'VariableName' || kind === 'PropertyName'
}

/** Return the name of the function that a call names, such as `run` in `subprocess.run(…)`. */
export function getCalleeName({ children: [callee] }: Node): Node | undefined {
  const last = callee?.kind === 'MemberExpression' ? callee.children.at(-1) : callee
  return last && isName(last) ? last : undefined
}

/** Return the arguments of a call. Each may have several nodes, as `name=value` and `*list` do. */
export function listArguments({ children }: Node): Node[][] {
  return splitNodes(
    children.find(({ kind }) => kind === 'ArgList')?.children.slice(1, -1) ?? [],
    /^,$/,
  ).filter(({ length }) => length > 0)
}

/** Return the elements of a list or tuple, or undefined for other expressions. */
export function listElements({ kind, children }: Node): Node[][] | undefined {
  if (kind === 'ParenthesizedExpression' && children[1]) return [children.slice(1, -1)]
  if (kind !== 'ArrayExpression' && kind !== 'TupleExpression') return undefined
  return splitNodes(children.slice(1, -1), /^,$/).filter(({ length }) => length > 0)
}

export function splitNodes(nodes: readonly Node[], separator: RegExp): Node[][] {
  const groups: Node[][] = [[]]
  for (const node of nodes) {
    if (separator.test(node.kind)) groups.push([])
    else groups.at(-1)?.push(node)
  }
  return groups
}
