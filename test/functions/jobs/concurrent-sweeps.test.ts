// @module-tag mechanism
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPlatformDb, type PlatformDb } from '#db/scope.ts'
import { claimDueAssessments } from '#functions/ai/assessments/queries.ts'
import { claimDueDeliveries } from '#functions/notifications/deliveries/queries.ts'
import { attempts as pushAttempts } from '#functions/psa/push-attempts/queries.ts'
import { moveDatabaseClock } from '#local/postgres.ts'
import { startOwnService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { claimDueLiveEvents } from '#work/live-events.ts'

// A sweep takes the rows of every account, so this file needs its own service.
const service = await startOwnService()
const { DATABASE_PLATFORM_URL = '' } = service.settings
const openConnection = () => openPlatformDb(openTestDatabase(DATABASE_PLATFORM_URL), 'test', () => {})
afterAll(() => service.close())

let admin: Person
beforeAll(async () => {
  admin = (await createAccount(service)).admin
})

const rowCount = 400
const sweepCount = 8
const limit = 20
const seconds = (count: number) => count * 1000
const moveClock = (ms: number) => service.stack.superuser.run((client) => moveDatabaseClock(client, ms))

/** Return the ids of the claimed rows. */
type Claim = (db: PlatformDb) => Promise<string[]>

/**
 * Each kind of work: a statement that inserts due rows for the account $1 and the user $2, and the claim of a
 * sweep.
 */
const kinds: Record<string, { table: string; insert: string; claim: Claim }> = {
  deliveries: {
    table: 'deliveries',
    insert: `insert into deliveries (account_id, channel, recipient, next_attempt_at)
      select $1::uuid, 'chat1_webhook', $2 || n, app.now() - n * interval '1 minute' from generate_series(1, ${rowCount}) n`,
    claim: async (db) => (await claimDueDeliveries.all(db, limit)).map(({ id }) => id),
  },
  'notes for tickets': {
    table: 'psa_pushes',
    insert: `insert into psa_pushes (account_id, ticket_id, body, source_kind, source_id, next_attempt_at)
      select $1::uuid, n::text, 'A note', 'session', $2::uuid, app.now() - n * interval '1 minute' from generate_series(1, ${rowCount}) n`,
    claim: async (db) => (await pushAttempts.claimDue.all(db, limit)).map(({ id }) => id),
  },
  assessments: {
    table: 'ai_handoffs',
    insert: `with s as (
        insert into ai_sessions (account_id, user_id, session_type, title)
        select $1::uuid, $2::uuid, 'chat', 'The VPN is slow' from generate_series(1, ${rowCount}) returning *)
      insert into ai_handoffs (account_id, session_id, intent, created_by, assessment_status, created_at)
      select account_id, id, 'escalate', user_id, 'pending', app.now() - row_number() over () * interval '1 minute' from s`,
    claim: async (db) => (await claimDueAssessments.all(db, limit)).map(({ id }) => id),
  },
  'live events': {
    table: 'stream_events',
    insert: `insert into stream_events (account_id, event, data, created_at)
      select $1::uuid, 'handoff_created', jsonb_build_object('user', $2::text), app.now() - n * interval '1 minute' from generate_series(1, ${rowCount}) n`,
    claim: async (db) =>
      (await claimDueLiveEvents.all(db, limit)).flatMap(({ events }) => events.map(({ key }) => key)),
  },
}

/**
 * Claim due rows until none is left, in eight sweeps at the same time, each with a connection of its own.
 * Return the ids of each claim.
 */
async function claimConcurrently(claim: Claim): Promise<string[][]> {
  const claims = await runConcurrently(async () => {
    const db = openConnection()
    const batches: string[][] = []
    for (let ids = await claim(db); ids.length > 0; ids = await claim(db)) batches.push(ids)
    return batches
  }, sweepCount)
  return claims.flat()
}

describe.each(Object.entries(kinds))('eight concurrent sweeps of %s', (_, { table, insert, claim }) => {
  beforeEach(async () => {
    await moveClock(0)
    await service.sql(`delete from ${table}`)
    await service.sql(insert, [admin.accountId, admin.id])
  })

  it('take all due rows, and none of them twice', async () => {
    const batches = await claimConcurrently(claim)
    const ids = batches.flat()
    expect([ids.length, new Set(ids).size]).toEqual([rowCount, rowCount])
    expect(Math.max(...batches.map(({ length }) => length))).toBe(limit)
  })

  it('WIR-50 take the only row of another account among the first, which waits for less time than 400 of one', async () => {
    const { admin: other } = await createAccount(service)
    await service.sql(insert.replaceAll(String(rowCount), '1'), [other.accountId, other.id])
    const [row] = await service.sql<{ id: string }>(`select id from ${table} where account_id = $1`, [
      other.accountId,
    ])
    expect(await claim(openConnection())).toContain(row?.id)
  })

  it('take the rows again after 60 seconds, and not before', async () => {
    const first = (await claimConcurrently(claim)).flat()
    await moveClock(seconds(55))
    expect(await claimConcurrently(claim)).toEqual([])
    await moveClock(seconds(61))
    expect((await claimConcurrently(claim)).flat().toSorted()).toEqual(first.toSorted())
  })
})
