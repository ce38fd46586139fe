import {
  collectText,
  describeReport,
  extractFindings,
  type Facts,
  type Outline,
  type OutlineNode,
  type Turn,
} from './facts.ts'
import { findLikelyEnd, followAnswers } from './flows.ts'
import { describeLookups } from './lookups.ts'
import { writeScript } from './scripts.ts'
import { findBestIndex, truncate } from './text.ts'
import texts from './texts.json' with { type: 'json' }

const attackSigns = [
  /ransom|encrypted (?:by|files)|\.(?:lockbit|akira)\b|l[öo]segeld|verschl[üu]sselte dateien|v[ýy]kupn/i,
  /phish|clicked (?:the|a|on) .{0,40}link|typed .{0,20}password|heslo .{0,30}(?:zadal|uniklo)/i,
  /leaked|public repository|unknown sign-in|new local admin|(?:defender|antivirus).{0,20}(?:is|was) off/i,
]
const isAttack = (facts: Facts, turns: readonly Turn[]) =>
  attackSigns.some((sign) => sign.test(collectText(facts, turns)))

const fixRequest = /\b(?:fix|solution|solve|suggest|repair|resolve|script|remedy)/i

/**
 * Answer a chat message: ask the next question of the fitting flow, or suggest a fix at the end of a path or
 * when the user asks for one.
 */
export function createChatTurn(facts: Facts, turns: readonly Turn[]) {
  if (isAttack(facts, turns)) {
    const steps = texts.attack.map((step, index) => `${index + 1}. ${step}`).join('\n')
    const findings = extractFindings(facts, turns, undefined, undefined)
    const reply = `This may be an attack, so security comes first:\n\n${steps}`
    return { reply, citations: [], findings, questions: [], actions: [], fix: null, outcome: null }
  }
  const messages = turns.filter(({ role }) => role === 'user')
  const { text = describeReport(facts), images = 0 } = messages.at(-1) ?? {}
  const hasReport = Boolean(facts.session?.problem_summary || facts.ticket)
  // Without a reported problem or a ticket, the first message is the report. All other messages are answers.
  const answers = messages.slice(hasReport ? 0 : 1).map((message) => message.text)
  const { flow, node, end, reading, citations } = findPlace(facts, turns, answers)
  const fix = (node && node === end) || fixRequest.test(text) ? createFix(facts, turns, flow, end) : null
  const next = node === end ? undefined : node
  const general = flow ? [] : [`What exactly is shown or heard when “${truncate(text, 120)}” happens?`]
  const paragraphs = [
    `You report: “${truncate(text, 400)}”.`,
    images > 0 && `${images} images received, which this local model cannot see.`,
    flow && `This looks like **${flow.name}**.`,
    next &&
      `${next.kind === 'action' ? 'Next: ' : ''}**${next.title}**\n\n${truncate(next.description, 1500)}`,
    next?.options.map(({ label }) => `- ${label}`).join('\n'),
    fix && `Suggested fix: **${fix.title}**\n\n${truncate(fix.description, 1500)}`,
    reading && `**${reading.title}** describes this:\n\n${truncate(reading.text, 1000)}`,
    !flow && !fix && !reading && `No guided flow matches this problem. ${texts.general_questions[0]}`,
    describeLookups(facts),
  ]
  return {
    reply: paragraphs.filter(Boolean).join('\n\n'),
    citations,
    findings: extractFindings(facts, turns, flow, end?.title),
    questions: removeKnownTasks(facts, next?.kind === 'decision' ? [next.title] : general),
    actions: removeKnownTasks(facts, next?.kind === 'action' ? [next.title] : []),
    fix,
    outcome: findOutcome(facts, text),
  }
}

/**
 * Find where a case is: the flow that shares most words with it, the node that the answers lead to, the end
 * that is likely from there, and without a flow the article or resolved session that the service ranked
 * first.
 */
function findPlace(facts: Facts, turns: readonly Turn[], answers: readonly string[]) {
  const text = collectText(facts, turns)
  const flows = facts.flows ?? []
  const best = findBestIndex(
    text,
    flows.map(({ name, description }) => `${name} ${description}`),
  )
  const flow = flows[Math.max(0, best)]
  const node = flow && followAnswers(flow, answers)
  const end = flow && findLikelyEnd(flow, node, text)
  const [article, session] = [facts.articles?.[0], facts.resolved_sessions?.[0]]
  const solved = session && {
    ...session,
    text: [session.problem, session.solution, ...session.fixes].join('\n'),
  }
  const reading = flow ? undefined : (article ?? solved)
  const source = flow ?? reading
  return { flow, node, end, reading, citations: source ? [source.number] : [] }
}

/** Remove questions and actions that are in the task lane already. */
function removeKnownTasks({ task_lane }: Facts, tasks: readonly string[]): string[] {
  const known = [...(task_lane?.questions ?? []), ...(task_lane?.actions ?? [])].map(({ text }) => text)
  return tasks.map((text) => truncate(text, 500)).filter((text) => !known.includes(text))
}

/** Create a fix from the end of a flow, or a general one. Add a script if the conversation asks for one. */
function createFix(
  facts: Facts,
  turns: readonly Turn[],
  flow: Outline | undefined,
  end: OutlineNode | undefined,
) {
  const text = collectText(facts, turns)
  const asksForScript = /\bscript\b/i.test(text)
  const templates = asksForScript ? (facts.templates ?? []) : []
  const index = findBestIndex(
    text,
    templates.map(({ name, description }) => `${name} ${description}`),
  )
  const template = templates[index]?.number ?? null
  const body = asksForScript && template === null ? writeScript({}, turns).script?.body : undefined
  const script = body ? { language: 'powershell' as const, body } : null
  if (end && flow) {
    const isStepList = flow.type === 'procedural' || flow.type === 'maintenance'
    return {
      title: truncate(isStepList ? `Follow “${flow.name}”` : end.title, 300),
      description: truncate(`${end.description || end.title}\n\nFrom the flow “${flow.name}”.`, 8000),
      template,
      script,
    }
  }
  const report = describeReport(facts, turns)
  return {
    title: truncate(`Revert the last change: ${report}`, 300),
    description: truncate(
      `No flow covers “${report}”. Revert what was changed last on one machine, and check the symptom.`,
      8000,
    ),
    template,
    script,
  }
}

const outcomePatterns = [
  [
    'applied_failed',
    /\b(?:did(?:n't| not) (?:work|help)|no change|still (?:broken|fails|the same)|failed)\b/i,
  ],
  ['applied_partial', /\b(?:partly|partially|only some|some of (?:it|them)|but not all)\b/i],
  ['applied_pending', /\b(?:waiting for|will know|tomorrow|after the reboot|pending|overnight)\b/i],
  [
    'applied_success',
    /\b(?:(?:that|it|this) (?:worked|fixed|helped|solved)|works (?:now|again)|solved|is fixed)\b/i,
  ],
] as const

/** Find the outcome of an open fix that a message reports. */
function findOutcome({ fixes = [] }: Facts, text: string) {
  const hasOpenFix = fixes.some(({ status }) =>
    ['proposed', 'applied_partial', 'applied_pending'].includes(status),
  )
  const outcome = hasOpenFix ? outcomePatterns.find(([, pattern]) => pattern.test(text))?.[0] : undefined
  return outcome ? { outcome, reason: truncate(text, 1000) } : null
}

/**
 * Create the next step of a guided session: the next node of the fitting flow, a fix, or a general question.
 */
export function createGuidedStep(facts: Facts, turns: readonly Turn[]) {
  const steps = facts.steps ?? []
  const attackStep = isAttack(facts, turns) ? texts.attack[steps.length] : undefined
  if (attackStep)
    return {
      kind: 'action' as const,
      text: attackStep,
      options: [],
      rationale: 'This may be an attack, and evidence and other machines are in danger.',
      citations: [],
      findings: extractFindings(facts, turns, undefined, undefined),
      fix: null,
    }
  const answers = steps.flatMap(({ response }) => response ?? [])
  const { flow, node, end, citations } = findPlace(facts, turns, answers)
  const report = truncate(describeReport(facts, turns) || (facts.session?.title ?? ''), 300)
  const step = {
    options: [] as string[],
    citations,
    findings: extractFindings(facts, turns, flow, end?.title),
    fix: null,
  }
  if (flow && node && node !== end && !steps.some(({ text }) => text.startsWith(node.title)))
    return {
      ...step,
      kind: node.kind === 'decision' ? ('question' as const) : ('action' as const),
      text: truncate(`${node.title}\n\n${node.description}`, 4000),
      options: node.options.map(({ label }) => truncate(label, 300)).slice(0, 6),
      rationale: truncate(`This is the next step of the flow “${flow.name}” for: ${report}`, 1000),
    }
  const question = texts.general_questions[steps.length]
  if (!flow && question)
    return {
      ...step,
      kind: 'question' as const,
      text: `${question}\n\nReported: “${report}”`,
      rationale: 'No flow here fits, so the cause is narrowed down first.',
    }
  const fix = createFix(facts, turns, flow, end)
  return {
    ...step,
    kind: 'fix' as const,
    text: truncate(`${fix.title}\n\n${fix.description}`, 4000),
    rationale: truncate(`The answers so far lead here: ${report}`, 1000),
    fix,
  }
}
