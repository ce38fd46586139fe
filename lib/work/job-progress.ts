import type { WriteDb } from '#db/scope.ts'
import { enqueueLiveEvent } from './live-events.ts'

export const jobKinds = ['export', 'import', 'kb_batch', 'ai_task'] as const
interface JobProgress {
  kind: (typeof jobKinds)[number]
  id: string
  user_id: string | null
  phase: string
  done: number
  total: number
}

/** Tell the account's open streams how far a job is, in the transaction that records its slice. */
export function announceProgress(db: WriteDb, progress: JobProgress): Promise<void> {
  return enqueueLiveEvent(db, 'job_progressed', { ...progress })
}
