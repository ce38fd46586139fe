import { type FlowNode, type FlowStep, isStepList, type TreeStructure } from '#rules/flows/structure.ts'
import { walkNodes } from '#rules/flows/walk.ts'
import { createStepFinding, type Finding, getName } from './finding.ts'
import { type PlacedNode, placeNodes, removeOptions, removeStep, replaceByChild } from './flow-patch.ts'
import { highSkipRate, minSessions } from './thresholds.ts'

/** How often a step was answered in one way. A decision has an option, any other step an outcome. */
export interface AnswerCount {
  step_id: string
  option_id: string | null
  outcome: string | null
  answers: number
}

/** What the sessions of a flow did. */
export interface FlowUse {
  /** Sessions of the period with the same steps and options as the current version. */
  sessions: number
  answers: readonly AnswerCount[]
  /** How many sessions are at a step, or ended at it, without an answer. */
  open_steps: readonly { step_id: string; sessions: number }[]
}

/** The answers to one step. */
interface StepMetrics {
  answers: number
  outcomes: Map<string, number>
  byOption: Map<string, number>
}

/** Return what the sessions say about the steps. */
export function findByMetrics(structure: TreeStructure, flow: FlowUse): Finding[] {
  const metrics = groupAnswers(flow.answers)
  const visits = new Map(Array.from(metrics, ([id, { answers }]) => [id, answers]))
  for (const { step_id, sessions } of flow.open_steps)
    visits.set(step_id, (visits.get(step_id) ?? 0) + sessions)
  const steps = isStepList(structure)
    ? structure.steps.filter(({ type }) => type === 'procedure_step')
    : Array.from(walkNodes(structure), ({ node }) => node)
  const places = new Map(
    isStepList(structure) ? [] : Array.from(placeNodes(structure), (place) => [place.node.id, place]),
  )
  const stepFindings = steps.flatMap((step) => {
    const answered = metrics.get(step.id)
    if (!answered || answered.answers < minSessions) return []
    const place = places.get(step.id)
    return [...(place ? judgeOptions(place, answered) : []), ...judgeStep(structure, step, answered)]
  })
  // In a list, only the first such step is named: the steps after it cannot be reached without it.
  const unreachedSteps = isStepList(structure)
    ? steps.filter(({ id }) => !visits.has(id)).slice(0, 1)
    : listUnreachedNodes(structure, visits)
  return [...unreachedSteps.map((step) => describeNeverReached(structure, step, flow)), ...stepFindings]
}

function groupAnswers(answers: readonly AnswerCount[]): Map<string, StepMetrics> {
  const metrics = new Map<string, StepMetrics>()
  for (const { step_id, option_id, outcome, answers: count } of answers) {
    const step = metrics.get(step_id) ?? { answers: 0, outcomes: new Map(), byOption: new Map() }
    step.answers += count
    if (outcome !== null) step.outcomes.set(outcome, (step.outcomes.get(outcome) ?? 0) + count)
    if (option_id !== null) step.byOption.set(option_id, (step.byOption.get(option_id) ?? 0) + count)
    metrics.set(step_id, step)
  }
  return metrics
}

function judgeStep(
  structure: TreeStructure,
  step: FlowNode | FlowStep,
  { answers, outcomes }: StepMetrics,
): Finding[] {
  const [skipped = 0, failed = 0, done = 0] = ['skipped', 'failed', 'done'].map((name) => outcomes.get(name))
  const findings: Finding[] = []
  const judge = (reason: Finding['reason'], message: string, counts: Record<string, number>) =>
    findings.push(
      createStepFinding(reason, step, message, {
        metrics: { answers, ...counts },
        patch: removeStep(structure, step.id),
      }),
    )
  const name = `“${getName(step)}”`
  if (failed > done)
    judge('failing_step', `${name} failed in ${failed} of ${answers} answers and was done in ${done}`, {
      failed,
      done,
    })
  if (skipped / answers > highSkipRate)
    judge('skipped_step', `${name} was skipped in ${skipped} of ${answers} answers`, { skipped })
  return findings
}

/** Return the options that nobody chose, or that all chose the same of more than two. */
function judgeOptions(place: PlacedNode, { answers, byOption }: StepMetrics): Finding[] {
  const { node } = place
  const options = node.options ?? []
  const chosen = options.filter(({ id }) => byOption.has(id ?? ''))
  const [only] = chosen.length === 1 ? chosen : []
  const hoist = only ? replaceByChild(place, only.next_node_id ?? '') : null
  if (only && options.length > 2) {
    const message = `All ${answers} answers to “${getName(node)}” were “${only.label}”`
    const details = { option_id: only.id ?? null, metrics: { answers, chosen: answers }, patch: hoist }
    return [createStepFinding('same_answer', node, message, details)]
  }
  const deadOptions = options.filter(({ id }) => !byOption.has(id ?? ''))
  return deadOptions.map(({ id, label }) =>
    createStepFinding(
      'dead_option',
      node,
      `Nobody chose “${label}” in ${answers} answers to “${getName(node)}”`,
      {
        option_id: id ?? null,
        metrics: { answers, chosen: 0 },
        patch: hoist ?? removeOptions(place, new Set([id ?? ''])),
      },
    ),
  )
}

function describeNeverReached(
  structure: TreeStructure,
  step: FlowNode | FlowStep,
  { sessions }: FlowUse,
): Finding {
  const message = `No session of ${sessions} reached “${getName(step)}”`
  const patch = isStepList(structure) ? removeStep(structure, step.id) : null
  return createStepFinding('never_reached', step, message, { metrics: { sessions, reached: 0 }, patch })
}

/** How many findings of the sessions a flow shows: those with the most of them. */
const shownByMetrics = 3
const reasonsByMetrics: readonly string[] = [
  'never_reached',
  'same_answer',
  'dead_option',
  'failing_step',
  'skipped_step',
]

/** Return the findings without those of the sessions beyond the first three. Their order stays. */
export function limitFindings<F extends Pick<Finding, 'reason' | 'metrics'>>(findings: readonly F[]): F[] {
  const byMetrics = findings.filter(({ reason }) => reasonsByMetrics.includes(reason))
  const count = ({ metrics }: F) => metrics.answers ?? metrics.sessions ?? 0
  const hidden = new Set(byMetrics.toSorted((a, b) => count(b) - count(a)).slice(shownByMetrics))
  return findings.filter((finding) => !hidden.has(finding))
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
