import { sql } from 'kysely'
import * as z from 'zod'
import { readStatement } from '#db/statement.ts'

/** Select whose link it is, if its reminder was sent within 24 hours. `user_id` is null for a channel. */
export const selectLink = readStatement(
  z.object({ account_id: z.string(), follow_up_id: z.string(), user_id: z.string().nullable() }),
  (deliveryId: string) => sql`
    select d.account_id, r.follow_up_id, u.id as user_id
      from deliveries d
      join escalation_reminders r on r.account_id = d.account_id and r.event_id = d.event_id and r.sent_at > app.now() - interval '24 hours'
      join accounts a on a.id = d.account_id and a.erasing_at is null
      left join users u on u.account_id = d.account_id and lower(u.email) = lower(d.recipient) and u.is_active and u.role <> 'viewer'
     where d.id = ${deliveryId} and (d.recipient is null or u.id is not null)`,
)
