import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { accountId, userId } from '#db/expressions.ts'
import { nameOrder, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { Branding, BrandingUpdate, Team, TeamUpdate } from './schemas.ts'

const memberCount = sql<number>`
  (select count(*)::integer from users u where u.account_id = teams.account_id and u.team_id = teams.id and u.is_active)`

const handoverTime = sql<string | null>`to_char(handover_time, 'HH24:MI')`

function selectTeamRows(db: ReadDb) {
  return db
    .selectFrom('teams')
    .select([
      'id',
      'account_id',
      'name',
      'timezone',
      handoverTime.as('handover_time'),
      'created_at',
      memberCount.as('member_count'),
    ])
}

export function selectTeams(db: ReadDb, page: PageQuery): Promise<Team[]> {
  return selectTeamRows(db).where('account_id', '=', accountId).$call(selectPage(nameOrder(), page)).execute()
}

export function selectTeam(db: ReadDb, id: string): Promise<Team | undefined> {
  return selectTeamRows(db).where('id', '=', id).executeTakeFirst()
}

export async function insertTeam(db: WriteDb, name: string): Promise<Team> {
  const team = await db
    .insertInto('teams')
    .values({ name })
    .returning(['id', 'account_id', 'name', 'timezone', 'created_at'])
    .executeTakeFirstOrThrow()
  return { ...team, handover_time: null, member_count: 0 }
}

/** Update the fields that are present. A new time of the handover applies from its next occurrence on. */
export async function updateTeam(
  db: WriteDb,
  id: string,
  { handover_time: time, ...changes }: TeamUpdate,
): Promise<void> {
  const newTime = time === undefined ? sql<string | null>`handover_time` : sql<string | null>`${time}::time`
  const zone = sql`coalesce(${changes.timezone === undefined ? sql`timezone` : changes.timezone}, (select a.timezone from accounts a where a.id = account_id))`
  const handover = {
    handover_time: newTime,
    handover_at: sql<string | null>`app.next_time_of_day(${newTime}, ${zone})`,
  }
  await db
    .updateTable('teams')
    .set({
      ...changes,
      ...(time === undefined && changes.timezone === undefined ? {} : handover),
      ...(time === undefined ? {} : { handover_set_by: userId }),
    })
    .where('id', '=', id)
    .execute()
}

/** Delete a team. Violates a foreign key while the team still owns something. */
export const deleteTeam = writeStatement(
  z.object({ is_deleted: z.boolean() }),
  (id: string) => sql`select ${callFunction('app.delete_team', { p_id: id })} as is_deleted`,
)

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

/**
 * Update the fields that are present. Return undefined for an unknown team, or if the caller is no admin of
 * the team or the account.
 */
export async function updateBranding(
  db: WriteDb,
  id: string,
  changes: BrandingUpdate,
): Promise<Branding | undefined> {
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
