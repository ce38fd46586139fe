import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { record } from '#metrics.ts'
import { addSpanEvent } from '#trace.ts'
import type { SendResult } from '#vendors/net/send-result.ts'

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

/** Kinds of stored work in the metrics. Deliveries are counted by their channel. */
export type AttemptLabel =
  | 'ai_task'
  | 'assessment'
  | 'chat1_webhook'
  | 'chat2_webhook'
  | 'email'
  | 'export'
  | 'import'
  | 'kb_batch'
  | 'push'
  | 'reminder'
  | 'runner_run'
  | 'ticket_change'
  | 'webhook'

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

export const abandonedAttemptError = 'The last attempt did not finish'

/**
 * A row that is due for an attempt and whose message was lost. `attempts` is the number of attempts so far.
 */
export const DueRow = z.object({ id: z.string(), attempts: z.int() })
export type DueRow = z.output<typeof DueRow>

/** Condition for rows that no sweep has taken within the last minute. */
export const isUnswept = sql`(swept_at is null or swept_at <= app.now() - interval '60 seconds')`

interface TableStates {
  /** The state before the first attempt. */
  initial: string
  /** The state after a successful attempt. */
  done: string
  /** The column with the time of the successful attempt. */
  doneAt: string
  /** How long an attempt may take; 60 by default. */
  leaseSeconds?: number
}

/** Build the SQL of a table whose rows are processed in attempts. */
export function attemptTable(table: string, { initial, done, doneAt, leaseSeconds = 60 }: TableStates) {
  const tableRef = sql.table(table)
  const isOpen = sql`state in (${sql.lit(initial)}, 'retrying')`
  const isUnclaimed = sql`(leased_until is null or leased_until <= app.now())`
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
     * Complete an attempt that did a slice of the work, and allow `maxAttempts` for the next one. Return no
     * row when another attempt has been claimed since.
     */
    continue: (
      { id, attempts }: Pick<Attempt, 'id' | 'attempts'>,
      maxAttempts: number,
      assignments: RawBuilder<unknown>,
      delaySeconds = 0,
    ) => sql`
      update ${tableRef}
         set state = 'retrying', max_attempts = attempts + ${maxAttempts}::integer, leased_until = null,
             next_attempt_at = app.now() + make_interval(secs => ${delaySeconds}), last_error = null, swept_at = null, ${assignments}
       where account_id = app.account_id() and id = ${id} and attempts = ${attempts} and ${isOpen} returning id`,
    /** Condition for rows whose last attempt was claimed and never completed. */
    abandoned: sql`${isOpen} and attempts >= max_attempts and leased_until <= app.now()`,
    /**
     * Mark rows that are due and not claimed as swept, oldest first: their message was lost. PostgreSQL runs
     * a subquery of `array` once, but that of `in` once per row if it chooses so, which would mark more rows
     * than `limit`.
     */
    claimDue: (limit: number) => sql`
      update ${tableRef} set swept_at = app.now() where id = any (array(
        select id from ${tableRef}
         where ${isOpen} and next_attempt_at <= app.now() - interval '5 seconds' and attempts < max_attempts and ${isUnclaimed} and ${isUnswept}
         order by next_attempt_at limit ${limit} for update skip locked))
      returning id, attempts`,
  }
}
