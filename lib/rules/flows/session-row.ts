import * as z from 'zod'
import type { ProvidedEvidence } from './evidence.ts'
import type { stepOutcomes } from './step-navigation.ts'
import { type IntakeField, type TreeStructure, treeTypes } from './structure.ts'

export const sessionStates = ['prepared', 'in_progress', 'completed', 'abandoned'] as const
export const sessionOutcomes = ['resolved', 'unresolved', 'escalated', 'cancelled'] as const
export const customStepSources = ['ad-hoc', 'step-library', 'forked-tree'] as const

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
type Outcome = (typeof stepOutcomes)[number]

interface Decision {
  step_id: string
  option_id: string | null
  outcome: Outcome | null
  note: string | null
  started_at: string
  duration_seconds: number
  decided_at: string
  decided_by: string
  decided_by_name: string | null
}
interface FallbackDecision {
  step_id: string
  fallback_step_id: string
  outcome: Outcome
  note: string | null
  decided_at: string
  decided_by: string
  decided_by_name: string | null
}
interface CustomStep {
  id: string
  source: (typeof customStepSources)[number]
  after_step_id: string
  title: string
  description: string
  library_step_id: string | null
  tree_id: string | null
  node_id: string | null
  created_by: string
  created_by_name: string | null
  created_at: string
}

const text = z.string()
const nullableText = z.string().nullable()

/** The columns of `sessions` in a list. */
export const sessionListColumns = {
  id: text,
  account_id: text,
  team_id: nullableText,
  user_id: text,
  tree_account_id: text,
  tree_id: text,
  state: z.enum(sessionStates),
  ticket_number: nullableText,
  client_name: nullableText,
  outcome: z.enum(sessionOutcomes).nullable(),
  batch_id: nullableText,
  target_label: nullableText,
  current_step_id: nullableText,
  /** The session and the step that this session is a sub-flow of. */
  parent_session_id: nullableText,
  parent_step_id: nullableText,
  /** The open session of the sub-flow of the current step. */
  subflow_session_id: nullableText,
  answered: z.int(),
  remaining: z.int(),
  exported_at: nullableText,
  assigned_at: nullableText,
  started_at: nullableText,
  completed_at: nullableText,
  created_at: text,
}
/** The columns of `tree_versions`, the version of the flow that it runs, in a list. */
export const versionListColumns = {
  name: text,
  description: text,
  category: nullableText,
  version: z.int(),
  tree_type: z.enum(treeTypes),
}
/** The further columns of `sessions` and `tree_versions` of one session. */
export const sessionDetailColumns = {
  variables: z.custom<Record<string, Json>>(),
  notes: nullableText,
  next_steps: nullableText,
}
export const versionDetailColumns = {
  tree_structure: z.custom<TreeStructure>(),
  intake_form: z.custom<IntakeField[]>(),
}

/** A session as a list reads it from the database. */
export const SessionListRow = z.object({
  ...sessionListColumns,
  user_name: nullableText,
  ...versionListColumns,
})
export type SessionListRow = z.output<typeof SessionListRow>

/** A session as it is read from the database, with the version of the flow that it runs. */
export const SessionRow = SessionListRow.extend({
  ...sessionDetailColumns,
  ...versionDetailColumns,
  /** The secret fields that have an answer. */
  secret_keys: z.array(text),
  decisions: z.custom<Decision[]>(),
  /** The evidence of all decisions. `seq` is the index of the decision. */
  evidence: z.custom<(ProvidedEvidence & { seq: number })[]>(),
  /** When its user is reminded of the current step; null without a waiting timer. */
  timer_due_at: nullableText,
  /** Since when the review of its flow is overdue; null if it is not, and once the session has ended. */
  flow_overdue_since: nullableText,
  fallback_decisions: z.custom<FallbackDecision[]>(),
  custom_steps: z.custom<CustomStep[]>(),
  /** Whether the caller may change the session. */
  may_change: z.boolean(),
})
export type SessionRow = z.output<typeof SessionRow>

/** What the rules of a run read of a session. A dry run has it without a row. */
export type RunState = Pick<
  SessionRow,
  | 'state'
  | 'ticket_number'
  | 'client_name'
  | 'target_label'
  | 'current_step_id'
  | 'subflow_session_id'
  | 'variables'
  | 'secret_keys'
  | 'tree_structure'
  | 'intake_form'
  | 'may_change'
> & { fallback_decisions: readonly unknown[]; custom_steps: readonly unknown[] }
