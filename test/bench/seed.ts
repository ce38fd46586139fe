import { parseConfig } from '#config.ts'
import { withSuperuser } from '#local/postgres.ts'
import { createAccessTokens } from '#vendors/auth/tokens.ts'

/** The database of the bench, and the settings of the Worker that uses it. */
export interface BenchDatabase {
  postgresPort: number
  database: string
  settings: Record<string, string>
}

/** An account of the bench. Its users are numbered from 1, and so are the notifications of each user. */
export interface SeededAccount {
  /** Two hex digits that are part of all its ids. */
  tag: string
  accountId: string
  userCount: number
  notificationsPerUser: number
  /** Access tokens. The first one is for user 1. */
  tokens: string[]
}

export const benchUsers = 1900
export const benchNotificationsPerUser = 60

/** Build the id of a user from a number, so that pgbench can build it too. */
export const userId = (tag: string, user: number | string): string =>
  `000000${tag}-0000-7000-8000-${toHex(user)}`
export const signInId = (tag: string, user: number): string => `000000${tag}-0000-7000-9000-${toHex(user)}`
export const notificationId = (account: SeededAccount, user: number, n: number): string =>
  `000000${account.tag}-0000-7000-a000-${toHex((user - 1) * account.notificationsPerUser + n)}`
const toHex = (n: number | string): string => Number(n).toString(16).padStart(12, '0')

/**
 * Insert an account with `userCount` users who have `notificationsPerUser` notifications each. A third of
 * these are read.
 */
export async function seedAccount(
  database: BenchDatabase,
  tag: string,
  userCount: number,
  notificationsPerUser: number,
): Promise<SeededAccount> {
  const accountId = `000000${tag}-0000-7000-b000-000000000001`
  await withSuperuser(database.postgresPort, database.database, async (client) => {
    // The role `replica` skips triggers and foreign key checks, which these rows do not need.
    await client.query('set session_replication_role = replica')
    await client.query(accountRows(tag, accountId, userCount, notificationsPerUser))
    await client.query('set session_replication_role = origin')
    await client.query('vacuum analyze users, sign_ins, events, notifications')
  })
  return {
    tag,
    accountId,
    userCount,
    notificationsPerUser,
    tokens: await signTokens(database, tag, accountId, userCount),
  }
}

/** Return SQL that inserts the rows of an account. */
function accountRows(
  tag: string,
  accountId: string,
  userCount: number,
  notificationsPerUser: number,
): string {
  const idSql = (kind: string, n: string) =>
    `('000000${tag}-0000-7000-${kind}-' || lpad(to_hex(${n}), 12, '0'))::uuid`
  return `
    insert into accounts (id, name, plan, subscription_status) values ('${accountId}', 'Bench ${tag}', 'enterprise', 'active');
    insert into users (id, account_id, email, full_name, role, email_verified_at)
    select ${idSql('8000', 'u')}, '${accountId}', 'bench-${tag}-' || u || '@people.example', 'Bench ' || u, 'engineer', now()
      from generate_series(1, ${userCount}) u;
    insert into sign_ins (id, account_id, user_id, expires_at)
    select ${idSql('9000', 'u')}, '${accountId}', ${idSql('8000', 'u')}, now() + interval '1 day' from generate_series(1, ${userCount}) u;
    insert into events (id, account_id, key, title, body, link)
    select ${idSql('c000', 'n')}, '${accountId}', 'session.escalated', 'An event', 'What happened', '/sessions/' || n
      from generate_series(1, ${notificationsPerUser}) n;
    insert into notifications (id, account_id, user_id, event_id, event_key, title, body, link, is_read, read_at, created_at)
    select ${idSql('a000', `(u - 1) * ${notificationsPerUser} + n`)}, '${accountId}', ${idSql('8000', 'u')}, ${idSql('c000', 'n')}, 'session.escalated',
           'Robin Miller escalated: The printer on floor ' || n || ' is offline since this morning',
           'The printer on floor ' || n || ' is offline since this morning and its queue does not empty.', '/sessions/' || n,
           n % 3 = 0, case when n % 3 = 0 then now() end, now() - n * interval '1 minute'
      from generate_series(1, ${notificationsPerUser}) n, generate_series(1, ${userCount}) u;`
}

async function signTokens(
  { settings }: BenchDatabase,
  tag: string,
  accountId: string,
  userCount: number,
): Promise<string[]> {
  const signer = createAccessTokens(parseConfig(settings))
  const numbers = Array.from({ length: userCount }, (_, index) => index + 1)
  return Promise.all(
    numbers.map((user) =>
      signer.sign({ userId: userId(tag, user), accountId, signInId: signInId(tag, user) }),
    ),
  )
}
