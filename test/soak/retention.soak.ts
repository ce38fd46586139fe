import { afterAll, expect, it } from 'vitest'
import { openPlatformDb } from '#db/scope.ts'
import { deleteExpiredRows } from '#functions/jobs/service.ts'
import type { Services } from '#http/app.ts'
import { openPostgres } from '#platform/node/postgres.ts'
import { startOwnService } from '#test/support/app.ts'

const service = await startOwnService()
const { DATABASE_PLATFORM_URL = '' } = service.settings
const database = openPostgres({ url: DATABASE_PLATFORM_URL, maxConnections: 2, onRoundTrip: () => {} })
const platform = openPlatformDb(database, 'test', () => {})
afterAll(async () => {
  await database.close()
  await service.close()
})

const { uploads } = (service.services as Services).ports
const accounts = Number(process.env.SOAK_ACCOUNTS ?? 200)
const isOld = `a.name like 'soak%'`

/** Insert rows with ages from 0.5 days on, in steps of `step` days. Accounts have three users each. */
async function insertHistory(): Promise<void> {
  const insert = (text: string) => service.sql(text, [])
  const age = (days: string) => `app.now() - ${days} * interval '1 day'`
  await insert(
    `insert into accounts (name, plan, subscription_status) select 'soak' || n, 'pro', 'active' from generate_series(1, ${accounts}) n`,
  )
  await insert(`insert into users (account_id, email, full_name, role)
    select a.id, n || '@' || a.id || '.test', 'U', 'engineer' from accounts a, generate_series(1, 3) n where ${isOld}`)
  await insert(`insert into events (account_id, key, title, body, created_at)
    select a.id, 'soak', 'title', 'body', ${age('d')} from accounts a, generate_series(0.5, 729.5, 0.5) d where ${isOld}`)
  await insert(`insert into notifications (account_id, user_id, event_id, event_key, title, body, created_at)
    select e.account_id, u.id, e.id, e.key, e.title, e.body, e.created_at from events e join users u on u.account_id = e.account_id
     where e.key = 'soak'`)
  await insert(`insert into deliveries (account_id, event_id, channel, recipient, state, next_attempt_at, created_at)
    select account_id, id, 'email', 'soak', 'delivered', null, created_at from events where key = 'soak'`)
  await insert(`insert into audit_logs (account_id, action, resource_type, created_at)
    select a.id, 'soak', 'soak', ${age('d')} from accounts a, generate_series(0.5, 1000.5, 0.4) d where ${isOld}`)
  await insert(`insert into ai_sessions (account_id, user_id, session_type, title, status, last_activity_at)
    select a.id, (select id from users u where u.account_id = a.id limit 1), 'chat', 'soak', 'archived', ${age('d')}
      from accounts a, generate_series(10.5, 900.5, 10) d where ${isOld}`)
  await insert(`insert into ai_messages (account_id, session_id, branch_id, role, content)
    select s.account_id, s.id, s.active_branch_id, 'assistant', repeat('soak ', 120) from ai_sessions s, generate_series(1, 20)
     where s.title = 'soak'`)
  await insert(`insert into sign_ins (account_id, user_id, user_agent, expires_at)
    select u.account_id, u.id, 'soak', app.now() + interval '30 days' from users u join accounts a on a.id = u.account_id where ${isOld}`)
  await insert(`insert into refresh_tokens (hash, sign_in_id, used_at, created_at)
    select uuid_send(gen_random_uuid()), s.id, ${age('n / 24.0')}, ${age('n / 24.0')}
      from sign_ins s, generate_series(1, 1900) n where s.user_agent = 'soak'`)
}

async function countPerAccount(): Promise<Record<string, number>> {
  const sources = {
    events: `events where key = 'soak'`,
    notifications: `notifications where event_key = 'soak'`,
    deliveries: `deliveries where recipient = 'soak'`,
    audit_logs: `audit_logs where action = 'soak'`,
    ai_sessions: `ai_sessions where title = 'soak'`,
    ai_messages: `ai_messages where content like 'soak%'`,
    refresh_tokens: `refresh_tokens t join sign_ins s on s.id = t.sign_in_id where s.user_agent = 'soak'`,
  }
  const counts = Object.entries(sources).map(async ([table, source]) => {
    const [row] = await service.sql<{ n: number }>(`select count(*)::int as n from ${source}`, [])
    return [table, (row?.n ?? 0) / accounts] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

/**
 * Run the work of each minute until it deletes nothing more. Return the number of minutes and the time they
 * took together.
 */
async function deleteUntilStable(): Promise<{ minutes: number; ms: number }> {
  const start = Date.now()
  let minutes = 0
  for (let before = ''; before !== JSON.stringify(await countPerAccount()); minutes++) {
    before = JSON.stringify(await countPerAccount())
    await deleteExpiredRows({ platform, uploads, log: () => {} })
  }
  return { minutes, ms: Date.now() - start }
}

const left = {
  events: 359,
  notifications: 1077,
  deliveries: 359,
  audit_logs: 1824,
  ai_sessions: 90,
  ai_messages: 1440,
  refresh_tokens: 2517,
}

it('leaves of two years of data what the policy keeps, and as much a month later', async () => {
  await insertHistory()
  console.log(`of ${accounts} accounts, rows per account:`, await countPerAccount())
  console.log('deleted:', await deleteUntilStable())
  expect(await countPerAccount()).toEqual(left)
  await service.sql(`update events set created_at = created_at - interval '30 days' where key = 'soak'`, [])
  await service.sql(
    `insert into events (account_id, key, title, body, created_at) select a.id, 'soak', '', '', app.now() - d * interval '1 day'
       from accounts a, generate_series(0.5, 30, 0.5) d where ${isOld}`,
    [],
  )
  console.log('a month later:', await deleteUntilStable())
  expect((await countPerAccount()).events).toBe(left.events)
})
