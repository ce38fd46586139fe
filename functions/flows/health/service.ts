import { type PageQuery, toPage } from '#db/page.ts'
import { selectVisibleFlows } from '#db/rows/subflows.ts'
import type { ReadContext } from '#http/operation.ts'
import { throwNotFound } from '#problem.ts'
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

export async function get({ db }: ReadContext, treeId: string): Promise<FlowHealth> {
  const [health] = await readHealth(db, [treeId])
  return health ?? throwNotFound('Flow')
}

async function readHealth(db: ReadContext['db'], ids: readonly string[]): Promise<FlowHealth[]> {
  const [contents, uses] = await db.batch([queries.selectContents.query(ids), queries.selectUse.query(ids)])
  const runnable_ids = await findRunnableIds(db, contents)
  return contents.map(({ id, name, version, links_checked_at, ...content }) => {
    const use = uses.find(({ tree_id }) => tree_id === id)
    const { sessions = 0, ended = 0, resolved = 0, answers = [], open_steps = [] } = use ?? {}
    const metrics = { sessions, ended, resolved }
    const findings = findFlowFindings({
      ...content,
      ...metrics,
      answers,
      open_steps,
      runnable_ids,
    })
    return { tree_id: id, name, version, ...metrics, links_checked_at, findings }
  })
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
