import { fillMarkdown } from '#rules/flows/fill-markdown.ts'
import { collectVariables, isAtEnd } from '#rules/flows/run-view.ts'
import { hideSecrets } from '#rules/flows/secret-answers.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import { renderProcedureEnd } from '#rules/flows/step-view.ts'
import { toMarkdown } from '#rules/markup/markdown.ts'
import { joinItems, toValueText } from '#rules/text/value-text.ts'
import { type Fact, type Report, type ReportOptions, type SupportingDataRow, timeTaken } from './report.ts'
import { buildReportSteps, createNameOther, describeResult, toHeader } from './report-steps.ts'
import { createTimeFormatter, type FormatTime, formatDuration } from './time-format.ts'

type Variables = Record<string, unknown>

export function buildReport(
  session: SessionRow,
  supportingData: readonly SupportingDataRow[],
  options: ReportOptions,
): Report {
  const { lastDecision, timezone } = options
  const isShortened = lastDecision !== undefined && lastDecision + 1 < session.decisions.length
  const formatTime = createTimeFormatter(timezone)
  const variables = collectVariables(session)
  const end = isAtEnd(session) && !isShortened ? renderProcedureEnd(session.tree_structure, variables) : null
  return {
    title: session.name,
    description: fillMarkdown(toMarkdown(session.description), variables),
    facts: buildFacts(session, formatTime, timezone),
    variables: buildVariableFacts(session),
    ...buildReportSteps(session, supportingData, {
      ...{ ...options, isShortened, variables, formatTime },
      nameOther: createNameOther(session),
    }),
    end: end && { ...toHeader(end), headers: end.section_headers.map(toHeader) },
    notes: session.notes ?? '',
    nextSteps: session.next_steps ?? '',
  }
}

function buildFacts(session: SessionRow, formatTime: FormatTime, timezone: string): Fact[] {
  const { ticket_number, client_name, target_label, user_name, outcome, state, started_at, completed_at } =
    session
  const facts: [string, string | null | undefined][] = [
    ['Ticket', ticket_number],
    ['Client', client_name],
    ['Target', target_label],
    ['Outcome', describeResult({ outcome, state })],
    ['Technician', user_name],
    ['Started', started_at && formatTime(started_at)],
    ['Completed', completed_at && formatTime(completed_at)],
    [
      timeTaken,
      started_at &&
        completed_at &&
        formatDuration(Math.max(1, (Date.parse(completed_at) - Date.parse(started_at)) / 1000)),
    ],
    ['Time zone', started_at && timezone],
  ]
  return facts.flatMap(([label, value]) => (value ? [{ label, value }] : []))
}

/** Return the answers in the order of the intake form, then the other variables. */
function buildVariableFacts(session: SessionRow): Fact[] {
  const values: Variables = { ...session.variables, ...hideSecrets(session.secret_keys) }
  const labelByKey = new Map(session.intake_form.map(({ key, label }) => [key, label]))
  const keys = [...labelByKey.keys(), ...Object.keys(values).filter((key) => !labelByKey.has(key))]
  return keys.flatMap((key) =>
    Object.hasOwn(values, key)
      ? [{ label: labelByKey.get(key) || key, value: formatValue(values[key]) }]
      : [],
  )
}

function formatValue(value: unknown): string {
  if (value === true) return 'Yes'
  if (value === false) return 'No'
  if (Array.isArray(value)) return joinItems(value.map(formatValue))
  return toValueText(value) ?? '–'
}
