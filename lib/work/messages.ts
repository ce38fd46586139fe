import * as z from 'zod'
import type { OutboxEntry } from '#db/outbox-entry.ts'
import { type AttemptKind, workKinds } from '#db/work-kinds.ts'
import { Uuid } from '#rules/uuid.ts'
import type { Message } from '#vendors/queue/queue.ts'

/**
 * Return the queue message of one attempt. The queue drops a copy by its id; the worker drops any other copy
 * by the row's state. A postponed attempt has no id, because the queue still remembers that of its first
 * message.
 */
export function toMessage({
  kind,
  id,
  attempt,
  delaySeconds = 0,
  isPostponed,
}: Extract<OutboxEntry, { kind: AttemptKind }>): Message {
  const { path, idField } = workKinds[kind].job
  return {
    path,
    body: { [idField]: id, attempt },
    delaySeconds,
    ...(isPostponed ? {} : { deduplicationId: `${id}-${attempt}` }),
  }
}

/** Return the schema of the message's body. */
export function messageBody(kind: AttemptKind) {
  const { idField } = workKinds[kind].job
  return z
    .strictObject({ [idField]: Uuid, attempt: z.int().min(1) })
    .transform((body) => ({ id: body[idField] as string, attempt: body.attempt as number }))
}
