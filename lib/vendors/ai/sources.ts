import type { Citation } from '#db/rows/ai-session.ts'
import type { Candidate } from '#db/rows/candidates.ts'
import { shorten } from '#rules/ai/shorten.ts'
import { namePlaceholders } from '#rules/flows/placeholders.ts'
import { isStepList, type TreeStructure } from '#rules/flows/structure.ts'
import { walkNodes, walkSteps } from '#rules/flows/walk.ts'

/** The sources of a prompt as facts, numbered across the three lists. */
export interface SourceFacts {
  flows: {
    number: number
    name: string
    description: string
    category: string | null
    type: string
    nodes: OutlineNode[]
  }[]
  articles: { number: number; title: string; text: string }[]
  resolved_sessions: {
    number: number
    title: string
    problem: string
    likely_cause: string
    solution: string
    fixes: string[]
  }[]
}

interface OutlineNode {
  id: string
  kind: string
  title: string
  description: string
  options: { label: string; leads_to: string }[]
  next: string | null
}

/** The sources of a prompt: facts within the budget, and the citation of source number n at index n - 1. */
export interface Sources {
  facts: SourceFacts
  numbered: Citation[]
}

// About 6,000 tokens. The better candidates come first, so the last ones are shortened or left out.
const maxCharacters = 24_000
const maxCharactersEach = 12_000
// A source that is cut shorter than this does not help the model.
const minCharacters = 600
const maxNodes = 80

/** Turn candidates, best first, into facts that fit the budget. */
export function toSources(candidates: readonly Candidate[]): Sources {
  const sources: Sources = { facts: { flows: [], articles: [], resolved_sessions: [] }, numbered: [] }
  let remainingCharacters = maxCharacters
  for (const candidate of candidates) {
    if (remainingCharacters < minCharacters) break
    const addedFacts = addFacts(
      sources.facts,
      sources.numbered.length + 1,
      candidate,
      Math.min(remainingCharacters, maxCharactersEach),
    )
    remainingCharacters -= JSON.stringify(addedFacts).length
    const { kind, id, title } = candidate
    const ask =
      kind === 'session' && 'solved_by' in candidate.content ? candidate.content.solved_by : undefined
    sources.numbered.push({ kind, id, title, ...(ask === undefined ? {} : { ask }) })
  }
  return sources
}

function addFacts(facts: SourceFacts, number: number, candidate: Candidate, budget: number): object {
  const { title } = candidate
  if (candidate.kind === 'flow') {
    const { description, category, tree_type, tree_structure } = candidate.content
    const head = { number, name: title, description: shorten(description, 400), category, type: tree_type }
    const flow = { ...head, nodes: fitNodes(toOutline(tree_structure), budget - JSON.stringify(head).length) }
    facts.flows.push(flow)
    return flow
  }
  if (candidate.kind === 'article') {
    const article = { number, title, text: shorten(candidate.content.text, Math.min(budget, 6000)) }
    facts.articles.push(article)
    return article
  }
  const session = { number, title, ...toSolution(candidate.content) }
  facts.resolved_sessions.push(session)
  return session
}

function toSolution(content: (Candidate & { kind: 'session' })['content']) {
  if ('solved_by' in content) {
    const { outcome, solved_by } = content
    const solution = `${outcome.replaceAll('_', ' ')} by ${solved_by}, for the same client. Only they may open it: say whom to ask.`
    return { problem: '', likely_cause: '', solution, fixes: [] }
  }
  const { problem, cause, notes, fixes } = content
  return {
    problem: shorten(problem ?? '', 800),
    likely_cause: shorten(cause ?? '', 400),
    solution: shorten(notes ?? '', 1500),
    fixes: fixes.slice(0, 5),
  }
}

/** Return the first nodes that fit into `budget` characters of JSON. */
function fitNodes(nodes: readonly OutlineNode[], budget: number): OutlineNode[] {
  let length = 0
  const end = nodes.findIndex((node) => {
    length += JSON.stringify(node).length + 1
    return length > budget
  })
  return nodes.slice(0, end < 0 ? maxNodes : Math.min(end, maxNodes))
}

/** Return a flow's nodes with their texts and links. The steps of a list follow each other. */
function toOutline(structure: TreeStructure): OutlineNode[] {
  if (!isStepList(structure))
    return Array.from(walkNodes(structure), ({ node }) => ({
      id: node.id,
      kind: node.type,
      title: namePlaceholders(node.title ?? node.action ?? node.solution ?? ''),
      description: shorten(namePlaceholders(node.description ?? ''), 300),
      options: (node.options ?? []).map(({ label, next_node_id }) => ({
        label: namePlaceholders(label ?? ''),
        leads_to: next_node_id ?? '',
      })),
      next: node.next_node_id ?? null,
    }))
  const steps = Array.from(walkSteps(structure.steps), ({ node }) => node)
  return steps.map(({ id, type, title, description }, index) => ({
    id,
    kind: type,
    title: namePlaceholders(title ?? ''),
    description: shorten(namePlaceholders(description ?? ''), 300),
    options: [],
    next: steps[index + 1]?.id ?? null,
  }))
}

/** Return the sources with these numbers, each once. Ignore a number that no source has. */
export function toCitations(numbers: readonly number[], { numbered }: Sources): Citation[] {
  return [...new Set(numbers)].flatMap((number) => numbered[number - 1] ?? [])
}
