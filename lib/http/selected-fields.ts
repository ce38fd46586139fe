import * as z from 'zod'
import type { AnyOperation } from './operation.ts'

/** The resources whose answers can take up to a megabyte, by the ids of their schemas. */
const longResources = ['SessionResponse', 'AISessionDetail', 'TreeResponse', 'NetworkDiagramResponse']

/**
 * Create the schema of the query parameter `fields` of a list whose items are objects, and of each operation
 * that answers with a long resource. Other operations get none.
 */
export function createFieldsParameter(op: AnyOperation): { fields?: z.ZodType } {
  const { paged, returns } = op
  const names = paged && returns instanceof z.ZodArray ? listFields(returns.element) : listLongFields(op)
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
    .describe('Names of fields with commas between them: the answer, or each item of a list, has only these.')
  return { fields }
}

/** Whether an operation that is no list takes `fields`. */
export const selectsFields = (op: AnyOperation): boolean => !op.paged && listLongFields(op).length > 0

/** List the fields of an answer with a long resource. An answer as a stream or a task has all of them. */
function listLongFields({ returns, background, produces }: AnyOperation): string[] {
  const isLong =
    returns instanceof z.ZodObject && longResources.includes(z.globalRegistry.get(returns)?.id ?? '')
  return isLong && !background && !produces ? listFields(returns) : []
}

/** List the fields of an object, or of all objects of a union. */
function listFields(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (schema instanceof z.ZodUnion) return [...new Set(schema.options.flatMap(listFields))]
  return []
}

/** Return the JSON text of an answer, or of a list with each item, with only the selected fields. */
export function selectFields(text: string, selected: ReadonlySet<string>): string {
  const select = (item: object) =>
    Object.fromEntries(Object.entries(item).filter(([name]) => selected.has(name)))
  const answer = JSON.parse(text) as object
  return JSON.stringify(Array.isArray(answer) ? answer.map(select) : select(answer))
}

/** Separate the fields that a request selects from the rest of its query, which the handler gets. */
export function takeSelectedFields(query: unknown): { selected?: ReadonlySet<string>; query: unknown } {
  const { fields: selected } = query as { fields?: unknown }
  if (!(selected instanceof Set)) return { query }
  const { fields: _, ...rest } = query as { fields: unknown }
  return { selected, query: rest }
}
