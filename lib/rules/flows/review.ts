import type { StoredReplay } from './replay.ts'

interface Person {
  id: string
  name: string
}

/** Who reviews a flow, how often, and when next. */
export interface FlowReviewState {
  /** Null for the admins of its team and account. */
  owner: Person | null
  /** Null for as often as the account has set. */
  months: number | null
  is_evergreen: boolean
  /** The local day from which the review is overdue; null if none is due. */
  due_on: string | null
  is_overdue: boolean
  reviewed_at: string | null
  reviewed_by: Person | null
}

/** What happened to a flow since its last review. It is a hint, and never takes the place of a review. */
export interface ReviewEvidence {
  runs: number
  ended: number
  resolved: number
  /** The counts of the newest version that was published since with a replay. */
  replay: StoredReplay | null
  open_findings: number
}
