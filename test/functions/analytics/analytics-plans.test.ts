import { afterAll, beforeAll, expect, it } from 'vitest'
import { selectFigures, selectFlow, selectFlows, selectPeople } from '../../../functions/analytics/queries.ts'
import type { Wire } from '../../../lib/db/client.ts'
import { openScope, type WriteDb } from '../../../lib/db/scope.ts'
import { ownService } from '../../support/app.ts'
import { newFlow } from '../../support/flows.ts'
import { newAccount, type Person } from '../../support/people.ts'
import { readByAll, toldOf } from '../../support/plans.ts'

const sessions = { other: 1000, small: 20, large: 4000 }
const tables = ['sessions', 'session_decisions', 'session_step_feedback', 'session_ratings']

interface Reader {
  person: Person
  tree: string
}

let own: Awaited<ReturnType<typeof ownService>>
let readers: { small: Reader; large: Reader }

/** An account's sessions of a year, by three people and with five flows in turn, each of two answers, rated and found helpful. */
async function filled(count: number): Promise<Reader> {
  const account = await newAccount(own)
  const people = [account.admin, await account.colleague(), await account.colleague()].map(({ id }) => id)
  const trees = await Promise.all([1, 2, 3, 4, 5].map(async (n) => (await newFlow(account.admin, { name: `Flow ${n}` })).id))
  await own.sql(
    `with s as (
       insert into sessions (account_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, outcome, current_step_id, answered,
                             remaining, started_at, completed_at, created_at)
       select $1, ($2::uuid[])[1 + n % 3], $1, ($3::uuid[])[1 + n % 5], 1, 'Flow', 'completed', 'resolved', null, 2, 0, at, at + interval '9 minutes', at
         from generate_series(1, $4::integer) n, lateral (select app.now() - n * interval '365 days' / $4::integer as at) a returning *
     ), d as (
       insert into session_decisions (account_id, session_id, seq, step_id, outcome, started_at, duration_seconds)
       select account_id, id, q, 'step' || q, 'done', started_at, 30 from s, generate_series(0, 1) q
     ), f as (
       insert into session_step_feedback (account_id, session_id, step_id, user_id, helpful, given_at)
       select account_id, id, 'step0', user_id, true, completed_at from s
     )
     insert into session_ratings (account_id, session_id, session_user_id, score, rated_by, rated_at)
     select account_id, id, user_id, 4, user_id, completed_at from s`,
    [account.id, people, trees, count],
  )
  return { person: account.admin, tree: trees[0] ?? '' }
}

beforeAll(async () => {
  own = await ownService()
  // What figures do not ask, and what takes longest to fill.
  await own.sql('drop index sessions_words, sessions_pairs')
  for (let n = 0; n < 20; n++) await filled(sessions.other)
  readers = { small: await filled(sessions.small), large: await filled(sessions.large) }
  await own.sql(`vacuum analyze ${tables.join(', ')}`)
})
afterAll(() => own.close())

const figures: Record<string, (db: WriteDb, reader: Reader) => Promise<unknown>> = {
  team: (db) => selectFigures(db, 7, false),
  'each person': (db) => selectPeople(db, 7),
  mine: (db) => selectFigures(db, 7, true),
  flows: (db) => selectFlows(db, 7, { skip: 0, limit: 50 }),
  'one flow': (db, { tree }) => selectFlow(db, 7, tree),
}

it.each(Object.keys(figures))(
  'figures of %s read a few times what is in the period, also by the plan that a pooler kept from a small account',
  async (name) => {
    const inPeriod = (sessions.large * 7) / 365
    const read = (wire: Wire, reader: Reader) => {
      const { id: userId, accountId, signInId } = reader.person
      const scope = openScope(wire, { caller: { userId, accountId, signInId }, access: 'user', past: 'none', ip: '', readOnly: true })
      return figures[name]?.(scope.db, reader)
    }
    for (const before of [undefined, readers.small]) {
      const { nodes } = await toldOf(own, before !== undefined, async (wire, forget) => {
        if (before) await read(wire, before)
        forget()
        await read(wire, readers.large)
      })
      const scans = nodes.filter((node) => tables.includes(node['Relation Name'] ?? ''))
      expect(scans.length).toBeGreaterThan(0)
      expect(scans.filter((scan) => scan['Node Type'] === 'Seq Scan')).toEqual([])
      expect(readByAll(scans), JSON.stringify(scans)).toBeLessThan(8 * inPeriod)
    }
  },
)
