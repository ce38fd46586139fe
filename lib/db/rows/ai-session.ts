import * as z from 'zod'
import {
  type AiStatus,
  type AnswerFailure,
  type AssessmentStatus,
  aiOutcomes,
  aiStatuses,
  type citationKinds,
  type FixStatus,
  type fixKinds,
  type stepKinds,
  type Urgency,
} from '#rules/ai/session-values.ts'

// An AI session and its parts, as the API returns them.

export interface Evidence {
  id: string
  text: string
  source: 'user' | 'ai' | 'alert'
  created_at: string
}
/** Questions, and likewise actions, of a task lane. */
export const maxLaneItems = 50
export const maxLaneBytes = 256 * 1024
/** From this size on the model adds nothing, so that the lane stays below `maxLaneBytes`. */
export const maxGrowingLaneBytes = 250_000
export interface TaskLane {
  questions: { id: string; text: string; answered?: boolean | undefined }[]
  actions: { id: string; text: string; done?: boolean | undefined }[]
  responses: { id: string; question_id?: string | undefined; action_id?: string | undefined; text: string }[]
}
/** A source that an answer of the model has used. The title is the one in the prompt. */
export interface Citation {
  kind: (typeof citationKinds)[number]
  id: string
  title: string
  /** The colleague who solved a session that the reader could not open. */
  ask?: string
}
/**
 * What the model has looked up for an answer. `source` is null if it could not be read. Its texts are masked.
 */
export interface Lookup {
  tool: string
  arguments: Record<string, unknown>
  source: string | null
  summary: string
}
/** The offer to draft a flow from a case that no flow fits. */
export interface FlowOffer {
  text: string
  operation: 'authoring.proposals.create'
  path: string
}
export interface AiMessage {
  id: string
  role: 'user' | 'assistant'
  content: string
  upload_ids: string[]
  branch_id: string
  citations: Citation[]
  /** The sources that fitted the case. */
  sources: Citation[]
  flow_offer: FlowOffer | null
  lookups: Lookup[]
  failure: AnswerFailure | null
  created_at: string
}
export interface GuidedStep {
  step_id: string
  kind: (typeof stepKinds)[number]
  text: string
  options: string[]
  rationale: string | null
  citations: Citation[]
  /** The sources that fitted the case. */
  sources: Citation[]
  flow_offer: FlowOffer | null
  lookups: Lookup[]
  failure: AnswerFailure | null
  response: string | null
  created_at: string
}
export interface Fix {
  id: string
  session_id: string
  title: string
  description: string
  kind: (typeof fixKinds)[number]
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
  urgency: Urgency
  claimed_by: string | null
  claimed_at: string | null
  acknowledged_by: string | null
  acknowledged_by_name: string | null
  acknowledged_at: string | null
  ai_assessment: string | null
  assessment_status: AssessmentStatus | null
  first_action_at: string | null
  created_at: string
}

/** What a script did on a machine, with the end of its output. */
export interface ScriptResult {
  title: string
  target: string
  exit_code: number | null
  output: string
}

const text = z.string()
const nullableText = z.string().nullable()

/** What a list shows of a session. */
export const AiSessionItem = z.object({
  id: text,
  account_id: text,
  user_id: text,
  user_name: nullableText,
  session_type: z.enum(['guided', 'chat']),
  title: text,
  status: z.enum(aiStatuses),
  problem_summary: nullableText,
  psa_ticket_id: nullableText,
  tree_id: nullableText,
  environment_tags: z.array(text),
  client_name: nullableText,
  asset_name: nullableText,
  issue_category: nullableText,
  escalated_to_id: nullableText,
  picked_up_by_id: nullableText,
  picked_up_by_name: nullableText,
  state_version: z.int(),
  outcome: z.enum(aiOutcomes).nullable(),
  created_at: text,
  updated_at: text,
  resolved_at: nullableText,
})
export type AiSessionItem = z.output<typeof AiSessionItem>

/**
 * A session with everything that belongs to it. `is_owner` is whether the caller may change it as its owner,
 * `local_time` the time of the caller in words, with the time zone.
 */
export const AiSessionRow = AiSessionItem.extend({
  triage_hypothesis: nullableText,
  cause_confirmed: z.boolean(),
  evidence_items: z.custom<Evidence[]>(),
  pending_task_lane: z.custom<TaskLane>(),
  task_lane_version: z.int(),
  is_branching: z.boolean(),
  active_branch_id: text,
  escalation_package: z.custom<Record<string, unknown> | null>(),
  resolution_notes: nullableText,
  resolution: nullableText,
  follow_up: nullableText,
  steps: z.custom<GuidedStep[]>(),
  messages: z.custom<AiMessage[]>(),
  suggested_fixes: z.custom<Fix[]>(),
  facts: z.custom<Fact[]>(),
  handoffs: z.custom<Handoff[]>(),
  script_runs: z.custom<ScriptResult[]>(),
  team_id: nullableText,
  is_owner: z.boolean(),
  local_time: text,
})
export type AiSessionRow = z.output<typeof AiSessionRow>

/** Maximum number of facts of a session. */
export const maxFacts = 200

/** States in which a technician works on the session. */
export const workingStates = ['active'] as const satisfies readonly AiStatus[]
