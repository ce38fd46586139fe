import { findClosing } from './brackets.ts'
import { readingFunctions, unchangingFunctions, writers } from './functions.ts'
import type { Token } from './tokens.ts'

/** Return whether an assignment changes an object, as `a[0] = value`, `a.b = value` and `a += value` do, instead of only naming it. */
export function isChangeOfObject(target: readonly Token[], operator: string): boolean {
  if (operator !== '=') return operator !== ':='
  const isAnnotated = target[1]?.text === ':' && !/^(else|try|finally)$/.test(target[0]?.text ?? '')
  return !isAnnotated && target.some(({ kind, text }) => kind === 'operator' && (text === '[' || text === '.'))
}

interface Call {
  /** Tokens whose values the call may store. */
  values: readonly Token[]
  /** Tokens of the objects that it may change. */
  changed: readonly Token[]
  /** Whether it writes to a file, which neither changes nor keeps its arguments. */
  isWriter: boolean
}

/** Return the calls that may change their object or an argument. A function may be any, if the script assigns its name. */
export function findCalls(statement: readonly Token[], assigned: ReadonlySet<string>): Call[] {
  const calls: Call[] = []
  for (const [index, { kind, text }] of statement.entries()) {
    if (kind !== 'operator' || text !== '(') continue
    const start = findCalleeStart(statement, index)
    const name = statement[index - 1]
    if (start === index || name === undefined || statement[start - 1]?.text === 'def') continue
    const isOfLibrary = name.kind === 'name' && !assigned.has(name.text)
    if (isOfLibrary && (readingFunctions.test(name.text) || unchangingFunctions.test(name.text))) continue
    const values = statement.slice(index + 1, findClosing(statement, index))
    const callee = statement.slice(start, index)
    const isWriter = isOfLibrary && writers.test(name.text)
    calls.push({ values, changed: isWriter ? callee : [...callee, ...values], isWriter })
  }
  return calls
}

/** Return the index where the expression starts that the bracket at `opening` calls, such as `a[0].append` before `(`. */
export function findCalleeStart(statement: readonly Token[], opening: number): number {
  let start = opening
  for (let before = statement[start - 1]; before; before = statement[start - 1]) {
    if (before.kind === 'operator') {
      if (!')]}'.includes(before.text)) break
      start = findOpeningOf(statement, start - 1)
      continue
    }
    if (keywords.test(before.text)) break
    start--
    if (statement[start - 1]?.text !== '.') break
    start--
  }
  return start
}

const keywords = /^(and|or|not|in|is|if|elif|else|while|return|yield|assert|del|lambda|await|for|with|from|raise)$/

/** Return the index of the bracket that the one at `closing` closes. */
function findOpeningOf(statement: readonly Token[], closing: number): number {
  let depth = 0
  for (let index = closing; index >= 0; index--) {
    const { kind, text } = statement[index] as Token
    if (kind !== 'operator') continue
    if (')]}'.includes(text)) depth++
    else if ('([{'.includes(text) && --depth === 0) return index
  }
  return 0
}
