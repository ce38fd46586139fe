import { sql } from 'kysely'
import * as z from 'zod'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { attemptTable, DueRow } from '#work/attempts.ts'

const changeAttempts = attemptTable('psa_ticket_changes', { initial: 'queued', done: 'done', doneAt: 'done_at' })
const claimedColumns = sql`id, account_id, ticket_id, attempts, max_attempts`

/** A ticket that a worker has leased to read it. */
export const ClaimedChange = z.object({
  id: z.string(),
  account_id: z.string(),
  ticket_id: z.string(),
  attempts: z.int(),
  max_attempts: z.int(),
})
export type ClaimedChange = z.output<typeof ClaimedChange>

export const claimChange = writeStatement(ClaimedChange, (id: string, attempt: number) => changeAttempts.claim(id, attempt, claimedColumns))

/** Record the result of an attempt. `retrySeconds` is null when no attempt follows. Return no row when a later attempt was made. */
export const completeAttempt = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedChange, result: SendResult, fingerprint: string | null, retrySeconds: number | null) =>
    changeAttempts.complete(claimed, result, retrySeconds, sql`, fingerprint = ${fingerprint}`),
)

/** Mark due changes as swept, oldest first. */
export const claimDueChanges = writeStatement(DueRow, changeAttempts.claimDue)

/** Select the changes whose last attempt never reported a result. */
export const selectAbandonedChanges = readStatement(
  ClaimedChange,
  () => sql`select ${claimedColumns} from psa_ticket_changes where ${changeAttempts.abandoned} limit 100`,
)

/** Select the fingerprint of the last read of a ticket. */
export const selectFingerprint = readStatement(
  z.object({ fingerprint: z.string().nullable() }),
  (ticketId: string) => sql`
    select c.fingerprint from psa_ticket_changes c
     where c.account_id = app.account_id() and c.ticket_id = ${ticketId} and c.state = 'done' order by c.done_at desc limit 1`,
)

/** Lock a ticket, so that two reads of it are recorded one after the other. */
export const lockTicket = writeStatement(
  null,
  (ticketId: string) =>
    sql`select from pg_advisory_xact_lock(hashtextextended('psa_ticket:' || app.account_id()::text || ':' || ${ticketId}::text, 0))`,
)

const numbersOf = (ticketId: string) => sql`(${ticketId}, ${`#${ticketId}`})`

/** Select the sessions of a ticket that have not ended. */
export const selectOpenSessions = readStatement(
  z.object({ session_id: z.string(), user_id: z.string() }),
  (ticketId: string) => sql`
    select s.id as session_id, s.user_id from sessions s
     where s.account_id = app.account_id() and s.state in ('prepared', 'in_progress') and s.ticket_number in ${numbersOf(ticketId)}
     order by s.created_at desc, s.id limit 50`,
)

/** Pause the schedules of a ticket. */
export const pauseSchedules = writeStatement(
  z.object({ id: z.string() }),
  (ticketId: string) => sql`
    update maintenance_schedules m set is_active = false, next_run_at = null, version = m.version + 1, updated_at = app.now()
     where m.account_id = app.account_id() and m.is_active and m.ticket_number in ${numbersOf(ticketId)} returning m.id`,
)
