import { parseJson } from './json.ts'

/** Return the value of a text that is JSON of a type that its schema has, or the text. */
export function readDeclaredText(text: string, schema: object): unknown {
  if (accepts(schema, 'string')) return text
  const value = parseJson(text)
  const type = Array.isArray(value) ? 'array' : typeof value
  const types = type === 'number' ? ['number', 'integer'] : [type]
  return value !== null && types.some((each) => accepts(schema, each)) ? value : text
}

/** Return whether a schema has values of a type. One that says nothing has every type. */
export function accepts(schema: unknown, type: string): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  const { type: types, anyOf, oneOf, allOf, enum: values } = schema as Record<string, unknown>
  const choices = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const isAny = types === undefined && choices.length === 0 && values === undefined
  const hasValue = (value: unknown) => (value === null ? 'null' : typeof value) === type
  return (
    isAny ||
    [types].flat().includes(type) ||
    (types === undefined && Array.isArray(values) && values.some(hasValue)) ||
    choices.some((choice) => accepts(choice, type))
  )
}
