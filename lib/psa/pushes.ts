import { sql } from 'kysely'
import { clip } from '../chat/chat.ts'
import type { WriteDb } from '../db/scope.ts'
import type { QueuePort } from '../queue/queue.ts'

/** A push: a note that is queued for a ticket. */
export interface NewPush {
  /** The provider's id of the ticket. */
  ticketId: string
  /** Plain text, cut to 30,000 characters. */
  body: string
  /** Whether the client must not see it. */
  internal: boolean
  sourceKind: 'session' | 'ai_session' | 'output'
  sourceId: string
}

const maxBodyCharacters = 30_000

/**
 * Insert a push in the transaction of `db`. Return its id, or null when the account has no active connection. The caller publishes it after
 * the commit. If that fails, the sweep publishes it.
 */
export async function insertPush(db: Pick<WriteDb, 'getExecutor'>, push: NewPush): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    insert into psa_pushes (ticket_id, body, internal, source_kind, source_id)
    select ${push.ticketId}, ${clip(push.body, maxBodyCharacters)}, ${push.internal}, ${push.sourceKind}, ${push.sourceId}
     where exists (select from psa_connections c where c.account_id = app.account_id() and c.is_active)
    returning id`.execute(db as WriteDb)
  return rows[0]?.id ?? null
}

/** Publish the first attempt of each note. */
export async function publishPushes(queue: QueuePort, ids: readonly string[]): Promise<void> {
  await queue.publish(ids.map((id) => pushMessage(id, 1)))
}

export const pushPath = '/jobs/psa/push'

/** Return the queue message of one attempt. */
export function pushMessage(id: string, attempt: number, delaySeconds = 0) {
  return { path: pushPath, body: { push_id: id, attempt }, delaySeconds, deduplicationId: `${id}-${attempt}` } as const
}
