import type { Token } from './tokens.ts'

// Follows the values of parameters through variables, arguments and containers. Order, scopes and branches are ignored: a name is one
// variable in the whole script.

/** Return the placeholders of text that reach the value of these tokens, by start index. */
export type FindSources = (tokens: readonly Token[]) => number[]

/** Functions whose result is a number, or is quoted for a shell. */
const cleaningFunctions = new Set(['int', 'float', 'len', 'bool', 'isinstance', 'ord', 'hash', 'quote'])

/** Return the index of the bracket that closes the one at `start`. */
export function findClosing(tokens: readonly Token[], start: number): number {
  let depth = 0
  for (let index = start; index < tokens.length; index++) {
    const { kind, text } = tokens[index] as Token
    if (kind !== 'operator') continue
    if ('([{'.includes(text)) depth++
    else if (')]}'.includes(text) && --depth === 0) return index
  }
  return tokens.length
}

/** Split tokens at the commas outside brackets. */
export function splitAtCommas(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (token.kind === 'operator' && '([{'.includes(token.text)) depth++
    if (token.kind === 'operator' && ')]}'.includes(token.text)) depth--
    if (depth === 0 && token.kind === 'operator' && token.text === ',') parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts.filter((part) => part.length > 0)
}

interface Values {
  placeholders: number[]
  names: string[]
}

const maxWork = 3_000_000

/** Collect the placeholders and names in an expression, without those inside a function that cleans them. */
function collectValues(tokens: readonly Token[]): Values {
  const values: Values = { placeholders: [], names: [] }
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token
    if (token.kind === 'placeholder' && token.placeholder.isUntrusted) values.placeholders.push(token.placeholder.start)
    if (token.kind === 'string' && token.isFormat) values.names.push(...getNamesInBraces(token.text))
    if (token.kind !== 'name') continue
    const cleans = cleaningFunctions.has(token.text) && tokens[index + 1]?.text === '(' && tokens[index + 1]?.kind === 'operator'
    if (cleans) index = findClosing(tokens, index + 1)
    else values.names.push(token.text)
  }
  return values
}

function getNamesInBraces(text: string): string[] {
  return text.includes('{') ? (text.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []) : []
}

/** Return undefined for a hostile script that would take too long. */
export function createSourceFinder(statements: readonly (readonly Token[])[]): FindSources | undefined {
  let work = 0
  const usersByName = new Map<string, Set<string>>()
  const sourcesByName = new Map<string, Set<number>>()
  const queue: [name: string, start: number][] = []
  const assign = (targets: readonly string[], { placeholders, names }: Values) => {
    for (const target of targets) for (const start of placeholders) queue.push([target, start])
    work += (names.length + 1) * (targets.length + 1)
    if (work > maxWork) return
    for (const name of names) {
      const users = usersByName.get(name) ?? new Set()
      usersByName.set(name, users)
      for (const target of targets) users.add(target)
    }
  }
  const parametersByFunction = findParameters(statements)
  // The result of a function may contain what any function returns.
  for (const name of parametersByFunction.keys()) assign([name], { placeholders: [], names: ['=return'] })
  for (const statement of statements) {
    const operations = statement.filter(
      ({ text }) =>
        /^(=|.=|as|in|for|match|case|return|yield|raise|lambda)$/.test(text) || parametersByFunction.has(text) || addingMethods.test(text),
    )
    work += operations.length * statement.length
    if (work > maxWork || getDepth(statement) > maxDepth) return undefined
    addAssignments(statement, assign)
    addCalls(statement, parametersByFunction, assign)
  }
  if (work > maxWork) return undefined
  for (let next = queue.pop(); next; next = queue.pop()) {
    const [name, start] = next
    const sources = sourcesByName.get(name) ?? new Set()
    sourcesByName.set(name, sources)
    // One source per parameter is enough to refuse it. A hostile script must not make this quadratic.
    if (sources.has(start) || sources.size >= 20) continue
    sources.add(start)
    for (const user of usersByName.get(name) ?? []) queue.push([user, start])
  }
  return (tokens) => {
    const { placeholders, names } = collectValues(tokens)
    return [...new Set([...placeholders, ...names.flatMap((name) => [...(sourcesByName.get(name) ?? [])])])]
  }
}

/** Follow `a = b = value`, `a += value`, `a: type = value`, `for a in value`, `with value as a` and `(a := value)`. */
function addAssignments(statement: readonly Token[], assign: (targets: string[], values: Values) => void): void {
  let start = 0
  let depth = 0
  for (const [index, { kind, text }] of statement.entries()) {
    if (kind === 'operator' && '([{'.includes(text)) depth++
    if (kind === 'operator' && ')]}'.includes(text)) depth--
    const isAssignment = kind === 'operator' && ((depth === 0 && text === '=') || /^([+\-*/%&|^@:])=$/.test(text))
    if (isAssignment) {
      assign(getNames(statement.slice(start, index)), collectValues(statement.slice(index + 1)))
      start = index + 1
    }
    if (kind !== 'name') continue
    if (text === 'for') start = index
    if (text === 'in' && statement[start]?.text === 'for')
      assign(getNames(statement.slice(start, index)), collectValues(statement.slice(index + 1)))
    if (text === 'as') assign(getNames(statement.slice(index + 1)), collectValues(statement.slice(0, index)))
    if (text === 'as' && statement[0]?.text === 'except')
      assign(getNames(statement.slice(index + 1)), { placeholders: [], names: ['=raise'] })
    if (text === 'raise') assign(['=raise'], collectValues(statement.slice(index + 1)))
    if (text === 'lambda') assign(getLambdaParameters(statement, index), collectValues(statement))
    if (text === 'case' || text === 'match') assign(getNames(statement), { placeholders: [], names: ['=match'] })
    if (text === 'match') assign(['=match'], collectValues(statement))
    if (text === 'return' || text === 'yield') assign(['=return'], collectValues(statement.slice(index + 1)))
  }
}

function getLambdaParameters(statement: readonly Token[], start: number): string[] {
  const length = statement.slice(start).findIndex(({ kind, text }) => kind === 'operator' && text === ':')
  return getNames(statement.slice(start + 1, length < 0 ? undefined : start + length))
}

const addingMethods = /^(append|extend|insert|update|add|setdefault|put|write|__setitem__|appendleft|push)$/
const maxDepth = 60

function getDepth(tokens: readonly Token[]): number {
  let depth = 0
  let deepest = 0
  for (const { kind, text } of tokens) {
    if (kind !== 'operator') continue
    if ('([{'.includes(text)) depth++
    else if (')]}'.includes(text)) depth--
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

function getNames(tokens: readonly Token[]): string[] {
  return tokens.filter(({ kind }) => kind === 'name').map(({ text }) => text)
}

/** Return the parameters of each function, by its name. A class has those of its __init__. */
function findParameters(statements: readonly (readonly Token[])[]): Map<string, string[]> {
  const parametersByFunction = new Map<string, string[]>()
  let className = ''
  for (const statement of statements)
    for (const [index, { kind, text }] of statement.entries()) {
      const name = statement[index + 1]?.text ?? ''
      if (kind === 'name' && text === 'class') className = name
      if (kind === 'name' && text === 'lambda' && statement[1]?.text === '=')
        parametersByFunction.set(statement[0]?.text ?? '', getLambdaParameters(statement, index))
      if (kind !== 'name' || text !== 'def') continue
      const parameters = getNames(statement.slice(index + 2, findClosing(statement, index + 2)))
      const key = name === '__init__' ? className : name
      parametersByFunction.set(key, [...(parametersByFunction.get(key) ?? []), ...parameters])
    }
  return parametersByFunction
}

/** Follow the arguments of the script's own functions, and values that a method adds to its object, such as `list.append(value)`. */
function addCalls(
  statement: readonly Token[],
  parametersByFunction: ReadonlyMap<string, string[]>,
  assign: (targets: readonly string[], values: Values) => void,
): void {
  const isDefinition = statement.some(({ kind, text }) => kind === 'name' && text === 'def')
  if (isDefinition) return
  for (const [index, { kind, text }] of statement.entries()) {
    if (kind !== 'name') continue
    const parameters = parametersByFunction.get(text)
    // Without brackets the function is passed on, and its arguments are unknown: those of the whole statement count.
    if (parameters) assign([...parameters, text], collectValues(statement))
    const object = statement[index - 2]
    const isMethod = statement[index - 1]?.text === '.' && object?.kind === 'name'
    if (isMethod && addingMethods.test(text)) assign([object.text], collectValues(statement.slice(index + 1)))
  }
}
