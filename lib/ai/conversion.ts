import { withCustomSteps } from '../flows/custom-steps.ts'
import type { FlowDraft } from '../flows/draft.ts'
import { stepsById } from '../flows/run.ts'
import type { SessionRow } from '../flows/session.ts'
import { walkAll } from '../flows/walk.ts'
import { writtenOf } from './flow-drafts.ts'

/** The flow that a session ran, with the steps that were added on the way at their places. */
export function flowAsRun({ name, description, tree_type, tree_structure, intake_form, custom_steps, decisions }: SessionRow): FlowDraft {
  const taken = new Map(decisions.map(({ step_id, option_id }) => [step_id, option_id]))
  return { name, description, tree_type, tree_structure: withCustomSteps(tree_structure, custom_steps, taken), intake_form }
}

/** A session as facts of a prompt: texts of the flow with their placeholders, nothing that was filled into them. */
export function runFacts(session: SessionRow, flow: FlowDraft) {
  const { decisions, fallback_decisions, tree_structure, outcome, notes, next_steps } = session
  const asked = stepsById(tree_structure)
  const titles = new Map(Array.from(walkAll(tree_structure), ({ node }) => [node.id, node.title ?? '']))
  const labelOf = (step_id: string, option_id: string | null) => {
    const step = asked.get(step_id)
    return (step && 'options' in step && step.options?.find(({ id }) => id === option_id)?.label) || null
  }
  return {
    flow: writtenOf(flow),
    answers: decisions.map(({ step_id, option_id, outcome, note }) => ({
      ...{ node: step_id, option: labelOf(step_id, option_id), outcome, note },
      fallbacks: fallback_decisions
        .filter((fallback) => fallback.step_id === step_id)
        .map(({ fallback_step_id, outcome, note }) => ({ title: titles.get(fallback_step_id) ?? fallback_step_id, outcome, note })),
    })),
    session: { outcome, notes, next_steps },
  }
}
