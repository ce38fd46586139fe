import { createSourceGraph, type Values } from '#rules/scripts/source-graph.ts'
import type { WorkBudget } from '#rules/text/work-budget.ts'
import { findClosing } from './brackets.ts'
import { findCalls, isChangeOfObject } from './changes.ts'
import { followFiles } from './files.ts'
import type { Token } from './tokens.ts'
import { collectValues } from './values.ts'

// Follows the values of parameters through variables, arguments and containers. Order, scopes and branches are ignored: a name is one
// variable in the whole script. Two variables may name one object, so what changes the object under one name changes it under both.

/** Return the placeholders of text that reach the value of these tokens, by start index. */
export type FindSources = (tokens: readonly Token[]) => number[]

const stepsPerEdge = 20

export interface DataFlow {
  findSources: FindSources
  /** The names that the script gives to its own values and functions. */
  assigned: ReadonlySet<string>
}

type Assign = (targets: readonly string[], values: Values, isChange?: boolean) => void

/** Return the node of what changes the object that a variable names. */
function getChangeNode(name: string): string {
  return `=change ${name}`
}

/** Follow the values. Throw 422 for a hostile script that would take too long. */
export function followValues(statements: readonly (readonly Token[])[], budget: WorkBudget): DataFlow {
  const graph = createSourceGraph()
  const assigned = new Set<string>()
  const assign: Assign = (targets, values, isChange = false) => {
    const { names } = values
    budget.spend((names.length + 1) * (targets.length + 1) * stepsPerEdge)
    for (const target of targets) {
      if (!isChange) assigned.add(target)
      graph.assign(isChange ? getChangeNode(target) : target, values)
      graph.connect(getChangeNode(target), target)
      for (const name of names) graph.connect(getChangeNode(target), getChangeNode(name))
    }
    for (const name of names) graph.connect(getChangeNode(name), name)
  }
  const parametersByFunction = findParameters(statements)
  // The result of a function may contain what any function returns.
  for (const name of parametersByFunction.keys()) assign([name], { placeholders: [], names: ['=return'] })
  for (const statement of statements) {
    const operations = statement.filter(
      ({ text }) => /^(=|.=|as|in|for|match|case|return|yield|raise|lambda|\()$/.test(text) || parametersByFunction.has(text),
    )
    budget.spend(operations.length * statement.length * stepsPerEdge)
    addAssignments(statement, assign)
    addCalls(statement, parametersByFunction, assign)
  }
  for (const [index, { values, changed, isWriter }] of statements.flatMap((statement) => findCalls(statement, assigned)).entries()) {
    // A node of its own, so that the number of edges stays linear.
    const node = `=call ${index}`
    if (isWriter) graph.assign(node, collectValues(values))
    else assign([node], collectValues(values))
    for (const name of getNames(changed)) {
      graph.connect(node, getChangeNode(name))
      graph.connect(getChangeNode(name), name)
      if (!isWriter) graph.connect(getChangeNode(name), getChangeNode(node))
    }
  }
  for (const statement of statements) followFiles(graph, statement, { assigned, parametersByFunction })
  const findSources = graph.follow()
  return { findSources: (tokens) => findSources(collectValues(tokens)), assigned }
}

/** Follow `a = b = value`, `a += value`, `a: type = value`, `for a in value`, `with value as a` and `(a := value)`. */
function addAssignments(statement: readonly Token[], assign: Assign): void {
  let start = 0
  let depth = 0
  for (const [index, { kind, text }] of statement.entries()) {
    if (kind === 'operator' && '([{'.includes(text)) depth++
    if (kind === 'operator' && ')]}'.includes(text)) depth--
    const isAssignment = kind === 'operator' && ((depth === 0 && text === '=') || /^([+\-*/%&|^@:])=$/.test(text))
    if (isAssignment) {
      const target = statement.slice(start, index)
      assign(getNames(target), collectValues(statement.slice(index + 1)), isChangeOfObject(target, text))
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

function getNames(tokens: readonly Token[]): string[] {
  return tokens.filter(({ kind }) => kind === 'name').map(({ text }) => text)
}

/** Return the parameters of each function, by its name. A class has those of its __init__. */
function findParameters(statements: readonly (readonly Token[])[]): Map<string, Set<string>> {
  const parametersByFunction = new Map<string, Set<string>>()
  const add = (name: string, parameters: readonly string[]) => {
    const known = parametersByFunction.get(name) ?? new Set()
    parametersByFunction.set(name, known)
    for (const parameter of parameters) known.add(parameter)
  }
  let className = ''
  for (const statement of statements)
    for (const [index, { kind, text }] of statement.entries()) {
      const name = statement[index + 1]?.text ?? ''
      if (kind === 'name' && text === 'class') className = name
      if (kind === 'name' && text === 'lambda' && statement[1]?.text === '=')
        add(statement[0]?.text ?? '', getLambdaParameters(statement, index))
      if (kind !== 'name' || text !== 'def') continue
      const parameters = getNames(statement.slice(index + 2, findClosing(statement, index + 2)))
      add(name === '__init__' ? className : name, parameters)
    }
  return parametersByFunction
}

/** Follow the arguments of the script's own functions. */
function addCalls(statement: readonly Token[], parametersByFunction: ReadonlyMap<string, ReadonlySet<string>>, assign: Assign): void {
  const isDefinition = statement.some(({ kind, text }) => kind === 'name' && text === 'def')
  if (isDefinition) return
  for (const { kind, text } of statement) {
    const parameters = kind === 'name' ? parametersByFunction.get(text) : undefined
    // Without brackets the function is passed on, and its arguments are unknown: those of the whole statement count.
    if (parameters) assign([...parameters, text], collectValues(statement))
  }
}
