import { type PageQuery, toPage } from '../../lib/db/page.ts'
import type { TreeStructure } from '../../lib/flows/structure.ts'
import { walkAll } from '../../lib/flows/walk.ts'
import type { Reader } from '../../lib/http/operation.ts'
import * as trees from '../flows/trees/service.ts'
import * as queries from './queries.ts'
import type { EscalationFigures, Period, StepFigures } from './schemas.ts'

const daysOf: Record<Period, number> = { '7d': 7, '30d': 30, '90d': 90 }

export async function team({ db }: Reader, period: Period) {
  const days = daysOf[period]
  const [figures, by_user] = await Promise.all([queries.selectFigures(db, days, false), queries.selectPeople(db, days)])
  return { period, ...figures, by_user }
}

export async function mine({ db }: Reader, period: Period) {
  return { period, ...(await queries.selectFigures(db, daysOf[period], true)) }
}

export async function flows({ db }: Reader, period: Period, page: PageQuery) {
  return toPage(await queries.selectFlows(db, daysOf[period], page), page.limit)
}

export async function flow({ db }: Reader, treeId: string, period: Period) {
  const [tree, { figures, steps }] = await Promise.all([trees.find(db, treeId), queries.selectFlow(db, daysOf[period], treeId)])
  const none = { sessions: 0, completion_rate: null, median_minutes: null }
  const thumbs_up = steps.reduce((sum, step) => sum + step.thumbs_up, 0)
  const thumbs_down = steps.reduce((sum, step) => sum + step.thumbs_down, 0)
  return { ...none, ...figures, tree_id: tree.id, name: tree.name, thumbs_up, thumbs_down, steps: inOrder(tree.tree_structure, steps) }
}

/** What the seconds of the figures on escalations are. */
const metric =
  'Seconds from the claim of an escalated handoff to the first thing its claimant did in the session, 0 when that came before the claim; over the handoffs claimed in the period that have such a first step.'

export async function escalations({ db }: Reader, period: Period): Promise<EscalationFigures> {
  return { period, ...(await queries.selectEscalations(db, daysOf[period])), metric_definition: metric }
}

/** Steps as the flow has them now, with what is known of each; steps that are gone come last. */
function inOrder(structure: TreeStructure | null, steps: readonly Omit<StepFigures, 'title'>[]): StepFigures[] {
  const known = new Map(steps.map((step) => [step.step_id, step]))
  const asked = structure ? [...walkAll(structure)].map(({ node }) => node) : []
  const answerable = asked.filter((node) => 'type' in node && node.type !== 'section_header' && node.type !== 'procedure_end')
  const unvisited = { visits: 0, drop_offs: 0, median_seconds: null, thumbs_up: 0, thumbs_down: 0 }
  const now = answerable.map(({ id, title }) => ({ ...unvisited, ...known.get(id), step_id: id, title: title || id }))
  const present = new Set(now.map(({ step_id }) => step_id))
  return [...now, ...steps.filter(({ step_id }) => !present.has(step_id)).map((step) => ({ ...step, title: step.step_id }))]
}
