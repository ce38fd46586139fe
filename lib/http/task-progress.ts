import type { OutboxEntry } from '#db/outbox-entry.ts'
import { type ModelCallCounts, storeModelCalls } from '#db/rows/ai-tasks.ts'
import { type Caller, openAccountScope, type WriteDb } from '#db/scope.ts'
import type { ModelCalls } from '#vendors/ai/ask.ts'
import { announceProgress } from '#work/job-progress.ts'
import type { C, Services } from './app.ts'
import { publishStored } from './publish-stored.ts'

export interface TaskProgress extends ModelCalls {
  readonly counts: ModelCallCounts
  /** Show the progress in the task and on the stream, from now on. The request is stored. */
  show(): void
  /** Say on the stream that nothing follows these calls. */
  finish(calls: number): void
}

/**
 * Count the calls to the model that an operation makes for a task. Nothing is written before the task is
 * stored.
 */
export function trackTaskProgress(
  { c, services }: { c: C; services: Services },
  { accountId, userId }: Caller,
  id: string,
): TaskProgress {
  const counts: ModelCallCounts = { started: 0, answered: 0 }
  let isShown = false
  let lastWrite: Promise<unknown> = Promise.resolve()
  const announce = (db: WriteDb, phase: string, done: number, total: number) =>
    announceProgress(db, { kind: 'ai_task', id, user_id: userId, phase, done, total })
  /**
   * Write in the order of the calls, and publish at once, because the operation itself is not done yet. Its
   * result does not depend on this.
   */
  const write = (work: (db: WriteDb) => Promise<unknown>) => {
    if (!isShown) return
    const entries: OutboxEntry[] = []
    const scope = openAccountScope(services.platform, accountId, userId, (entry) => entries.push(entry))
    const run = async () => {
      await scope.transaction(work)
      await publishStored(services, entries)
    }
    lastWrite = lastWrite.then(run).catch(() => {})
    c.executionCtx.waitUntil(lastWrite)
  }
  const report = () => {
    const { ...current } = counts
    write(async (db) => {
      const stored = await storeModelCalls.first(db, id, current)
      if (stored) await announce(db, 'asking', stored.calls_answered, stored.calls_started)
    })
  }
  return {
    counts,
    onCall() {
      counts.started++
      report()
    },
    onAnswer() {
      counts.answered++
      report()
    },
    show() {
      isShown = true
      if (counts.started > 0) report()
    },
    finish: (calls) => write((db) => announce(db, 'finished', calls, calls)),
  }
}
