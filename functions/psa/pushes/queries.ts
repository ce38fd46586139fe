import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { accountId } from '#db/expressions.ts'
import { newestFirst, type PageQuery, pageEnd } from '#db/page.ts'
import { wholeClientMail } from '#db/rows/client-mail.ts'
import type { ReadDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { EmailProblem } from '#http/email-problem.ts'
import { Push, type PushQuery } from './schemas.ts'

const visibility = sql`case when p.details @> '{"is_resolution": true}' then 'resolution' when p.internal then 'internal' else 'client' end`
const pushColumns = sql`
  p.id, p.kind, p.ticket_id, ${visibility} as visibility, p.internal, p.source_kind, p.source_id, p.requested_by,
  (select u.full_name from users u where u.account_id = p.account_id and u.id = p.requested_by) as requested_by_name, p.state, p.attempts, p.last_error, p.next_attempt_at, p.pushed_at,
  p.ticket_status_id, p.provider_note_id, p.created_at, ${wholeClientMail} as client_mail`

export const selectPushes = readStatement(Push, ({ state, source_id, ...page }: PushQuery & PageQuery) => {
  const where: RawBuilder<unknown>[] = [sql`p.account_id = app.account_id()`]
  if (state) where.push(sql`p.state = ${state}`)
  if (source_id) where.push(sql`p.source_id = ${source_id}`)
  return sql`
    select ${pushColumns} from psa_pushes p where ${sql.join(where, sql` and `)}
     ${pageEnd(newestFirst, page, 'p')}`
})

export const selectPush = readStatement(
  Push,
  (id: string) =>
    sql`select ${pushColumns} from psa_pushes p where p.account_id = app.account_id() and p.id = ${id}`,
)

/** Select why an address gets no e-mails of this service; null for none. */
export const selectEmailProblem = readStatement(
  z.object({ email_problem: EmailProblem.nullable() }),
  (address: string) => sql`select app.mail_problem(${address}) as email_problem`,
)

/** Select the push that a session makes once of a kind, unless it has failed. */
export function selectOncePush(db: ReadDb, sessionId: string, kind: 'ticket' | 'time_entry') {
  return db
    .selectFrom('psa_pushes')
    .select(['id', 'ticket_id'])
    .where('account_id', '=', accountId)
    .where('source_id', '=', sessionId)
    .where('kind', '=', sql.lit(kind))
    .where('state', '!=', sql.lit('failed'))
    .executeTakeFirst()
}

/**
 * Give a time entry another ticket, and make it due. Its text is `text` if the stored one was deleted. An
 * attempt that is under way does not count any more: the next one begins after its lease, and finds what it
 * has added. Return no row when it has failed, has this ticket, or waits with five others.
 */
export const moveTimeEntry = writeStatement(
  z.object({ id: z.string(), attempts: z.int(), delay_seconds: z.int() }),
  ({ id, ticketId, text }: { id: string; ticketId: string; text: string }) => sql`
    update psa_pushes p
       set ticket_id = ${ticketId}, requested_by = app.user_id(), state = 'retrying', pushed_at = null, provider_note_id = null, last_error = null,
           body = case when p.body = '[deleted]' then ${text} else p.body end,
           details = p.details || jsonb_build_object('moved_from', coalesce(p.details -> 'moved_from', '[]') || to_jsonb(p.ticket_id)),
           attempts = p.attempts + busy.attempts, max_attempts = p.attempts + busy.attempts + 4, swept_at = null,
           next_attempt_at = app.now() + make_interval(secs => busy.seconds)
      from (select id, (leased_until > app.now()) is true as is_leased,
                   greatest(0, ceil(extract(epoch from leased_until - app.now())))::integer as seconds
              from psa_pushes where account_id = app.account_id() and id = ${id} for update) b
     cross join lateral (select b.is_leased::integer as attempts, coalesce(b.seconds, 0) as seconds) busy
     where p.account_id = app.account_id() and p.id = b.id and p.kind = 'time_entry' and p.state <> 'failed' and p.ticket_id <> ${ticketId}
       and jsonb_array_length(coalesce(p.details -> 'moved_from', '[]')) < 5
    returning p.id, p.attempts, busy.seconds as delay_seconds`,
)

/**
 * Make a failed push due for one more attempt. Return false when it has not failed, or a later push of its
 * session replaces it.
 */
export const reopenPush = writeStatement(
  z.object({ id: z.string() }),
  (id: string) => sql`
    update psa_pushes p set state = 'retrying', max_attempts = attempts + 1, next_attempt_at = app.now(), leased_until = null
     where p.account_id = app.account_id() and p.id = ${id} and p.state = 'failed'
       and (p.kind = 'note' or not exists (
         select from psa_pushes o
          where o.account_id = p.account_id and o.source_id = p.source_id and o.kind = p.kind and o.kind <> 'note' and o.state <> 'failed'))
    returning id`,
)
