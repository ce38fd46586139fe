import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { jsonb } from '#db/expressions.ts'
import { writeStatement } from '#db/statement.ts'
import { maxMailsPerCall } from '#vendors/mail/mail.ts'
import { ClaimedDelivery, selectClaimed } from '#work/claimed-deliveries.ts'

const isOpen = sql`d.state in ('pending', 'retrying') and (d.leased_until is null or d.leased_until <= app.now())`
// The provider accepted no call with this e-mail, and did not refuse it for its content.
const isFresh = sql`d.batch_key is null and (d.attempts = 0 or d.last_status_code = 429)`
const longestPause = sql`interval '60 seconds'`
const toInterval = (seconds: number) => sql`make_interval(secs => ${seconds})`
// A time that is more than `longest` away was written before the clock was set back, so it is over too.
const isOver = (time: RawBuilder<unknown>, longest: RawBuilder<unknown>) =>
  sql`(${time} <= app.now() or ${time} > app.now() + ${longest} + interval '1 second')`
const mayCall = (paceSeconds: number) =>
  sql`${isOver(sql`p.next_call_at`, toInterval(paceSeconds))} and ${isOver(sql`p.paused_until`, longestPause)}`

// A refused call used up its key: with it the provider would not look at the e-mail again, which may have
// changed.
const nextKey = sql`
  coalesce(d.batch_key, case when d.attempts > 0 and d.last_status_code between 400 and 499 and d.last_status_code <> 429
                             then d.id || '/' || d.attempts else d.id::text end)`

/**
 * Claim an attempt of an e-mail if the mail provider may be called now, together with other e-mails that one
 * call can send. The key of the call becomes the `batch_key` of each. Return no row when the attempt is
 * claimed already, or when it must wait. `paceSeconds` is the time between calls.
 *
 * It is one statement and so one transaction: a crash cannot leave a turn that nobody uses. Its steps:
 * - `requested`: the e-mail whose attempt was requested, if that is still due.
 * - `turn`: the right to call the provider. `mail_pace` has one row, so concurrent workers wait for it, and
 *   only one gets the turn.
 * - `candidates`: the requested e-mail first; then those of an earlier call that may have been accepted, which
 *   a call with the same key must repeat exactly, or else the fresh ones that are due, in turn by account. A test message is sent
 *   alone, because its result is the response of its request.
 * - `locked`: the candidates that no other worker has locked, or claimed since the snapshot.
 * - `chosen`: as many of them as one call can have; a delivery may be several e-mails. None if the requested
 *   one was not locked, or another one of a repeated call: the provider would refuse its key for the rest.
 * - `batch`: the e-mails of the call are stored, so that a repetition has the same. One alone needs no row.
 */
export const claimMails = writeStatement(
  ClaimedDelivery,
  (id: string, attempt: number, paceSeconds: number) => sql`
    with requested as materialized (
      select d.*, ${isFresh} as is_fresh, ${nextKey} as next_key
        from deliveries d where d.id = ${id} and d.channel = 'email' and d.attempts = ${attempt} - 1 and ${isOpen}
    ), turn as (
      update mail_pace p set next_call_at = app.now() + ${toInterval(paceSeconds)}
        from requested where ${mayCall(paceSeconds)} returning p.id
    ), candidates as (
      select id, 0 as place, null::timestamptz as due_at from requested
      union all
      select d.id, 1, null from requested r join mail_batches b on b.key = r.batch_key
        join deliveries d on d.id = any (b.delivery_ids) and d.batch_key = r.batch_key and d.id <> r.id and ${isOpen}
      union all
      (select d.id, row_number() over (partition by d.account_id order by d.next_attempt_at), d.next_attempt_at from deliveries d
        where (select is_fresh from requested) and d.id <> ${id} and d.channel = 'email' and ${isOpen} and ${isFresh}
          and d.next_attempt_at <= app.now() and d.attempts < d.max_attempts and (d.event_id is not null or d.purpose is not null)
        order by 2, d.next_attempt_at limit ${maxMailsPerCall})
    ), locked as materialized (
      select d.id, d.mails, c.place, c.due_at from deliveries d join candidates c on c.id = d.id
       where exists (select from turn) and ${isOpen} and d.batch_key is not distinct from (select batch_key from requested)
         and (d.id <> ${id} or d.attempts = ${attempt} - 1)
         for update of d skip locked
    ), chosen as materialized (
      select id from (select id, sum(mails) over (order by place, due_at, id) as mails from locked) counted
       where (mails <= ${maxMailsPerCall} or id = ${id}) and exists (select from locked where id = ${id})
         and ((select batch_key from requested) is null or (select count(*) from locked) = (select count(*) from candidates))
    ), batch as (
      insert into mail_batches (key, delivery_ids)
      select r.next_key, array(select id from chosen) from requested r
       where r.batch_key is null and (select count(*) from chosen) > 1
      on conflict (key) do update set delivery_ids = excluded.delivery_ids
    ), claimed as (
      update deliveries d set attempts = d.attempts + 1, leased_until = app.now() + interval '60 seconds', batch_key = r.next_key
        from requested r where d.id in (select id from chosen) returning d.*
    ) ${selectClaimed(sql`claimed`)}`,
)

/**
 * Select how long an attempt must wait for its turn, in milliseconds. Return no row when it is claimed
 * already or the delivery is finished.
 */
export const selectWait = writeStatement(
  z.object({ wait_ms: z.number() }),
  (id: string, attempt: number, paceSeconds: number) => sql`
    select case when ${mayCall(paceSeconds)} then 0
                when ${isOver(sql`p.paused_until`, longestPause)} then extract(epoch from p.next_call_at - app.now()) * 1000
                else extract(epoch from p.paused_until - app.now()) * 1000 end::double precision as wait_ms
      from mail_pace p
     where exists (select from deliveries d where d.id = ${id} and d.channel = 'email' and d.attempts = ${attempt} - 1 and ${isOpen})`,
)

/** The result of one attempt. */
export interface MailOutcome {
  id: string
  attempts: number
  state: 'delivered' | 'retrying' | 'failed'
  status: number | null
  /** Why it failed, or which recipients got no e-mail. */
  error: string | null
  /** Seconds until the next attempt; null when there is none. */
  retry_seconds: number | null
  /** Whether the attempt is not counted. */
  is_postponed: boolean
  /**
   * Whether the provider may have accepted the call, so that the next attempt must be in a call with the same
   * key.
   */
  keeps_key: boolean
}

/** Record the results of a call. Return the deliveries of which no later attempt was claimed. */
export const completeMails = writeStatement(
  z.object({ id: z.string() }),
  (outcomes: readonly MailOutcome[]) => sql`
    update deliveries d
       set state = o.state, leased_until = null, last_status_code = o.status, last_error = o.error,
           attempts = d.attempts - case when o.is_postponed then 1 else 0 end,
           next_attempt_at = app.now() + make_interval(secs => o.retry_seconds),
           delivered_at = case when o.state = 'delivered' then app.now() end,
           batch_key = case when o.keeps_key then d.batch_key end
      from jsonb_to_recordset(${jsonb(outcomes)}) as o (id uuid, attempts integer, state text, status integer, error text,
             retry_seconds double precision, is_postponed boolean, keeps_key boolean)
     where d.id = o.id and d.attempts = o.attempts and d.state in ('pending', 'retrying') returning d.id`,
)

/** Pause all calls to the mail provider, for at most a minute. */
export const pauseMails = writeStatement(
  null,
  (seconds: number) => sql`
    update mail_pace set paused_until = app.now() + least(${toInterval(seconds)}, ${longestPause})`,
)
