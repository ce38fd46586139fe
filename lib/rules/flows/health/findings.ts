import type { FlowNode, FlowStep, TreeStructure } from '#rules/flows/structure.ts'
import { isStepList } from '#rules/flows/structure.ts'
import { listSubflows } from '#rules/flows/subflow.ts'
import { walkNodes } from '#rules/flows/walk.ts'
import { type CheckedLink, listLinks } from './links.ts'
import { highSkipRate, lowSuccessRate, minLinkFailures, minSessions, periodDays } from './thresholds.ts'

export const findingReasons = [
  'subflow_unavailable',
  'broken_link',
  'stale_owner',
  'low_success',
  'unreachable_step',
  'never_reached',
  'dead_option',
  'skipped_step',
  'not_enough_sessions',
] as const

/** Something about a flow that its author should look at. */
export interface Finding {
  reason: (typeof findingReasons)[number]
  /** A sentence for the author. */
  message: string
  step_id: string | null
  option_id: string | null
  url: string | null
  metrics: Record<string, number>
}

/** How often a step was answered in one way. A decision has an option, any other step an outcome. */
export interface AnswerCount {
  step_id: string
  option_id: string | null
  outcome: string | null
  answers: number
}

/** What is known about a flow. */
export interface FlowState {
  tree_structure: TreeStructure | null
  /** Sessions of the period with the same steps and options as the current version. */
  sessions: number
  /**
   * Sessions of the period with any version that were completed or abandoned, and those of them that were
   * resolved.
   */
  ended: number
  resolved: number
  answers: readonly AnswerCount[]
  /** How many sessions are at a step, or ended at it, without an answer. */
  open_steps: readonly { step_id: string; sessions: number }[]
  /** Whether the author can still sign in and change flows; null for a flow that ships with the service. */
  is_author_active: boolean | null
  links: readonly CheckedLink[]
  /** The flows that the reader can run. */
  runnable_ids: ReadonlySet<string>
}

type Details = Partial<Pick<Finding, 'step_id' | 'option_id' | 'url' | 'metrics'>>

function createFinding(reason: Finding['reason'], message: string, details: Details = {}): Finding {
  return { reason, message, step_id: null, option_id: null, url: null, metrics: {}, ...details }
}

/** Return everything about a flow that its author should look at, the most urgent first. */
export function findFlowFindings(flow: FlowState): Finding[] {
  const structure = flow.tree_structure
  const byMetrics =
    flow.sessions < minSessions
      ? [describeFewSessions(flow)]
      : structure
        ? findByMetrics(structure, flow)
        : []
  const byStructure = structure
    ? [...findUnavailableSubflows(structure, flow), ...findBrokenLinks(structure, flow)]
    : []
  const findings = [
    ...byStructure,
    ...findStaleOwner(flow),
    ...findLowSuccess(flow),
    ...findUnreachableSteps(structure),
    ...byMetrics,
  ]
  return findings.sort((a, b) => findingReasons.indexOf(a.reason) - findingReasons.indexOf(b.reason))
}

function describeFewSessions({ sessions }: FlowState): Finding {
  const message = `Not enough sessions to judge the steps: ${sessions} of ${minSessions} in ${periodDays} days with these steps and options`
  return createFinding('not_enough_sessions', message, { metrics: { sessions, needed: minSessions } })
}

function findUnavailableSubflows(structure: TreeStructure, { runnable_ids }: FlowState): Finding[] {
  const unavailable = listSubflows(structure).filter(({ subflow }) => !runnable_ids.has(subflow.tree_id))
  return unavailable.map(({ node }) =>
    createFinding(
      'subflow_unavailable',
      `The flow that “${getName(node)}” runs was deleted, is not published or is not shared with you`,
      {
        step_id: node.id,
      },
    ),
  )
}

function findBrokenLinks(structure: TreeStructure, { links }: FlowState): Finding[] {
  const checkByUrl = new Map(links.map((link) => [link.url, link]))
  return listLinks(structure).flatMap(({ url, step_id }) => {
    const check = checkByUrl.get(url)
    if (check?.state !== 'broken' || (!isGone(check) && check.failures < minLinkFailures)) return []
    const result = check.status === null ? 'cannot be reached' : `returns ${check.status}`
    const metrics: Record<string, number> = { failures: check.failures }
    if (check.status !== null) metrics.status = check.status
    return [createFinding('broken_link', `A link of this step ${result}`, { step_id, url, metrics })]
  })
}

function isGone({ status }: CheckedLink): boolean {
  return status === 404 || status === 410
}

function findStaleOwner({ is_author_active }: FlowState): Finding[] {
  if (is_author_active !== false) return []
  return [
    createFinding(
      'stale_owner',
      'The author of the flow is deactivated or can no longer change flows; fork it, or save it as an admin',
    ),
  ]
}

function findLowSuccess({ ended, resolved }: FlowState): Finding[] {
  if (ended < minSessions || resolved / ended >= lowSuccessRate) return []
  const message = `${resolved} of ${ended} sessions that ended in ${periodDays} days were resolved`
  return [createFinding('low_success', message, { metrics: { sessions: ended, resolved } })]
}

/** Return the steps that no answer leads to. A published flow has none; a draft may. */
function findUnreachableSteps(structure: TreeStructure | null): Finding[] {
  const unreachable = !structure
    ? []
    : isStepList(structure)
      ? listStepsAfterEnd(structure.steps)
      : listUnlinkedNodes(structure)
  return unreachable.map((node) =>
    createFinding('unreachable_step', `No answer leads to “${getName(node)}”, so it can never be reached`, {
      step_id: node.id,
    }),
  )
}

function listStepsAfterEnd(steps: readonly FlowStep[]): FlowStep[] {
  const end = steps.findIndex(({ type }) => type === 'procedure_end')
  return end < 0 ? [] : steps.slice(end + 1)
}

function listUnlinkedNodes(root: FlowNode): FlowNode[] {
  return Array.from(walkNodes(root)).flatMap(({ node }) => {
    const linkedIds = new Set([
      node.next_node_id,
      ...(node.options ?? []).map(({ next_node_id }) => next_node_id),
    ])
    return (node.children ?? []).filter(({ id }) => !linkedIds.has(id))
  })
}

/** The answers to one step. */
interface StepMetrics {
  answers: number
  skipped: number
  byOption: Map<string, number>
}

function findByMetrics(structure: TreeStructure, flow: FlowState): Finding[] {
  const metrics = groupAnswers(flow.answers)
  const visits = new Map(Array.from(metrics, ([id, { answers }]) => [id, answers]))
  for (const { step_id, sessions } of flow.open_steps)
    visits.set(step_id, (visits.get(step_id) ?? 0) + sessions)
  const steps = isStepList(structure)
    ? structure.steps.filter(({ type }) => type === 'procedure_step')
    : Array.from(walkNodes(structure), ({ node }) => node)
  const stepFindings = steps.flatMap((step) => judgeStep(step, metrics.get(step.id)))
  // In a list, only the first such step is named: the steps after it cannot be reached without it.
  const unreachedSteps = isStepList(structure)
    ? steps.filter(({ id }) => !visits.has(id)).slice(0, 1)
    : listUnreachedNodes(structure, visits)
  return [...unreachedSteps.map((step) => describeNeverReached(step, flow)), ...stepFindings]
}

function groupAnswers(answers: readonly AnswerCount[]): Map<string, StepMetrics> {
  const metrics = new Map<string, StepMetrics>()
  for (const { step_id, option_id, outcome, answers: count } of answers) {
    const step = metrics.get(step_id) ?? { answers: 0, skipped: 0, byOption: new Map<string, number>() }
    step.answers += count
    if (outcome === 'skipped') step.skipped += count
    if (option_id !== null) step.byOption.set(option_id, (step.byOption.get(option_id) ?? 0) + count)
    metrics.set(step_id, step)
  }
  return metrics
}

function judgeStep(step: FlowNode | FlowStep, metrics: StepMetrics | undefined): Finding[] {
  if (!metrics || metrics.answers < minSessions) return []
  const { answers, skipped, byOption } = metrics
  const options = 'options' in step ? (step.options ?? []) : []
  const deadOptions = options.filter(({ id }) => !byOption.has(id ?? ''))
  const findings = deadOptions.map(({ id, label }) =>
    createFinding('dead_option', `Nobody chose “${label}” in ${answers} answers to “${getName(step)}”`, {
      step_id: step.id,
      option_id: id ?? null,
      metrics: { answers, chosen: 0 },
    }),
  )
  if (skipped / answers <= highSkipRate) return findings
  const message = `“${getName(step)}” was skipped in ${skipped} of ${answers} answers`
  return [
    ...findings,
    createFinding('skipped_step', message, { step_id: step.id, metrics: { answers, skipped } }),
  ]
}

function describeNeverReached(step: FlowNode | FlowStep, { sessions }: FlowState): Finding {
  const message = `No session of ${sessions} reached “${getName(step)}”`
  return createFinding('never_reached', message, { step_id: step.id, metrics: { sessions, reached: 0 } })
}

/**
 * Return the nodes after an often visited action that no session reached. Nodes behind an option are reported
 * as dead options.
 */
function listUnreachedNodes(root: FlowNode, visits: ReadonlyMap<string, number>): FlowNode[] {
  return Array.from(walkNodes(root)).flatMap(({ node }) => {
    const isOftenVisited = node.type === 'action' && (visits.get(node.id) ?? 0) >= minSessions
    return isOftenVisited ? (node.children ?? []).filter(({ id }) => !visits.has(id)) : []
  })
}

/** Return the name of a step in messages: its title, or its id. */
function getName({ id, title }: FlowNode | FlowStep): string {
  return title?.trim() || id
}
