import { cut, sentencesOf, wordsOf } from './words.ts'

// The facts as the service puts them, read as loosely as a model would.

export interface OutlineNode {
  id: string
  kind: string
  title: string
  description: string
  options: { label: string; leads_to: string }[]
  next: string | null
}
export interface Outline {
  number: number
  name: string
  description: string
  category: string | null
  nodes: OutlineNode[]
}
export interface Facts {
  session?: { title?: string; problem_summary?: string | null; environment_tags?: string[] }
  triage?: Record<'client_name' | 'asset_name' | 'issue_category' | 'triage_hypothesis', string | null>
  evidence?: string[]
  known?: { key: string; value: string }[]
  task_lane?: { questions?: { text: string }[]; actions?: { text: string; done?: boolean }[] }
  ticket?: { summary?: string; company?: string | null; configurations?: string[]; notes?: string[] } | null
  flows?: Outline[]
  fixes?: { number: number; title: string; status: string; description: string }[]
  templates?: { number: number; name: string; description: string }[]
  steps?: { kind: string; text: string; options: string[]; response: string | null }[]
  [more: string]: unknown
}
export interface Said {
  role: 'user' | 'assistant'
  text: string
  images: number
}

/** What the case is about, in the words of whoever reported it. */
export function reportOf({ session, ticket }: Facts, said: readonly Said[] = []): string {
  const first = said.find(({ role }) => role === 'user')?.text
  return [session?.problem_summary, ticket?.summary, ...(ticket?.notes ?? []), session?.problem_summary || ticket ? '' : first]
    .filter(Boolean)
    .join('\n')
}

/** All that was said and is known, for finding what fits. */
export function everythingOf(facts: Facts, said: readonly Said[]): string {
  const spoken = said.filter(({ role }) => role === 'user').map(({ text }) => text)
  const answered = (facts.steps ?? []).map(({ response }) => response ?? '')
  return [facts.session?.title, reportOf(facts, said), ...spoken, ...answered, ...(facts.evidence ?? [])].filter(Boolean).join('\n')
}

const asset = /\b(?=[A-Z0-9-]*[A-Z])(?=[A-Z0-9-]*\d)[A-Z]{2,}[A-Z0-9]*(?:-[A-Z0-9]+)+\b/
const company = /\b(?:at|from|client|customer|company)[: ]+((?:[A-Z][\w&.'-]*)(?: (?:[A-Z][\w&.'-]*|of|and|&))*)/

/** What the report says of client and machine, and what is worth keeping of the newest turn. */
export function findingsOf(facts: Facts, said: readonly Said[], flow: Outline | undefined, cause: string | undefined) {
  const text = everythingOf(facts, said)
  const fresh = said.findLast(({ role }) => role === 'user')?.text ?? reportOf(facts, said)
  return {
    client_name: cut(facts.ticket?.company ?? company.exec(text)?.[1] ?? '', 200) || null,
    asset_name: cut(asset.exec(text)?.[0] ?? facts.ticket?.configurations?.[0] ?? '', 200) || null,
    issue_category: flow ? (flow.category ?? cut(flow.name, 200)) : null,
    triage_hypothesis: cause ? cut(cause, 2000) : null,
    evidence: observations(fresh, facts.evidence ?? []),
    facts: settled(fresh),
  }
}

const observed = /\d|["“”«»]|\b(?:error|fail|code|message|shows?|says|prints?|blink|red|offline|timeout|denied)/i

function observations(text: string, known: readonly string[]): string[] {
  const seen = new Set(known.map((item) => item.toLowerCase()))
  const found = sentencesOf(text).filter((sentence) => observed.test(sentence) && !sentence.endsWith('?') && wordsOf(sentence).length > 1)
  return [...new Set(found.map((sentence) => cut(sentence, 500)))].filter((sentence) => !seen.has(sentence.toLowerCase())).slice(0, 5)
}

/** Lines of the kind `name: value`. */
function settled(text: string): { key: string; value: string }[] {
  const pairs = [...text.matchAll(/^\s*([\p{L}][\p{L} ]{1,40}):\s+(\S.{0,300})$/gmu)]
  return pairs.slice(0, 10).map(([, key = '', value = '']) => ({ key: key.trim(), value: value.trim() }))
}
