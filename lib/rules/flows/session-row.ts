import type { ProvidedEvidence } from './evidence.ts'
import type { IntakeField, TreeStructure, TreeType } from './structure.ts'

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
type Outcome = 'done' | 'skipped' | 'failed'

/** A session as it is read from the database, with the version of the flow that it runs. */
export interface SessionRow {
  id: string
  account_id: string
  team_id: string | null
  user_id: string
  user_name: string | null
  tree_account_id: string
  tree_id: string
  state: 'prepared' | 'in_progress' | 'completed' | 'abandoned'
  ticket_number: string | null
  client_name: string | null
  variables: Record<string, Json>
  /** The secret fields that have an answer. */
  secret_keys: string[]
  outcome: 'resolved' | 'unresolved' | 'escalated' | 'cancelled' | null
  notes: string | null
  next_steps: string | null
  batch_id: string | null
  target_label: string | null
  current_step_id: string | null
  /** The session and the step that this session is a sub-flow of. */
  parent_session_id: string | null
  parent_step_id: string | null
  /** The open session of the sub-flow of the current step. */
  subflow_session_id: string | null
  answered: number
  remaining: number
  exported_at: string | null
  started_at: string | null
  completed_at: string | null
  created_at: string
  name: string
  description: string
  category: string | null
  version: number
  tree_type: TreeType
  tree_structure: TreeStructure
  intake_form: IntakeField[]
  decisions: {
    step_id: string
    option_id: string | null
    outcome: Outcome | null
    note: string | null
    started_at: string
    duration_seconds: number
    decided_at: string
  }[]
  /** When its user is reminded of the current step; null without a waiting timer. */
  timer_due_at: string | null
  /** The evidence of all decisions. `seq` is the index of the decision. */
  evidence: (ProvidedEvidence & { seq: number })[]
  fallback_decisions: {
    step_id: string
    fallback_step_id: string
    outcome: Outcome
    note: string | null
    decided_at: string
  }[]
  custom_steps: {
    id: string
    source: 'ad-hoc' | 'step-library' | 'forked-tree'
    after_step_id: string
    title: string
    description: string
    library_step_id: string | null
    tree_id: string | null
    node_id: string | null
    created_at: string
  }[]
  /** Whether the caller may change the session. */
  may_change: boolean
}
