import { parseDocument } from 'yaml'
import { invalidField } from '#problem.ts'
import type { Budget } from '#rules/budget.ts'
import { isStorable, isTooDeep } from '#rules/text/json.ts'

// Reads the file of another tool, JSON or YAML, into plain values. Their fields are read tolerantly, because
// versions of a tool differ.

/** Measured: JSON takes about 20 ns a character, and YAML, also an invalid one, up to 4 µs. */
const [jsonSteps, yamlSteps] = [2, 400] as const
const maxDepth = 64
const stepsPerValue = 10
const options = { uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const
/**
 * More aliases than this would let a small file describe a huge one (https://eemeli.org/yaml/#tojs-options).
 */
const maxAliasCount = 100

/**
 * Parse a JSON or YAML text. Throw 422 for another one, and for a text that is nested too deeply or cannot be
 * stored.
 */
export function parseDocumentText(content: string, budget: Budget): unknown {
  const text = content.replace(/^\ufeff/, '').trim()
  const value = /^[[{]/.test(text) ? parseJsonText(text, budget) : parseYamlText(text, budget)
  requireUsable(value, 0, budget)
  return value
}

function parseJsonText(text: string, budget: Budget): unknown {
  budget.spend(text.length * jsonSteps)
  if (isTooDeep(text, maxDepth)) throw tooDeep()
  try {
    return JSON.parse(text)
  } catch {
    // YAML can start with a bracket too.
    return parseYamlText(text, budget)
  }
}

function parseYamlText(text: string, budget: Budget): unknown {
  budget.spend(text.length * yamlSteps)
  try {
    const document = parseDocument(text, options)
    if (document.errors.length === 0) return document.toJS({ maxAliasCount })
  } catch {
    // The parser throws on too many aliases, and when deep nesting overflows the stack.
  }
  throw invalidField(
    ['body', 'content'],
    'must be valid JSON or YAML, with a few aliases at most',
    'invalid_format',
  )
}

function requireUsable(value: unknown, depth: number, budget: Budget): void {
  budget.spend(stepsPerValue)
  if (depth > maxDepth) throw tooDeep()
  if (typeof value === 'string' && !isStorable(value))
    throw invalidField(
      ['body', 'content'],
      'must not contain NUL characters or lone surrogates',
      'invalid_text',
    )
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    requireUsable(key, depth, budget)
    requireUsable(item, depth + 1, budget)
  }
}

const tooDeep = () => invalidField(['body', 'content'], `must have at most ${maxDepth} levels`, 'too_deep')

export type Fields = Readonly<Record<string, unknown>>

/** Return a field of a value, or undefined if the value has none of this name. */
export function getField(value: unknown, name: string): unknown {
  return isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Return a list field; a field of another type is an empty list. */
export function getList(value: unknown, name: string): readonly unknown[] {
  const field = getField(value, name)
  return Array.isArray(field) ? field : []
}

/** Return a text, number or boolean as text; anything else is an empty text. */
export function getText(value: unknown, name: string): string {
  return toText(getField(value, name))
}

export function toText(value: unknown): string {
  return typeof value === 'string'
    ? value.trim()
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : ''
}

/** Return whether a field is true. YAML of older versions has it as text. */
export function isTrue(value: unknown, name: string): boolean {
  return getText(value, name).toLowerCase() === 'true'
}
