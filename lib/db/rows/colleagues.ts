import { sql } from 'kysely'
import * as z from 'zod'
import { notNull, readStatement } from '#db/statement.ts'

/** The shape of a colleague who is at a resource. */
export const colleague = {
  user: z.custom<{ id: string; name: string }>(),
  mode: notNull<'viewing' | 'editing'>(),
  since: notNull<string>(),
}
export const colleagueColumns = sql`jsonb_build_object('id', u.id, 'name', u.full_name) as user, min(p.mode) as mode, min(p.since) as since`
export const present = sql`presence p join users u on u.account_id = p.account_id and u.id = p.user_id
  where p.account_id = app.account_id() and p.expires_at > app.now()`

/** Select the colleagues at a resource, one row each, those who edit first. */
export const selectColleagues = readStatement(
  z.object(colleague),
  (type: string, id: string) => sql`
    select ${colleagueColumns} from ${present} and p.resource_type = ${type} and p.resource_id = ${id} and p.user_id <> app.user_id()
     group by u.id, u.full_name order by 2, 3, u.id`,
)
