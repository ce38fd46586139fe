import type { AiSessionRow, Fix } from '#db/rows/ai-session.ts'

/** The proposal of a model for the outcome of a fix, which the technician has not decided on. */
export type ProposedFix = Fix & { ai_outcome_proposal: NonNullable<Fix['ai_outcome_proposal']> }

/** What a case would leave undecided if it was resolved now. */
export interface UnsettledItems {
  fixes: ProposedFix[]
  questions: AiSessionRow['pending_task_lane']['questions']
  actions: AiSessionRow['pending_task_lane']['actions']
}

/** List the proposed outcomes, open questions and open actions of a case. */
export function listUnsettledItems({
  suggested_fixes,
  pending_task_lane: { questions, actions },
}: AiSessionRow): UnsettledItems {
  return {
    fixes: suggested_fixes.filter((fix): fix is ProposedFix => fix.ai_outcome_proposal !== null),
    questions: questions.filter(({ answered }) => !answered),
    actions: actions.filter(({ done }) => !done),
  }
}

/**
 * Return a resolved case without what nobody has settled: fixes that were not tried, open questions and open
 * actions. Return others unchanged.
 */
export function dropUnsettledItems(session: AiSessionRow): AiSessionRow {
  if (session.status !== 'resolved') return session
  const { questions, actions, responses } = session.pending_task_lane
  return {
    ...session,
    suggested_fixes: session.suggested_fixes.filter(({ status }) => status !== 'proposed'),
    pending_task_lane: {
      questions: questions.filter(({ answered }) => answered),
      actions: actions.filter(({ done }) => done),
      responses,
    },
  }
}
