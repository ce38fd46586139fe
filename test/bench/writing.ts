import { htmlOf } from '../../lib/exports/html.ts'
import { markdownOf } from '../../lib/exports/markdown.ts'
import { maskReport } from '../../lib/exports/mask.ts'
import { type Report, reportOf } from '../../lib/exports/report.ts'
import { textOf } from '../../lib/exports/text.ts'
import { ticketNoteOf } from '../../lib/exports/ticket-note.ts'
import type { SessionRow } from '../../lib/flows/session-rows.ts'
import { mask } from '../../lib/text/mask.ts'
import { longFlow } from '../support/exports.ts'

/** What masking adds to the writing of a format, both in microseconds: pure functions, measured in this process. */
export interface Written {
  format: string
  rendering: number
  masking: number
}

const [rounds, runs] = [9, 60]

export function written(notes: readonly string[]): Written[] {
  const session = sessionOf(notes)
  const rows = () => reportOf(session, [], { timezone: 'Europe/Berlin' })
  const report = rows()
  const formats: Record<string, (report: Report) => unknown> = {
    markdown: markdownOf,
    text: textOf,
    html: htmlOf,
    'ticket-note': ticketNoteOf,
  }
  const masking = microsOf(() => maskReport(report, mask))
  return Object.entries(formats).map(([format, write]) => ({ format, rendering: microsOf(() => write(rows())), masking }))
}

/** The median, since the first rounds find the code unoptimised and others use the machine too. */
function microsOf(work: () => unknown): number {
  const times = Array.from({ length: rounds }, () => {
    const begun = performance.now()
    for (let n = 0; n < runs; n++) work()
    return ((performance.now() - begun) * 1000) / runs
  })
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
}

function sessionOf(notes: readonly string[]): SessionRow {
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
