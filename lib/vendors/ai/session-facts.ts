import { insertCustomSteps } from '#rules/flows/custom-steps.ts'
import type { FlowDraft } from '#rules/flows/flat-nodes.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import { indexAnswerableSteps } from '#rules/flows/step-navigation.ts'
import { walkAll } from '#rules/flows/walk.ts'
import { toModelFlow } from './flow-drafts.ts'

/** Return the flow that a session ran, with its custom steps inserted. */
export function toFlowAsRun({
  name,
  description,
  tree_type,
  tree_structure,
  intake_form,
  custom_steps,
  decisions,
}: SessionRow): FlowDraft {
  const chosenOptions = new Map(decisions.map(({ step_id, option_id }) => [step_id, option_id]))
  return {
    name,
    description,
    tree_type,
    tree_structure: insertCustomSteps(tree_structure, custom_steps, chosenOptions),
    intake_form,
  }
}

/**
 * Return a session as facts for a prompt. The flow's texts keep their placeholders; variables are not
 * included.
 */
export function toRunFacts(session: SessionRow, flow: FlowDraft) {
  const { decisions, fallback_decisions, tree_structure, outcome, notes, next_steps } = session
  const answerableSteps = indexAnswerableSteps(tree_structure)
  const titles = new Map(Array.from(walkAll(tree_structure), ({ node }) => [node.id, node.title ?? '']))
  const findOptionLabel = (step_id: string, option_id: string | null) => {
    const step = answerableSteps.get(step_id)
    return (step && 'options' in step && step.options?.find(({ id }) => id === option_id)?.label) || null
  }
  return {
    flow: toModelFlow(flow),
    answers: decisions.map(({ step_id, option_id, outcome, note }) => ({
      node: step_id,
      option: findOptionLabel(step_id, option_id),
      outcome,
      note,
      fallbacks: fallback_decisions
        .filter((fallback) => fallback.step_id === step_id)
        .map(({ fallback_step_id, outcome, note }) => ({
          title: titles.get(fallback_step_id) ?? fallback_step_id,
          outcome,
          note,
        })),
    })),
    session: { outcome, notes, next_steps },
  }
}
