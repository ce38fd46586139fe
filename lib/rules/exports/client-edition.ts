import { namePlaceholders } from '#rules/flows/placeholders.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import { joinLines } from '#rules/text/lines.ts'
import type { Report, ReportStep } from './report.ts'

// What a client may read of a session: what was done in the words of the flow, and the outcome. Nothing that
// a technician typed.

/** Whether a client sees a part of a report. A new part does not compile until this is decided. */
const shownParts = {
  title: true,
  facts: true,
  steps: true,
  description: false,
  variables: false,
  pendingStep: false,
  end: false,
  fallbacks: false,
  customSteps: false,
  evidence: false,
  notes: false,
  nextSteps: false,
} as const satisfies Record<keyof Report, boolean>

const shownStepParts = {
  number: true,
  title: true,
  headers: false,
  description: false,
  details: false,
  answer: false,
  durationAndTime: false,
  note: false,
  fallbacks: false,
  customSteps: false,
  evidence: false,
} as const satisfies Record<keyof ReportStep, boolean>

const shownFacts: readonly string[] = ['Ticket', 'Outcome']

type Shown<T, Parts extends Record<keyof T, boolean>> = {
  [Part in keyof T as Parts[Part] extends true ? Part : never]: T[Part]
}
export type ClientReport = Omit<Shown<Report, typeof shownParts>, 'steps'> & {
  steps: Shown<ReportStep, typeof shownStepParts>[]
}

/** Return a session without the values that fill its texts. */
export function removeValues(session: SessionRow): SessionRow {
  return { ...session, variables: {} }
}

/** Return what a client may read of the report of a session without values. */
export function toClientReport({ title, facts, steps }: Report): ClientReport {
  return {
    title,
    facts: facts.filter(({ label }) => shownFacts.includes(label)),
    steps: steps.map(({ number, title }) => ({ number, title: namePlaceholders(title) })),
  }
}

/** Render what a client may read of a session as plain text. */
export function renderClientEdition({ title, facts, steps }: ClientReport): string {
  const head = [joinLines(title), ...facts.map(({ label, value }) => `${label}: ${joinLines(value)}`)].join(
    '\n',
  )
  const done = steps.map((step) => `${step.number}. ${joinLines(step.title)}`)
  return `${[head, done.length > 0 ? ['What was done:', ...done].join('\n') : ''].filter(Boolean).join('\n\n')}\n`
}
