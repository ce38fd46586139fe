import { type Selectable, sql } from 'kysely'
import * as z from 'zod'
import { bytea, jsonb } from '#db/expressions.ts'
import { newestFirst, type PageQuery, pageEnd } from '#db/page.ts'
import type { DB } from '#db/schema.ts'
import type { PlatformDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { Alert, type AlertQuery } from './schemas.ts'

export const selectAlerts = readStatement(Alert, ({ source_id, status, ...page }: AlertQuery & PageQuery) => {
  const filters = [
    sql`a.account_id = app.account_id()`,
    ...(source_id ? [sql`a.source_id = ${source_id}`] : []),
    ...(status ? [sql`a.status = ${status}`] : []),
  ]
  return sql`
    select a.id, a.source_id, a.fingerprint, a.title, a.body, a.severity, a.client_name, a.asset_name, a.status, a.fired_count,
           coalesce(a.verdict, case a.state when 'failed' then 'failed' else 'waiting' end) as verdict,
           coalesce(a.reason, a.last_error) as reason, a.ai_session_id, a.session_id, a.last_seen_at, a.resolved_at, a.created_at
      from alerts a
     where ${sql.join(filters, sql` and `)} ${pageEnd(newestFirst, page, 'a')}`
})

export type SourceAddress = Pick<
  Selectable<DB['alert_sources']>,
  'id' | 'account_id' | 'format' | 'mapping' | 'severities'
>

/** Select the source of an address. Return undefined for an unknown address or a source that is off. */
export function selectAddress(db: PlatformDb, tokenHash: string): Promise<SourceAddress | undefined> {
  return db
    .selectFrom('alert_sources')
    .select(['id', 'account_id', 'format', 'mapping', 'severities'])
    .where('token_hash', '=', bytea(tokenHash))
    .where('is_enabled', '=', sql.lit(true))
    .executeTakeFirst()
}

type SourceKey = Pick<SourceAddress, 'id' | 'account_id'>

/** Count a call of a source. Return no row when it has had `max` within a minute. */
export const countCall = writeStatement(
  z.object({ id: z.string() }),
  ({ id, account_id }: SourceKey, max: number) => {
    const isSameMinute = sql`s.counted_since > app.now() - interval '1 minute'`
    return sql`
    update alert_sources s
       set calls = case when ${isSameMinute} then s.calls + 1 else 1 end, last_received_at = app.now(),
           counted_since = case when ${isSameMinute} then s.counted_since else app.now() end
     where s.account_id = ${account_id} and s.id = ${id} and (s.calls < ${max} or not ${isSameMinute}) returning s.id`
  },
)

/** Record what is wrong with a call, or null, and make other calls of the source wait. */
export async function recordError(
  db: PlatformDb,
  { id, account_id }: SourceKey,
  error: string | null,
): Promise<void> {
  await db
    .updateTable('alert_sources')
    .set({ last_error: error })
    .where('account_id', '=', account_id)
    .where('id', '=', id)
    .execute()
}

export interface NewAlert {
  fingerprint: string
  title: string
  body: string
  severity: string | null
  client_name: string | null
  asset_name: string | null
  digest: string
  verdict: 'ignored' | null
  reason: string | null
}

/** Condition: the case of an alert waits or is worked on. */
const hasOpenCase = sql`(
  exists (select from ai_sessions c where c.account_id = a.account_id and c.id = a.ai_session_id and app.is_open_ai_session(c.status))
  or exists (select from sessions c where c.account_id = a.account_id and c.id = a.session_id and c.state in ('prepared', 'in_progress')))`

/** End the alerts whose case was closed, so that the next report opens a new one. */
export const endClosedAlerts = writeStatement(
  null,
  ({ id, account_id }: SourceKey, fingerprints: readonly string[]) => sql`
    update alerts a set is_current = false
     where a.account_id = ${account_id} and a.source_id = ${id} and a.is_current and a.verdict = 'opened' and not ${hasOpenCase}
       and a.fingerprint in (select jsonb_array_elements_text(${jsonb(fingerprints)}))`,
)

/**
 * Insert alerts that fire, unless the source has had 1,000 new ones within an hour. One that is known counts
 * again unless its report is a repetition; one that opened no case tries again. Return those that wait.
 */
export const recordFiring = writeStatement(
  z.object({ id: z.string(), attempts: z.int(), is_waiting: z.boolean() }),
  ({ id, account_id }: SourceKey, alerts: readonly NewAlert[]) => {
    const triesAgain = sql`(excluded.verdict is null and (
      a.state = 'failed' or a.verdict in ('ignored', 'refused') or a.verdict = 'limited' and a.done_at <= app.now() - interval '1 hour'))`
    const unlessTriesAgain = (column: string, value: unknown) =>
      sql`${sql.ref(column)} = case when ${triesAgain} then ${value} else a.${sql.ref(column)} end`
    return sql`
    insert into alerts as a (account_id, source_id, fingerprint, title, body, severity, client_name, asset_name, digest, verdict, reason,
                             state, done_at, next_attempt_at)
    select ${account_id}, ${id}, r.fingerprint, r.title, r.body, r.severity, r.client_name, r.asset_name, r.digest, r.verdict, r.reason,
           case when r.verdict is null then 'queued' else 'done' end, case when r.verdict is not null then app.now() end,
           case when r.verdict is null then app.now() end
      from jsonb_to_recordset(${jsonb(alerts)})
             r (fingerprint text, title text, body text, severity text, client_name text, asset_name text, digest text, verdict text, reason text)
     where (select count(*) < 1000 from (
             select from alerts o where o.account_id = ${account_id} and o.source_id = ${id} and o.created_at > app.now() - interval '1 hour' limit 1000) o)
        or exists (select from alerts o where o.account_id = ${account_id} and o.source_id = ${id} and o.fingerprint = r.fingerprint and o.is_current)
     order by r.fingerprint
    on conflict (account_id, source_id, fingerprint) where is_current do update
      set fired_count = a.fired_count + (a.digest <> excluded.digest)::integer, digest = excluded.digest, status = 'firing', resolved_at = null,
          title = excluded.title, body = excluded.body, severity = excluded.severity, last_seen_at = app.now(),
          ${unlessTriesAgain('verdict', sql`null`)}, ${unlessTriesAgain('reason', sql`null`)}, ${unlessTriesAgain('last_error', sql`null`)},
          ${unlessTriesAgain('state', sql`'queued'`)}, ${unlessTriesAgain('max_attempts', sql`a.attempts + 4`)}, ${unlessTriesAgain('done_at', sql`null`)},
          ${unlessTriesAgain('next_attempt_at', sql`app.now()`)}
    returning a.id, a.attempts, a.state = 'queued' and a.leased_until is null as is_waiting`
  },
)

/** Record that alerts are over, and note it in their open cases. */
export const recordResolved = writeStatement(
  z.object({ id: z.string() }),
  ({ id, account_id }: SourceKey, alerts: readonly NewAlert[]) => sql`
    with resolved as (
      update alerts a set status = 'resolved', digest = r.digest, resolved_at = app.now(), last_seen_at = app.now()
        from jsonb_to_recordset(${jsonb(alerts)}) r (fingerprint text, digest text)
       where a.account_id = ${account_id} and a.source_id = ${id} and a.is_current and a.fingerprint = r.fingerprint and a.status = 'firing'
      returning a.*
    ), evidence as (
      update ai_sessions c set updated_at = app.now(), evidence_items = c.evidence_items || jsonb_build_object(
               'id', uuidv7(), 'text', 'The monitoring reports that the alert is over: ' || r.title, 'source', 'alert', 'created_at', app.iso(app.now()))
        from resolved r
       where c.account_id = r.account_id and c.id = r.ai_session_id and app.is_open_ai_session(c.status)
         and jsonb_array_length(c.evidence_items) < 500
    ), supporting_data as (
      insert into session_supporting_data (account_id, session_id, kind, title, content, created_by)
      select c.account_id, c.id, 'text', 'Alert is over', r.title, c.user_id
        from resolved r join sessions c on c.account_id = r.account_id and c.id = r.session_id
       where c.state in ('prepared', 'in_progress')
    )
    select id from resolved`,
)
