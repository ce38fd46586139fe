import { namePlaceholders } from '#rules/flows/placeholders.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import { joinLines } from '#rules/text/lines.ts'
import { isolate } from '#rules/text/sentence.ts'
import type { Fact, Report, ReportFallback, ReportStep } from './report.ts'

// What a client may read of a session: the outcome, and what was answered with done, in the words of the flow.
// Nothing that a technician typed, and no step that was skipped, has failed, or has no answer.

/** Whether a client sees a part of a report. A new part does not compile until this is decided. */
const shownParts = {
  title: true,
  facts: true,
  steps: true,
  pendingStep: true,
  fallbacks: true,
  description: false,
  variables: false,
  end: false,
  customSteps: false,
  evidence: false,
  notes: false,
  nextSteps: false,
} as const satisfies Record<keyof Report, boolean>

const shownStepParts = {
  title: true,
  isDone: true,
  fallbacks: true,
  number: false,
  headers: false,
  description: false,
  details: false,
  answer: false,
  durationAndTime: false,
  note: false,
  customSteps: false,
  evidence: false,
} as const satisfies Record<keyof ReportStep, boolean>

const shownFacts: readonly string[] = ['Ticket', 'Outcome']

type Shown<T, Parts extends Record<keyof T, boolean>> = {
  [Part in keyof T as Parts[Part] extends true ? Part : never]: T[Part]
}
type ShownStep = Shown<ReportStep, typeof shownStepParts>
export interface ClientReport {
  title: string
  facts: Fact[]
  /** The titles of what was done, without values. */
  done: string[]
}

/** Return a session without the values that fill its texts. */
export function removeValues(session: SessionRow): SessionRow {
  return { ...session, variables: {} }
}

/** Return what a client may read of the report of a session without values. */
export function toClientReport({
  title,
  facts,
  steps,
  pendingStep,
  fallbacks,
}: Shown<Report, typeof shownParts>): ClientReport {
  const listDone = (step: ShownStep) => [step, ...step.fallbacks].filter(({ isDone }) => isDone)
  const done: Pick<ReportFallback, 'title'>[] = [
    ...(pendingStep ? [...steps, pendingStep] : steps).flatMap(listDone),
    ...fallbacks.filter(({ isDone }) => isDone),
  ]
  return {
    title,
    facts: facts.filter(({ label }) => shownFacts.includes(label)),
    done: done.map(({ title }) => namePlaceholders(title)),
  }
}

/** Render what a client may read of a session as plain text. */
export function renderClientEdition({ title, facts, done }: ClientReport): string {
  const head = [
    joinLines(title),
    ...facts.map(({ label, value }) => `${label}: ${isolate(joinLines(value))}`),
  ].join('\n')
  const items = done.map((title) => `- ${joinLines(title)}`)
  return `${[head, items.length > 0 ? ['What was done:', ...items].join('\n') : ''].filter(Boolean).join('\n\n')}\n`
}
