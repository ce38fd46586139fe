import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { Branding, BrandingUpdate, Team } from './schemas.ts'

const teamColumns = sql`
  t.id, t.account_id, t.name, t.created_at,
  (select count(*)::integer from users u where u.account_id = t.account_id and u.team_id = t.id and u.is_active) as member_count`

export async function selectTeams(db: ReadDb, skip: number, limit: number): Promise<Team[]> {
  const { rows } = await sql<Team>`
    select ${teamColumns} from teams t where t.account_id = app.account_id() order by t.name, t.id offset ${skip} limit ${limit + 1}`.execute(
    db as WriteDb,
  )
  return rows
}

export async function selectTeam(db: ReadDb, id: string): Promise<Team | undefined> {
  const { rows } = await sql<Team>`select ${teamColumns} from teams t where t.id = ${id}`.execute(db as WriteDb)
  return rows[0]
}

export async function insertTeam(db: WriteDb, name: string): Promise<Team> {
  const { rows } = await sql<Team>`
    with t as (insert into teams (name) values (${name}) returning *) select id, account_id, name, created_at, 0 as member_count from t`.execute(
    db,
  )
  return rows[0] as Team
}

export async function updateTeam(db: WriteDb, id: string, name: string): Promise<void> {
  await db.updateTable('teams').set({ name }).where('id', '=', id).execute()
}

/** Delete a team. Return false for an unknown team. Violates a foreign key while the team still owns something. */
export async function deleteTeam(db: WriteDb, id: string): Promise<boolean> {
  const { rows } = await sql<{ deleted: boolean }>`select app.delete_team(${id}) as deleted`.execute(db)
  return rows[0]?.deleted ?? false
}

const brandingColumns = [
  'id as team_id',
  'branding_company_name as company_name',
  'branding_primary_colour as primary_colour',
  'branding_footer_text as footer_text',
  'branding_logo_upload_id as logo_upload_id',
] as const

export async function selectBranding(db: ReadDb, id: string): Promise<Branding | undefined> {
  return db.selectFrom('teams').select(brandingColumns).where('id', '=', id).executeTakeFirst()
}

/** Update the fields that are present. Return undefined for an unknown team, or if the caller is no admin of the team or the account. */
export async function updateBranding(db: WriteDb, id: string, changes: BrandingUpdate): Promise<Branding | undefined> {
  const columns = Object.entries(changes).map(([name, value]) => [`branding_${name}`, value])
  return (
    db
      .updateTable('teams')
      // An UPDATE needs at least one column, so it assigns `name` to itself.
      .set({ name: sql`name`, ...Object.fromEntries(columns) })
      .where('id', '=', id)
      .where(sql<boolean>`app.leads_team(id)`)
      .returning(brandingColumns)
      .executeTakeFirst()
  )
}
