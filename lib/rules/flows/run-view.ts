import type { ProvidedEvidence } from './evidence.ts'
import { hideSecrets } from './secret-answers.ts'
import type { RunState, SessionRow } from './session-row.ts'
import {
  indexSectionHeaders,
  type ProcedureEnd,
  renderProcedureEnd,
  renderStep,
  renderStepText,
  type StepText,
  type StepView,
} from './step-view.ts'

/** The flow of a session as its technician sees it. */
interface RunView {
  current_step: StepView | null
  /** The end of the procedure, as soon as no step is left. */
  procedure_end: ProcedureEnd | null
  /** The answers, each with its evidence and the section headers that the technician saw before its step. */
  decisions: (SessionRow['decisions'][number] & {
    evidence: ProvidedEvidence[]
    section_headers: StepText[]
  })[]
}

/**
 * Return the values for the placeholders of a session's flow. A secret answer is replaced by a placeholder.
 */
export function collectVariables({
  ticket_number,
  client_name,
  target_label,
  variables,
  secret_keys,
}: RunState): Record<string, unknown> {
  return { ticket_number, client_name, target_label, ...variables, ...hideSecrets(secret_keys) }
}

export function renderRun(session: SessionRow): RunView {
  const { tree_structure, current_step_id } = session
  const values = collectVariables(session)
  const headersById = indexSectionHeaders(tree_structure)
  return {
    current_step: current_step_id === null ? null : renderStep(tree_structure, current_step_id, values),
    procedure_end: isAtEnd(session) ? renderProcedureEnd(tree_structure, values) : null,
    decisions: session.decisions.map((decision, index) => ({
      ...decision,
      evidence: session.evidence
        .filter(({ seq }) => seq === index)
        .map(({ seq: _, ...evidence }) => evidence),
      section_headers: (headersById.get(decision.step_id) ?? []).map((header) =>
        renderStepText(header, values),
      ),
    })),
  }
}

/** Return whether the session was started and has no step left. */
export function isAtEnd({
  started_at,
  current_step_id,
}: Pick<SessionRow, 'started_at' | 'current_step_id'>): boolean {
  return started_at !== null && current_step_id === null
}
