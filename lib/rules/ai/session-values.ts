// The values of the columns of AI sessions and of their parts.

/** States of a session that is not closed. */
export const openStates = ['active', 'parked', 'requesting_escalation', 'escalated', 'claimed'] as const
export const aiStatuses = [...openStates, 'resolved', 'abandoned', 'archived'] as const
export type AiStatus = (typeof aiStatuses)[number]

export const aiOutcomes = ['resolved', 'workaround', 'not_reproducible'] as const

export const urgencies = ['low', 'normal', 'high', 'critical'] as const
export type Urgency = (typeof urgencies)[number]

export const assessmentStatuses = ['pending', 'ready', 'failed', 'timed_out'] as const
export type AssessmentStatus = (typeof assessmentStatuses)[number]

/** What a guided step asks for. */
export const stepKinds = ['question', 'action', 'fix'] as const

export const fixKinds = ['manual', 'script', 'template'] as const
/** The outcomes of a fix that the model may propose. */
export const proposedOutcomes = [
  'applied_success',
  'applied_failed',
  'applied_partial',
  'applied_pending',
] as const
export const fixStatuses = ['proposed', ...proposedOutcomes, 'dismissed'] as const
export type FixStatus = (typeof fixStatuses)[number]
/** What the status of a fix says in every text: in words, and whether the fix was applied and has helped. */
export const fixResults: Record<FixStatus, { words: string; isApplied: boolean; hasHelped: boolean }> = {
  proposed: { words: 'not tried', isApplied: false, hasHelped: false },
  applied_success: { words: 'worked', isApplied: true, hasHelped: true },
  applied_failed: { words: 'did not work', isApplied: true, hasHelped: false },
  applied_partial: { words: 'worked in part', isApplied: true, hasHelped: true },
  applied_pending: { words: 'applied, no result yet', isApplied: true, hasHelped: false },
  dismissed: { words: 'dismissed', isApplied: false, hasHelped: false },
}

/** Why the model gave no answer to a turn. */
export const answerFailures = ['declined', 'unusable', 'truncated'] as const
export type AnswerFailure = (typeof answerFailures)[number]

export const citationKinds = ['flow', 'article', 'session'] as const
