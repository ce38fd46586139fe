import { sql } from 'kysely'
import * as z from 'zod'
import { notNull, readStatement } from '#db/statement.ts'

/** Select the time zones of users and, with `isOtherTeam`, of the admins of the account and a team. */
export const selectTimezones = readStatement(
  z.object({ timezone: notNull<string>() }),
  (ids: readonly string[], isOtherTeam: boolean, teamId: string | null) => sql`
    select distinct app.known_timezone(u.timezone) as timezone from users u
     where u.account_id = app.account_id() and u.is_active
       and (u.id = any (${`{${ids.join(',')}}`}::uuid[])
            or ${isOtherTeam} and (u.role = 'admin' or u.team_role = 'admin' and u.team_id = ${teamId}::uuid))
     order by timezone limit 50`,
)
