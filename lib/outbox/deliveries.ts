import type { Enqueues } from '../db/scope.ts'

/** Enqueue an attempt of a delivery that the transaction of `db` has stored. */
export function enqueueDelivery(db: Enqueues, id: string, attempt = 1, delaySeconds?: number): void {
  db.outbox({ kind: 'delivery', id, attempt, delaySeconds })
}
