import { createHash, randomBytes } from 'node:crypto'
import { nativePasswords } from '#platform/node/passwords.ts'
import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'

/** A valid request for an operation. */
export interface Sample {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: Record<string, unknown>
  /** The exact body with its headers, if it is not the JSON of `body`. */
  content?: { bytes: Uint8Array<ArrayBuffer>; headers: Record<string, string> }
}

/**
 * Insert the rows that an operation needs, owned by `owner` where that matters, and return a valid request
 * for them.
 */
export type Fixture = (service: Service, owner: Person) => Promise<Sample>

export const scriptRunBody = {
  title: 'Restart the spooler',
  script: 'Restart-Service Spooler',
  target: 'SRV-PRINT-01',
  exit_code: 0,
  output: 'Status: Running',
  started_at: '2026-11-21T09:30:00.000Z',
  ended_at: '2026-11-21T09:30:04.000Z',
}

export const password = 'violet-tractor-81'
let passwordHash: Promise<string> | undefined

export async function insertPassword(service: Service, { id }: Person): Promise<void> {
  passwordHash ??= nativePasswords().hash(password)
  await service.sql(
    'insert into passwords (user_id, hash) values ($1, $2) on conflict (user_id) do update set hash = $2',
    [id, await passwordHash],
  )
}

export async function insertReturningId(
  service: Service,
  statement: string,
  values: unknown[],
): Promise<string> {
  const [row] = await service.sql<{ id: string }>(statement, values)
  return row?.id ?? ''
}

export async function insertConfig(service: Service, { accountId }: Person): Promise<string> {
  // An account has at most ten.
  await service.sql(
    `delete from notification_configs where id in (
       select id from notification_configs where account_id = $1 order by created_at desc, id desc offset 6)`,
    [accountId],
  )
  const url = `${service.localOrigin}/chat/1/${randomBytes(6).toString('hex')}`
  return insertReturningId(
    service,
    `insert into notification_configs (account_id, channel, webhook_url, events_enabled)
     values ($1, 'chat1_webhook', $2, '["session.escalated"]') returning id`,
    [accountId, url],
  )
}

export async function insertDelivery(
  service: Service,
  owner: Person,
  state = 'failed',
): Promise<{ id: string; configId: string }> {
  const configId = await insertConfig(service, owner)
  const id = await insertReturningId(
    service,
    `insert into deliveries (account_id, config_id, channel, state, attempts, next_attempt_at, last_error)
     values ($1, $2, 'chat1_webhook', $3, 4, null, 'The chat tool returned 500') returning id`,
    [owner.accountId, configId, state],
  )
  return { id, configId }
}

export function insertNotification(service: Service, { accountId, id }: Person): Promise<string> {
  return insertReturningId(
    service,
    `with e as (insert into events (account_id, key, title, body) values ($1, 'session.escalated', 'Dana escalated', 'VPN') returning *)
     insert into notifications (account_id, user_id, event_id, event_key, title, body, link)
     select account_id, $2, id, key, title, body, '/pilot/1' from e returning id`,
    [accountId, id],
  )
}

export async function insertRefreshToken(service: Service, { accountId, id }: Person): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await service.sql(
    `with s as (insert into sign_ins (account_id, user_id, expires_at) values ($1, $2, now() + interval '30 days') returning id)
     insert into refresh_tokens (hash, sign_in_id) select $3, id from s`,
    [accountId, id, sha256(token)],
  )
  return token
}

export async function insertOneTimeToken(
  service: Service,
  { id }: Person,
  purpose: string,
  changeId: string | null = null,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await service.sql(
    `insert into one_time_tokens (hash, user_id, purpose, email_change_id, expires_at) values ($1, $2, $3, $4, now() + interval '1 hour')`,
    [sha256(token), id, purpose, changeId],
  )
  return token
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
