import type * as z from 'zod'
import type { ApiPath, Get, Query } from './api-path.ts'
import { parseItems, parseList } from './wire.ts'

const maxPages = 5
const pageSize = 1000

/** Read at most five pages. Stop at the first page that is not full, because lists have no total. */
export async function readPages<S extends z.ZodType>(
  get: Get,
  path: ApiPath,
  query: Query,
  item: S,
): Promise<z.output<S>[]> {
  const items: z.output<S>[] = []
  for (let page = 1; page <= maxPages; page++) {
    const answer = parseList(await get(path, { ...query, page, pageSize }))
    items.push(...parseItems(item, answer))
    if (answer.length < pageSize) break
  }
  return items
}
