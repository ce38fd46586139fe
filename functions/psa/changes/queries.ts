import { sql } from 'kysely'
import * as z from 'zod'
import { accountId } from '#db/expressions.ts'
import type { ReadDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { attemptTable } from '#work/attempts.ts'
import { attemptStatements } from '#work/define-work.ts'

/** A ticket that a worker has leased to read it. */
export const ClaimedChange = z.object({
  id: z.string(),
  account_id: z.string(),
  ticket_id: z.string(),
  attempts: z.int(),
  max_attempts: z.int(),
})
export type ClaimedChange = z.output<typeof ClaimedChange>

export const attempts = attemptStatements('ticket_change', ClaimedChange)

/**
 * Record the result of an attempt. `retrySeconds` is null when no attempt follows. Return no row when a later
 * attempt was made.
 */
export const completeAttempt = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedChange, result: SendResult, fingerprint: string | null, retrySeconds: number | null) =>
    attemptTable('ticket_change').complete(
      claimed,
      result,
      retrySeconds,
      sql`, fingerprint = ${fingerprint}`,
    ),
)

/** Select the fingerprint of the last read of a ticket. */
export function selectFingerprint(
  db: ReadDb,
  ticketId: string,
): Promise<{ fingerprint: string | null } | undefined> {
  return db
    .selectFrom('psa_ticket_changes')
    .select('fingerprint')
    .where('account_id', '=', accountId)
    .where('ticket_id', '=', ticketId)
    .where('state', '=', sql.lit('done'))
    .orderBy('done_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Lock a ticket, so that two reads of it are recorded one after the other. */
export const lockTicket = writeStatement(
  null,
  (ticketId: string) =>
    sql`select from pg_advisory_xact_lock(hashtextextended('psa_ticket:' || app.account_id()::text || ':' || ${ticketId}::text, 0))`,
)

/** Select the sessions of a ticket that have not ended. */
export function selectOpenSessions(
  db: ReadDb,
  ticketId: string,
): Promise<{ session_id: string; user_id: string }[]> {
  return db
    .selectFrom('sessions')
    .select(['id as session_id', 'user_id'])
    .where('account_id', '=', accountId)
    .where('state', 'in', [sql.lit('prepared' as const), sql.lit('in_progress' as const)])
    .where('ticket_number', 'in', [ticketId, `#${ticketId}`])
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(50)
    .execute()
}

/** Move the schedules of a merged ticket to the one that is left. */
export const moveSchedules = writeStatement(
  z.object({ id: z.string() }),
  (ticketId: string, survivorId: string) => sql`
    update maintenance_schedules m set ticket_number = replace(m.ticket_number, ${ticketId}, ${survivorId}), version = m.version + 1,
           updated_at = app.now()
     where m.account_id = app.account_id() and m.ticket_number in (${ticketId}, ${`#${ticketId}`}) returning m.id`,
)

/** Pause the schedules of a ticket. */
export const pauseSchedules = writeStatement(
  z.object({ id: z.string() }),
  (ticketId: string) => sql`
    update maintenance_schedules m set is_active = false, next_run_at = null, version = m.version + 1, updated_at = app.now()
     where m.account_id = app.account_id() and m.is_active and m.ticket_number in (${ticketId}, ${`#${ticketId}`}) returning m.id`,
)
