import type { Pool } from 'pg'
import { describe, expect, it } from 'vitest'
import { postgresQueue } from '#platform/node/jobs-queue.ts'

describe('the queue in PostgreSQL', () => {
  const queries: unknown[][] = []
  const pool = {
    query: async (query: { values?: [string] } | string) =>
      void queries.push(typeof query === 'string' ? [query] : JSON.parse(query.values?.[0] ?? '')),
  } as unknown as Pool
  it('stores the first message of each id, and all without one', async () => {
    const message = { path: '/jobs/a/run', body: {} } as const
    await postgresQueue(pool).publish([
      message,
      message,
      { ...message, deduplicationId: 'a', delaySeconds: 5 },
      { ...message, deduplicationId: 'a' },
      { ...message, deduplicationId: 'b' },
    ])
    expect(queries).toEqual([
      [
        ...Array(2).fill({ path: '/jobs/a/run', body: {}, delay_seconds: 0 }),
        { path: '/jobs/a/run', body: {}, delay_seconds: 5, id: 'a' },
        { path: '/jobs/a/run', body: {}, delay_seconds: 0, id: 'b' },
      ],
    ])
    await postgresQueue(pool).publish([])
    expect(queries).toHaveLength(1)
  })
})
