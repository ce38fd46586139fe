import { extractWords, splitSentences, truncate } from './text.ts'

// The facts that the service sends to the model. Every field is optional, because a model also accepts
// incomplete facts.

/** A flow of the account, as the service describes it to the model. */
export interface Outline {
  number: number
  name: string
  description: string
  category: string | null
  /** Absent in facts that an evaluation recorded by hand. */
  type?: string
  nodes: OutlineNode[]
}
export interface OutlineNode {
  id: string
  kind: string
  title: string
  description: string
  options: { label: string; leads_to: string }[]
  next: string | null
}
export interface Facts {
  session?: { title?: string; problem_summary?: string | null; environment_tags?: string[] }
  triage?: Record<'client_name' | 'asset_name' | 'issue_category' | 'triage_hypothesis', string | null>
  evidence?: string[]
  known?: { key: string; value: string }[]
  task_lane?: { questions?: { text: string }[]; actions?: { text: string; done?: boolean }[] }
  ticket?: {
    summary?: string
    company?: string | null
    configurations?: string[]
    notes?: { text: string }[]
  } | null
  flows?: Outline[]
  articles?: { number: number; title: string; text: string }[]
  resolved_sessions?: { number: number; title: string; problem: string; solution: string; fixes: string[] }[]
  fixes?: { number: number; title: string; status: string; description: string }[]
  templates?: { number: number; name: string; description: string }[]
  steps?: { kind: string; text: string; options: string[]; response: string | null }[]
  looked_up?: { tool: string; source?: string; result?: unknown; error?: string }[]
  [more: string]: unknown
}
/** A message of the conversation. `images` is the number of its images. */
export interface Turn {
  role: 'user' | 'assistant'
  text: string
  images: number
}

/**
 * Return what the session is about: the reported problem and the ticket, or else the first message of the
 * user.
 */
export function describeReport({ session, ticket }: Facts, turns: readonly Turn[] = []): string {
  const firstMessage = turns.find(({ role }) => role === 'user')?.text
  return [
    session?.problem_summary,
    ticket?.summary,
    ...(ticket?.notes ?? []).map(({ text }) => text),
    session?.problem_summary || ticket ? '' : firstMessage,
  ]
    .filter(Boolean)
    .join('\n')
}

/** Return all text of a session, for finding a flow that fits. */
export function collectText(facts: Facts, turns: readonly Turn[]): string {
  const userTexts = turns.filter(({ role }) => role === 'user').map(({ text }) => text)
  const stepAnswers = (facts.steps ?? []).map(({ response }) => response ?? '')
  return [
    facts.session?.title,
    describeReport(facts, turns),
    ...userTexts,
    ...stepAnswers,
    ...(facts.evidence ?? []),
  ]
    .filter(Boolean)
    .join('\n')
}

const assetPattern = /\b(?=[A-Z0-9-]*[A-Z])(?=[A-Z0-9-]*\d)[A-Z]{2,}[A-Z0-9]*(?:-[A-Z0-9]+)+\b/
const companyPattern =
  /\b(?:at|from|client|customer|company)[: ]+((?:[A-Z][\w&.'-]*)(?: (?:[A-Z][\w&.'-]*|of|and|&))*)/

/** Extract the client and the machine from all text, and evidence and facts from the newest message. */
export function extractFindings(
  facts: Facts,
  turns: readonly Turn[],
  flow: Outline | undefined,
  cause: string | undefined,
) {
  const text = collectText(facts, turns)
  const newestText = turns.findLast(({ role }) => role === 'user')?.text ?? describeReport(facts, turns)
  return {
    client_name: truncate(facts.ticket?.company ?? companyPattern.exec(text)?.[1] ?? '', 200) || null,
    asset_name:
      truncate(assetPattern.exec(text)?.[0] ?? facts.ticket?.configurations?.[0] ?? '', 200) || null,
    issue_category: flow ? (flow.category ?? truncate(flow.name, 200)) : null,
    triage_hypothesis: cause ? truncate(cause, 2000) : null,
    evidence: extractEvidence(newestText, facts.evidence ?? []),
    facts: extractFacts(newestText),
  }
}

const evidencePattern =
  /\d|["“”«»]|\b(?:error|fail|code|message|shows?|says|prints?|blink|red|offline|timeout|denied)/i

/** Return sentences that contain an observation and are not evidence yet, at most five. */
function extractEvidence(text: string, known: readonly string[]): string[] {
  const knownSentences = new Set(known.map((item) => item.toLowerCase()))
  const sentences = splitSentences(text).filter(
    (sentence) =>
      evidencePattern.test(sentence) && !sentence.endsWith('?') && extractWords(sentence).length > 1,
  )
  return [...new Set(sentences.map((sentence) => truncate(sentence, 500)))]
    .filter((sentence) => !knownSentences.has(sentence.toLowerCase()))
    .slice(0, 5)
}

/** Return the lines of the form `name: value`, at most ten. */
function extractFacts(text: string): { key: string; value: string }[] {
  const pairs = [...text.matchAll(/^\s*([\p{L}][\p{L} ]{1,40}):\s+(\S.{0,300})$/gmu)]
  return pairs.slice(0, 10).map(([, key = '', value = '']) => ({ key: key.trim(), value: value.trim() }))
}
