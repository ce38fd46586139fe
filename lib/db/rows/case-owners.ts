import { sql } from 'kysely'
import * as z from 'zod'
import { accountId } from '#db/expressions.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'

// The users for whom rules and alerts open cases while nobody is signed in.

/** Return whether a user of the account may own sessions. */
export async function isTechnician(db: ReadDb, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', userId)
    .where(sql<boolean>`app.can_work(users)`)
    .executeTakeFirst()
  return row !== undefined
}

const Owner = z.object({
  is_lapsed: z.boolean(),
  has_ai_sessions: z.boolean(),
  is_active: z.boolean(),
  role: z.string(),
  can_see_flow: z.boolean(),
  enter_team: z.string().nullable(),
})

/** Select what may keep a user from owning a case, and enter the user's team. */
export const selectOwner = writeStatement(
  Owner,
  (userId: string, treeId: string | null) => sql`
    select app.lapsed(a) as is_lapsed, app.feature_on(a.id, 'ai_sessions') as has_ai_sessions, u.is_active, u.role, app.enter_team(u.team_id),
           exists (
             select from trees t
              where t.id = ${treeId} and t.deleted_at is null and t.account_id in (u.account_id, app.platform_account())
                and (t.visibility in ('account', 'public') or t.author_id = u.id or u.role = 'admin' and t.visibility = 'team'
                     or t.visibility = 'team' and t.team_id = u.team_id)) as can_see_flow
      from users u join accounts a on a.id = u.account_id where u.account_id = app.account_id() and u.id = ${userId}`,
)

/**
 * Enter the team of the user who gets a case, and return why the user may not own it, or null. Without a flow
 * the case is an AI session. `subject` is what names the user.
 */
export async function findOwnerObstacle(
  db: WriteDb,
  { user_id, tree_id }: { user_id: string; tree_id: string | null },
  subject: 'rule' | 'source',
): Promise<string | null> {
  const owner = await selectOwner.first(db, user_id, tree_id)
  if (owner?.is_lapsed) return 'The subscription of the account has lapsed'
  if (!owner?.is_active) return `The user of the ${subject} is deactivated`
  if (owner.role === 'viewer') return `The user of the ${subject} is a viewer and may not run flows`
  if (tree_id === null) return owner.has_ai_sessions ? null : 'AI sessions are switched off for the account'
  return owner.can_see_flow ? null : `The user of the ${subject} cannot see the flow`
}
