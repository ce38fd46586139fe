import { parser } from '@lezer/python'
import type { JudgedPlaceholder } from '#rules/scripts/placeholders.ts'
import { decodeEscapes } from './escapes.ts'

/** A node of the syntax tree, with the name that the parser gives to its kind. */
export interface Node {
  /** The name of the node in the graph of values. */
  id: string
  kind: string
  /** The source. The text of a name is in the normal form in which Python compares it. */
  text: string
  start: number
  end: number
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

/** Otherwise the parser guesses what a wrong script means. */
const strictParser = parser.configure({ strict: true })

const compound =
  /^(Script|Body|StatementGroup|(If|While|For|Try|With|Decorated|Match)Statement|(Function|Class)Definition|MatchBody|MatchClause)$/

/**
 * Read the syntax tree without its comments. `enter` returns whether the inside of a node is read. Throw a
 * SyntaxError for a wrong script if the tree must be strict.
 */
export function readNodes(
  text: string,
  { isStrict }: { isStrict: boolean },
  enter: (node: Node, depth: number) => boolean,
): Node[] {
  const nodes: Node[] = []
  let parent: Node | undefined
  let depth = 0
  const tree = (isStrict ? strictParser : parser).parse(text)
  tree.iterate({
    enter: ({ name: kind, from: start, to: end }) => {
      if (kind === 'Comment') return false
      const source = text.slice(start, end)
      const node: Node = {
        id: `=${nodes.length}`,
        kind,
        text: names.has(kind) ? source.normalize('NFKC') : source,
        start,
        end,
        children: [],
        parent,
        next: undefined,
        isCompound: compound.test(kind),
      }
      nodes.push(node)
      const before = parent?.children.at(-1)
      if (before) before.next = node
      parent?.children.push(node)
      if (!enter(node, depth + 1)) return false
      parent = node
      depth++
      return true
    },
    leave: ({ name }) => {
      if (name === 'Comment') return
      parent = parent?.parent
      depth--
    },
  })
  return nodes
}

const names = new Set(['VariableName', 'PropertyName'])

const stringSource = /^([a-zA-Z]{0,3})("""|'''|"|')(.*)\2$/s

/** Return the parts of a string literal, or undefined if it does not end. */
export function splitString(literal: string): { prefix: string; quotes: string; source: string } | undefined {
  const [, prefix = '', quotes = '', source] = stringSource.exec(literal) ?? []
  return source === undefined ? undefined : { prefix, quotes, source }
}

/** Return the value of a string literal without replacements, or undefined if it is not known. */
export function decodeString(literal: string): string | undefined {
  const parts = splitString(literal)
  return (
    parts && (/r/i.test(parts.prefix) ? parts.source : decodeEscapes(parts.source, /b/i.test(parts.prefix)))
  )
}

/** Return the nodes inside a node, and the node itself. */
export function listNodes(node: Node): Node[] {
  return [node, ...node.children.flatMap(listNodes)]
}

export function isName({ kind }: Node): boolean {
  return names.has(kind)
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
