import { parseAst } from 'vitest/node'

/** A node of the syntax tree, as ESTree with TypeScript describes it. */
export interface Node {
  type: string
  start: number
  end: number
  [property: string]: unknown
}

/** Parse a TypeScript file. Offsets count UTF-16 units. */
export function parseSource(source: string): Node {
  return parseAst(source, { lang: 'ts' }) as unknown as Node
}

/**
 * Call `visit` for each node that exists at run time, with its ancestors, outermost first. It returns false
 * to skip what is inside.
 */
export function walk(
  node: Node,
  visit: (node: Node, ancestors: readonly Node[]) => boolean,
  ancestors: Node[] = [],
): void {
  if (isType(node) || !visit(node, ancestors)) return
  ancestors.push(node)
  for (const child of listChildren(node)) walk(child, visit, ancestors)
  ancestors.pop()
}

// These wrap an expression that exists at run time.
const wrappers = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])

function isType({ type }: Node): boolean {
  return type.startsWith('TS') && !wrappers.has(type)
}

function listChildren(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  )
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    typeof value.type === 'string' &&
    'start' in value
  )
}

/** Return the name of an identifier, or of the last part of a member expression such as `a.b.name`. */
export function getName(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'Identifier') return String(node.name)
  if (node.type === 'MemberExpression') return getName(node.property)
  return node.type === 'Literal' ? String(node.value) : ''
}
