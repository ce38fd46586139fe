import * as z from 'zod'

/**
 * Any JSON value, the one recursive shape of the API. `meta` would describe a copy, and leave the schema to which
 * it refers itself without a name.
 */
export const JsonValue = z.json()
z.globalRegistry.add(JsonValue, { id: 'JsonValue', description: 'Any JSON value.' })
