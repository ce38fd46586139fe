import { findClosing, findOpening, splitAtCommas } from './brackets.ts'
import { programStarters, readingFunctions } from './functions.ts'
import type { Token } from './tokens.ts'

interface OwnStatements {
  statementsByName: ReadonlyMap<string, ReadonlySet<readonly Token[]>>
  assigned: ReadonlySet<string>
}

/** Return whether an expression is a list or tuple of elements. */
export function isList(tokens: readonly Token[]): boolean {
  const isOpening = tokens[0]?.kind === 'operator' && (tokens[0].text === '[' || tokens[0].text === '(')
  return isOpening && findClosing(tokens, 0) === tokens.length - 1
}

/**
 * Return the elements of each list that is assigned to a variable, with those that are added later. Return undefined if another statement may
 * assign or change the list.
 */
export function findLists({ statementsByName, assigned }: OwnStatements, name: string): Token[][][] | undefined {
  const lists: Token[][][] = []
  const added: Token[][] = []
  for (const statement of statementsByName.get(name) ?? []) {
    const [first, ...others] = statement.flatMap(({ kind, text }, index) => (kind === 'name' && text === name ? [index] : []))
    if (first === undefined) continue
    if (others.length > maxReads) return undefined
    const isTarget = first === 0 && others.length === 0
    const operator = statement[1]?.text
    const value = statement.slice(2)
    const isAddition = operator === '.' && /^(append|extend)$/.test(value[0]?.text ?? '') && isList(value.slice(1))
    if (isTarget && operator === '=' && isList(value)) lists.push(splitAtCommas(value.slice(1, -1)))
    else if (isTarget && operator === '+=' && isList(value)) added.push(...splitAtCommas(value.slice(1, -1)))
    else if (isTarget && isAddition) added.push(value.slice(2, -1))
    else if (![first, ...others].every((index) => isRead(statement, index, assigned))) return undefined
  }
  return lists.length > 0 ? lists.map((list) => [...list, ...added]) : undefined
}

/** A hostile statement with many reads must not make the check quadratic. */
const maxReads = 100

/** Return whether a name is an argument of a function that only reads it. */
function isRead(statement: readonly Token[], index: number, assigned: ReadonlySet<string>): boolean {
  const isArgument = '(,*='.includes(statement[index - 1]?.text || ' ') && ',)['.includes(statement[index + 1]?.text || ' ')
  const opening = findOpening(statement, index)
  const name = statement[opening - 1]?.text ?? ''
  const isOnlyRead = (readingFunctions.test(name) || programStarters.test(name)) && !assigned.has(name)
  return isArgument && isOnlyRead && statement[opening]?.text === '('
}
