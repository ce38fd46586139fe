import { fillPlaceholders } from '../flows/placeholders.ts'
import { collectVariables, isAtEnd } from '../flows/run-view.ts'
import { hideSecrets } from '../flows/secret-answers.ts'
import type { SessionRow } from '../flows/session-row.ts'
import { renderProcedureEnd } from '../flows/step-view.ts'
import { buildReportSteps, toHeader } from './report-steps.ts'
import { createTimeFormatter, type FormatTime, formatDuration } from './time-format.ts'

// A session as a report: all texts that an export shows, in their order. Every export format renders the same report.

export interface Fact {
  label: string
  value: string
  /** The address of a link. */
  href?: string
}
/** Supporting data: a text snippet or a screenshot. */
export interface Evidence {
  kind: 'text' | 'screenshot'
  title: string
  content: string
  /** The place of the image in the supporting data; null without an image. */
  image: number | null
}
/** The images of an export by their place in the supporting data. An image that is not there is only named. */
export type ReportImages = ReadonlyMap<number, ReportImage>
/** A JPEG; its size is in pixels. */
export interface ReportImage {
  jpeg: Uint8Array
  width: number
  height: number
}
/** A section header of the flow. */
export interface ReportHeader {
  title: string
  /** Markdown with its placeholders filled. */
  description: string
}
export interface ReportFallback {
  title: string
  outcome: string
  note: string
}
/** A step that the technician added during the session. */
export interface ReportCustomStep {
  title: string
  /** Markdown. */
  description: string
  source: string
}
export interface ReportStep {
  /** The first step is 1. */
  number: number
  /** The section headers directly before the step. */
  headers: ReportHeader[]
  title: string
  /** Markdown with its placeholders filled. */
  description: string
  /** The group, the planned duration, the script and the attachments of the step. */
  details: Fact[]
  /** Empty for a step without an answer. */
  answer: string
  /** `5 min, 21 Nov 2026, 10:30` */
  durationAndTime: string
  note: string
  fallbacks: ReportFallback[]
  customSteps: ReportCustomStep[]
  evidence: Evidence[]
}
export interface Report {
  title: string
  /** Markdown with its placeholders filled. */
  description: string
  facts: Fact[]
  variables: Fact[]
  steps: ReportStep[]
  /** The current step of a session in progress; it has no answer yet. */
  pendingStep: ReportStep | null
  /** The closing text of a procedure whose steps are all answered, with the section headers before it. */
  end: (ReportHeader & { headers: ReportHeader[] }) | null
  /** These three belong to a step without an answer, or to the whole session. Those of answered steps are in `steps`. */
  fallbacks: ReportFallback[]
  customSteps: ReportCustomStep[]
  evidence: Evidence[]
  notes: string
  nextSteps: string
}

export interface SupportingDataRow {
  kind: 'text' | 'screenshot'
  title: string
  content: string | null
  step_id: string | null
  /** The stored image of a screenshot. Sizes are in pixels, `size` is in bytes. */
  image: { key: string; width: number; height: number; size: number } | null
}

export interface ReportOptions {
  /** The index of the last decision to show. By default, all are shown. */
  lastDecision?: number | undefined
  /** The IANA time zone of all times. */
  timezone: string
  /** The names of the scripts that the flow refers to, by id. */
  scriptNames?: ReadonlyMap<string, string>
}

const sessionOutcomes = { resolved: 'Resolved', unresolved: 'Not resolved', escalated: 'Escalated', cancelled: 'Cancelled' }
const sessionStates = { prepared: 'Prepared', in_progress: 'In progress', completed: 'Completed', abandoned: 'Given up' }
type Variables = Record<string, unknown>

/** Build the report of a session. */
export function buildReport(session: SessionRow, supportingData: readonly SupportingDataRow[], options: ReportOptions): Report {
  const { lastDecision, timezone } = options
  const isShortened = lastDecision !== undefined && lastDecision + 1 < session.decisions.length
  const formatTime = createTimeFormatter(timezone)
  const variables = collectVariables(session)
  const end = isAtEnd(session) && !isShortened ? renderProcedureEnd(session.tree_structure, variables) : null
  return {
    title: session.name,
    description: fillPlaceholders(session.description, variables),
    facts: buildFacts(session, formatTime, timezone),
    variables: buildVariableFacts(session),
    ...buildReportSteps(session, supportingData, { ...options, isShortened, variables, formatTime }),
    end: end && { ...toHeader(end), headers: end.section_headers.map(toHeader) },
    notes: session.notes ?? '',
    nextSteps: session.next_steps ?? '',
  }
}

function buildFacts(session: SessionRow, formatTime: FormatTime, timezone: string): Fact[] {
  const { ticket_number, client_name, target_label, user_name, outcome, state, started_at, completed_at } = session
  const facts: [string, string | null | undefined][] = [
    ['Ticket', ticket_number],
    ['Client', client_name],
    ['Target', target_label],
    ['Outcome', outcome ? sessionOutcomes[outcome] : sessionStates[state]],
    ['Technician', user_name],
    ['Started', started_at && formatTime(started_at)],
    ['Completed', completed_at && formatTime(completed_at)],
    ['Time taken', started_at && completed_at && formatDuration((Date.parse(completed_at) - Date.parse(started_at)) / 1000)],
    ['Time zone', started_at && timezone],
  ]
  return facts.flatMap(([label, value]) => (value ? [{ label, value }] : []))
}

/** Return the answers in the order of the intake form, then the other variables. */
function buildVariableFacts(session: SessionRow): Fact[] {
  const values: Variables = { ...session.variables, ...hideSecrets(session.secret_keys) }
  const labelByKey = new Map(session.intake_form.map(({ key, label }) => [key, label]))
  const keys = [...labelByKey.keys(), ...Object.keys(values).filter((key) => !labelByKey.has(key))]
  return keys.flatMap((key) => (Object.hasOwn(values, key) ? [{ label: labelByKey.get(key) || key, value: formatValue(values[key]) }] : []))
}

function formatValue(value: unknown): string {
  if (value === true) return 'Yes'
  if (value === false) return 'No'
  if (value === null || value === '') return '–'
  if (Array.isArray(value)) return value.map(formatValue).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
