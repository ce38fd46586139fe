import type { AiSessionRow } from '#db/rows/ai-session.ts'
import { fixResults } from '#rules/ai/session-values.ts'
import { shorten } from '#rules/ai/shorten.ts'
import type { PromptNote } from '#vendors/psa/prompt.ts'
import type { TicketDetails } from '#vendors/psa/psa.ts'
import type { Sources } from './sources.ts'
import { isAnswer } from './unanswered.ts'
import { dropUnsettledItems } from './unsettled.ts'

/** A ticket as facts for a prompt. */
export interface TicketFacts {
  summary: string
  description: string | null
  status: string | null
  priority: string | null
  company: string | null
  contact: string | null
  configurations: string[]
  /** For colleagues only: agreements, assigned people and custom fields. */
  details: Partial<TicketDetails>
  /** At most ten, of 200 characters each. */
  notes: PromptNote[]
}

/** A script template that may carry out a fix. */
export interface TemplateCandidate {
  id: string
  name: string
  description: string
  language: string
}

/** The sources and scripts that a diagnosis may use besides the case itself. */
export interface CaseMaterial {
  sources: Sources
  templates: TemplateCandidate[]
}

const noMaterial: CaseMaterial = {
  sources: { facts: { flows: [], articles: [], resolved_sessions: [] }, numbered: [] },
  templates: [],
}

/** The newest script runs that a prompt contains. */
const maxPromptRuns = 10

/**
 * Return a session as facts for a prompt. Items that the model may refer to have a number instead of an id.
 */
export function toCaseFacts(
  session: AiSessionRow,
  ticket: TicketFacts | null,
  { sources, templates }: CaseMaterial = noMaterial,
) {
  const {
    title,
    problem_summary,
    environment_tags,
    client_name,
    asset_name,
    issue_category,
    triage_hypothesis,
    cause_confirmed,
  } = session
  const { questions, actions, responses } = session.pending_task_lane
  return {
    now: session.local_time,
    session: { title, problem_summary, environment_tags },
    triage: { client_name, asset_name, issue_category, triage_hypothesis, cause_confirmed },
    evidence: session.evidence_items.slice(-50).map(({ text }) => text),
    known: session.facts.slice(-100).map(({ key, value }) => ({ key, value: shorten(value, 1000) })),
    task_lane: {
      questions: questions.map(({ text, answered }) => ({ text, answered: answered ?? false })),
      actions: actions.map(({ text, done }) => ({ text, done: done ?? false })),
      responses: responses.map(({ text }) => shorten(text, 1000)),
    },
    ticket,
    steps: session.steps
      .filter((step) => isAnswer(step) || step.response !== null)
      .map(({ kind, text, options, response }) => ({ kind, text: shorten(text, 1000), options, response })),
    fixes: session.suggested_fixes.map((fix, index) => ({
      number: index + 1,
      title: fix.title,
      status: fix.status,
      description: shorten(fix.description, 500),
      notes: fix.partial_notes ?? fix.pending_reason ?? fix.failure_reason,
    })),
    script_runs: session.script_runs.slice(-maxPromptRuns),
    ...sources.facts,
    templates: templates.map(({ name, description, language }, index) => ({
      number: index + 1,
      name,
      description: shorten(description, 300),
      language,
    })),
  }
}

// A writing prompt gets only the last turns.
const maxTurns = 30

/** Return a whole case for a writing prompt, with the conversation and the resolution. */
export function toWholeCase(row: AiSessionRow, ticket: TicketFacts | null) {
  const session = dropUnsettledItems(row)
  const { status, outcome, resolution_notes: notes, resolution: told_client, follow_up } = session
  return {
    ...toCaseFacts(session, ticket),
    status,
    resolution: outcome && { outcome, notes, told_client, follow_up },
    conversation: session.messages
      .filter(isAnswer)
      .slice(-maxTurns)
      .map(({ role, content }) => ({ role, text: content })),
  }
}

/**
 * Return what a prompt may contain whose answer the client reads: facts of this case alone. No conversation
 * and no hypothesis, which may quote cases of other clients; no fix that was not applied, no notes of
 * technicians, no task lane, and no details and internal notes of the ticket.
 */
export function toClientCase(session: AiSessionRow, ticket: TicketFacts | null) {
  const { title, problem_summary, evidence_items, suggested_fixes, status, outcome, resolution } =
    dropUnsettledItems(session)
  return {
    now: session.local_time,
    session: { title, problem_summary },
    evidence: evidence_items.slice(-50).map(({ text }) => text),
    fixes: suggested_fixes
      .filter(({ status }) => fixResults[status].isApplied)
      .map(({ title, status }) => ({ title, status })),
    status,
    resolution: outcome && { outcome, told_client: resolution },
    ticket: ticket && {
      ...ticket,
      configurations: [],
      details: {},
      notes: ticket.notes.filter(({ internal }) => !internal),
    },
  }
}

// Bounded: a text without repetitions.
const toPattern = (name: string) => new RegExp(name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi')

/**
 * Return the text with which sources and scripts are searched. Names of the client and the machine say
 * nothing about the problem.
 */
export function toSearchText(session: AiSessionRow, ticket: TicketFacts | null, latest = ''): string {
  const { problem_summary, title, issue_category, client_name, asset_name } = session
  const text = [title, problem_summary, issue_category, ticket?.summary, latest]
    .filter(Boolean)
    .join(' ')
    .slice(0, 4000)
  const names = [client_name, asset_name, ticket?.company, ticket?.contact].filter(
    (name) => typeof name === 'string' && name.length > 2,
  )
  return names.reduce<string>((rest, name) => rest.replace(toPattern(name ?? ''), ' '), text)
}
