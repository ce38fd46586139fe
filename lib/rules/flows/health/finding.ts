import type { FlowNode, FlowStep } from '#rules/flows/structure.ts'
import type { FlowPatch } from './flow-patch.ts'

/** The most urgent first. */
export const findingReasons = [
  'subflow_unavailable',
  'broken_link',
  'stale_owner',
  'low_success',
  'unanswerable_field',
  'unreachable_step',
  'destructive_step',
  'impossible_option',
  'repeated_question',
  'pointless_question',
  'never_reached',
  'same_answer',
  'dead_option',
  'failing_step',
  'skipped_step',
  'not_enough_sessions',
] as const

/** Something about a flow that its author should look at. */
export interface Finding {
  reason: (typeof findingReasons)[number]
  /** A sentence for the author. */
  message: string
  step_id: string | null
  option_id: string | null
  url: string | null
  metrics: Record<string, number>
  /** An edit that settles it; null if only a person can. */
  patch: FlowPatch | null
  /** The path of the step or field, as in the problems of a flow; empty if the whole flow is concerned. */
  path: string
  /** What it is about. A finding that was dismissed is shown again when this has changed. */
  subject: unknown
}

type Step = FlowNode | FlowStep
type Details = Partial<Omit<Finding, 'reason' | 'message'>>

export function createFinding(reason: Finding['reason'], message: string, details: Details = {}): Finding {
  return {
    ...{ reason, message, step_id: null, option_id: null, url: null },
    ...{ metrics: {}, patch: null, path: '', subject: null },
    ...details,
  }
}

/** Create a finding about a step, without the steps below it. */
export function createStepFinding(
  reason: Finding['reason'],
  step: Step,
  message: string,
  details: Details = {},
): Finding {
  const { children: _, ...subject } = { children: null, ...step }
  return createFinding(reason, message, { step_id: step.id, subject, ...details })
}

/** Return the name of a step in messages: its title, or its id. */
export function getName({ id, title }: Step): string {
  return title?.trim() || id
}
