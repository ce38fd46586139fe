import { sql } from 'kysely'
import * as z from 'zod'
import { readStatement } from '#db/statement.ts'

/**
 * Select whose link it is, if its alert or reminder is of the last 24 hours. `user_id` is null for a channel.
 */
export const selectLink = readStatement(
  z.object({ account_id: z.string(), follow_up_id: z.string(), user_id: z.string().nullable() }),
  (deliveryId: string) => sql`
    select d.account_id, f.id as follow_up_id, u.id as user_id
      from deliveries d
      join events e on e.account_id = d.account_id and e.id = d.event_id and e.key in ('session.escalated', 'escalation.reminded')
                   and e.created_at > app.now() - interval '24 hours'
      join ai_handoffs h on h.account_id = e.account_id and h.id = (e.escalation ->> 'handoff_id')::uuid
      join escalation_follow_ups f on f.account_id = h.account_id and f.session_id = h.session_id and f.handoff_id = h.id
      join accounts a on a.id = d.account_id and a.erasing_at is null
      left join users u on u.account_id = d.account_id and u.id = d.user_id and app.can_work(u)
     where d.id = ${deliveryId} and (d.config_id is not null or u.id is not null)`,
)
