import { fillPlaceholders } from '../flows/placeholders.ts'
import { hideSecrets } from '../flows/secret-answers.ts'
import type { SessionRow } from '../flows/session-row.ts'
import { indexAnswerableSteps } from '../flows/step-navigation.ts'
import type { FlowNode, FlowStep } from '../flows/structure.ts'
import { walkAll } from '../flows/walk.ts'
import { createTimeFormatter, formatDuration } from './time-format.ts'

// A session as a report: all texts that an export shows, in their order. Every export format renders the same report.

export interface Fact {
  label: string
  value: string
}
/** Supporting data: a text snippet, or a screenshot, of which only the title and a text are shown. */
export interface Evidence {
  kind: 'text' | 'screenshot'
  title: string
  content: string
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
  title: string
  /** Markdown with its placeholders filled. */
  description: string
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
}

interface ReportOptions {
  /** The index of the last decision to show. By default, all are shown. */
  lastDecision?: number | undefined
  /** The IANA time zone of all times. */
  timezone: string
}

const sessionOutcomes = { resolved: 'Resolved', unresolved: 'Not resolved', escalated: 'Escalated', cancelled: 'Cancelled' }
const sessionStates = { prepared: 'Prepared', in_progress: 'In progress', completed: 'Completed', abandoned: 'Given up' }
const stepOutcomes = { done: 'Done', skipped: 'Skipped', failed: 'Failed' }
const customStepSources = {
  'ad-hoc': 'Added during the session',
  'step-library': 'From the step library',
  'forked-tree': 'From another flow',
}

type FormatTime = (time: string) => string
type Variables = Record<string, unknown>

/** Build the report of a session. */
export function buildReport(
  session: SessionRow,
  supportingData: readonly SupportingDataRow[],
  { lastDecision, timezone }: ReportOptions,
): Report {
  const decisions = lastDecision === undefined ? session.decisions : session.decisions.slice(0, lastDecision + 1)
  const isShortened = decisions.length < session.decisions.length
  const formatTime = createTimeFormatter(timezone)
  const variables = collectVariables(session)
  const stepById = indexAnswerableSteps(session.tree_structure)
  const stepExtras = groupByStep(session, supportingData, variables)
  const steps = decisions.map((decision, index) => {
    const step = stepById.get(decision.step_id)
    return {
      number: index + 1,
      title: fillPlaceholders(step?.title ?? '', variables) || decision.step_id,
      description: fillPlaceholders(step?.description ?? '', variables),
      answer: decision.option_id === null ? stepOutcomes[decision.outcome ?? 'done'] : getOptionLabel(step, decision.option_id, variables),
      durationAndTime: `${formatDuration(decision.duration_seconds)}, ${formatTime(decision.decided_at)}`,
      note: decision.note ?? '',
      ...stepExtras.takeForStep(decision.step_id),
    }
  })
  return {
    title: session.name,
    description: fillPlaceholders(session.description, variables),
    facts: buildFacts(session, formatTime, timezone),
    variables: buildVariableFacts(session),
    steps,
    ...stepExtras.takeRest(isShortened),
    notes: session.notes ?? '',
    nextSteps: session.next_steps ?? '',
  }
}

function collectVariables({ ticket_number, client_name, target_label, variables, secret_keys }: SessionRow): Variables {
  return { ticket_number, client_name, target_label, ...variables, ...hideSecrets(secret_keys) }
}

function getOptionLabel(step: FlowNode | FlowStep | undefined, optionId: string, variables: Variables): string {
  const options = step && 'options' in step ? (step.options ?? []) : []
  return fillPlaceholders(options.find((option) => option.id === optionId)?.label ?? optionId, variables)
}

/**
 * Group the fallbacks, custom steps and supporting data by their step. If a step has several decisions, only the first one shows them.
 * `takeRest` returns those that no step of the report shows.
 */
function groupByStep(session: SessionRow, supportingData: readonly SupportingDataRow[], variables: Variables) {
  const titleById = session.fallback_decisions.length > 0 ? indexTitles(session.tree_structure, variables) : new Map<string, string>()
  const fallbacks = groupBy(session.fallback_decisions, ({ step_id }) => step_id)
  const customSteps = groupBy(session.custom_steps, ({ after_step_id }) => after_step_id)
  const evidence = groupBy(supportingData, ({ step_id }) => step_id ?? '')
  const toFallback = ({ fallback_step_id, outcome, note }: SessionRow['fallback_decisions'][number]): ReportFallback => ({
    title: titleById.get(fallback_step_id) || fallback_step_id,
    outcome: stepOutcomes[outcome],
    note: note ?? '',
  })
  return {
    takeForStep: (stepId: string) => ({
      fallbacks: takeGroup(fallbacks, stepId).map(toFallback),
      customSteps: takeGroup(customSteps, stepId).map(toCustomStep),
      evidence: takeGroup(evidence, stepId).map(toEvidence),
    }),
    /** In a shortened report, the rest belongs to the steps that are left out, except the evidence of the whole session. */
    takeRest: (isShortened: boolean) => ({
      fallbacks: isShortened ? [] : [...fallbacks.values()].flat().map(toFallback),
      customSteps: isShortened ? [] : [...customSteps.values()].flat().map(toCustomStep),
      evidence: (isShortened ? takeGroup(evidence, '') : [...evidence.values()].flat()).map(toEvidence),
    }),
  }
}

function takeGroup<T>(groups: Map<string, T[]>, key: string): T[] {
  const group = groups.get(key)
  if (!group) return []
  groups.delete(key)
  return group
}

function indexTitles(structure: SessionRow['tree_structure'], variables: Variables): Map<string, string> {
  return new Map(Array.from(walkAll(structure), ({ node }) => [node.id, fillPlaceholders(node.title ?? '', variables)]))
}

function groupBy<T>(items: readonly T[], getKey: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(getKey(item))
    if (group) group.push(item)
    else groups.set(getKey(item), [item])
  }
  return groups
}

function toCustomStep({ title, description, source }: SessionRow['custom_steps'][number]): ReportCustomStep {
  return { title, description, source: customStepSources[source] }
}

function toEvidence({ kind, title, content }: SupportingDataRow): Evidence {
  return { kind, title, content: content ?? '' }
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
