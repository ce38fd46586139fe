import { fillPlaceholders } from '../flows/placeholders.ts'
import { stepsById } from '../flows/run.ts'
import type { SessionRow } from '../flows/session.ts'
import type { FlowNode, FlowStep } from '../flows/structure.ts'
import { walkAll } from '../flows/walk.ts'
import { clockOf, durationOf } from './clock.ts'

// A session as a report: what every format shows, in the order it is shown, all of it text.

export interface Fact {
  label: string
  value: string
}
/** A snippet, or the place of a picture. */
export interface Evidence {
  kind: 'text' | 'screenshot'
  title: string
  content: string
}
export interface Fallback {
  title: string
  outcome: string
  note: string
}
/** Something done that the flow does not say. */
export interface Addition {
  title: string
  /** Markdown. */
  description: string
  source: string
}
export interface Step {
  /** From 1. */
  number: number
  title: string
  /** Markdown, placeholders filled. */
  description: string
  answer: string
  /** How long and when. */
  time: string
  note: string
  fallbacks: Fallback[]
  additions: Addition[]
  evidence: Evidence[]
}
export interface Report {
  title: string
  description: string
  facts: Fact[]
  variables: Fact[]
  steps: Step[]
  /** Of the step that is not answered yet, or of the session as a whole. */
  fallbacks: Fallback[]
  additions: Addition[]
  evidence: Evidence[]
  notes: string
  nextSteps: string
}

export interface SupportingRow {
  kind: 'text' | 'screenshot'
  title: string
  content: string | null
  step_id: string | null
}

interface Options {
  /** Index of the last decision that is shown, from 0; all when not said. */
  last?: number | undefined
  /** IANA zone that times are shown in. */
  timezone: string
}

const outcomes = { resolved: 'Resolved', unresolved: 'Not resolved', escalated: 'Escalated', cancelled: 'Cancelled' }
const states = { prepared: 'Prepared', in_progress: 'In progress', completed: 'Completed', abandoned: 'Given up' }
const steps = { done: 'Done', skipped: 'Skipped', failed: 'Failed' }
const sources = { 'ad-hoc': 'Added during the session', 'step-library': 'From the step library', 'forked-tree': 'From another flow' }

export function reportOf(session: SessionRow, supporting: readonly SupportingRow[], { last, timezone }: Options): Report {
  const kept = last === undefined ? session.decisions : session.decisions.slice(0, last + 1)
  const isCut = kept.length < session.decisions.length
  const at = clockOf(timezone)
  const values = valuesOf(session)
  const asked = stepsById(session.tree_structure)
  const rest = restOf(session, supporting, values)
  const decided = kept.map((decision, index) => {
    const step = asked.get(decision.step_id)
    const { fallbacks, additions, evidence } = rest.of(decision.step_id)
    return {
      number: index + 1,
      title: fillPlaceholders(step?.title ?? '', values) || decision.step_id,
      description: fillPlaceholders(step?.description ?? '', values),
      answer: decision.option_id === null ? steps[decision.outcome ?? 'done'] : optionOf(step, decision.option_id, values),
      time: `${durationOf(decision.duration_seconds)}, ${at(decision.decided_at)}`,
      note: decision.note ?? '',
      fallbacks,
      additions,
      evidence,
    }
  })
  return {
    title: session.name,
    description: fillPlaceholders(session.description, values),
    facts: factsOf(session, at, timezone),
    variables: variablesOf(session),
    steps: decided,
    ...rest.left(isCut),
    notes: session.notes ?? '',
    nextSteps: session.next_steps ?? '',
  }
}

function valuesOf({ ticket_number, client_name, target_label, variables }: SessionRow): Record<string, unknown> {
  return { ticket_number, client_name, target_label, ...variables }
}

function optionOf(step: FlowNode | FlowStep | undefined, id: string, values: Record<string, unknown>): string {
  const options = step && 'options' in step ? (step.options ?? []) : []
  return fillPlaceholders(options.find((option) => option.id === id)?.label ?? id, values)
}

/** What belongs to steps, given out once each; and what is left when the steps that are shown have theirs. */
function restOf(session: SessionRow, supporting: readonly SupportingRow[], values: Record<string, unknown>) {
  const titles = session.fallback_decisions.length > 0 ? titlesOf(session.tree_structure, values) : new Map<string, string>()
  const fallbacks = grouped(session.fallback_decisions, ({ step_id }) => step_id)
  const additions = grouped(session.custom_steps, ({ after_step_id }) => after_step_id)
  const evidence = grouped(supporting, ({ step_id }) => step_id ?? '')
  const shownFallback = ({ fallback_step_id, outcome, note }: SessionRow['fallback_decisions'][number]): Fallback => ({
    title: titles.get(fallback_step_id) || fallback_step_id,
    outcome: steps[outcome],
    note: note ?? '',
  })
  const take = <T>(from: Map<string, T[]>, key: string): T[] => {
    const found = from.get(key)
    if (!found) return []
    from.delete(key)
    return found
  }
  return {
    of: (id: string) => ({
      fallbacks: take(fallbacks, id).map(shownFallback),
      additions: take(additions, id).map(additionOf),
      evidence: take(evidence, id).map(evidenceOf),
    }),
    /** Where later steps are cut, what is theirs goes with them. */
    left: (isCut: boolean) => ({
      fallbacks: isCut ? [] : [...fallbacks.values()].flat().map(shownFallback),
      additions: isCut ? [] : [...additions.values()].flat().map(additionOf),
      evidence: (isCut ? take(evidence, '') : [...evidence.values()].flat()).map(evidenceOf),
    }),
  }
}

function titlesOf(structure: SessionRow['tree_structure'], values: Record<string, unknown>): Map<string, string> {
  return new Map(Array.from(walkAll(structure), ({ node }) => [node.id, fillPlaceholders(node.title ?? '', values)]))
}

function grouped<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group) group.push(item)
    else groups.set(key(item), [item])
  }
  return groups
}

function additionOf({ title, description, source }: SessionRow['custom_steps'][number]): Addition {
  return { title, description, source: sources[source] }
}

function evidenceOf({ kind, title, content }: SupportingRow): Evidence {
  return { kind, title, content: content ?? '' }
}

function factsOf(session: SessionRow, at: (time: string) => string, timezone: string): Fact[] {
  const { ticket_number, client_name, target_label, user_name, outcome, state, started_at, completed_at } = session
  const facts: [string, string | null | undefined][] = [
    ['Ticket', ticket_number],
    ['Client', client_name],
    ['Target', target_label],
    ['Outcome', outcome ? outcomes[outcome] : states[state]],
    ['Technician', user_name],
    ['Started', started_at && at(started_at)],
    ['Completed', completed_at && at(completed_at)],
    ['Time taken', started_at && completed_at && durationOf((Date.parse(completed_at) - Date.parse(started_at)) / 1000)],
    ['Time zone', started_at && timezone],
  ]
  return facts.flatMap(([label, value]) => (value ? [{ label, value }] : []))
}

function variablesOf({ variables, intake_form }: SessionRow): Fact[] {
  const labels = new Map(intake_form.map(({ key, label }) => [key, label]))
  return Object.entries(variables).map(([key, value]) => ({ label: labels.get(key) || key, value: valueText(value) }))
}

function valueText(value: unknown): string {
  if (value === true) return 'Yes'
  if (value === false) return 'No'
  if (value === null || value === '') return '–'
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
