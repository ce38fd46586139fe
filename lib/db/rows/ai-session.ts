// An AI session and its parts, as the API returns them.

export type AiStatus = 'active' | 'parked' | 'requesting_escalation' | 'escalated' | 'claimed' | 'resolved' | 'abandoned' | 'archived'
export type FixStatus = 'proposed' | 'applied_success' | 'applied_failed' | 'applied_partial' | 'applied_pending' | 'dismissed'

export interface Evidence {
  id: string
  text: string
  source: 'user' | 'ai'
  created_at: string
}
export interface TaskLane {
  questions: { id: string; text: string; answered?: boolean | undefined }[]
  actions: { id: string; text: string; done?: boolean | undefined }[]
  responses: { id: string; question_id?: string | undefined; action_id?: string | undefined; text: string }[]
}
export interface AiMessage {
  id: string
  role: 'user' | 'assistant'
  content: string
  upload_ids: string[]
  branch_id: string
  created_at: string
}
export interface GuidedStep {
  step_id: string
  kind: 'question' | 'action' | 'fix'
  text: string
  options: string[]
  rationale: string | null
  response: string | null
  created_at: string
}
export interface Fix {
  id: string
  session_id: string
  title: string
  description: string
  kind: 'manual' | 'script' | 'template'
  script_template_id: string | null
  status: FixStatus
  applied_at: string | null
  verified_at: string | null
  partial_notes: string | null
  pending_reason: string | null
  failure_reason: string | null
  ai_drafted_script: string | null
  ai_drafted_parameters: unknown[]
  ai_outcome_proposal: { outcome: FixStatus; reason: string; created_at: string } | null
  created_at: string
}
export interface Fact {
  id: string
  key: string
  value: string
  source: 'user' | 'ai'
  created_by: string
  created_at: string
  updated_at: string
}
export interface Handoff {
  id: string
  session_id: string
  intent: 'park' | 'escalate'
  created_by: string
  target_user_id: string | null
  reason: string
  summary: string
  what_was_tried: string
  next_steps: string
  urgency: 'low' | 'normal' | 'high' | 'critical'
  claimed_by: string | null
  claimed_at: string | null
  ai_assessment: string | null
  assessment_status: 'pending' | 'ready' | 'failed' | 'timed_out' | null
  first_action_at: string | null
  created_at: string
}

/** What a list shows of a session. */
export interface AiSessionItem {
  id: string
  account_id: string
  user_id: string
  user_name: string | null
  session_type: 'guided' | 'chat'
  title: string
  status: AiStatus
  problem_summary: string | null
  psa_ticket_id: string | null
  tree_id: string | null
  environment_tags: string[]
  client_name: string | null
  asset_name: string | null
  issue_category: string | null
  escalated_to_id: string | null
  picked_up_by_id: string | null
  state_version: number
  outcome: 'resolved' | 'workaround' | 'not_reproducible' | null
  created_at: string
  updated_at: string
  resolved_at: string | null
}

/** A session with everything that belongs to it. */
export interface AiSessionRow extends AiSessionItem {
  triage_hypothesis: string | null
  evidence_items: Evidence[]
  pending_task_lane: TaskLane
  is_branching: boolean
  active_branch_id: string
  escalation_package: Record<string, unknown> | null
  resolution_notes: string | null
  steps: GuidedStep[]
  messages: AiMessage[]
  suggested_fixes: Fix[]
  facts: Fact[]
  handoffs: Handoff[]
  team_id: string | null
  /** Whether the caller may change it as its owner. */
  is_owner: boolean
}

/** States in which a technician works on the session. */
export const workingStates = ['active'] as const satisfies readonly AiStatus[]
/** States of a session that is not closed. */
export const openStates = ['active', 'parked', 'requesting_escalation', 'escalated', 'claimed'] as const satisfies readonly AiStatus[]
