import { sql } from 'kysely'
import { sha256Bytea } from '../auth/hash.ts'
import type { Scope, WriteDb } from '../db/scope.ts'
import { invalidRequest, Problem } from '../problem.ts'
import type { RenderedResponse } from './response.ts'

// Policies filter the same rows, but not on the platform connection, which staff use.
const isCallers = sql`account_id = app.account_id() and user_id = app.user_id()`

/** Read the Idempotency-Key header, or null. Throw 422 for a key that is empty, too long or not printable. */
export function readIdempotencyKey(request: Request): string | null {
  const key = request.headers.get('idempotency-key')
  if (key === null || /^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw invalidRequest([{ loc: ['header', 'idempotency-key'], msg: 'must have 1 to 255 printable characters', type: 'invalid_key' }])
}

/** Hash the request that a key stands for: path, query and body. */
export async function fingerprint(url: URL, rawBody: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const body = typeof rawBody === 'string' ? rawBody : await sha256Bytea(rawBody)
  return sha256Bytea(`${url.pathname}${url.search}\n${body}`)
}

/**
 * Run `work` once per caller, operation and key within 24 hours, and store its answer in the same transaction. A 400 or 422 is stored
 * too, because the same body would be refused again; its effects are rolled back. Any other problem is thrown and leaves the key free.
 */
export async function runIdempotent(
  scope: Scope,
  operation: string,
  key: string,
  request: string,
  work: (db: WriteDb) => Promise<RenderedResponse>,
): Promise<RenderedResponse> {
  return scope.transaction(async (db) => {
    const { rows: locks } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(concat_ws(':', app.account_id(), app.user_id(), ${operation}::text, ${key}::text), 0)) as locked`.execute(
      db,
    )
    if (!locks[0]?.locked) throw stillRunning()
    const stored = await sql<RenderedResponse & { same: boolean }>`
      select status, body, request = ${request}::bytea as same from idempotency_keys
       where ${isCallers} and operation = ${operation} and key = ${key} and created_at > app.now() - interval '24 hours'`.execute(db)
    const first = stored.rows[0]
    if (first && !first.same) throw reused()
    if (first) return { status: first.status, body: first.body }
    return storeAnswer(db, operation, key, request, await runWithSavepoint(db, work))
  })
}

async function runWithSavepoint(db: WriteDb, work: (db: WriteDb) => Promise<RenderedResponse>): Promise<RenderedResponse> {
  await sql`savepoint effects`.execute(db)
  try {
    return await work(db)
  } catch (error) {
    if (!(error instanceof Problem) || (error.status !== 400 && error.status !== 422)) throw error
    await sql`rollback to savepoint effects`.execute(db)
    return { status: error.status, body: JSON.stringify(error.body) }
  }
}

async function storeAnswer(
  db: WriteDb,
  operation: string,
  key: string,
  request: string,
  answer: RenderedResponse,
): Promise<RenderedResponse> {
  await sql`
    insert into idempotency_keys (operation, key, request, status, body)
    values (${operation}, ${key}, ${request}::bytea, ${answer.status}, ${answer.body})
    on conflict (account_id, user_id, operation, key)
    do update set request = excluded.request, status = excluded.status, body = excluded.body, created_at = app.now()`.execute(db)
  return answer
}

/**
 * Does the same for an operation that waits for an external service, without an open transaction. The key is first committed with a
 * lease, so that a second request is refused while the first runs. After a crash the key is free when the lease expires.
 */
export async function runIdempotentWithLease(
  scope: Scope,
  operation: string,
  key: string,
  request: string,
  work: () => Promise<RenderedResponse>,
): Promise<RenderedResponse> {
  const { rows } = await sql<Partial<RenderedResponse> & { taken: boolean; same: boolean }>`
    with old as (
      select status, body, request = ${request}::bytea as same from idempotency_keys
       where ${isCallers} and operation = ${operation} and key = ${key} and created_at > app.now() - interval '24 hours'
         and (status is not null or leased_until > app.now())
    ), taken as (
      insert into idempotency_keys (operation, key, request, leased_until)
      select ${operation}, ${key}, ${request}::bytea, app.now() + interval '5 minutes' where not exists (select from old)
      on conflict (account_id, user_id, operation, key)
      do update set request = excluded.request, status = null, body = null, leased_until = excluded.leased_until, created_at = app.now()
        where idempotency_keys.created_at <= app.now() - interval '24 hours'
           or (idempotency_keys.status is null and idempotency_keys.leased_until <= app.now())
      returning true
    )
    select old.status, old.body, coalesce(old.same, true) as same, exists (select from taken) as taken
      from (select 1) one left join old on true`.execute(scope.db)
  const first = rows[0]
  if (first?.taken) return finishLease(scope, operation, key, work)
  if (first && !first.same) throw reused()
  if (!first?.status) throw stillRunning()
  return { status: first.status, body: first.body ?? '' }
}

async function finishLease(scope: Scope, operation: string, key: string, work: () => Promise<RenderedResponse>): Promise<RenderedResponse> {
  const answer = await work().catch(async (error: unknown) => {
    if (error instanceof Problem && (error.status === 400 || error.status === 422))
      return { status: error.status, body: JSON.stringify(error.body) }
    await sql`delete from idempotency_keys where ${isCallers} and operation = ${operation} and key = ${key}`.execute(scope.db)
    throw error
  })
  await sql`
    update idempotency_keys set status = ${answer.status}, body = ${answer.body}, leased_until = null
     where ${isCallers} and operation = ${operation} and key = ${key}`.execute(scope.db)
  return answer
}

function stillRunning(): Problem {
  return new Problem('idempotency_key_in_use', 'The first request with this Idempotency-Key is still running')
}

function reused(): Problem {
  return invalidRequest([{ loc: ['header', 'idempotency-key'], msg: 'was used for another request', type: 'key_reused' }])
}
