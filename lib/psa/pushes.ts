import { sql } from 'kysely'
import { clip } from '../chat/chat.ts'
import type { WriteDb } from '../db/scope.ts'
import type { QueuePort } from '../queue/queue.ts'

/** A note to be written on a ticket. */
export interface NewPush {
  /** The provider's id of the ticket. */
  ticketId: string
  /** Plain text; what exceeds 30,000 characters is cut. */
  body: string
  /** Whether the client must not see it. */
  internal: boolean
  sourceKind: 'session' | 'ai_session' | 'output'
  sourceId: string
}

const maxBody = 30_000

/**
 * Writes a note's row in the transaction of `db` and answers its id, or null when the account has no active connection. Publish it after the
 * commit; what is not published, for whatever reason, is found by the sweep.
 */
export async function queuePush(db: Pick<WriteDb, 'getExecutor'>, push: NewPush): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    insert into psa_pushes (ticket_id, body, internal, source_kind, source_id)
    select ${push.ticketId}, ${clip(push.body, maxBody)}, ${push.internal}, ${push.sourceKind}, ${push.sourceId}
     where exists (select from psa_connections c where c.account_id = app.account_id() and c.is_active)
    returning id`.execute(db as WriteDb)
  return rows[0]?.id ?? null
}

/** Tells the queue of first attempts. */
export async function publishPushes(queue: QueuePort, ids: readonly string[]): Promise<void> {
  await queue.publish(ids.map((id) => pushMessage(id, 1)))
}

export const pushPath = '/jobs/psa/push'

/** The message of one attempt. */
export function pushMessage(id: string, attempt: number, delaySeconds = 0) {
  return { path: pushPath, body: { push_id: id, attempt }, delaySeconds, deduplicationId: `${id}-${attempt}` } as const
}
