import { createAccessTokens } from '../../lib/auth/tokens.ts'
import { parseConfig } from '../../lib/config.ts'
import { asSuperuser } from '../../lib/local/postgres.ts'

/** Where the bench's rows are. */
export interface Place {
  postgresPort: number
  database: string
  settings: Record<string, string>
}

/** An account of the bench: its users are numbered from 1, and so are each one's notifications. */
export interface Crowd {
  /** Two hex digits that its ids begin with. */
  tag: string
  accountId: string
  users: number
  each: number
  /** Access tokens by number; the first is for user 1. */
  tokens: string[]
}

export const benchUsers = 1900
export const notificationsEach = 60

/** Ids are made of numbers, so that pgbench can make them up too. */
export const userId = (tag: string, user: number | string): string => `000000${tag}-0000-7000-8000-${hex(user)}`
const signInId = (tag: string, user: number): string => `000000${tag}-0000-7000-9000-${hex(user)}`
export const notificationId = (crowd: Crowd, user: number, n: number): string =>
  `000000${crowd.tag}-0000-7000-a000-${hex((user - 1) * crowd.each + n)}`
const hex = (n: number | string): string => Number(n).toString(16).padStart(12, '0')

/** Makes an account with `users` people who have `each` notifications, a third of them read. */
export async function seedCrowd(place: Place, tag: string, users: number, each: number): Promise<Crowd> {
  const accountId = `000000${tag}-0000-7000-b000-000000000001`
  await asSuperuser(place.postgresPort, place.database, async (client) => {
    // Rows that are right by construction need no trigger to check them.
    await client.query('set session_replication_role = replica')
    await client.query(rows(tag, accountId, users, each))
    await client.query('set session_replication_role = origin')
    await client.query('vacuum analyze users, sign_ins, events, notifications')
  })
  return { tag, accountId, users, each, tokens: await signAll(place, tag, accountId, users) }
}

function rows(tag: string, accountId: string, users: number, each: number): string {
  const id = (kind: string, n: string) => `('000000${tag}-0000-7000-${kind}-' || lpad(to_hex(${n}), 12, '0'))::uuid`
  return `
    insert into accounts (id, name, plan, subscription_status) values ('${accountId}', 'Bench ${tag}', 'pro', 'active');
    insert into users (id, account_id, email, full_name, role, email_verified_at)
    select ${id('8000', 'u')}, '${accountId}', 'bench-${tag}-' || u || '@people.example', 'Bench ' || u, 'engineer', now()
      from generate_series(1, ${users}) u;
    insert into sign_ins (id, account_id, user_id, expires_at)
    select ${id('9000', 'u')}, '${accountId}', ${id('8000', 'u')}, now() + interval '1 day' from generate_series(1, ${users}) u;
    insert into events (id, account_id, key, title, body, link)
    select ${id('c000', 'n')}, '${accountId}', 'session.escalated', 'An event', 'What happened', '/sessions/' || n
      from generate_series(1, ${each}) n;
    insert into notifications (id, account_id, user_id, event_id, event_key, title, body, link, is_read, read_at, created_at)
    select ${id('a000', `(u - 1) * ${each} + n`)}, '${accountId}', ${id('8000', 'u')}, ${id('c000', 'n')}, 'session.escalated',
           'Robin Miller escalated: The printer on floor ' || n || ' is offline since this morning',
           'The printer on floor ' || n || ' is offline since this morning and its queue does not empty.', '/sessions/' || n,
           n % 3 = 0, case when n % 3 = 0 then now() end, now() - n * interval '1 minute'
      from generate_series(1, ${each}) n, generate_series(1, ${users}) u;`
}

async function signAll({ settings }: Place, tag: string, accountId: string, users: number): Promise<string[]> {
  const signer = createAccessTokens(parseConfig(settings).JWT_KEYS)
  const numbers = Array.from({ length: users }, (_, index) => index + 1)
  return Promise.all(numbers.map((user) => signer.sign({ userId: userId(tag, user), accountId, signInId: signInId(tag, user) })))
}
