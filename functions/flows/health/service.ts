import { type PageQuery, toPage } from '#db/page.ts'
import { selectVisibleFlows } from '#db/rows/subflows.ts'
import * as trees from '#functions/flows/trees/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { throwNotFound } from '#problem.ts'
import { limitFindings } from '#rules/flows/health/by-metrics.ts'
import { type IdentifiedFinding, identifyFindings, splitDismissed } from '#rules/flows/health/finding-ids.ts'
import { findFlowFindings } from '#rules/flows/health/findings.ts'
import { listSubflows } from '#rules/flows/subflow.ts'
import * as queries from './queries.ts'
import type { FlowHealth } from './schemas.ts'

/** Flows whose structures are in memory at the same time; each has up to 4 MB. */
const flowsAtOnce = 10

export async function list({ db }: ReadContext, page: PageQuery) {
  const { items: flows, next } = toPage(
    await queries.selectWorstFlows.all(db, page),
    page,
    queries.worstFirst,
  )
  const items: FlowHealth[] = []
  for (let start = 0; start < flows.length; start += flowsAtOnce) {
    const ids = flows.slice(start, start + flowsAtOnce).map(({ id }) => id)
    const healthById = new Map((await readHealth(db, ids)).map((health) => [health.tree_id, health]))
    items.push(...ids.flatMap((id) => healthById.get(id) ?? []))
  }
  return { items, next }
}

export async function get({ db }: Pick<ReadContext, 'db'>, treeId: string): Promise<FlowHealth> {
  const [health] = await readHealth(db, [treeId])
  return health ?? throwNotFound('Flow')
}

/** Dismiss a finding that the flow has now. */
export async function dismiss(ctx: WriteContext, treeId: string, findingId: string): Promise<FlowHealth> {
  const [flow] = await readFindings(ctx.db, [treeId])
  if (!flow) throwNotFound('Flow')
  await trees.requireEditable(ctx.db, treeId)
  if (!flow.findings.some(({ id }) => id === findingId)) throwNotFound('Finding')
  const stored = await queries.insertDismissed(ctx.db, treeId, findingId)
  if (!stored) await trees.requireEditable(ctx.db, treeId)
  return toFlowHealth({ ...flow, ...stored })
}

export async function undismiss({ db }: WriteContext, treeId: string, findingId: string): Promise<void> {
  if (!(await queries.deleteDismissed(db, treeId, findingId))) await trees.requireEditable(db, treeId)
}

async function readHealth(db: ReadContext['db'], ids: readonly string[]): Promise<FlowHealth[]> {
  return (await readFindings(db, ids)).map(toFlowHealth)
}

/** Count the open findings of flows, as their health lists them, without that their steps are not judged. */
export async function countFindings(
  db: ReadContext['db'],
  ids: readonly string[],
): Promise<Map<string, number>> {
  const count = ({ findings }: FlowHealth) =>
    findings.filter(({ reason }) => reason !== 'not_enough_sessions').length
  return new Map((await readHealth(db, ids)).map((flow) => [flow.tree_id, count(flow)]))
}

type JudgedFlow = Awaited<ReturnType<typeof readFindings>>[number]

function toFlowHealth({ health, dismissed_findings, findings }: JudgedFlow): FlowHealth {
  const { open, dismissed } = splitDismissed(findings, dismissed_findings)
  return {
    ...health,
    findings: limitFindings(open).map(toFlowFinding),
    dismissed_findings: dismissed.map(toFlowFinding),
  }
}

/** Read the numbers of flows and all their findings. */
async function readFindings(db: ReadContext['db'], ids: readonly string[]) {
  const [contents, uses] = await db.batch([queries.selectContents.query(ids), queries.selectUse.query(ids)])
  const runnable_ids = await findRunnableIds(db, contents)
  return Promise.all(
    contents.map(async ({ id, name, version, links_checked_at, dismissed_findings, ...content }) => {
      const use = uses.find(({ tree_id }) => tree_id === id)
      const { sessions = 0, ended = 0, resolved = 0, answers = [], open_steps = [] } = use ?? {}
      const metrics = { sessions, ended, resolved }
      const state = { ...content, ...metrics, answers, open_steps, runnable_ids }
      const findings = await identifyFindings(findFlowFindings(state))
      const health = { tree_id: id, name, version, ...metrics, links_checked_at }
      return { health, dismissed_findings, findings }
    }),
  )
}

function toFlowFinding({
  path: _,
  subject: __,
  ...finding
}: IdentifiedFinding): FlowHealth['findings'][number] {
  return finding
}

/** Return the sub-flows of these flows that the caller can run. */
async function findRunnableIds(
  db: ReadContext['db'],
  contents: readonly queries.FlowContent[],
): Promise<Set<string>> {
  const ids = contents.flatMap(({ tree_structure }) =>
    listSubflows(tree_structure).map(({ subflow }) => subflow.tree_id),
  )
  if (ids.length === 0) return new Set()
  const flows = await selectVisibleFlows.all(db, [...new Set(ids)])
  return new Set(flows.filter(({ status }) => status === 'published').map(({ id }) => id))
}
