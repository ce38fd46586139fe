import * as z from 'zod'

const whole = /^-?\d{1,15}$/
const fraction = /^-?\d{1,15}(\.\d{1,15})?$/
/** What `z.coerce.number` takes for no number. */
const noNumber = 'not a decimal number'

/**
 * Return the values with each text for a number that is not written in decimal digits replaced by one that is
 * refused. `z.coerce.number` would also take `0x10`, `1e1`, a blank, and digits beyond 2^53, which it rounds.
 */
export function requireDecimals<V extends Record<string, unknown>>(shape: z.ZodRawShape, values: V): V {
  const checked = Object.entries(values).map(([name, value]) => {
    const schema = Object.hasOwn(shape, name) ? findCoercedNumber(shape[name]) : undefined
    const isOther =
      schema !== undefined && typeof value === 'string' && !(schema.isInt ? whole : fraction).test(value)
    return [name, isOther ? noNumber : value]
  })
  return Object.fromEntries(checked) as V
}

/** Return the number that a schema reads from a text, below its default and its like. */
function findCoercedNumber(schema: unknown): z.ZodNumber | undefined {
  if (schema instanceof z.ZodNumber) return schema.def.coerce ? schema : undefined
  const { def } = schema as { def?: { innerType?: unknown } }
  return def?.innerType ? findCoercedNumber(def.innerType) : undefined
}
