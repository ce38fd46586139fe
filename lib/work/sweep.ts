import { limitConcurrency, type RunLimited } from '#async/limit-concurrency.ts'
import { settleAll } from '#async/settle-all.ts'
import type { AttemptKind } from '#db/work-kinds.ts'
import type { QueuePort } from '#vendors/queue/queue.ts'
import type { DueRow } from './attempts.ts'
import type { Work } from './define-work.ts'
import { toMessage } from './messages.ts'

/** One kind of stored work, as its sweep needs it. */
export interface SweptKind {
  kind: AttemptKind
  /**
   * Mark up to `limit` due rows as swept, so that no other sweep takes them for a minute, and return them.
   */
  claimDue(limit: number): Promise<DueRow[]>
  /** Make an attempt in this process. It is called while the queue is unreachable. */
  attempt(id: string, attempt: number): Promise<void>
  /** Maximum number of attempts at the same time. */
  parallel: number
}

export interface SweepOptions {
  /** Time for the sweep of one kind, in milliseconds. */
  budgetMs: number
  now: () => number
  /** The slots that all kinds share. Each attempt takes one. */
  slots: RunLimited
}

// A Worker may have six connections that wait for response headers; a seventh waits until one of them has
// received its headers.
// https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections
export const maxConnections = 6

/** Return the options of one sweep of all kinds. */
export const defaultSweepOptions = (): SweepOptions => ({
  budgetMs: 20_000,
  now: Date.now,
  slots: limitConcurrency({ running: maxConnections }),
})

/** Fail what was abandoned of a kind of work, then publish what is due. */
export async function sweepWork<Ctx extends { queue: QueuePort }>(
  ctx: Ctx,
  { kind, parallel, attempt, claimDue, failAbandoned }: Work<Ctx>,
  options: SweepOptions,
): Promise<void> {
  await failAbandoned(ctx)
  const swept: SweptKind = {
    kind,
    parallel,
    claimDue: (limit) => claimDue(ctx, limit),
    attempt: (id, number) => attempt(ctx, id, number),
  }
  await sweepKind(ctx.queue, swept, options)
}

const publishedAtOnce = 100
/** A claim reads all rows that are due, so once the queue has answered, one takes many. */
const claimedAtOnce = 1000

/**
 * Publish due rows until none is left or the time is over. While the queue is unreachable, make the attempts
 * in this process.
 */
export async function sweepKind(
  queue: QueuePort,
  swept: SweptKind,
  { budgetMs, now, slots }: SweepOptions,
): Promise<void> {
  const end = now() + budgetMs
  for (let limit = publishedAtOnce; now() < end; limit = claimedAtOnce) {
    const dueRows = await swept.claimDue(limit)
    if (dueRows.length === 0) return
    for (let at = 0; at < dueRows.length; at += publishedAtOnce)
      if (!(await tryPublish(queue, swept.kind, dueRows.slice(at, at + publishedAtOnce))))
        return attemptUntilEmpty(swept, dueRows.slice(at), { slots, hasTime: () => now() < end })
  }
}

async function tryPublish(queue: QueuePort, kind: AttemptKind, due: readonly DueRow[]): Promise<boolean> {
  // Without a deduplication id: the queue may still remember the id of the lost message.
  const messages = due
    .map(({ id, attempts }) => toMessage({ kind, id, attempt: attempts + 1 }))
    .map(({ path, body }) => ({ path, body }))
  return queue.publish(messages).then(
    () => true,
    () => false,
  )
}

/**
 * Make the attempts of `due`, then of further rows, until none is left or the time is over. An attempt that
 * fails stays due, so a failure does not stop the others. Further rows are claimed only when a worker is free
 * for each. Otherwise those that are left when the time is over would wait for a minute, because they are
 * marked as swept.
 */
async function attemptUntilEmpty(
  { claimDue, attempt, parallel }: SweptKind,
  due: readonly DueRow[],
  { slots, hasTime }: { slots: RunLimited; hasTime: () => boolean },
): Promise<void> {
  let waitingRows = [...due]
  let isFirstClaim = true
  let claiming: Promise<void> | undefined
  const claimMore = async () => {
    isFirstClaim = false
    waitingRows = hasTime() ? await claimDue(parallel) : []
    // After an empty claim, `claiming` stays, so that no worker claims again.
    if (waitingRows.length > 0) claiming = undefined
  }
  const takeNext = async () => {
    if (waitingRows.length === 0 || (isFirstClaim && !hasTime())) {
      claiming ??= claimMore()
      await claiming
    }
    return waitingRows.shift()
  }
  const work = async () => {
    for (let row = await takeNext(); row; row = await takeNext()) {
      const { id, attempts } = row
      await slots(() => attempt(id, attempts + 1)).catch(() => {})
    }
  }
  await settleAll(Array.from({ length: parallel }, work))
}
