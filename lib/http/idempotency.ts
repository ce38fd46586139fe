import { sql } from 'kysely'
import { sha256Bytea } from '../auth/hash.ts'
import type { Scope, WriteDb } from '../db/scope.ts'
import { invalid, Problem } from '../problem.ts'
import type { Answer } from './answer.ts'

// The policies say it too, but not at the platform's door, where staff enter.
const mine = sql`account_id = app.account_id() and user_id = app.user_id()`

/** The caller's key of a POST, or null. Throws 422 for one that is empty, too long or not printable. */
export function idempotencyKey(request: Request): string | null {
  const key = request.headers.get('idempotency-key')
  if (key === null || /^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw invalid([{ loc: ['header', 'idempotency-key'], msg: 'Must be 1 to 255 printable characters', type: 'invalid_key' }])
}

/** What a key stands for: the path and query as well as the body, since they are part of the request. */
export async function fingerprint(url: URL, rawBody: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const body = typeof rawBody === 'string' ? rawBody : await sha256Bytea(rawBody)
  return sha256Bytea(`${url.pathname}${url.search}\n${body}`)
}

/**
 * Runs `work` once per caller, operation and key within 24 hours, in one transaction with the answer that is kept. A refusal that the
 * same body would earn again (400, 422) is kept too, without its effects; any other problem is thrown and leaves the key free.
 */
export async function once(
  scope: Scope,
  operation: string,
  key: string,
  request: string,
  work: (db: WriteDb) => Promise<Answer>,
): Promise<Answer> {
  return scope.within(async (db) => {
    const { rows: locks } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(concat_ws(':', app.account_id(), app.user_id(), ${operation}::text, ${key}::text), 0)) as mine`.execute(
      db,
    )
    if (!locks[0]?.mine) throw stillRunning()
    const kept = await sql<Answer & { same: boolean }>`
      select status, body, request = ${request}::bytea as same from idempotency_keys
       where ${mine} and operation = ${operation} and key = ${key} and created_at > app.now() - interval '24 hours'`.execute(db)
    const first = kept.rows[0]
    if (first && !first.same) throw reused()
    if (first) return { status: first.status, body: first.body }
    return keep(db, operation, key, request, await attempt(db, work))
  })
}

async function attempt(db: WriteDb, work: (db: WriteDb) => Promise<Answer>): Promise<Answer> {
  await sql`savepoint effects`.execute(db)
  try {
    return await work(db)
  } catch (error) {
    if (!(error instanceof Problem) || (error.status !== 400 && error.status !== 422)) throw error
    await sql`rollback to savepoint effects`.execute(db)
    return { status: error.status, body: JSON.stringify(error.body) }
  }
}

async function keep(db: WriteDb, operation: string, key: string, request: string, answer: Answer): Promise<Answer> {
  await sql`
    insert into idempotency_keys (operation, key, request, status, body)
    values (${operation}, ${key}, ${request}::bytea, ${answer.status}, ${answer.body})
    on conflict (account_id, user_id, operation, key)
    do update set request = excluded.request, status = excluded.status, body = excluded.body, created_at = app.now()`.execute(db)
  return answer
}

/**
 * The same for an operation that waits for somebody outside: no transaction is held meanwhile. The key is committed with a lease first, so
 * that a second request is refused while the first runs, and a crash frees the key when the lease is over.
 */
export async function onceLeased(
  scope: Scope,
  operation: string,
  key: string,
  request: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const { rows } = await sql<Partial<Answer> & { taken: boolean; same: boolean }>`
    with old as (
      select status, body, request = ${request}::bytea as same from idempotency_keys
       where ${mine} and operation = ${operation} and key = ${key} and created_at > app.now() - interval '24 hours'
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

async function finishLease(scope: Scope, operation: string, key: string, work: () => Promise<Answer>): Promise<Answer> {
  const answer = await work().catch(async (error: unknown) => {
    if (error instanceof Problem && (error.status === 400 || error.status === 422))
      return { status: error.status, body: JSON.stringify(error.body) }
    await sql`delete from idempotency_keys where ${mine} and operation = ${operation} and key = ${key}`.execute(scope.db)
    throw error
  })
  await sql`
    update idempotency_keys set status = ${answer.status}, body = ${answer.body}, leased_until = null
     where ${mine} and operation = ${operation} and key = ${key}`.execute(scope.db)
  return answer
}

function stillRunning(): Problem {
  return new Problem('conflict', 'The first request with this Idempotency-Key is still running', { code: 'idempotency_key_in_use' })
}

function reused(): Problem {
  return invalid([{ loc: ['header', 'idempotency-key'], msg: 'This key was used for another request', type: 'key_reused' }])
}
