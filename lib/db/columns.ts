import { type RawBuilder, sql } from 'kysely'
import type * as z from 'zod'

/**
 * List what a statement selects for a row shape: each field is the column of that name, of the table or alias
 * `from` if there is one, or its expression in `computed`.
 */
export function listColumns<Shape extends z.ZodObject>(
  { shape }: Shape,
  { from, computed = {} }: { from?: string; computed?: Computed<Shape> } = {},
): RawBuilder<unknown> {
  const expressions: Record<string, RawBuilder<unknown> | undefined> = computed
  const fields = Object.keys(shape).map((name) => {
    const expression = expressions[name]
    return expression ? sql`${expression} as ${sql.ref(name)}` : sql.ref(from ? `${from}.${name}` : name)
  })
  return sql.join(fields)
}

/** The expressions of the fields that are no columns. */
export type Computed<Shape extends z.ZodObject> = Partial<
  Record<keyof z.output<Shape> & string, RawBuilder<unknown>>
>
