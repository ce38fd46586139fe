// @module-tag night
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#db/database.ts'
import { openScope, type WriteDb } from '#db/scope.ts'
import {
  selectFlowMetrics,
  selectMetrics,
  selectOneFlowMetrics,
  selectUserMetrics,
} from '#functions/analytics/queries.ts'
import { startOwnService } from '#test/support/app.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { explainStatements, totalRowsRead } from '#test/support/query-plans.ts'

const sessionCounts = { other: 1000, small: 20, large: 4000 }
const tables = ['sessions', 'session_decisions', 'session_step_feedback', 'session_ratings']

interface Reader {
  person: Person
  tree: string
}

let service: Awaited<ReturnType<typeof startOwnService>>
let readers: { small: Reader; large: Reader }

/**
 * Create an account with `count` sessions that are spread over the past year and rotate through three users
 * and five flows. Each session has two decisions, a rating and a "helpful" vote.
 */
async function createFilledAccount(count: number): Promise<Reader> {
  const account = await createAccount(service)
  const people = [account.admin, await account.addColleague(), await account.addColleague()].map(
    ({ id }) => id,
  )
  const trees = await Promise.all(
    [1, 2, 3, 4, 5].map(async (n) => (await createFlow(account.admin, { name: `Flow ${n}` })).id),
  )
  await service.sql(
    `with inserted_sessions as (
       insert into sessions (account_id, user_id, team_id, tree_account_id, tree_id, tree_version, tree_name, state, outcome, current_step_id, answered,
                             remaining, started_at, completed_at, created_at)
       select $1, ($2::uuid[])[1 + n % 3], $5, $1, ($3::uuid[])[1 + n % 5], 1, 'Flow', 'completed', 'resolved', null, 2, 0, started_at,
              started_at + interval '9 minutes', started_at
         from generate_series(1, $4::integer) n, lateral (select app.now() - n * interval '365 days' / $4::integer as started_at) a
       returning *
     ), inserted_decisions as (
       insert into session_decisions (decided_by, account_id, session_id, seq, step_id, outcome, started_at, duration_seconds)
       select user_id, account_id, id, q, 'step' || q, 'done', started_at, 30 from inserted_sessions, generate_series(0, 1) q
     ), inserted_feedback as (
       insert into session_step_feedback (account_id, session_id, step_id, user_id, helpful, given_at)
       select account_id, id, 'step0', user_id, true, completed_at from inserted_sessions
     )
     insert into session_ratings (account_id, session_id, session_user_id, score, rated_by, rated_at)
     select account_id, id, user_id, 4, user_id, completed_at from inserted_sessions`,
    [account.id, people, trees, count, account.teamId],
  )
  return { person: account.admin, tree: trees[0] ?? '' }
}

beforeAll(async () => {
  service = await startOwnService()
  // The tested queries do not use these indexes, and maintaining them takes most of the insert time.
  await service.sql('drop index sessions_words, sessions_pairs')
  for (let n = 0; n < 20; n++) await createFilledAccount(sessionCounts.other)
  readers = {
    small: await createFilledAccount(sessionCounts.small),
    large: await createFilledAccount(sessionCounts.large),
  }
  await service.sql(`vacuum analyze ${tables.join(', ')}`)
})
afterAll(() => service.close())

const metricQueries: Record<string, (db: WriteDb, reader: Reader) => Promise<unknown>> = {
  'the account': (db) => selectMetrics(db, 7, {}),
  'a team': (db, { person }) => selectMetrics(db, 7, { teamId: person.teamId }),
  'each user': (db) => selectUserMetrics.all(db, 7, {}),
  'each user in a team': (db, { person }) => selectUserMetrics.all(db, 7, { teamId: person.teamId }),
  'the caller': (db) => selectMetrics(db, 7, { ownOnly: true }),
  flows: (db) => selectFlowMetrics(db, 7, { skip: 0, limit: 50 }),
  'one flow': (db, { tree }) => selectOneFlowMetrics(db, 7, tree),
}

it.each(Object.keys(metricQueries))(
  'the metrics of %s read fewer rows than 8 times the sessions of the period, also with a plan cached for a small account',
  async (name) => {
    const sessionsInPeriod = (sessionCounts.large * 7) / 365
    const runQuery = (database: Database, reader: Reader) => {
      const { id: userId, accountId, signInId } = reader.person
      const scope = openScope(
        database,
        {
          caller: { userId, accountId, signInId },
          access: 'user',
          skipGuards: 'none',
          ip: '',
          readOnly: true,
        },
        () => {},
      )
      return metricQueries[name]?.(scope.db, reader)
    }
    for (const firstReader of [undefined, readers.small]) {
      const { nodes } = await explainStatements(
        service,
        firstReader !== undefined,
        async (database, clearRecorded) => {
          if (firstReader) await runQuery(database, firstReader)
          clearRecorded()
          await runQuery(database, readers.large)
        },
      )
      const scans = nodes.filter((node) => tables.includes(node['Relation Name'] ?? ''))
      expect(scans.length).toBeGreaterThan(0)
      expect(scans.filter((scan) => scan['Node Type'] === 'Seq Scan')).toEqual([])
      expect(totalRowsRead(scans), JSON.stringify(scans)).toBeLessThan(8 * sessionsInPeriod)
    }
  },
)
