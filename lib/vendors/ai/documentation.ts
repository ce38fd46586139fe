import type { AiSessionRow, Citation, Fix, ScriptResult } from '#db/rows/ai-session.ts'
import { fixResults } from '#rules/ai/session-values.ts'
import { getStepsLeft } from '#rules/budget.ts'
import { formatDuration } from '#rules/exports/time-format.ts'
import { maskAll } from '#rules/release.ts'
import { clipStart } from '#rules/text/clip.ts'
import { sentence } from '#rules/text/sentence.ts'
import { measureMinutes } from '#vendors/psa/time-entry.ts'
import { isAnswer } from './unanswered.ts'
import { dropUnsettledItems, listUnsettledItems } from './unsettled.ts'

interface DocumentationOptions {
  notes?: string | null
  handoff?: { summary: string; reason: string; what_was_tried: string; next_steps: string; urgency: string }
}

const toSection = (title: string, lines: readonly string[]) =>
  lines.length > 0 ? `${title}\n${lines.map((line) => `- ${line}`).join('\n')}` : ''
const toWords = (text: string) => text.replaceAll('_', ' ')
const toSentence = (text: string) => toWords(text).replace(/^./, (letter) => letter.toUpperCase())

/**
 * Write a case as plain text for a ticket note: a resolved one by its cause, what was done, result, follow-up
 * and time. It contains stored facts only, no text of the model. With `isMasked`, addresses, paths and
 * secrets are masked, as in exports; texts that take too much work are left out.
 */
export function writeDocumentation(
  row: AiSessionRow,
  options: DocumentationOptions,
  isMasked: boolean,
): string {
  const session = dropUnsettledItems(row)
  if (!isMasked) return writeText(session, options)
  // The whole text may have markup that its parts have not, and then takes several times their work.
  const reserve = getStepsLeft() * 0.85
  const masked = maskAll({ session, options }, 'all', reserve)
  // Statuses and times are words of the service. The whole text is masked again, because it puts labels and
  // values next to each other.
  return maskAll(writeText({ ...masked.session, ...pickServiceWords(session) }, masked.options))
}

const pickServiceWords = ({ status, outcome, created_at, resolved_at }: AiSessionRow) => ({
  status,
  outcome,
  created_at,
  resolved_at,
})

function writeText(session: AiSessionRow, { notes, handoff }: DocumentationOptions): string {
  const { title, problem_summary, client_name, asset_name, issue_category, triage_hypothesis, outcome } =
    session
  const head = [
    outcome
      ? `Outcome: ${toWords(outcome)}`
      : handoff
        ? `Escalated (${handoff.urgency})`
        : `Status: ${toWords(session.status)}`,
    sentence`Case: ${title}`,
    ...(client_name ? [sentence`Client: ${client_name}`] : []),
    ...(asset_name ? [sentence`Asset: ${asset_name}`] : []),
    ...(issue_category ? [sentence`Category: ${issue_category}`] : []),
  ].join('\n')
  const parts = [
    head,
    problem_summary ? `Problem\n${problem_summary}` : '',
    handoff?.summary ? `Summary\n${handoff.summary}` : '',
    handoff?.reason ? `Reason\n${handoff.reason}` : '',
    triage_hypothesis ? `${session.cause_confirmed ? 'Cause' : 'Suspected cause'}\n${triage_hypothesis}` : '',
    toSection(
      'Observed',
      session.evidence_items.map(({ text }) => text),
    ),
    toSection(
      'Known',
      session.facts.map(({ key, value }) => `${key}: ${value}`),
    ),
    handoff?.what_was_tried ? `What was tried\n${handoff.what_was_tried}` : '',
    ...(outcome ? writeDone(session) : writeUndecided(session)),
    handoff?.next_steps ? `Next steps\n${handoff.next_steps}` : '',
    notes ? `Notes\n${notes}` : '',
  ]
  return parts.filter(Boolean).join('\n\n')
}

const listSteps = ({ steps }: AiSessionRow) =>
  steps
    .filter(({ response }) => response)
    .map((step) => (isAnswer(step) ? `${step.text.split('\n')[0]}: ${step.response}` : `${step.response}`))

function writeUndecided(session: AiSessionRow): string[] {
  const { questions, actions } = listUnsettledItems(session)
  return [
    toSection('Steps', listSteps(session)),
    toSection('Fixes', session.suggested_fixes.map(describeFix)),
    toSection('Scripts', session.script_runs.map(writeScriptResult)),
    toSection('Sources', listSources(session)),
    toSection(
      'Open',
      [...questions, ...actions].map(({ text }) => text),
    ),
  ]
}

/** Write what a resolved case has instead of open items. A fix that waits for something is its follow-up. */
function writeDone(session: AiSessionRow): string[] {
  const {
    outcome,
    resolution_notes,
    resolution,
    follow_up,
    suggested_fixes,
    pending_task_lane,
    created_at,
    resolved_at,
  } = session
  const waitingFixes = suggested_fixes.filter(({ status }) => status === 'applied_pending')
  const decided = suggested_fixes.filter(
    ({ status }) => status !== 'applied_pending' && status !== 'dismissed',
  )
  const actions = pending_task_lane.actions.map(({ text }) => text)
  const minutes = resolved_at === null ? null : measureMinutes(created_at, resolved_at)
  return [
    toSection('What was done', [...listSteps(session), ...actions, ...decided.map(describeFix)]),
    toSection('Scripts', session.script_runs.map(writeScriptResult)),
    toSection('Sources', listSources(session)),
    `Result\n${resolution_notes ?? toSentence(outcome ?? '')}`,
    resolution ? `Told the client\n${resolution}` : '',
    toSection('Follow-up', [...(follow_up ? [follow_up] : []), ...waitingFixes.map(describeFix)]) ||
      'Follow-up\n- none',
    minutes === null ? '' : `Time\n${formatDuration(minutes * 60)}`,
  ]
}

/** Write what the client of a resolved case may read: facts of `toClientCase` alone. The caller masks it. */
export function writeClientResolution(session: AiSessionRow): string {
  const { title, problem_summary, outcome, resolution, suggested_fixes } = session
  const helpful = suggested_fixes.filter(({ status }) => fixResults[status].hasHelped)
  return [
    `Problem\n${problem_summary ?? title}`,
    `Result\n${[toSentence(outcome ?? ''), resolution].filter(Boolean).join('\n')}`,
    toSection(
      'What was done',
      helpful.map(({ title, status }) =>
        status === 'applied_success' ? title : sentence`${title}: ${fixResults[status].words}`,
      ),
    ),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Describe a fix with its outcome in one line. */
export function describeFix({ title, status, partial_notes, pending_reason, failure_reason }: Fix): string {
  const remark = {
    applied_partial: partial_notes,
    applied_pending: pending_reason,
    applied_failed: failure_reason,
  }[status as 'applied_partial']
  return sentence`${title}: ${fixResults[status].words}${remark ? sentence` (${remark})` : ''}`
}

/** Describe a script run in one line. */
export function describeScriptResult({ title, target, exit_code }: Omit<ScriptResult, 'output'>): string {
  return sentence`${title} on ${target}: ${exit_code === null ? 'exit code unknown' : `exit code ${exit_code}`}`
}

const maxOutputLength = 500

function writeScriptResult(run: ScriptResult): string {
  const lines = clipStart(run.output.trim(), maxOutputLength)
    .split('\n')
    .filter((line) => line.trim())
  return [describeScriptResult(run), ...lines.map((line) => `  ${line}`)].join('\n')
}

const sourceKinds = { flow: 'Flow', article: 'Article', session: 'Earlier session' }

/** Describe a source in one line. */
export function describeCitation({ kind, title }: Citation): string {
  return sentence`${sourceKinds[kind]} “${title}”`
}

/** List the sources that the model's messages and steps cite, each once. */
function listSources({ messages, steps }: AiSessionRow): string[] {
  return [
    ...new Set(
      [...messages, ...steps].filter(isAnswer).flatMap(({ citations }) => citations.map(describeCitation)),
    ),
  ]
}
