import type * as z from 'zod'
import { leaveOut } from '#vendors/net/wire.ts'
import type { ApiPath, Get, Query } from './api-path.ts'
import { PsaError } from './psa.ts'
import { parseItems, parseList } from './wire.ts'

const maxPages = 5
const pageSize = 1000
const maxItems = maxPages * pageSize
// Older servers take smaller pages: they say so, or cut them without a word to one of these sizes.
const smallerSizes = [25, 50, 100, 200, 250, 500]

/**
 * Read at most 5,000 items, in at most 50 pages. Stop at the first page that is not full, because lists have no
 * total.
 */
export async function readPages<S extends z.ZodType>(
  get: Get,
  path: ApiPath,
  query: Query,
  item: S,
): Promise<z.output<S>[]> {
  const read = async (page: number, size: number) =>
    parseList(await get(path, { ...query, page, pageSize: size }))
  let size = pageSize
  let answer = await read(1, size).catch((error: unknown) => {
    size = readLargestSize(error)
    return read(1, size)
  })
  if (smallerSizes.includes(answer.length)) size = Math.min(size, answer.length)
  const items = parseItems(item, answer)
  let seen = answer.length
  for (let page = 2; answer.length === size; page++) {
    if (seen >= maxItems || page > 10 * maxPages) {
      leaveOut('psa', 'length')
      break
    }
    const first = JSON.stringify(answer[0])
    answer = await read(page, size)
    // A server without pages answers with the same items again.
    if (size < pageSize && JSON.stringify(answer[0]) === first) break
    items.push(...parseItems(item, answer))
    seen += answer.length
  }
  return items
}

/** Return the largest page that a refusal names. Throw it again if it is about something else. */
function readLargestSize(error: unknown): number {
  // Our own part of the message ends at the colon.
  const [, sentence = ''] =
    error instanceof PsaError && error.kind === 'invalid' ? error.message.split(/:(.*)/s) : []
  const numbers = /page ?size/i.test(sentence) ? (sentence.match(/\b\d{1,3}\b/g) ?? []) : []
  const size = Math.max(0, ...numbers.map(Number))
  if (size === 0) throw error
  return size
}
