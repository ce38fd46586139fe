import { isStorable } from '#rules/text/json.ts'
import { ScimError } from './errors.ts'

// Filters of RFC 7644, section 3.4.2.2. `scim2-parse-filter` 0.2.10, which `scim-patch` stands on, tries two
// alternatives for each line feed of a text that is not closed: 26 of them take 0.3 s, and each further one twice
// as long. `scimmy` brings a registry of resources. A filter that becomes SQL needs the parser alone.

const operators = ['eq', 'ne', 'co', 'sw', 'ew', 'pr'] as const
export type Operator = (typeof operators)[number]

export type Filter =
  | { kind: 'and' | 'or'; parts: Filter[] }
  | { kind: 'not'; part: Filter }
  | { kind: 'compare'; attribute: string; operator: Operator; value: string | number | boolean | null }

const maxLength = 2000
const maxComparisons = 50
const maxDepth = 10

const token = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([\w$:.-]+))/y

/** Return the name of an attribute of the core schemas in lower case, without the URN that may precede it. */
export function toAttribute(name: string): string {
  return name.toLowerCase().replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/, '')
}

/**
 * Parse a filter. What is in brackets is a comparison of sub-attributes: `emails[type eq "work"]` compares
 * `emails.type`. Throw 400 `invalidFilter` for anything else, and for more than 2,000 characters, 50 comparisons or
 * 10 levels.
 */
export function parseFilter(text: string): Filter {
  const tokens = tokenize(text)
  let [position, comparisons] = [0, 0]
  const peek = () => tokens[position]?.toLowerCase()
  const next = () => tokens[position++] ?? fail('ends too early')
  const expect = (word: string) => {
    if (next() !== word) fail(`needs ${word}`)
  }
  const readList = (kind: 'and' | 'or', readPart: () => Filter): Filter => {
    const parts = [readPart()]
    for (; peek() === kind; parts.push(readPart())) position++
    return parts.length === 1 && parts[0] ? parts[0] : { kind, parts }
  }
  const readGroup = (prefix: string, depth: number): Filter => {
    if (depth > maxDepth) fail(`nests deeper than ${maxDepth} levels`)
    return readList('or', () => readList('and', () => readTerm(prefix, depth)))
  }
  const readParentheses = (prefix: string, depth: number): Filter => {
    expect('(')
    const filter = readGroup(prefix, depth + 1)
    expect(')')
    return filter
  }
  const readTerm = (prefix: string, depth: number): Filter => {
    if (peek() === '(') return readParentheses(prefix, depth)
    const word = next()
    if (word.toLowerCase() === 'not' && peek() === '(')
      return { kind: 'not', part: readParentheses(prefix, depth) }
    if (!/^[a-z]/i.test(word)) fail(`has ${word} in the place of an attribute`)
    const attribute = prefix + toAttribute(word)
    if (peek() !== '[') return readComparison(attribute)
    if (prefix) fail('has brackets in brackets')
    position++
    const filter = readGroup(`${attribute}.`, depth + 1)
    expect(']')
    return filter
  }
  const readComparison = (attribute: string): Filter => {
    if (++comparisons > maxComparisons) fail(`has more than ${maxComparisons} comparisons`)
    const word = next().toLowerCase()
    const operator = operators.find((each) => each === word) ?? fail(`uses the operator ${word}`)
    return { kind: 'compare', attribute, operator, value: operator === 'pr' ? null : readValue(next()) }
  }
  const filter = readGroup('', 0)
  if (position < tokens.length) fail(`goes on after its end with ${tokens[position]}`)
  return filter
}

function tokenize(text: string): string[] {
  if (text.length > maxLength) fail(`has more than ${maxLength} characters`)
  const tokens: string[] = []
  const trimmed = text.trim()
  for (token.lastIndex = 0; token.lastIndex < trimmed.length; ) {
    const [, ...found] = token.exec(trimmed) ?? fail('cannot be read')
    tokens.push(found.find((each) => each !== undefined) ?? '')
  }
  return tokens
}

function readValue(word: string): string | number | boolean | null {
  let value: unknown
  try {
    value = JSON.parse(/^(true|false|null)$/i.test(word) ? word.toLowerCase() : word)
  } catch {
    return fail(`compares with ${word}, which is no value of JSON`)
  }
  if (typeof value === 'string' && !isStorable(value)) fail('compares with characters that no text has')
  return value as string | number | boolean | null
}

function fail(reason: string): never {
  throw new ScimError(400, `The filter ${reason}`, 'invalidFilter')
}
