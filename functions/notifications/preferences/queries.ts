import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { accountId, jsonb } from '#db/expressions.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { eventKeyList } from '#rules/events/keys.ts'
import { phoneChannels } from '#vendors/phone/phone.ts'
import { personalChannels } from '#work/claimed-deliveries.ts'
import { AlertSteps, Digest, defaultSteps, defaultTimes } from './schemas.ts'

const PreferenceRow = z.object({
  email_events: z.array(z.enum(eventKeyList)),
  /** 0 is Sunday. */
  quiet_days: z.array(z.int()),
  quiet_from: z.string(),
  quiet_to: z.string(),
  digest: Digest,
  digest_time: z.string(),
  alert_steps: AlertSteps,
  timezone: z.string(),
  held_emails: z.int(),
  held_until: z.string().nullable(),
})
export type PreferenceRow = z.output<typeof PreferenceRow>

const timeOr = (column: keyof typeof defaultTimes) =>
  sql`coalesce(to_char(p.${sql.ref(column)}, 'HH24:MI'), ${defaultTimes[column]})`

/** Select the preferences of the caller, and the e-mails that are held for them. */
export const selectPreferences = readStatement(
  PreferenceRow,
  (userId: string) => sql`
    select coalesce(p.email_events, '{}') as email_events, coalesce(p.quiet_days, '{}') as quiet_days,
           ${timeOr('quiet_from')} as quiet_from, ${timeOr('quiet_to')} as quiet_to,
           coalesce(p.digest, 'off') as digest, ${timeOr('digest_time')} as digest_time,
           coalesce(p.alert_steps, ${jsonb(defaultSteps)}) as alert_steps, u.timezone, held.emails as held_emails, held.until as held_until
      from users u
      left join mail_preferences p on p.account_id = u.account_id and p.user_id = u.id,
      lateral (select count(*)::integer as emails, min(d.held_until) as until from deliveries d
                where d.account_id = u.account_id and d.user_id = u.id and d.state = 'held') held
     where u.account_id = app.account_id() and u.id = ${userId}`,
)

/** The columns that a user sets. */
export type StoredPreferences = Pick<
  PreferenceRow,
  'email_events' | 'quiet_days' | 'quiet_from' | 'quiet_to' | 'digest' | 'digest_time' | 'alert_steps'
>

/** Store the preferences of a user. */
export const savePreferences = writeStatement(
  null,
  (
    userId: string,
    { email_events, quiet_days, quiet_from, quiet_to, digest, digest_time, alert_steps }: StoredPreferences,
  ) => sql`
    insert into mail_preferences (user_id, email_events, quiet_days, quiet_from, quiet_to, digest, digest_time, alert_steps)
    values (${userId}, ${`{${email_events.join(',')}}`}::text[], ${`{${quiet_days.join(',')}}`}::integer[], ${quiet_from}::time, ${quiet_to}::time,
            ${digest}, ${digest_time}::time, ${jsonb(alert_steps)})
    on conflict (account_id, user_id) do update
       set email_events = excluded.email_events, quiet_days = excluded.quiet_days, quiet_from = excluded.quiet_from,
           quiet_to = excluded.quiet_to, digest = excluded.digest, digest_time = excluded.digest_time, alert_steps = excluded.alert_steps, updated_at = app.now()`,
)

const TestDelivery = z.object({
  id: z.string(),
  channel: z.enum(personalChannels),
  state: z.string(),
  last_error: z.string().nullable(),
})
export type TestDelivery = z.output<typeof TestDelivery>

/**
 * Insert an e-mail to a user, a test message per browser, and one by each channel of the phone that can reach
 * them, unless this work has. Each gets a single attempt.
 */
export const insertTests = writeStatement(
  TestDelivery,
  (userId: string, workId: string) => sql`
    insert into deliveries (id, channel, subscription_id, recipient, user_id, max_attempts)
    select md5(${workId}::text || m.channel || coalesce(m.browser_id::text, ''))::uuid, m.channel, m.browser_id,
           case m.channel when 'email' then u.email end, u.id, 1
      from users u cross join lateral (
        select 'email' as channel, null::uuid as browser_id
        union all select 'web_push', id from app.list_browsers(u.account_id, u.id)
        union all select p.channel, null from (values ${sql.join(phoneChannels.map((channel) => sql`(${sql.lit(channel)})`))}) p (channel)
                   where app.has_phone(u.account_id, u.id)) m
     where u.account_id = app.account_id() and u.id = ${userId}
    on conflict (id) do update set max_attempts = 1
    returning id, channel, state, last_error`,
)

/** Hold the e-mails of a user until the time that the stored preferences say. */
export const moveHeldMails = writeStatement(
  null,
  (userId: string) =>
    sql`select from ${callFunction('app.move_held_mails', { p_account: accountId, p_user: userId })}`,
)
