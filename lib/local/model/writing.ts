import { describeReport, type Facts, type Turn } from './facts.ts'
import { truncate } from './text.ts'
import texts from './texts.json' with { type: 'json' }

/** The facts of a session. `audience`, `length` and `kind` choose the text. */
interface WritingFacts extends Facts {
  audience?: string
  length?: string
  kind?: string
  resolution?: { outcome: string | null; notes?: string | null } | null
  conversation?: { role: string; text: string }[]
}

export function writeStatusUpdate(facts: WritingFacts, turns: readonly Turn[]) {
  const name = `${facts.audience} ${facts.length}` as keyof typeof texts.status_update
  return { text: fillText(texts.status_update[name] ?? [], readValues(facts, turns)) }
}

export function writeSessionOutput(facts: WritingFacts, turns: readonly Turn[]) {
  const name = facts.kind as keyof typeof texts.session_output
  return {
    text: fillText(
      texts.session_output[name] ?? texts.session_output.resolution_summary,
      readValues(facts, turns),
    ),
  }
}

export function writeAssessment(facts: WritingFacts, turns: readonly Turn[]) {
  return {
    text: fillText(texts.escalation_assessment, readValues(facts, turns)),
    citations: (facts.flows ?? []).slice(0, 1).map(({ number }) => number),
  }
}

const urgencyPatterns = [
  [
    'critical',
    /\b(?:outage|ransom|all users|everybody|whole (?:office|company)|production down|data loss)\b/i,
  ],
  ['high', /\b(?:urgent|asap|cannot work|can't work|down|ceo|director)\b/i],
] as const

export function draftHandoff(facts: WritingFacts, turns: readonly Turn[]) {
  const values = readValues(facts, turns)
  const { problem, cause } = values
  return {
    summary: fillText(texts.handoff_draft, values),
    what_was_tried: listAttempts(facts).join('\n'),
    next_steps: listOpenTasks(facts).join('\n'),
    reason: cause
      ? `Not solved with what was tried for “${truncate(cause, 200)}”.`
      : 'The cause is not found yet.',
    urgency: urgencyPatterns.find(([, pattern]) => pattern.test(problem))?.[0] ?? ('normal' as const),
  }
}

type Values = ReturnType<typeof readValues>

/**
 * Fill paragraphs with the values of a case: `{cause}` or, with a text for an empty value, `{cause|unknown}`.
 * Leave out each paragraph of which a value is empty.
 */
function fillText(paragraphs: readonly string[], values: Values): string {
  const filled = paragraphs
    .map((paragraph) => {
      let isComplete = true
      const text = paragraph.replace(/\{(\w+)(?:\|([^}]+))?\}/g, (_, name: keyof Values, otherwise = '') => {
        const value = values[name] || otherwise
        isComplete &&= value !== ''
        return value
      })
      return isComplete ? text : ''
    })
    .filter(Boolean)
  return filled.join('\n\n') || 'Nothing is known of this case yet.'
}

function readValues(facts: WritingFacts, turns: readonly Turn[]) {
  const { session, conversation, triage, fixes = [], resolution, evidence = [], known = [] } = facts
  const report = describeReport(facts, turns) || conversation?.find(({ role }) => role === 'user')?.text
  const problem = truncate(report ?? session?.title ?? '', 600)
  const workingFixes = fixes.filter(({ status }) => status === 'applied_success').map(({ title }) => title)
  return {
    problem,
    title: truncate(session?.title ?? problem, 120),
    cause: triage?.triage_hypothesis ?? '',
    result: resolution?.notes ?? (workingFixes.join('; ') || (resolution?.outcome ?? 'still open')),
    evidence: writeBullets(evidence),
    observations: writeBullets([...evidence, ...known.map(({ key, value }) => `${key}: ${value}`)]),
    attempts: writeBullets(listAttempts(facts)),
    open: writeBullets(listOpenTasks(facts)),
  }
}

const writeBullets = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n')

/** List the answered steps, the fixes with their status, and the actions that are done. */
const listAttempts = ({ fixes = [], steps = [], task_lane }: Facts) => [
  ...steps
    .filter(({ response }) => response)
    .map(({ text, response }) => `${truncate(text, 120)}: ${truncate(response ?? '', 200)}`),
  ...fixes.map(({ title, status }) => `${title}: ${status.replaceAll('_', ' ')}`),
  ...(task_lane?.actions ?? []).filter(({ done }) => done).map(({ text }) => `${text}: done`),
]

/** List the open questions and actions. */
const listOpenTasks = ({ task_lane }: Facts) => [
  ...(task_lane?.questions ?? []).map(({ text }) => text),
  ...(task_lane?.actions ?? []).filter(({ done }) => !done).map(({ text }) => text),
]
