import { type FixStatus, fixResults } from './session-values.ts'

/** What a colleague misses in an escalation. Nothing of it is required. */
export const escalationHints = {
  no_client: 'The case names no client.',
  no_ticket: 'The case has no ticket.',
  nothing_tried: 'Nothing says what was tried.',
}
export type EscalationHintCode = keyof typeof escalationHints

interface Case {
  client_name: string | null
  psa_ticket_id: string | null
  suggested_fixes: readonly { status: FixStatus }[]
  script_runs: readonly unknown[]
  steps: readonly { response: unknown }[]
  pending_task_lane: { actions: readonly { done?: boolean | undefined }[] }
}

/** List what an escalation of a case lacks. `tried` is what its author says of it. */
export function listEscalationHints(
  { client_name, psa_ticket_id, suggested_fixes, script_runs, steps, pending_task_lane }: Case,
  tried = '',
): { code: EscalationHintCode; text: string }[] {
  const hasTried =
    tried.trim() !== '' ||
    script_runs.length > 0 ||
    suggested_fixes.some(({ status }) => fixResults[status].isApplied) ||
    steps.some(({ response }) => response) ||
    pending_task_lane.actions.some(({ done }) => done)
  const isMissing = {
    no_client: !client_name?.trim(),
    no_ticket: !psa_ticket_id?.trim(),
    nothing_tried: !hasTried,
  }
  const codes = Object.keys(escalationHints) as EscalationHintCode[]
  return codes.filter((code) => isMissing[code]).map((code) => ({ code, text: escalationHints[code] }))
}
