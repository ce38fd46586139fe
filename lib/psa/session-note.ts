import { findStep, showStep } from '../flows/run.ts'
import type { SessionRow } from '../flows/session-rows.ts'

/** What a session came to, as plain text for its ticket. */
export function sessionNote(session: SessionRow): string {
  const { name, user_name, state, outcome, completed_at, notes, next_steps, decisions } = session
  const about = [`Flow: ${name}`, `By: ${user_name ?? 'a former colleague'}`, `Outcome: ${outcome ?? state.replace('_', ' ')}`]
  return [
    [...about, ...(completed_at ? [`Completed: ${completed_at}`] : [])].join('\n'),
    section('Steps', decisions.map((decision, n) => `${n + 1}. ${stepLine(session, decision)}`).join('\n')),
    section('Notes', notes),
    section('Next steps', next_steps),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function stepLine(session: SessionRow, { step_id, option_id, outcome, note }: SessionRow['decisions'][number]): string {
  const { ticket_number, client_name, target_label, variables, tree_structure } = session
  const step = findStep(tree_structure, step_id)
  const shown = step && showStep(step, { ticket_number, client_name, target_label, ...variables })
  const answer = shown?.options.find(({ id }) => id === option_id)?.label ?? option_id ?? outcome
  return `${shown?.title ?? step_id}: ${answer}${note ? ` (${note})` : ''}`
}

function section(title: string, text: string | null): string {
  return text ? `${title}\n${text}` : ''
}
