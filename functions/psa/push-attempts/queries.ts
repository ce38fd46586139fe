import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, jsonb } from '#db/expressions.ts'
import type { WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { Time } from '#http/fields.ts'
import { pushKinds, pushSources } from '#rules/events/push-values.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import type { Recipient } from '#vendors/psa/recipient.ts'
import { attemptTable } from '#work/attempts.ts'
import { attemptStatements } from '#work/define-work.ts'

/** A push that a worker has leased for an attempt. */
export const ClaimedPush = z.object({
  id: z.string(),
  account_id: z.string(),
  kind: z.enum(pushKinds),
  ticket_id: z.string().nullable(),
  body: z.string(),
  internal: z.boolean(),
  /** Its shape depends on the kind. */
  details: z.custom<Record<string, unknown>>(),
  source_kind: z.enum(pushSources),
  source_id: z.string(),
  requested_by: z.string().nullable(),
  attempts: z.int(),
  max_attempts: z.int(),
  created_at: Time,
})
export type ClaimedPush = z.output<typeof ClaimedPush>

export const attempts = attemptStatements('push', ClaimedPush)

/**
 * Select when the first failed push of the same note was made within the last week, and whether one had it
 * mailed. Each may have added the note and lost every answer.
 */
export const selectFailedNotes = readStatement(
  z.object({ since: Time.nullable(), notifies: z.boolean().nullable() }),
  ({ id, ticket_id, source_id, internal, body }: ClaimedPush) => sql`
    select app.iso(min(p.created_at)) as since, bool_or(p.details ? 'notify') as notifies from psa_pushes p
     where p.account_id = app.account_id() and p.source_id = ${source_id} and p.kind = 'note' and p.state = 'failed' and p.id <> ${id}
       and p.ticket_id = ${ticket_id} and p.internal = ${internal} and p.body = ${body} and p.created_at > app.now() - interval '7 days'`,
)

/**
 * Select the other tickets in which an attempt of a session's time entry may have added it, at most ten.
 */
export const selectEarlierTickets = readStatement(
  z.object({ ticket_id: z.string() }),
  (sessionId: string, ticketId: string) => sql`
    select t.ticket_id from psa_pushes p
     cross join lateral (select p.ticket_id union select jsonb_array_elements_text(p.details -> 'moved_from')) t
     where p.account_id = app.account_id() and p.source_id = ${sessionId} and p.kind = 'time_entry' and t.ticket_id <> ${ticketId}
     group by t.ticket_id order by max(p.created_at) desc limit 10`,
)

/**
 * What a push has created: the provider's ids of a note, time entry or ticket, and of the ticket that has it.
 */
export interface CreatedRecord {
  id: string
  ticketId: string
  /** Tickets from which it was removed. */
  earlierTicketIds?: string[]
  /** The status that the ticket got. */
  statusId?: string
  /** To whom the ticketing system mailed the note. */
  mailed?: Recipient
}

/**
 * Record the result of an attempt. `retrySeconds` is null when no attempt follows. Return no row when a later
 * attempt was made.
 */
export const completeAttempt = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedPush, result: SendResult, created: CreatedRecord | null, retrySeconds: number | null) => {
    const { mailed, statusId = null } = created ?? {}
    const details = mailed ? { mailed } : {}
    const ids =
      created &&
      sql`, provider_note_id = ${created.id}, ticket_id = ${created.ticketId}, ticket_status_id = ${statusId}, details = details - 'moved_from' || ${jsonb(details)}`
    return attemptTable('push').complete(claimed, result, retrySeconds, ids ?? sql``)
  },
)

/** Store the number of a created ticket in its session, unless it has another one by now. */
export async function linkTicket(db: WriteDb, sessionId: string, ticketId: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ ticket_number: ticketId })
    .where('account_id', '=', accountId)
    .where('id', '=', sessionId)
    .where('ticket_number', 'is', null)
    .execute()
}
