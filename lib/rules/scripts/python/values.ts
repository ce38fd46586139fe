import type { Values } from '#rules/scripts/source-graph.ts'
import { findClosing } from './brackets.ts'
import type { Token } from './tokens.ts'

/** Functions whose result is a number, or is quoted for a shell. */
const cleaningFunctions = new Set(['int', 'float', 'len', 'bool', 'isinstance', 'ord', 'hash', 'quote'])

/** Collect the placeholders and names in an expression, without those inside a function that cleans them. */
export function collectValues(tokens: readonly Token[]): Values {
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
