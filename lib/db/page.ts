import { z } from 'zod'

export const PageQuery = z.strictObject({
  skip: z.coerce.number().int().min(0).max(2_147_483_647).default(0).describe('How many items to leave out from the start.'),
  limit: z.coerce.number().int().min(1).max(100).default(50).describe('How many items to answer at most.'),
})
export type PageQuery = z.infer<typeof PageQuery>

export interface Page<T> {
  items: T[]
  /** Whether rows follow. */
  more: boolean
}

/** Of `limit + 1` rows the extra one only proves that more follow. */
export function toPage<T>(rows: T[], limit: number): Page<T> {
  return { items: rows.slice(0, limit), more: rows.length > limit }
}
