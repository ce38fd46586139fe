import {
  collectText,
  describeReport,
  extractFindings,
  type Facts,
  type Outline,
  type OutlineNode,
  type Turn,
} from './facts.ts'
import { asksForFix, findFittingFlow, findLikelyEnd, followAnswers, listUserTexts } from './flows.ts'
import { describeLookups } from './lookups.ts'
import { findBestIndex, truncate } from './text.ts'
import texts from './texts.json' with { type: 'json' }

const attackSigns = [
  /ransom|encrypted (?:by|files)|\.(?:lockbit|akira)\b|l[öo]segeld|verschl[üu]sselte dateien|v[ýy]kupn/i,
  /phish|clicked (?:the|a|on) .{0,40}link|typed .{0,20}password|heslo .{0,30}(?:zadal|uniklo)/i,
  /leaked|public repository|unknown sign-in|new local admin|(?:defender|antivirus).{0,20}(?:is|was) off/i,
]
const isAttack = (facts: Facts, turns: readonly Turn[]) =>
  attackSigns.some((sign) => sign.test(collectText(facts, turns)))

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
  const newestMessage = turns.findLast(({ role }) => role === 'user')
  const text = newestMessage?.text ?? describeReport(facts)
  const flow = findFittingFlow(facts, turns)
  // Without a reported problem or a ticket, the first message is the report. All other messages are answers.
  const node =
    flow &&
    followAnswers(flow, listUserTexts(turns).slice(facts.session?.problem_summary || facts.ticket ? 0 : 1))
  const end = flow && findLikelyEnd(flow, node, collectText(facts, turns))
  const isAtEnd = node !== undefined && node === end
  const fix = isAtEnd || asksForFix(text) ? createFix(facts, turns, flow, end) : null
  const nextNode = isAtEnd ? undefined : node
  const reading = flow ? undefined : findReading(facts, turns)
  return {
    reply: [
      composeReply(text, newestMessage?.images ?? 0, flow, nextNode, fix, reading),
      describeLookups(facts),
    ]
      .filter(Boolean)
      .join('\n\n'),
    citations: listCitations(flow, reading),
    findings: extractFindings(facts, turns, flow, end?.title),
    questions: createQuestions(facts, text, flow, nextNode),
    actions: nextNode?.kind === 'action' ? removeKnownTasks(facts, [nextNode.title]) : [],
    fix,
    outcome: findOutcome(facts, text),
  }
}

function createQuestions(
  facts: Facts,
  text: string,
  flow: Outline | undefined,
  nextNode: OutlineNode | undefined,
): string[] {
  if (nextNode?.kind === 'decision') return removeKnownTasks(facts, [nextNode.title])
  if (flow) return []
  return removeKnownTasks(facts, [`What exactly is shown or heard when “${truncate(text, 120)}” happens?`])
}

function composeReply(
  text: string,
  images: number,
  flow: Outline | undefined,
  nextNode: OutlineNode | undefined,
  fix: { title: string; description: string } | null,
  reading: Reading | undefined,
): string {
  const parts = [
    `You report: “${truncate(text, 400)}”${images > 0 ? ` (${images} image${images > 1 ? 's' : ''} received, which this local model cannot see)` : ''}.`,
  ]
  if (flow) parts.push(`This looks like **${flow.name}**.`)
  if (nextNode)
    parts.push(
      `${nextNode.kind === 'action' ? 'Next: ' : ''}**${nextNode.title}**`,
      truncate(nextNode.description, 1500),
      nextNode.options.map(({ label }) => `- ${label}`).join('\n'),
    )
  if (fix) parts.push(`Suggested fix: **${fix.title}**`, truncate(fix.description, 1500))
  if (reading) parts.push(`**${reading.title}** describes this:`, truncate(reading.text, 1000))
  if (!flow && !fix && !reading)
    parts.push(
      'No guided flow matches this problem. When did it begin, who is affected, and what changed before it began?',
    )
  return parts.filter(Boolean).join('\n\n')
}

/** Remove questions and actions that are in the task lane already. */
function removeKnownTasks(facts: Facts, texts: string[]): string[] {
  const knownTasks = [...(facts.task_lane?.questions ?? []), ...(facts.task_lane?.actions ?? [])].map(
    (item) => item.text,
  )
  return texts.map((text) => truncate(text, 500)).filter((text) => !knownTasks.includes(text))
}

/** An article or a resolved session. */
interface Reading {
  number: number
  title: string
  text: string
}

/**
 * Return the article or the resolved session that fits best, or undefined if none shares a word with the
 * case.
 */
function findReading(facts: Facts, turns: readonly Turn[]): Reading | undefined {
  const sessions = (facts.resolved_sessions ?? []).map(({ number, title, problem, solution, fixes }) => ({
    number,
    title,
    text: [problem, solution, ...fixes].filter(Boolean).join('\n'),
  }))
  const readings = [...(facts.articles ?? []), ...sessions]
  const best = findBestIndex(
    collectText(facts, turns),
    readings.map(({ title, text }) => `${title} ${title} ${text}`),
  )
  return readings[best]
}

const isStepList = ({ type }: Outline) => type === 'procedural' || type === 'maintenance'
const listCitations = (flow: Outline | undefined, reading: Reading | undefined): number[] =>
  (flow ?? reading) ? [(flow ?? reading)?.number ?? 0] : []

/** Create a fix from the end of a flow, or a general one. Add a script if the conversation asks for one. */
function createFix(
  facts: Facts,
  turns: readonly Turn[],
  flow: Outline | undefined,
  end: OutlineNode | undefined,
) {
  const text = collectText(facts, turns)
  const templates = facts.templates ?? []
  const templateIndex = findBestIndex(
    text,
    templates.map(({ name, description }) => `${name} ${description}`),
  )
  const asksForScript = /\bscript\b/i.test(text)
  const template = asksForScript && templateIndex >= 0 ? (templates[templateIndex]?.number ?? null) : null
  const service = /\b(?:restart|start)\s+(?:the\s+)?([\w.-]{2,60})(?:\s+service)?/i.exec(text)?.[1]
  const script =
    asksForScript && template === null && service
      ? {
          language: 'powershell' as const,
          body: `Restart-Service -Name '${service.replaceAll("'", "''")}' -Force\nGet-Service -Name '${service.replaceAll("'", "''")}'`,
        }
      : null
  if (end && flow)
    return {
      title: truncate(isStepList(flow) ? `Follow “${flow.name}”` : end.title, 300),
      description: truncate(`${end.description || end.title}\n\nFrom the flow “${flow.name}”.`, 8000),
      template,
      script,
    }
  return {
    title: truncate(`Revert the last change: ${describeReport(facts, turns)}`, 300),
    description: truncate(
      `No flow covers “${describeReport(facts, turns)}”. Find what was changed or updated last on the affected machine, revert it on one machine, and check whether the symptom disappears.`,
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
    /\b(?:(?:that|it|this) (?:worked|fixed|helped|solved)|works (?:now|again)|solved|fixed it|is fixed)\b/i,
  ],
] as const

/** Find the outcome of an open fix that a message reports. */
function findOutcome(facts: Facts, text: string) {
  const hasOpenFix = (facts.fixes ?? []).some(({ status }) =>
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
  const flow = findFittingFlow(facts, turns)
  const answers = steps.filter(({ response }) => response !== null).map(({ response }) => response ?? '')
  const node = flow && followAnswers(flow, answers)
  const end = flow && findLikelyEnd(flow, node, collectText(facts, turns))
  const findings = extractFindings(facts, turns, flow, end?.title)
  const citations = listCitations(flow, flow ? undefined : findReading(facts, turns))
  const report = truncate(describeReport(facts, turns) || (facts.session?.title ?? ''), 300)
  if (node && node !== end && !steps.some(({ text }) => text.startsWith(node.title)))
    return {
      kind: node.kind === 'decision' ? ('question' as const) : ('action' as const),
      text: truncate(`${node.title}\n\n${node.description}`, 4000),
      options: node.options.map(({ label }) => truncate(label, 300)).slice(0, 6),
      rationale: truncate(`This is the next step of the flow “${flow.name}” for: ${report}`, 1000),
      citations,
      findings,
      fix: null,
    }
  if (flow || steps.length >= 3) {
    const fix = createFix(facts, turns, flow, end)
    return {
      kind: 'fix' as const,
      text: truncate(`${fix.title}\n\n${fix.description}`, 4000),
      options: [],
      rationale: truncate(`The answers so far lead here: ${report}`, 1000),
      citations,
      findings,
      fix,
    }
  }
  return {
    kind: 'question' as const,
    text: `${texts.general_questions[steps.length]}\n\nReported: “${report}”`,
    options: [],
    rationale: 'No flow here fits, so the cause is narrowed down first.',
    citations,
    findings,
    fix: null,
  }
}
