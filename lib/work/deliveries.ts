import type { Enqueues } from '#db/scope.ts'

/** Enqueue the first attempts of deliveries that the transaction of `db` has stored. */
export function enqueueDeliveries(db: Enqueues, ids: readonly string[]): void {
  for (const id of ids) enqueueDelivery(db, id)
}

/** Enqueue an attempt of a delivery that the transaction of `db` has stored. */
export function enqueueDelivery(db: Enqueues, id: string, attempt = 1, delaySeconds?: number): void {
  db.outbox({ kind: 'delivery', id, attempt, delaySeconds })
}

/** Enqueue an attempt again that was enqueued before and was not made. */
export function postponeDelivery(db: Enqueues, id: string, attempt: number, delaySeconds: number): void {
  db.outbox({ kind: 'delivery', id, attempt, delaySeconds: Math.ceil(delaySeconds), isPostponed: true })
}
