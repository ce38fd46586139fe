import { type PageQuery, toPage } from '../../lib/db/page.ts'
import { sqlState } from '../../lib/db/sqlstate.ts'
import type { Reader, Writer } from '../../lib/http/operation.ts'
import { Problem } from '../../lib/http/problem.ts'
import * as accounts from '../accounts/service.ts'
import * as queries from './queries.ts'

export async function list({ db }: Reader, { skip, limit }: PageQuery) {
  return toPage(await queries.selectTeams(db, skip, limit), limit)
}

export async function create({ db }: Writer, name: string) {
  return queries.insertTeam(db, name)
}

export async function rename({ db }: Writer, id: string, name: string | undefined) {
  if (name !== undefined) await queries.updateTeam(db, id, name)
  return (await queries.selectTeam(db, id)) ?? missing()
}

export async function remove({ db }: Writer, id: string) {
  const deleted = await queries.deleteTeam(db, id).catch((error: unknown) => {
    throw sqlState(error) === '23503' ? new Problem('conflict', 'The team still owns content', { code: 'team_not_empty' }) : error
  })
  if (!deleted) missing()
}

export async function putMember(ctx: Writer, team_id: string, userId: string, team_role: 'admin' | 'member') {
  if (!(await queries.selectTeam(ctx.db, team_id))) missing()
  return accounts.updateMember(ctx, userId, { team_id, team_role })
}

function missing(): never {
  throw new Problem('not_found', 'Team not found')
}
