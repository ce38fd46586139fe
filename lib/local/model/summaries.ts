import { describeReport, type Facts, type Turn } from './facts.ts'
import { truncate } from './text.ts'

/** The facts of a session. `audience`, `length` and `kind` choose the text. */
interface SummaryFacts extends Facts {
  audience?: string
  length?: string
  kind?: string
  resolution?: { outcome: string | null; notes?: string | null } | null
  conversation?: { role: string; text: string }[]
}

/** List the evidence and the known facts. */
const listObservations = (facts: Facts) => [
  ...(facts.evidence ?? []),
  ...(facts.known ?? []).map(({ key, value }) => `${key}: ${value}`),
]
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
const toBulletList = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n')
const toNumberedList = (items: readonly string[]) =>
  items.map((item, index) => `${index + 1}. ${item}`).join('\n')
/** Create a titled list, or an empty text if there are no items. */
const createSection = (title: string, items: readonly string[]) =>
  items.length > 0 ? `${title}\n${toBulletList(items)}` : ''
const joinParagraphs = (...parts: string[]) => parts.filter(Boolean).join('\n\n')

function describeProblem(facts: SummaryFacts, turns: readonly Turn[]): string {
  return truncate(
    describeReport(facts, turns) ||
      (facts.conversation?.find(({ role }) => role === 'user')?.text ?? facts.session?.title ?? ''),
    600,
  )
}

/** Write a status update for ticket notes, an e-mail or a message to the client. */
export function createStatusUpdate(facts: SummaryFacts, turns: readonly Turn[]) {
  const problem = describeProblem(facts, turns)
  const cause = facts.triage?.triage_hypothesis
  if (facts.audience === 'ticket_notes') {
    const brief = joinParagraphs(`Problem: ${problem}`, cause ? `Working on: ${cause}` : '')
    if (facts.length === 'quick') return { text: brief }
    const sections = [
      createSection('Seen:', listObservations(facts)),
      createSection('Done:', listAttempts(facts)),
      createSection('Open:', listOpenTasks(facts)),
    ]
    return { text: joinParagraphs(brief, ...sections) }
  }
  const state = cause ? 'We have a likely cause and are checking it.' : 'We are finding out the cause.'
  const message = `We are working on your report: “${problem}”. ${state}`
  const details =
    facts.length === 'detailed'
      ? [
          createSection('What we did so far:', listAttempts(facts)),
          createSection('What we know:', facts.evidence ?? []),
          'We write again when there is news.',
        ]
      : []
  const text = joinParagraphs(message, ...details)
  return {
    text:
      facts.audience === 'email_draft'
        ? joinParagraphs('Hello,', text, 'Kind regards,\nYour support team')
        : text,
  }
}

/** Write the documentation of a session of the requested kind. */
export function createSessionOutput(facts: SummaryFacts, turns: readonly Turn[]) {
  const problem = describeProblem(facts, turns)
  const cause = facts.triage?.triage_hypothesis ?? 'not established'
  const workingFixes = (facts.fixes ?? [])
    .filter(({ status }) => status === 'applied_success')
    .map(({ title }) => title)
  const result =
    facts.resolution?.notes ??
    (workingFixes.length > 0 ? workingFixes.join('; ') : (facts.resolution?.outcome ?? 'still open'))
  switch (facts.kind) {
    case 'client_email':
      return {
        text: joinParagraphs(
          'Hello,',
          `your report “${problem}” has been worked on. Result: ${result}.`,
          'Kind regards,\nYour support team',
        ),
      }
    case 'kb_article':
      return {
        text: joinParagraphs(
          `# ${truncate(facts.session?.title ?? problem, 120)}`,
          `## Symptoms\n${problem}`,
          createSection('## Observations', listObservations(facts)),
          `## Cause\n${cause}`,
          `## Resolution\n${toNumberedList([...listAttempts(facts), result])}`,
        ),
      }
    case 'ticket_note':
      return {
        text: joinParagraphs(
          `Problem: ${problem}`,
          `Cause: ${cause}`,
          createSection('Done:', listAttempts(facts)),
          `Result: ${result}`,
        ),
      }
    default:
      return {
        text: joinParagraphs(
          `**Problem** ${problem}`,
          `**Cause** ${cause}`,
          createSection('**Seen**', listObservations(facts)),
          createSection('**Done**', listAttempts(facts)),
          `**Result** ${result}`,
        ),
      }
  }
}

const urgencyPatterns = [
  [
    'critical',
    /\b(?:outage|ransom|all users|everybody|whole (?:office|company)|production down|data loss)\b/i,
  ],
  ['high', /\b(?:urgent|asap|cannot work|can't work|down|ceo|director)\b/i],
] as const

/** Draft the handoff of a session. */
export function createHandoffDraft(facts: SummaryFacts, turns: readonly Turn[]) {
  const problem = describeProblem(facts, turns)
  const cause = facts.triage?.triage_hypothesis
  return {
    summary: joinParagraphs(
      problem,
      cause ? `Likely cause: ${cause}` : '',
      createSection('Seen:', listObservations(facts)),
    ),
    what_was_tried: listAttempts(facts).join('\n'),
    next_steps: listOpenTasks(facts).join('\n'),
    reason: cause
      ? `Not solved with what was tried for “${truncate(cause, 200)}”.`
      : 'The cause is not found yet.',
    urgency: urgencyPatterns.find(([, pattern]) => pattern.test(problem))?.[0] ?? ('normal' as const),
  }
}

/** Assess an escalation for the engineer who takes it over. */
export function createEscalationAssessment(facts: SummaryFacts, turns: readonly Turn[]) {
  const cause = facts.triage?.triage_hypothesis ?? 'not known yet'
  return {
    text: joinParagraphs(
      `**Problem** ${describeProblem(facts, turns)}`,
      `**Likeliest cause** ${cause}`,
      createSection('**Speaks for it**', listObservations(facts)),
      createSection('**Do not repeat**', listAttempts(facts)),
      createSection('**Check first**', listOpenTasks(facts).slice(0, 3)),
    ),
    citations: (facts.flows ?? []).slice(0, 1).map(({ number }) => number),
  }
}
