import { type PageQuery, toPage } from '#db/page.ts'
import * as trees from '#functions/flows/trees/service.ts'
import type { ReadContext } from '#http/operation.ts'
import type { TreeStructure } from '#rules/flows/structure.ts'
import { walkAll } from '#rules/flows/walk.ts'
import * as queries from './queries.ts'
import type { EscalationMetrics, Period, StepMetrics } from './schemas.ts'

const daysByPeriod: Record<Period, number> = { '7d': 7, '30d': 30, '90d': 90 }

export async function getTeam({ db }: ReadContext, period: Period, teamId: string | undefined) {
  const days = daysByPeriod[period]
  const [metrics, by_user] = await Promise.all([
    queries.selectMetrics(db, days, { teamId }),
    queries.selectUserMetrics.all(db, days, { teamId }),
  ])
  return { period, ...metrics, by_user }
}

export async function getMine({ db }: ReadContext, period: Period) {
  return { period, ...(await queries.selectMetrics(db, daysByPeriod[period], { ownOnly: true })) }
}

export async function listFlows({ db }: ReadContext, period: Period, page: PageQuery) {
  return toPage(await queries.selectFlowMetrics(db, daysByPeriod[period], page), page, queries.metricsOrder)
}

export async function getFlow({ db }: ReadContext, treeId: string, period: Period) {
  const [tree, { metrics, steps }] = await Promise.all([
    trees.find(db, treeId),
    queries.selectOneFlowMetrics(db, daysByPeriod[period], treeId),
  ])
  const noSessions = { sessions: 0, completion_rate: null, median_minutes: null }
  const thumbs_up = steps.reduce((sum, step) => sum + step.thumbs_up, 0)
  const thumbs_down = steps.reduce((sum, step) => sum + step.thumbs_down, 0)
  return {
    ...noSessions,
    ...metrics,
    tree_id: tree.id,
    name: tree.name,
    thumbs_up,
    thumbs_down,
    steps: sortSteps(tree.tree_structure, steps),
  }
}

const metricDefinition =
  'Seconds from the claim of an escalated handoff to the first action of the claimant in the session; 0 if the action came before the claim. Measured over the handoffs claimed in the period that have a first action. The claim seconds are those from the escalation to its claim, and count at once.'

export async function getEscalations({ db }: ReadContext, period: Period): Promise<EscalationMetrics> {
  return {
    period,
    ...(await queries.selectEscalationMetrics.one(db, daysByPeriod[period])),
    metric_definition: metricDefinition,
  }
}

/**
 * Return the metrics of every step of the flow, in its order, then those of steps that the flow no longer
 * has.
 */
function sortSteps(
  structure: TreeStructure | null,
  steps: readonly Omit<StepMetrics, 'title'>[],
): StepMetrics[] {
  const metricsById = new Map(steps.map((step) => [step.step_id, step]))
  const nodes = structure ? [...walkAll(structure)].map(({ node }) => node) : []
  const answerable = nodes.filter(
    (node) => 'type' in node && node.type !== 'section_header' && node.type !== 'procedure_end',
  )
  const unvisited = { visits: 0, drop_offs: 0, median_seconds: null, thumbs_up: 0, thumbs_down: 0 }
  const currentSteps = answerable.map(({ id, title }) => ({
    ...unvisited,
    ...metricsById.get(id),
    step_id: id,
    title: title || id,
  }))
  const currentIds = new Set(currentSteps.map(({ step_id }) => step_id))
  const removedSteps = steps
    .filter(({ step_id }) => !currentIds.has(step_id))
    .map((step) => ({ ...step, title: step.step_id }))
  return [...currentSteps, ...removedSteps]
}
