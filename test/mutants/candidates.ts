import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Change, listChanges } from './operators.ts'
import { getName, type Node, parseSource, walk } from './syntax.ts'

/** A change of one file of the code that is deployed. */
export interface Mutation extends Change {
  file: string
  /** Counted from 1. */
  line: number
  before: string
}

// Types alone, and programs that the tests start as processes of their own.
const excludedFiles = /(^lib\/local\/|^lib\/db\/schema\.ts$|\.d\.ts$)/

/** List the files that may be changed, relative to `root`. */
export function listSourceFiles(root: string): string[] {
  const files = globSync(['functions/**/*.ts', 'lib/**/*.ts'], { cwd: root }).map((file) =>
    file.replaceAll('\\', '/'),
  )
  return files.filter((file) => !excludedFiles.test(file)).sort()
}

/** List every possible mutation of a file. */
export function listMutations(root: string, file: string): Mutation[] {
  const source = readFileSync(join(root, file), 'utf8')
  const mutations: Mutation[] = []
  walk(parseSource(source), (node, ancestors) => {
    if (isUnobservable(node, ancestors)) return false
    for (const change of listChanges(node, source, ancestors))
      mutations.push(describeMutation(file, source, change))
    return true
  })
  return mutations
}

function describeMutation(file: string, source: string, change: Change): Mutation {
  const line = source.slice(0, change.start).split('\n').length
  return { ...change, file, line, before: source.slice(change.start, change.end) }
}

const documentedKeys = new Set(['description', 'summary', 'example', 'examples'])
const documentingMethods = new Set(['describe', 'meta'])
const errorClasses = new Set(['Error', 'TypeError', 'RangeError'])

/**
 * Return whether no caller can see a change inside the node: imports, keys, texts and examples for readers,
 * logs, and tables of data.
 */
function isUnobservable(node: Node, ancestors: readonly Node[]): boolean {
  const parent = ancestors.at(-1)
  if (node.type === 'ImportDeclaration' || isProgramStart(node)) return true
  if (node.type === 'Property' && documentedKeys.has(getName(node.key))) return true
  if (node.type === 'VariableDeclarator' && /^example/.test(getName(node.id))) return true
  if (node.type === 'NewExpression' && errorClasses.has(getName(node.callee))) return true
  if (node.type === 'ArrayExpression') return isTable(node)
  if (node.type === 'CallExpression') return isLogCall(node)
  if (node.type === 'ExpressionStatement') return isLogCall(node.expression as Node)
  if (parent?.type === 'Property') return parent.key === node
  return (
    parent?.type === 'CallExpression' &&
    documentingMethods.has(getName(parent.callee)) &&
    parent.callee !== node
  )
}

/** Return whether a node is `if (import.meta.main) …`, which runs in a process of its own only. */
function isProgramStart({ type, test }: Node): boolean {
  return type === 'IfStatement' && getName(test) === 'main'
}

function isLogCall(node: Node): boolean {
  if (node.type !== 'CallExpression') return false
  const callee = node.callee as Node
  return (
    getName(callee) === 'log' || (callee.type === 'MemberExpression' && getName(callee.object) === 'console')
  )
}

/**
 * Return whether an array is a table of numbers, such as the shapes of letters: no test reads each of them.
 */
function isTable({ elements }: Node): boolean {
  return (
    Array.isArray(elements) &&
    elements.length > 8 &&
    elements.every((element: Node | null) => element?.type === 'Literal')
  )
}
