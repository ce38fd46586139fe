import type { ReadDb } from '#db/scope.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { weekdays } from '#rules/oncall/schema.ts'
import * as queries from './queries.ts'
import { defaultTimes, type MailPreferences, type MailPreferencesUpdate } from './schemas.ts'

export function get({ db, caller }: ReadContext): Promise<MailPreferences> {
  return find(db, caller.userId)
}

/** Replace the caller's preferences. They apply to the e-mails that are held already. */
export async function replace(
  { db, caller }: WriteContext,
  input: MailPreferencesUpdate,
): Promise<MailPreferences> {
  await queries.savePreferences.run(db, caller.userId, toColumns(input))
  await queries.moveHeldMails.run(db, caller.userId)
  return find(db, caller.userId)
}

function toColumns({
  email_events,
  quiet_hours,
  digest,
  digest_time,
  alert_steps,
}: MailPreferencesUpdate): queries.StoredPreferences {
  const { days = [], from = defaultTimes.quiet_from, to = defaultTimes.quiet_to } = quiet_hours ?? {}
  return {
    email_events,
    quiet_days: days.map((day) => weekdays.indexOf(day)),
    quiet_from: from,
    quiet_to: to,
    digest,
    digest_time,
    alert_steps,
  }
}

async function find(db: ReadDb, userId: string): Promise<MailPreferences> {
  const { quiet_days, quiet_from, quiet_to, ...row } = await queries.selectPreferences.one(db, userId)
  const days = weekdays.filter((_, day) => quiet_days.includes(day))
  return {
    ...row,
    quiet_hours: days.length > 0 ? { days, from: quiet_from, to: quiet_to } : null,
  }
}
