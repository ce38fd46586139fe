import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import type { Enqueues, Scope, WriteDb } from '#db/scope.ts'
import {
  type AttemptKind,
  defaultLeaseSeconds,
  type TableKind,
  type WorkKind,
  type WorkTable,
  workKinds,
} from '#db/work-kinds.ts'
import { record } from '#metrics.ts'
import { addSpanEvent } from '#trace.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import type { ClaimedDelivery } from './claimed-deliveries.ts'
import { lockInTurn } from './lock-in-turn.ts'
import { maxSliceAttempts } from './slices.ts'

/** A claimed attempt. */
export interface Attempt {
  id: string
  attempts: number
  max_attempts: number
}

// Seconds until the next attempt, after the first, second and third failure.
const backoff: readonly number[] = [30, 120, 600]

/**
 * Return the seconds until the next attempt. Return null after success, after a final failure, or after the
 * last attempt. `delays` has the seconds after each failure; the last one repeats.
 */
export function secondsUntilRetry(
  { attempts, max_attempts }: Attempt,
  result: SendResult,
  delays = backoff,
): number | null {
  if (result.ok || result.gone || attempts >= max_attempts) return null
  return Math.max(delays[attempts - 1] ?? delays.at(-1) ?? 0, result.retryAfterSeconds ?? 0)
}

/** A kind of work in the metrics. Deliveries are counted by their channel. */
export type AttemptLabel = Exclude<AttemptKind, 'delivery'> | ClaimedDelivery['channel']

/**
 * Record the outcome of an attempt, as a metric and as an event of the span. `retrySeconds` is the time until
 * the next one, null without one.
 */
export function recordAttempt(
  kind: AttemptLabel,
  { ok }: Pick<SendResult, 'ok'>,
  retrySeconds: number | null,
): void {
  const outcome = ok ? 'succeeded' : retrySeconds === null ? 'failed' : 'retried'
  record('attempts', { kind, outcome })
  addSpanEvent('attempt', { kind, outcome })
}

/** The result of a last attempt that was claimed and never completed. */
export const abandonedResult = {
  ok: false,
  status: null,
  error: 'The last attempt did not finish',
  gone: true,
} as const

/** The result of an attempt that may not be made any more. */
export const createRefusal = (error: string) => ({ ok: false, status: null, error, gone: true }) as const

/**
 * Why an attempt at a row of the kind may not be made any more, or null. The person who asked for it must be an
 * active user or an open API key with the role that the work needs; a row that the service itself has caused
 * names nobody.
 */
export function selectRefusal({
  table,
  person,
  needs,
  connection,
}: WorkKind & { table: WorkTable }): RawBuilder<string | null> {
  const column = (name: string) => sql.ref(`${table.name}.${name}`)
  const account = column('account_id')
  const reasons: RawBuilder<unknown>[] = []
  if (person) {
    const hasRole = person.role === 'admin' ? sql`u.role = 'admin'` : sql`u.role <> 'viewer'`
    reasons.push(sql`
      case when ${column(person.column)} is not null and not exists (
        select from users u where u.account_id = ${account} and u.id = ${column(person.column)}
           and (u.is_active or app.is_key_open(u.account_id, u.id)) and ${hasRole})
      then 'Whoever asked for this may no longer do it' end`)
  }
  if (needs) reasons.push(sql`app.why_closed(${account}, ${needs.feature})`)
  if (connection)
    reasons.push(sql`
      (select 'The system that was connected at that time has been replaced' from ${sql.table(connection.table)} c
        where c.account_id = ${account} and ${sql.ref(`c.${connection.since}`)} > ${column('created_at')})`)
  return reasons.length > 0 ? sql`coalesce(${sql.join(reasons)})` : sql`null::text`
}

/** Enqueue the attempt after `claimed`, in the transaction of `db`. */
export function enqueueNext(
  db: Enqueues,
  kind: AttemptKind,
  { id, attempts }: Pick<Attempt, 'id' | 'attempts'>,
  delaySeconds?: number,
): void {
  db.outbox({ kind, id, attempt: attempts + 1, delaySeconds })
}

/**
 * Record a failed attempt in the scope of its account, and enqueue the next one if there is one. `complete`
 * stores the result, and returns nothing when a later attempt was made.
 */
export async function recordFailedAttempt(
  { openAccountScope }: { openAccountScope(accountId: string): Scope },
  kind: Exclude<AttemptKind, 'delivery'>,
  claimed: Attempt & { account_id: string },
  result: Extract<SendResult, { ok: false }>,
  complete: (db: WriteDb, delaySeconds: number | null) => Promise<object | undefined>,
): Promise<void> {
  const delaySeconds = secondsUntilRetry(claimed, result)
  recordAttempt(kind, result, delaySeconds)
  await openAccountScope(claimed.account_id).transaction(async (db) => {
    const recorded = await complete(db, delaySeconds)
    if (recorded && delaySeconds !== null) enqueueNext(db, kind, claimed, delaySeconds)
  })
}

/**
 * A row that is due for an attempt and whose message was lost. `attempts` is the number of attempts so far.
 */
export const DueRow = z.object({ id: z.string(), attempts: z.int() })
export type DueRow = z.output<typeof DueRow>

/** Condition for rows that no sweep has taken within the last minute. */
export const isUnswept = sql`(swept_at is null or swept_at <= app.now() - interval '60 seconds')`

/** Build the SQL of the table of a kind, whose rows are processed in attempts. */
export function attemptTable(kind: TableKind) {
  const { name, initial, done, doneAt, leaseSeconds = defaultLeaseSeconds }: WorkTable = workKinds[kind].table
  const tableRef = sql.table(name)
  const isOpen = sql`state in (${sql.lit(initial)}, 'retrying')`
  const isUnclaimed = sql`(leased_until is null or leased_until <= app.now())`
  const isAbandoned = sql`${isOpen} and attempts >= max_attempts and leased_until <= app.now()`
  const continueWith = (
    { id, attempts }: Pick<Attempt, 'id' | 'attempts'>,
    maxAttempts: number,
    assignments: RawBuilder<unknown>,
    delaySeconds: number,
    note: string | null = null,
  ) => sql`
    update ${tableRef}
       set state = 'retrying', max_attempts = attempts + ${maxAttempts}::integer, leased_until = null,
           next_attempt_at = app.now() + make_interval(secs => ${delaySeconds}), last_error = ${note}::text, swept_at = null ${assignments}
     where account_id = app.account_id() and id = ${id} and attempts = ${attempts} and ${isOpen} returning id`
  return {
    /**
     * Claim an attempt for the time of its lease. Return no row when another worker has it or the attempt is
     * over.
     */
    claim: (
      id: string,
      attempt: number,
      columns: RawBuilder<unknown>,
      condition: RawBuilder<unknown> = sql``,
    ) => sql`
      update ${tableRef} set attempts = attempts + 1, leased_until = app.now() + make_interval(secs => ${leaseSeconds})
       where id = ${id} and attempts = ${attempt} - 1 and ${isOpen} and ${isUnclaimed} ${condition} returning ${columns}`,
    /** Extend the lease of an attempt that still runs. */
    renew: ({ id, attempts }: Pick<Attempt, 'id' | 'attempts'>) => sql`
      update ${tableRef} set leased_until = app.now() + make_interval(secs => ${leaseSeconds})
       where id = ${id} and attempts = ${attempts} and ${isOpen} and leased_until is not null`,
    /**
     * Complete an attempt, or make the row due again after `retrySeconds`. Return no row when another attempt
     * has been claimed since.
     */
    complete: (
      { id, attempts }: Attempt,
      result: SendResult,
      retrySeconds: number | null,
      extraAssignments: RawBuilder<unknown> = sql``,
    ) => sql`
      update ${tableRef}
         set state = ${result.ok ? done : retrySeconds === null ? 'failed' : 'retrying'}, leased_until = null, last_status_code = ${result.status},
             next_attempt_at = ${retrySeconds === null ? sql`null` : sql`app.now() + make_interval(secs => ${retrySeconds})`},
             last_error = ${result.ok ? (result.note ?? null) : result.error}, ${sql.ref(doneAt)} = ${result.ok ? sql`app.now()` : sql`null`} ${extraAssignments}
       where id = ${id} and attempts = ${attempts} and ${isOpen} returning id`,
    /**
     * Complete an attempt that did a slice of the work, and make the next slice due after `delaySeconds`, with
     * all of its attempts. `note` is shown until then. Return no row when another attempt has been claimed since.
     */
    continue: (
      claimed: Pick<Attempt, 'id' | 'attempts'>,
      assignments: RawBuilder<unknown>,
      delaySeconds = 0,
      note: string | null = null,
    ) => continueWith(claimed, maxSliceAttempts, assignments, delaySeconds, note),
    /**
     * Make the same slice due again after `delaySeconds`, with as many attempts as before this one. Return no
     * row when another attempt has been claimed since.
     */
    postponeSlice: (claimed: Attempt, delaySeconds: number) =>
      continueWith(claimed, claimed.max_attempts - claimed.attempts + 1, sql``, delaySeconds),
    /** Condition for rows whose last attempt was claimed and never completed. */
    isAbandoned,
    /** Fail the rows whose last attempt was claimed and never completed. */
    failAbandoned: sql`
      update ${tableRef}
         set state = 'failed', leased_until = null, next_attempt_at = null, last_error = ${abandonedResult.error}
       where ${isAbandoned}`,
    /** Mark rows that are due and not claimed as swept, those of an account oldest first: their message was lost. */
    claimDue: (limit: number) => {
      const isDue = sql`${isOpen} and next_attempt_at <= app.now() - interval '5 seconds' and attempts < max_attempts and ${isUnclaimed} and ${isUnswept}`
      return sql`
        with ${lockInTurn(name, { isDue, orderBy: 'next_attempt_at', limit })},
        swept as (
          update ${tableRef} q set swept_at = app.now() from due where q.account_id = due.account_id and q.id = due.id
          returning q.id, q.attempts, due.turn, due.chance)
        select id, attempts from swept order by turn, chance`
    },
  }
}
