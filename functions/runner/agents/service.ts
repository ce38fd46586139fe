import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import * as connection from '#functions/runner/connection/service.ts'
import type { ReadContext } from '#http/operation.ts'
import { spend } from '#rules/budget.ts'
import { fold } from '#rules/text/fold.ts'
import { listLosses } from '#vendors/net/wire.ts'
import * as queries from './queries.ts'
import type { RunnerAgentQuery } from './schemas.ts'

const maxListed = 100

/**
 * List machines at the runner, by name. The list of a client is asked for; a search is made here, because the
 * runner has none.
 */
export async function list(ctx: ReadContext, { client, search }: RunnerAgentQuery) {
  const port = await connection.open(ctx)
  const { value: all, losses } = await listLosses(() =>
    port.listAgents(client).catch((error: unknown) => Promise.reject(connection.toProblem(error))),
  )
  spend(all.length * stepsPerAgent)
  const sought = fold(search ?? '')
  const matchingAgents = all.filter(
    ({ name, site }) => fold(name).includes(sought) || fold(site).includes(sought),
  )
  const agents = matchingAgents
    .toSorted((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id))
    .slice(0, maxListed)
  return { agents, total: matchingAgents.length, warnings: losses }
}

const stepsPerAgent = 200

/** List what ran on a machine or at a client, also after the connection was removed. */
export async function listRuns({ db }: Pick<ReadContext, 'db'>, filter: queries.RunFilter, page: PageQuery) {
  return toPage(await queries.selectRuns.all(db, filter, page), page, newestFirst)
}
