import * as z from 'zod'

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  additionalProperties?: unknown
  $defs?: Record<string, Schema>
  [keyword: string]: unknown
}

/**
 * List the limits, types and defaults of a schema, a line for each path. The path of a shared schema starts
 * with `#`.
 */
export function listLimits(type: z.ZodType, path: string): string[] {
  return listParts(z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema, path)
}

const ignored = new Set([
  '$schema',
  'additionalProperties',
  'description',
  'example',
  'examples',
  'pattern',
  'required',
])

function listParts(
  { properties = {}, items, anyOf, oneOf, $defs = {}, ...rest }: Schema,
  path: string,
): string[] {
  const keywords = Object.fromEntries(Object.entries(rest).filter(([keyword]) => !ignored.has(keyword)))
  return [
    `${path} ${JSON.stringify(keywords)}`,
    ...Object.entries(properties).flatMap(([name, schema]) => listParts(schema, `${path}.${name}`)),
    ...(items ? listParts(items, `${path}[]`) : []),
    ...(anyOf ?? oneOf ?? []).flatMap((schema, index) => listParts(schema, `${path}|${index}`)),
    ...Object.entries($defs).flatMap(([name, schema]) => listParts(schema, `#${name}`)),
  ]
}
