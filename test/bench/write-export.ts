import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { buildReport } from '#rules/exports/build-report.ts'
import { renderHtml } from '#rules/exports/html.ts'
import { renderMarkdown } from '#rules/exports/markdown.ts'
import { maskReport } from '#rules/exports/mask.ts'
import type { Report } from '#rules/exports/report.ts'
import { renderText } from '#rules/exports/text.ts'
import { removeDescriptions, renderTicketNote } from '#rules/exports/ticket-note.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import { buildLongFlow } from '#test/support/exports.ts'

const writers: Record<string, (report: Report) => unknown> = {
  markdown: renderMarkdown,
  text: renderText,
  html: (report) => renderHtml(report, new Map()),
  'ticket-note': renderTicketNote,
}
export const textFormats = Object.keys(writers)

/** Write a session in a text format, as an export does after its queries. */
export async function writeExport(session: SessionRow, format: string, masked: boolean): Promise<string> {
  return runWithin(createBudget({ steps: jobSteps }), async () => {
    const fullReport = buildReport(session, [], { timezone: 'Europe/Berlin' })
    const report = format === 'ticket-note' ? removeDescriptions(fullReport) : fullReport
    return String(writers[format]?.(masked ? await maskReport(report) : report))
  })
}

/** Build the row of a completed session with one note per step. */
export function buildSession(notes: readonly string[]): SessionRow {
  const timestamp = '2026-11-21T09:30:00.000Z'
  const decision = {
    option_id: null,
    outcome: 'done',
    started_at: timestamp,
    duration_seconds: 75,
    decided_at: timestamp,
  }
  return {
    name: 'Printer offline',
    description: '',
    state: 'completed',
    outcome: 'resolved',
    started_at: timestamp,
    completed_at: timestamp,
    intake_form: [],
    fallback_decisions: [],
    custom_steps: [],
    notes: null,
    next_steps: null,
    target_label: null,
    ticket_number: 'T-48213',
    client_name: 'Contoso Dental',
    variables: { printer_ip: '10.0.8.21' },
    secret_keys: [],
    tree_structure: buildLongFlow(notes.length),
    decisions: notes.map((note, n) => ({ ...decision, step_id: `s${n}`, note })),
  } as unknown as SessionRow
}
