import { sql } from 'kysely'
import * as z from 'zod'
import type { Scope, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { uuidv7 } from '#db/uuid.ts'
import { invalidRequest, Problem } from '#problem.ts'
import { sha256Bytea } from '#vendors/auth/hash.ts'
import type { Vault } from '#vendors/auth/vault.ts'
import type { C } from './app.ts'
import type { RenderedResponse } from './response.ts'

/** What identifies a repeated request of a caller, and the hash of the request. */
interface RequestKey {
  operation: string
  key: string
  request: string
}

interface IdempotencyContext {
  scope: Scope
  vault: Vault
}

/**
 * A response whose body is sealed. Answers contain what clients confide to the service, and copies of the
 * database must not.
 */
type StoredResponse = Pick<RenderedResponse, 'status' | 'body'>

const contextOf = ({ operation, key }: RequestKey) => `idempotency:${operation}:${key}`

async function sealResponse(
  vault: Vault,
  requestKey: RequestKey,
  { status, body }: RenderedResponse,
): Promise<StoredResponse> {
  return { status, body: body === '' ? '' : await vault.seal(body, contextOf(requestKey)) }
}

// Policies filter the same rows, but not on the platform connection, which staff use.
const isCallers = sql<boolean>`account_id = app.account_id() and user_id = app.user_id()`

/** Read the Idempotency-Key header, or null. Throw 422 for a key that is empty, too long or not printable. */
export function readIdempotencyKey(request: Request): string | null {
  const key = request.headers.get('idempotency-key')
  if (key === null || /^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw invalidRequest([
    {
      loc: ['header', 'idempotency-key'],
      msg: 'must have 1 to 255 printable characters',
      type: 'invalid_key',
    },
  ])
}

/** Hash the request that a key stands for: path, query and body. */
export async function hashRequest(url: string, rawBody: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const { pathname, search } = new URL(url)
  const body = typeof rawBody === 'string' ? rawBody : await sha256Bytea(rawBody)
  return sha256Bytea(`${pathname}${search}\n${body}`)
}

export const tryLockKey = writeStatement(
  z.object({ is_locked: z.boolean() }),
  ({ operation, key }: RequestKey) => sql`
    select pg_try_advisory_xact_lock(hashtextextended(concat_ws(':', app.account_id(), app.user_id(), ${operation}::text, ${key}::text), 0)) as is_locked`,
)

export const selectStoredResponse = readStatement(
  z.object({ status: z.int().nullable(), body: z.string().nullable(), is_same: z.boolean() }),
  ({ operation, key, request }: RequestKey) => sql`
    select status, body, request = ${request}::bytea as is_same from idempotency_keys
     where ${isCallers} and operation = ${operation} and key = ${key} and created_at > app.now() - interval '24 hours'`,
)

export const upsertResponse = writeStatement(
  null,
  ({ operation, key, request }: RequestKey, { status, body }: StoredResponse) => sql`
    insert into idempotency_keys (operation, key, request, status, body)
    values (${operation}, ${key}, ${request}::bytea, ${status}, ${body})
    on conflict (account_id, user_id, operation, key)
    do update set request = excluded.request, status = excluded.status, body = excluded.body, created_at = app.now()`,
)

// The lease is renewed while its process lives, so after a crash the key is free soon, however long the
// operation may take.
const leaseSeconds = 60
const renewEveryMs = 20_000

/**
 * Lease a key unless it has a response, another lease, or a task that still works on its request. Return the
 * response or lease that it had. The same request gets the same `work_id` again.
 */
export const leaseKey = writeStatement(
  z.object({
    status: z.int().nullable(),
    body: z.string().nullable(),
    is_same: z.boolean(),
    retry_seconds: z.int(),
    work_id: z.string().nullable(),
    is_repeat: z.boolean(),
  }),
  ({ operation, key, request }: RequestKey, workId: string) => sql`
    with old as (
      select i.status, i.body, i.request = ${request}::bytea as is_same, greatest(i.leased_until, t.next_attempt_at) as busy_until
        from idempotency_keys i
        left join ai_tasks t on t.account_id = i.account_id and t.id = i.work_id and t.state in ('queued', 'retrying')
       where i.account_id = app.account_id() and i.user_id = app.user_id() and i.operation = ${operation} and i.key = ${key}
         and i.created_at > app.now() - interval '24 hours' and (i.status is not null or i.leased_until > app.now() or t.id is not null)
    ), new_lease as (
      insert into idempotency_keys as k (operation, key, request, leased_until, work_id)
      select ${operation}, ${key}, ${request}::bytea, app.now() + make_interval(secs => ${leaseSeconds}), ${workId}::uuid where not exists (select from old)
      on conflict (account_id, user_id, operation, key)
      do update set request = excluded.request, status = null, body = null, leased_until = excluded.leased_until, created_at = app.now(),
                    work_id = case when k.request = excluded.request and k.status is null and k.created_at > app.now() - interval '24 hours'
                                   then k.work_id else excluded.work_id end
        where k.created_at <= app.now() - interval '24 hours' or (k.status is null and coalesce(k.leased_until, app.now()) <= app.now())
      returning k.work_id
    )
    select old.status, old.body, coalesce(old.is_same, true) as is_same,
           greatest(1, ceil(extract(epoch from old.busy_until - app.now())))::integer as retry_seconds,
           n.work_id, coalesce(n.work_id <> ${workId}::uuid, false) as is_repeat
      from (select 1) one left join old on true left join new_lease n on true`,
)

export const renewLease = writeStatement(
  null,
  ({ operation, key }: RequestKey) => sql`
    update idempotency_keys set leased_until = app.now() + make_interval(secs => ${leaseSeconds})
     where ${isCallers} and operation = ${operation} and key = ${key} and status is null and leased_until is not null`,
)

/** Free a key. Its row stays, so that the same request finds what it has stored. */
async function freeKey(db: WriteDb, { operation, key }: RequestKey): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ leased_until: null })
    .where(isCallers)
    .where('operation', '=', operation)
    .where('key', '=', key)
    .execute()
}

async function storeLeasedResponse(
  db: WriteDb,
  { operation, key }: RequestKey,
  { status, body }: StoredResponse,
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ status, body, leased_until: null })
    .where(isCallers)
    .where('operation', '=', operation)
    .where('key', '=', key)
    .execute()
}

/**
 * Run `work` once per caller, operation and key within 24 hours, and store its response in the same
 * transaction. A problem is thrown, rolls back and leaves the key free, so that a mended request may have it.
 */
export async function runIdempotent(
  { scope, vault }: IdempotencyContext,
  requestKey: RequestKey,
  work: (db: WriteDb) => Promise<RenderedResponse>,
): Promise<RenderedResponse> {
  return scope.transaction(async (db) => {
    const { is_locked } = await tryLockKey.one(db, requestKey)
    if (!is_locked) throw createKeyInUseProblem()
    const stored = await selectStoredResponse.first(db, requestKey)
    if (stored) return openStoredResponse(vault, requestKey, stored)
    const response = await work(db)
    await upsertResponse.run(db, requestKey, await sealResponse(vault, requestKey, response))
    return response
  })
}

/**
 * Return the response stored for a key. Throw if it was stored for another request, or if that request is
 * still running.
 */
async function openStoredResponse(
  vault: Vault,
  requestKey: RequestKey,
  {
    status,
    body,
    is_same,
    retry_seconds,
  }: { status: number | null; body: string | null; is_same: boolean; retry_seconds?: number },
): Promise<RenderedResponse> {
  if (!is_same) throw createReusedKeyProblem()
  if (!status) throw createKeyInUseProblem(retry_seconds)
  if (!body) return { status, body: '', isReplay: true }
  // Without its key the answer is lost, but the effect is not repeated.
  const opened = await vault
    .open(body, contextOf(requestKey))
    .catch(() => Promise.reject(createKeyInUseProblem()))
  return { status, body: opened, isReplay: true }
}

/** The work of a leased key. */
export interface LeasedWork {
  id: string
  /** Whether an earlier request had the same. */
  isRepeat: boolean
}

/**
 * Do the same as `runIdempotent` for an operation that waits for an external service, without an open
 * transaction. The key is first committed with a lease, so that a second request is refused while the first
 * runs, also while it streams. After a crash the key is free when the lease expires.
 */
export async function runIdempotentWithLease(
  { scope, vault }: IdempotencyContext,
  requestKey: RequestKey,
  { executionCtx }: Pick<C, 'executionCtx'>,
  work: (work: LeasedWork) => Promise<RenderedResponse>,
): Promise<RenderedResponse> {
  const lease = await leaseKey.one(scope.db, requestKey, uuidv7())
  if (lease.work_id === null) return openStoredResponse(vault, requestKey, lease)
  const renewing = setInterval(
    () => executionCtx.waitUntil(renewLease.run(scope.db, requestKey).catch(() => {})),
    renewEveryMs,
  )
  const store = async (answer: Promise<RenderedResponse>) => {
    try {
      const response = await answer
      await storeLeasedResponse(scope.db, requestKey, await sealResponse(vault, requestKey, response))
      return response
    } catch (error) {
      // If this fails too, the lease expires.
      await freeKey(scope.db, requestKey).catch(() => {})
      throw error
    } finally {
      clearInterval(renewing)
    }
  }
  const started = work({ id: lease.work_id, isRepeat: lease.is_repeat })
  const stream = await started.catch(() => undefined)
  if (!stream?.completed) return store(started)
  // The stream has told its client of a failure.
  executionCtx.waitUntil(store(stream.completed).catch(() => {}))
  return stream
}

function createKeyInUseProblem(retrySeconds = 1): Problem {
  const headers = { 'retry-after': String(retrySeconds) }
  return new Problem(
    'idempotency_key_in_use',
    'The first request with this Idempotency-Key is still running',
    { headers },
  )
}

function createReusedKeyProblem(): Problem {
  return invalidRequest([
    { loc: ['header', 'idempotency-key'], msg: 'was used for another request', type: 'key_reused' },
  ])
}
