import type { AiSessionRow } from '../db/rows/ai-session.ts'
import { isStepList, type TreeStructure } from '../flows/structure.ts'
import { walkNodes } from '../flows/walk.ts'

/** A ticket as a prompt tells of it. */
export interface TicketFacts {
  summary: string
  description: string | null
  status: string | null
  priority: string | null
  company: string | null
  contact: string | null
  configurations: string[]
  /** At most ten, of 200 characters each. */
  notes: string[]
}

export interface Candidates {
  flows: { id: string; name: string; description: string; category: string | null; tree_structure: TreeStructure }[]
  templates: { id: string; name: string; description: string; language: string }[]
}

const cut = (text: string, max: number) => {
  const characters = Array.from(text)
  return characters.length > max ? `${characters.slice(0, max).join('')}…` : text
}

/** All that is known of a session, as facts of a prompt. Ids of rows stay behind: what the model may point at has a number. */
export function caseFacts(session: AiSessionRow, ticket: TicketFacts | null, candidates: Candidates = { flows: [], templates: [] }) {
  const { title, problem_summary, environment_tags, client_name, asset_name, issue_category, triage_hypothesis } = session
  const { questions, actions, responses } = session.pending_task_lane
  return {
    session: { title, problem_summary, environment_tags },
    triage: { client_name, asset_name, issue_category, triage_hypothesis },
    evidence: session.evidence_items.slice(-50).map(({ text }) => text),
    known: session.facts.slice(-100).map(({ key, value }) => ({ key, value: cut(value, 1000) })),
    task_lane: {
      questions: questions.map(({ text, answered }) => ({ text, answered: answered ?? false })),
      actions: actions.map(({ text, done }) => ({ text, done: done ?? false })),
      responses: responses.map(({ text }) => cut(text, 1000)),
    },
    ticket,
    steps: session.steps.map(({ kind, text, options, response }) => ({ kind, text: cut(text, 1000), options, response })),
    fixes: session.suggested_fixes.map((fix, index) => ({
      number: index + 1,
      title: fix.title,
      status: fix.status,
      description: cut(fix.description, 500),
      notes: fix.partial_notes ?? fix.pending_reason ?? fix.failure_reason,
    })),
    flows: candidates.flows.map(({ name, description, category, tree_structure }, index) => ({
      number: index + 1,
      name,
      description: cut(description, 400),
      category,
      nodes: outline(tree_structure),
    })),
    templates: candidates.templates.map(({ name, description, language }, index) => ({
      number: index + 1,
      name,
      description: cut(description, 300),
      language,
    })),
  }
}
export type CaseFacts = ReturnType<typeof caseFacts>

// How far back who writes of a case is shown the conversation.
const turnsShown = 30

/** The case as who writes of it is told: with what was said, and how it ended. */
export function wholeCase(session: AiSessionRow, ticket: TicketFacts | null) {
  const { outcome, resolution_notes: notes } = session
  return {
    ...caseFacts(session, ticket),
    resolution: outcome && { outcome, notes },
    conversation: session.messages.slice(-turnsShown).map(({ role, content }) => ({ role, text: content })),
  }
}

const mostNodes = 80

/** A flow's nodes with what they ask and where each answer leads. */
function outline(structure: TreeStructure) {
  if (isStepList(structure)) return []
  return [...walkNodes(structure)].slice(0, mostNodes).map(({ node }) => ({
    id: node.id,
    kind: node.type,
    title: withBlanks(node.title ?? node.action ?? node.solution ?? ''),
    description: cut(withBlanks(node.description ?? ''), 300),
    options: (node.options ?? []).map(({ label, next_node_id }) => ({ label: withBlanks(label ?? ''), leads_to: next_node_id ?? '' })),
    next: node.next_node_id ?? null,
  }))
}

/** No intake form was filled here: what its answers would stand for is named instead. */
function withBlanks(text: string): string {
  return text.replace(/\{\{\s*(\w+)[^}]*\}\}/g, (_, key: string) => `[${key.replaceAll('_', ' ')}]`)
}

/** What the search for flows and scripts goes by. */
export function wordsOfCase(session: AiSessionRow, ticket: TicketFacts | null, latest = ''): string {
  const { problem_summary, title, issue_category } = session
  return [title, problem_summary, issue_category, ticket?.summary, latest].filter(Boolean).join(' ').slice(0, 4000)
}
