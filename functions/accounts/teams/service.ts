import { nameOrder, type PageQuery, toPage } from '#db/page.ts'
import { getSqlState, throwNameTaken, throwUnknownId } from '#db/sqlstate.ts'
import * as accounts from '#functions/accounts/accounts/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { notFound, Problem, throwNotFound } from '#problem.ts'
import * as queries from './queries.ts'
import type { BrandingUpdate, TeamUpdate } from './schemas.ts'

export async function list({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectTeams(db, page), page, nameOrder())
}

export async function create({ db }: WriteContext, name: string) {
  return queries.insertTeam(db, name).catch(throwNameTaken('A team'))
}

export async function update({ db }: WriteContext, id: string, changes: TeamUpdate) {
  if (Object.keys(changes).length > 0)
    await queries.updateTeam(db, id, changes).catch(throwNameTaken('A team'))
  return (await queries.selectTeam(db, id)) ?? throwNotFound('Team')
}

export async function remove({ db }: WriteContext, id: string) {
  const deletion = await queries.deleteTeam.first(db, id).catch((error: unknown) => {
    throw getSqlState(error) === '23503'
      ? new Problem('in_use', 'The team still owns content; move or delete it first')
      : error
  })
  if (!deletion?.is_deleted) throw notFound('Team')
}

export async function assignMember(
  ctx: WriteContext,
  team_id: string,
  userId: string,
  team_role: 'admin' | 'member',
) {
  if (!(await queries.selectTeam(ctx.db, team_id))) throw notFound('Team')
  return accounts.changeMember(ctx, userId, { team_id, team_role })
}

export async function getBranding({ db }: ReadContext, id: string) {
  return (await queries.selectBranding(db, id)) ?? throwNotFound('Team')
}

export async function updateBranding({ db }: WriteContext, id: string, changes: BrandingUpdate) {
  const branding = await queries
    .updateBranding(db, id, changes)
    .catch(throwUnknownId('logo_upload_id', 'upload'))
  if (branding) return branding
  if (!(await queries.selectBranding(db, id))) throw notFound('Team')
  throw new Problem('forbidden')
}

export async function resetBranding(ctx: WriteContext, id: string) {
  await updateBranding(ctx, id, {
    company_name: null,
    primary_colour: null,
    footer_text: null,
    logo_upload_id: null,
  })
}
