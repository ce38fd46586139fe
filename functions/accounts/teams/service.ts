import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { sqlState } from '../../../lib/db/sqlstate.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import * as accounts from '../accounts/service.ts'
import * as queries from './queries.ts'
import type { BrandingUpdate } from './schemas.ts'

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

export async function branding({ db }: Reader, id: string) {
  return (await queries.selectBranding(db, id)) ?? missing()
}

export async function updateBranding({ db }: Writer, id: string, change: BrandingUpdate) {
  const changed = await queries.updateBranding(db, id, change).catch((error: unknown) => {
    throw sqlState(error) === '23503' ? invalid([{ loc: ['body', 'logo_upload_id'], msg: 'No such upload', type: 'unknown' }]) : error
  })
  if (changed) return changed
  if (!(await queries.selectBranding(db, id))) missing()
  throw new Problem('forbidden')
}

export async function removeBranding(ctx: Writer, id: string) {
  await updateBranding(ctx, id, { company_name: null, primary_colour: null, footer_text: null, logo_upload_id: null })
}

function missing(): never {
  throw new Problem('not_found', 'Team not found')
}
