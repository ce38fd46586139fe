import * as z from 'zod'

export const PageQuery = z.strictObject({
  skip: z.coerce.number().int().min(0).max(2_147_483_647).default(0).describe('Number of items to skip.'),
  limit: z.coerce.number().int().min(1).max(100).default(50).describe('Maximum number of items.'),
})
export type PageQuery = z.infer<typeof PageQuery>

export interface Page<T> {
  items: T[]
  /** Whether more rows follow. */
  hasMore: boolean
}

/** Cut `limit + 1` rows to a page. The extra row only shows that more follow. */
export function toPage<T>(rows: T[], limit: number): Page<T> {
  return { items: rows.slice(0, limit), hasMore: rows.length > limit }
}
