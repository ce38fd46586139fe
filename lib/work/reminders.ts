import type { Enqueues } from '#db/scope.ts'

/** Enqueue the first attempt of a reminder that the transaction of `db` has stored. */
export function enqueueReminder(
  db: Enqueues,
  { id, delay_seconds }: { id: string; delay_seconds: number },
): void {
  db.outbox({ kind: 'reminder', id, attempt: 1, delaySeconds: delay_seconds })
}
