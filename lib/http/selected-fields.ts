import * as z from 'zod'
import type { AnyOperation } from './operation.ts'

/**
 * Create the schema of the query parameter `fields` of a list whose items are objects. Other operations get
 * none.
 */
export function createFieldsParameter({ paged, returns }: AnyOperation): { fields?: z.ZodType } {
  const names = paged && returns instanceof z.ZodArray ? listFields(returns.element) : []
  if (names.length === 0) return {}
  const knownNames = new Set(names)
  const fields = z
    .string()
    .max(2000)
    .transform((text) => new Set(text.split(',').map((name) => name.trim())))
    .superRefine((selected, context) => {
      const unknown = [...selected].find((name) => !knownNames.has(name))
      if (unknown !== undefined)
        context.addIssue(`has no field "${unknown.slice(0, 100)}"; the fields are ${names.join(', ')}`)
    })
    .optional()
    .describe('Names of fields with commas between them: the items have only these.')
  return { fields }
}

/** List the fields of an object, or of all objects of a union. */
function listFields(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (schema instanceof z.ZodUnion) return [...new Set(schema.options.flatMap(listFields))]
  return []
}

/** Return the JSON text of a list, each item with only the selected fields. */
export function selectFields(text: string, selected: ReadonlySet<string>): string {
  const items = JSON.parse(text) as object[]
  return JSON.stringify(
    items.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => selected.has(name)))),
  )
}

/** Separate the fields that a request selects from the rest of its query, which the handler gets. */
export function takeSelectedFields(
  op: AnyOperation,
  query: unknown,
): { selected?: ReadonlySet<string>; query: unknown } {
  if (!op.paged || (query as { fields?: unknown }).fields === undefined) return { query }
  const { fields: selected, ...rest } = query as { fields: ReadonlySet<string> }
  return { selected, query: rest }
}
