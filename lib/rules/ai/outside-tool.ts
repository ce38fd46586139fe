import { clip } from '#rules/text/clip.ts'
import { removeInvisible } from '#rules/text/plain-name.ts'

/** A tool as its server describes it, cleaned and cut for a prompt. */
export interface McpTool {
  name: string
  description: string
  input_schema: Record<string, unknown>
  /** A hash of everything that the server says of it. */
  version: string
  /** Why it cannot be allowed, as the end of the sentence "The tool …"; null if it can. */
  refusal: string | null
}

const maxDescription = 600
const maxSchemaCharacters = 2000
const maxLevels = 6
const maxItems = 60
/**
 * What a name of a tool may be together with the name of its server:
 * https://platform.openai.com/docs/api-reference/chat/create
 */
const namePattern = /^[A-Za-z0-9_-]{1,40}$/
const propertyPattern = /^[A-Za-z0-9_.-]{1,64}$/

/** The keywords that a model gets. What they leave out, the server checks. */
const wordKeywords: readonly string[] = ['type', 'format']
const wordPattern = /^[a-z-]{1,30}$/
const numberKeywords: readonly string[] = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
]

/**
 * Return a text of a server on one line: without hidden characters, and without the brackets and quotes with
 * which the place where it stands in a prompt could be closed.
 */
export function cleanOutsideText(text: string, max = maxDescription): string {
  const line = removeInvisible(text.slice(0, 4 * max).toWellFormed()).replace(/[\p{Cc}\p{Z}]+/gu, ' ')
  return clip(
    line
      .replace(/[<[{]/g, '(')
      .replace(/[>\]}]/g, ')')
      .replace(/["`“”„|]/g, "'")
      .trim(),
    max,
  )
}

/**
 * Return the part of a JSON schema that a model gets. Return undefined for one that is no object's, or larger
 * than a prompt can have.
 */
export function cleanInputSchema(schema: unknown): Record<string, unknown> | undefined {
  let items = 0
  const clean = (value: unknown, level: number): Record<string, unknown> => {
    if (level > maxLevels || ++items > maxItems) throw new RangeError('The schema is too large')
    if (typeof value !== 'object' || value === null) return {}
    const {
      properties,
      required,
      items: itemSchema,
      enum: choices,
      anyOf,
      ...rest
    } = value as Record<string, unknown>
    const entries = Object.entries(rest).flatMap(([key, each]): [string, unknown][] => {
      if (key === 'description' && typeof each === 'string') return [[key, cleanOutsideText(each)]]
      if (wordKeywords.includes(key) && typeof each === 'string' && wordPattern.test(each))
        return [[key, each]]
      return numberKeywords.includes(key) && typeof each === 'number' ? [[key, each]] : []
    })
    const names = isObject(properties)
      ? Object.keys(properties).filter((name) => propertyPattern.test(name))
      : []
    return {
      ...Object.fromEntries(entries),
      ...(isObject(properties)
        ? { properties: Object.fromEntries(names.map((name) => [name, clean(properties[name], level + 1)])) }
        : {}),
      ...(Array.isArray(required) ? { required: names.filter((name) => required.includes(name)) } : {}),
      ...(isObject(itemSchema) ? { items: clean(itemSchema, level + 1) } : {}),
      ...(Array.isArray(choices) ? { enum: choices.slice(0, maxItems).flatMap(cleanChoice) } : {}),
      ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((each) => clean(each, level + 1)) } : {}),
    }
  }
  // A schema without a type that has properties is an object's.
  if (!isObject(schema) || (schema.type ?? (isObject(schema.properties) ? 'object' : null)) !== 'object')
    return undefined
  try {
    const cleaned = { type: 'object', properties: {}, ...clean(schema, 1) }
    return JSON.stringify(cleaned).length <= maxSchemaCharacters ? cleaned : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function cleanChoice(choice: unknown): unknown[] {
  if (typeof choice === 'string') return [cleanOutsideText(choice, 100)]
  return typeof choice === 'object' && choice !== null ? [] : [choice]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Return why a tool cannot be allowed, as the end of the sentence "The tool …", or null. */
export function findToolRefusal(
  name: string,
  isReadOnly: boolean,
  schema: object | undefined,
): string | null {
  if (!isReadOnly) return 'does not say that it only reads (annotations.readOnlyHint)'
  if (!namePattern.test(name)) return 'has a name that a model cannot call'
  return schema ? null : 'has an input schema that a prompt has no room for'
}

/** List the names of the properties of a value, at any depth. */
export function listPropertyNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listPropertyNames)
  return isObject(value)
    ? Object.entries(value).flatMap(([name, each]) => [name, ...listPropertyNames(each)])
    : []
}

/**
 * Return a text that a tool has answered, without hidden characters and control characters but ends of lines.
 */
export function cleanOutsideResult(text: string): string {
  return removeInvisible(text.toWellFormed()).replace(/(?![\n\t])\p{Cc}/gu, '')
}
