import { type Facts, reportOf, type Said } from './case.ts'
import { cut } from './words.ts'

interface Written extends Facts {
  audience?: string
  length?: string
  kind?: string
  resolution?: { outcome: string | null; notes: string | null } | null
  conversation?: { role: string; text: string }[]
}

const known = (facts: Facts) => [...(facts.evidence ?? []), ...(facts.known ?? []).map(({ key, value }) => `${key}: ${value}`)]
const tried = ({ fixes = [], steps = [], task_lane }: Facts) => [
  ...steps.filter(({ response }) => response).map(({ text, response }) => `${cut(text, 120)}: ${cut(response ?? '', 200)}`),
  ...fixes.map(({ title, status }) => `${title}: ${status.replaceAll('_', ' ')}`),
  ...(task_lane?.actions ?? []).filter(({ done }) => done).map(({ text }) => `${text}: done`),
]
const open = ({ task_lane }: Facts) => [
  ...(task_lane?.questions ?? []).map(({ text }) => text),
  ...(task_lane?.actions ?? []).filter(({ done }) => !done).map(({ text }) => text),
]
const bullets = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n')
const numbered = (items: readonly string[]) => items.map((item, at) => `${at + 1}. ${item}`).join('\n')
const section = (title: string, items: readonly string[]) => (items.length > 0 ? `${title}\n${bullets(items)}` : '')
const join = (...parts: string[]) => parts.filter(Boolean).join('\n\n')

function problemOf(facts: Written, said: readonly Said[]): string {
  return cut(reportOf(facts, said) || (facts.conversation?.find(({ role }) => role === 'user')?.text ?? facts.session?.title ?? ''), 600)
}

export function statusUpdate(facts: Written, said: readonly Said[]) {
  const problem = problemOf(facts, said)
  const cause = facts.triage?.triage_hypothesis
  if (facts.audience === 'ticket_notes') {
    const brief = join(`Problem: ${problem}`, cause ? `Working on: ${cause}` : '')
    return {
      text:
        facts.length === 'quick'
          ? brief
          : join(brief, section('Seen:', known(facts)), section('Done:', tried(facts)), section('Open:', open(facts))),
    }
  }
  const state = cause ? 'We have a likely cause and are checking it.' : 'We are finding out the cause.'
  const core = `We are working on your report: “${problem}”. ${state}`
  const more =
    facts.length === 'detailed' ? join(section('What we did so far:', tried(facts)), section('What comes next:', open(facts))) : ''
  const text = join(core, more)
  return { text: facts.audience === 'email_draft' ? join('Hello,', text, 'Kind regards,\nYour support team') : text }
}

export function sessionOutput(facts: Written, said: readonly Said[]) {
  const problem = problemOf(facts, said)
  const cause = facts.triage?.triage_hypothesis ?? 'not established'
  const solved = (facts.fixes ?? []).filter(({ status }) => status === 'applied_success').map(({ title }) => title)
  const ending = facts.resolution?.notes ?? (solved.length > 0 ? solved.join('; ') : 'still open')
  switch (facts.kind) {
    case 'client_email':
      return { text: join('Hello,', `your report “${problem}” has been worked on. Result: ${ending}.`, 'Kind regards,\nYour support team') }
    case 'kb_article':
      return {
        text: join(
          `# ${cut(facts.session?.title ?? problem, 120)}`,
          `## Symptoms\n${problem}`,
          section('## Observations', known(facts)),
          `## Cause\n${cause}`,
          `## Resolution\n${numbered([...tried(facts), ending])}`,
        ),
      }
    case 'ticket_note':
      return { text: join(`Problem: ${problem}`, `Cause: ${cause}`, section('Done:', tried(facts)), `Result: ${ending}`) }
    default:
      return {
        text: join(
          `**Problem** ${problem}`,
          `**Cause** ${cause}`,
          section('**Seen**', known(facts)),
          section('**Done**', tried(facts)),
          `**Result** ${ending}`,
        ),
      }
  }
}

const urgent = [
  ['critical', /\b(?:outage|ransom|all users|everybody|whole (?:office|company)|production down|data loss)\b/i],
  ['high', /\b(?:urgent|asap|cannot work|can't work|down|ceo|director)\b/i],
] as const

export function handoffDraft(facts: Written, said: readonly Said[]) {
  const problem = problemOf(facts, said)
  const cause = facts.triage?.triage_hypothesis
  return {
    summary: join(problem, cause ? `Likely cause: ${cause}` : '', section('Seen:', known(facts))),
    what_was_tried: tried(facts).join('\n'),
    next_steps: open(facts).join('\n'),
    reason: cause ? `Not solved with what was tried for “${cut(cause, 200)}”.` : 'The cause is not found yet.',
    urgency: urgent.find(([, pattern]) => pattern.test(problem))?.[0] ?? ('normal' as const),
  }
}

export function escalationAssessment(facts: Written, said: readonly Said[]) {
  const cause = facts.triage?.triage_hypothesis ?? 'not known yet'
  return {
    text: join(
      `**Problem** ${problemOf(facts, said)}`,
      `**Likeliest cause** ${cause}`,
      section('**Speaks for it**', known(facts)),
      section('**Do not repeat**', tried(facts)),
      section('**Check first**', open(facts).slice(0, 3)),
    ),
  }
}
