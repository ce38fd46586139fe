import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { jsonb } from '#db/expressions.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { reasonsToLeaveOut } from '#rules/events/late-messages.ts'

/**
 * Put the held e-mails of up to `limit` users into one digest per user. Return the ids of the digests, which
 * are deliveries.
 */
export const writeDigests = writeStatement(
  z.object({ id: z.string() }),
  (limit: number) =>
    sql`select ${callFunction('app.write_digests', { p_limit: limit, p_late: JSON.stringify(reasonsToLeaveOut) })} as id`,
)

/** An event of a digest, with the number of all its events. */
export const DigestItem = z.object({
  title: z.string(),
  link: z.string().nullable(),
  created_at: z.string(),
  timezone: z.string(),
  total: z.int(),
})
export type DigestItem = z.output<typeof DigestItem>

/** Select the events of a digest that its recipient still needs, the oldest first. */
export const selectDigestItems = readStatement(
  DigestItem,
  (digest: { accountId: string; id: string }, limit: number) => sql`
    select e.title, e.link, e.created_at, u.timezone, (count(*) over ())::integer as total
      from deliveries d
      join events e on e.account_id = d.account_id and e.id = d.event_id
      join users u on u.account_id = d.account_id and u.id = d.user_id
     where d.account_id = ${digest.accountId} and d.digest_id = ${digest.id} and d.state = 'in_digest'
       and app.why_needless(d, ${jsonb(reasonsToLeaveOut)}) is null
     order by e.created_at, e.id limit ${limit}`,
)
