import { htmlOf } from '../../lib/exports/html.ts'
import { markdownOf } from '../../lib/exports/markdown.ts'
import { maskReport } from '../../lib/exports/mask.ts'
import { type Report, reportOf } from '../../lib/exports/report.ts'
import { textOf } from '../../lib/exports/text.ts'
import { briefOf, ticketNoteOf } from '../../lib/exports/ticket-note.ts'
import type { SessionRow } from '../../lib/flows/session.ts'
import { mask } from '../../lib/text/mask.ts'
import { longFlow } from '../support/exports.ts'

const writers: Record<string, (report: Report) => unknown> = {
  markdown: markdownOf,
  text: textOf,
  html: htmlOf,
  'ticket-note': ticketNoteOf,
}
export const textFormats = Object.keys(writers)

/** Writes a session with these notes in a text format, from its rows to the last character: what an export does once they are read. */
export function writeExport(session: SessionRow, format: string, masked: boolean): string {
  const whole = reportOf(session, [], { timezone: 'Europe/Berlin' })
  const report = format === 'ticket-note' ? briefOf(whole) : whole
  return String(writers[format]?.(masked ? maskReport(report, mask) : report))
}

export function sessionOf(notes: readonly string[]): SessionRow {
  const at = '2026-11-21T09:30:00.000Z'
  const decided = { option_id: null, outcome: 'done', started_at: at, duration_seconds: 75, decided_at: at }
  const about = { name: 'Printer offline', description: '', state: 'completed', outcome: 'resolved', started_at: at, completed_at: at }
  const none = { intake_form: [], fallback_decisions: [], custom_steps: [], notes: null, next_steps: null, target_label: null }
  return {
    ...{ ...about, ...none, ticket_number: 'T-48213', client_name: 'Contoso Dental', variables: { printer_ip: '10.0.8.21' } },
    tree_structure: longFlow(notes.length),
    decisions: notes.map((note, n) => ({ ...decided, step_id: `s${n}`, note })),
  } as unknown as SessionRow
}
