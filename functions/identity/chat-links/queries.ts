import { sql } from 'kysely'
import * as z from 'zod'
import { writeStatement } from '#db/statement.ts'
import type { ChatLinkRequest } from '#vendors/auth/chat-link-tokens.ts'

export interface NewLink extends ChatLinkRequest {
  userId: string
  /** The sign-in that confirms it. A link has verified a second factor when it has. */
  signInId: string
  ip: string
}

/**
 * Insert a sign-in for a user of a chat tool, its audit entry and the e-mail, and end those that they had. Return no row when the request made
 * a link before, or its config takes no presses any more.
 */
export const insertLink = writeStatement(
  z.object({ id: z.string(), created_at: z.string(), delivery_id: z.string().nullable() }),
  ({ requestId, accountId, configId, team, chatUser, name, userId, signInId, ip }: NewLink) => sql`
    with c as (
      select c.account_id, c.id from notification_configs c
       where c.account_id = ${accountId} and c.id = ${configId} and c.signing_secret is not null
         and not exists (select from chat_links l where l.account_id = c.account_id and l.request_id = ${requestId})
         for share
    ), ended as (
      update sign_ins s set ended_at = app.now() from c, chat_links l
       where l.account_id = c.account_id and l.config_id = c.id and l.team = ${team} and l.chat_user = ${chatUser}
         and s.account_id = l.account_id and s.id = l.sign_in_id and s.ended_at is null
    ), s as (
      insert into sign_ins (account_id, user_id, user_agent, ip, expires_at, method, second_factor_at)
      select c.account_id, ${userId}::uuid, ${`${name} (Slack)`}, ${ip}, app.now() + interval '1 year', 'delegated', a.second_factor_at
        from c join sign_ins a on a.account_id = c.account_id and a.id = ${signInId} and a.user_id = ${userId} and a.ended_at is null
      returning account_id, id
    )
    insert into chat_links (account_id, sign_in_id, config_id, team, chat_user, request_id)
    select s.account_id, s.id, ${configId}::uuid, ${team}, ${chatUser}, ${requestId}::uuid from s
    returning sign_in_id as id, created_at, app.record_factor_change(${userId}, ${userId}, 'chat_user.linked', ${ip}, 'chat_user_linked') as delivery_id`,
)
