import type { Token } from './tokens.ts'

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

/** Return the index of the innermost bracket that is open before `index`, or -1. */
export function findOpening(statement: readonly Token[], index: number): number {
  return statement.findLastIndex(
    ({ kind, text }, at) => at < index && kind === 'operator' && '([{'.includes(text) && findClosing(statement, at) > index,
  )
}
