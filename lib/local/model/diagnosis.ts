import { everythingOf, type Facts, findingsOf, type Outline, type OutlineNode, reportOf, type Said } from './case.ts'
import { answersOf, fittingFlow, follow, likelyEnd, wantsFix } from './flows.ts'
import { bestOf, cut } from './words.ts'

/** A turn of chat: takes up what was said, asks what the fitting flow asks, and puts its fix forward where a way ends or when asked. */
export function chatTurn(facts: Facts, said: readonly Said[]) {
  const latest = said.findLast(({ role }) => role === 'user')
  const text = latest?.text ?? reportOf(facts)
  const flow = fittingFlow(facts, said)
  // The first turn tells what is wrong; those after it answer.
  const at = flow && follow(flow, answersOf(said).slice(facts.session?.problem_summary || facts.ticket ? 0 : 1))
  const end = flow && likelyEnd(flow, at, everythingOf(facts, said))
  const arrived = at !== undefined && at === end
  const fix = arrived || wantsFix(text) ? fixOf(facts, said, flow, end) : null
  const question = flow && at && !arrived ? at : undefined
  return {
    reply: replyTo(text, latest?.images ?? 0, flow, question, fix),
    findings: findingsOf(facts, said, flow, end?.title),
    questions:
      question?.kind === 'decision'
        ? unasked(facts, [question.title])
        : flow
          ? []
          : unasked(facts, [`What exactly is shown or heard when “${cut(text, 120)}” happens?`]),
    actions: question?.kind === 'action' ? unasked(facts, [question.title]) : [],
    fix,
    outcome: outcomeIn(facts, text),
  }
}

function replyTo(
  text: string,
  images: number,
  flow: Outline | undefined,
  at: OutlineNode | undefined,
  fix: { title: string; description: string } | null,
): string {
  const parts = [
    `You report: “${cut(text, 400)}”${images > 0 ? ` (${images} image${images > 1 ? 's' : ''} received, which this local model cannot see)` : ''}.`,
  ]
  if (flow) parts.push(`This looks like **${flow.name}**.`)
  if (at)
    parts.push(
      `${at.kind === 'action' ? 'Next: ' : ''}**${at.title}**`,
      cut(at.description, 1500),
      at.options.map(({ label }) => `- ${label}`).join('\n'),
    )
  if (fix) parts.push(`Suggested fix: **${fix.title}**`, cut(fix.description, 1500))
  if (!flow && !fix) parts.push('No guided flow here fits it. When did it begin, who is affected, and what changed before it began?')
  return parts.filter(Boolean).join('\n\n')
}

function unasked(facts: Facts, texts: string[]): string[] {
  const lane = [...(facts.task_lane?.questions ?? []), ...(facts.task_lane?.actions ?? [])].map((item) => item.text)
  return texts.map((text) => cut(text, 500)).filter((text) => !lane.includes(text))
}

function fixOf(facts: Facts, said: readonly Said[], flow: Outline | undefined, end: OutlineNode | undefined) {
  const text = everythingOf(facts, said)
  const templates = facts.templates ?? []
  const place = bestOf(
    text,
    templates.map(({ name, description }) => `${name} ${description}`),
  )
  const template = /\bscript\b/i.test(text) && place >= 0 ? (templates[place]?.number ?? null) : null
  const service = /\b(?:restart|start)\s+(?:the\s+)?([\w.-]{2,60})(?:\s+service)?/i.exec(text)?.[1]
  const script =
    /\bscript\b/i.test(text) && template === null && service
      ? {
          language: 'powershell' as const,
          body: `Restart-Service -Name '${service.replaceAll("'", "''")}' -Force\nGet-Service -Name '${service.replaceAll("'", "''")}'`,
        }
      : null
  if (end && flow)
    return {
      title: cut(end.title, 300),
      description: cut(`${end.description || end.title}\n\nFrom the flow “${flow.name}”.`, 8000),
      template,
      script,
    }
  return {
    title: cut(`Undo what changed before: ${reportOf(facts, said)}`, 300),
    description: cut(
      `No flow covers “${reportOf(facts, said)}”. Find what was changed or updated last on the affected machine, take it back on one machine, and see whether the symptom goes.`,
      8000,
    ),
    template,
    script,
  }
}

const outcomes = [
  ['applied_failed', /\b(?:did(?:n't| not) (?:work|help)|no change|still (?:broken|fails|the same)|failed)\b/i],
  ['applied_partial', /\b(?:partly|partially|only some|some of (?:it|them)|but not all)\b/i],
  ['applied_pending', /\b(?:waiting for|will know|tomorrow|after the reboot|pending|overnight)\b/i],
  ['applied_success', /\b(?:(?:that|it|this) (?:worked|fixed|helped|solved)|works (?:now|again)|solved|fixed it|is fixed)\b/i],
] as const

function outcomeIn(facts: Facts, text: string) {
  const open = (facts.fixes ?? []).some(({ status }) => ['proposed', 'applied_partial', 'applied_pending'].includes(status))
  const found = open ? outcomes.find(([, pattern]) => pattern.test(text)) : undefined
  return found ? { outcome: found[0], reason: cut(text, 1000) } : null
}

/** The step that comes next on the fitting flow's way, or a question that finds out more. */
export function guidedStep(facts: Facts, said: readonly Said[]) {
  const steps = facts.steps ?? []
  const flow = fittingFlow(facts, said)
  const answers = steps.filter(({ response }) => response !== null).map(({ response }) => response ?? '')
  const at = flow && follow(flow, answers)
  const end = flow && likelyEnd(flow, at, everythingOf(facts, said))
  const findings = findingsOf(facts, said, flow, end?.title)
  const report = cut(reportOf(facts, said) || (facts.session?.title ?? ''), 300)
  if (at && at !== end && !steps.some(({ text }) => text.startsWith(at.title)))
    return {
      kind: at.kind === 'decision' ? ('question' as const) : ('action' as const),
      text: cut(`${at.title}\n\n${at.description}`, 4000),
      options: at.options.map(({ label }) => cut(label, 300)).slice(0, 6),
      rationale: cut(`The flow “${flow.name}” comes to this next for: ${report}`, 1000),
      findings,
      fix: null,
    }
  if (flow || steps.length >= 3) {
    const fix = fixOf(facts, said, flow, end)
    return {
      kind: 'fix' as const,
      text: cut(`${fix.title}\n\n${fix.description}`, 4000),
      options: [],
      rationale: cut(`The answers so far lead here: ${report}`, 1000),
      findings,
      fix,
    }
  }
  const open = [
    'When did it begin, and what changed before?',
    'Who and what is affected: one user, one machine, or everybody?',
    'What exactly is shown, word for word?',
  ]
  return {
    kind: 'question' as const,
    text: `${open[steps.length] ?? open[2]}\n\nReported: “${report}”`,
    options: [],
    rationale: 'No flow here fits, so the cause is narrowed down first.',
    findings,
    fix: null,
  }
}
