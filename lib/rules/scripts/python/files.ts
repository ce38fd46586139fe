import type { SourceGraph } from '#rules/scripts/source-graph.ts'
import { findClosing, splitAtCommas } from './brackets.ts'
import { findCalleeStart } from './changes.ts'
import { copiers, dumpers, openers, writers } from './functions.ts'
import type { Token } from './tokens.ts'
import { collectValues } from './values.ts'

// Follows values into the files that a script writes. A file is known by its name without the folder, or by a variable that names it.

/** A text such as `.sh`, which is added to the name of a file. */
const suffix = /^(\.[^./\\]*)?$/

/** Return the node of the text of a file. */
export function getFileNode(path: string): string {
  return `=file ${path.replace(/^.*[\\/]/s, '')}`
}

/** Return the node of the file that an expression names, such as `folder / "a.sh"`, `open(path)` or `file.name`. */
export function findFile(tokens: readonly Token[], assigned: ReadonlySet<string>): string | undefined {
  const opener = tokens.findIndex(({ kind, text }, index) => kind === 'name' && text === 'open' && tokens[index + 1]?.text === '(')
  // A method opens its object, and a function its first argument.
  const object = tokens[opener - 1]?.text === '.' ? findFile(tokens.slice(0, opener), assigned) : undefined
  if (object !== undefined) return object
  const path = opener < 0 ? tokens : (splitAtCommas(tokens.slice(opener + 2, findClosing(tokens, opener + 1)))[0] ?? [])
  const last = path.findLast(({ kind, text }) => (kind === 'string' && !suffix.test(text)) || (kind === 'name' && assigned.has(text)))
  return last && getFileNode(last.text)
}

interface OwnNames {
  /** The names that the script gives to its values and functions. */
  assigned: ReadonlySet<string>
  parametersByFunction: ReadonlyMap<string, ReadonlySet<string>>
}

interface Files {
  find(tokens: readonly Token[]): string | undefined
  /** Let two nodes be the same file. */
  link(first: string | undefined, second: string | undefined): void
  write(file: string | undefined, tokens: readonly Token[]): void
}

/** Follow what a statement writes to files, and the variables that name the same file. */
export function followFiles(graph: SourceGraph, statement: readonly Token[], { assigned, parametersByFunction }: OwnNames): void {
  const files: Files = {
    find: (tokens) => findFile(tokens, assigned),
    link: (first, second) => {
      if (first === undefined || second === undefined) return
      graph.connect(first, second)
      graph.connect(second, first)
    },
    write: (file, tokens) => file !== undefined && graph.assign(file, collectValues(tokens)),
  }
  let start = 0
  let depth = 0
  for (const [index, { kind, text }] of statement.entries()) {
    if (kind === 'name' && text === 'as') {
      nameFile(files, statement.slice(index + 1, index + 2), statement.slice(start, index))
      start = index + 2
    }
    if (kind !== 'operator') continue
    if (text === ':=' || (text === '=' && depth === 0)) nameFile(files, statement.slice(start, index), statement.slice(index + 1))
    if (')]}'.includes(text)) depth--
    if (!'([{'.includes(text)) continue
    depth++
    if (text === '(') followCall(files, statement, index, parametersByFunction)
  }
}

function nameFile({ find, link, write }: Files, target: readonly Token[], value: readonly Token[]): void {
  link(find(target), find(value))
  // What a method under another name writes reaches the object.
  if (value.some(({ text }) => openers.test(text))) write(find(target), target)
}

/** Follow the call whose bracket is at `opening`. */
function followCall(
  { find, link, write }: Files,
  statement: readonly Token[],
  opening: number,
  parametersByFunction: OwnNames['parametersByFunction'],
): void {
  const name = statement[opening - 1]?.text ?? ''
  const parameters = parametersByFunction.get(name)
  if (!parameters && !writers.test(name) && !dumpers.test(name) && !copiers.test(name)) return
  const args = splitAtCommas(statement.slice(opening + 1, findClosing(statement, opening)))
  const [first = [], second] = args
  const object = statement.slice(findCalleeStart(statement, opening), opening - 1)
  if (writers.test(name)) write(find(object) ?? find(first), args.flat())
  if (dumpers.test(name)) write(find(args.find(isFileArgument) ?? (name === 'print' ? [] : (second ?? []))), args.flat())
  if (copiers.test(name)) link(find(first), find(second ?? object))
  // Each argument may be each parameter. A node between them keeps the number of edges linear.
  const anyParameter = `=files of ${name}`
  for (const parameter of parameters ?? []) link(anyParameter, getFileNode(parameter))
  if (parameters) for (const arg of args) link(anyParameter, find(arg))
}

function isFileArgument([name, operator]: readonly Token[]): boolean {
  return name?.text === 'file' && operator?.text === '='
}
