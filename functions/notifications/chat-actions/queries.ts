import { sql } from 'kysely'
import * as z from 'zod'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import type { Press } from '#vendors/chat/press.ts'
import { ClaimedDelivery, selectClaimed } from '#work/claimed-deliveries.ts'

const SignedConfig = z.object({
  id: z.string(),
  account_id: z.string(),
  webhook_url: notNull<string>(),
  /** Encrypted. */
  signing_secret: notNull<string>(),
  is_masked: z.boolean(),
})
export type SignedConfig = z.output<typeof SignedConfig>

/** Select a config whose presses can be verified. */
export const selectConfig = readStatement(
  SignedConfig,
  (id: string) => sql`
    select c.id, c.account_id, c.webhook_url, c.signing_secret, coalesce(a.preferences -> 'mask_exports' = 'true', false) as is_masked
      from notification_configs c join accounts a on a.id = c.account_id and a.erasing_at is null
     where c.id = ${id} and c.channel = 'chat1_webhook' and c.signing_secret is not null`,
)

/**
 * Select who has linked the user of a press, by the newest link, and extend it. A link that nobody uses for a
 * year ends.
 */
export const useLink = writeStatement(
  z.object({ user_id: z.string(), sign_in_id: z.string() }),
  ({ id, account_id }: SignedConfig, { team, chatUser }: Press) => sql`
    update sign_ins s set last_used_at = app.now(), expires_at = app.now() + interval '1 year'
      from users u
     where s.id = (select l.sign_in_id from chat_links l
                    where l.account_id = ${account_id} and l.config_id = ${id} and l.team = ${team} and l.chat_user = ${chatUser}
                    order by l.created_at desc, l.sign_in_id desc limit 1)
       and s.ended_at is null and s.expires_at > app.now() and u.account_id = s.account_id and u.id = s.user_id and u.is_active
    returning s.user_id, s.id as sign_in_id`,
)

/** Select a sent message of the account, with what its text is made from. */
export const selectMessage = readStatement(
  ClaimedDelivery,
  ({ account_id }: SignedConfig, deliveryId: string) =>
    selectClaimed(sql`
      (select * from deliveries where account_id = ${account_id} and id = ${deliveryId} and channel = 'chat1_webhook')`),
)
