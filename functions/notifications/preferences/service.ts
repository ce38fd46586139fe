import { limitConcurrency } from '#async/limit-concurrency.ts'
import type { ReadDb } from '#db/scope.ts'
import * as deliveries from '#functions/notifications/deliveries/service.ts'
import type { Context, ReadContext, WriteContext } from '#http/operation.ts'
import { weekdays } from '#rules/oncall/schema.ts'
import { personalChannels } from '#work/claimed-deliveries.ts'
import * as queries from './queries.ts'
import {
  type ChannelTest,
  defaultTimes,
  type MailPreferences,
  type MailPreferencesUpdate,
} from './schemas.ts'

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

/**
 * Send a test message by each channel of the caller. A channel with several browsers needs one that accepts
 * it.
 */
export async function test(ctx: Context<'post', 'user', string>): Promise<ChannelTest[]> {
  const slots = limitConcurrency({ running: 3 })
  const tests = await queries.insertTests.all(ctx.db, ctx.caller.userId, ctx.workId)
  const results = await Promise.all(
    tests.map((delivery) => slots(async () => ({ ...delivery, error: await sendTest(ctx, delivery) }))),
  )
  return personalChannels.map((channel) => {
    const own = results.filter((result) => result.channel === channel)
    const failed = own.every(({ error }) => error !== null)
    return {
      channel,
      ok: !failed,
      error: failed ? (own[0]?.error ?? unreachable[channel]) : null,
    }
  })
}

const noPhone = 'You have no verified number, or the account has no gateway to phones'
/** Why a channel has no test. */
const unreachable: Record<ChannelTest['channel'], string> = {
  web_push: 'No browser shows your notifications',
  sms: noPhone,
  voice: noPhone,
  email: 'You have no address',
}

/** Make the attempt of a test, or read the result of an earlier one. Return the error of one that failed. */
async function sendTest(
  ctx: deliveries.DeliveryContext,
  { id, state, last_error }: queries.TestDelivery,
): Promise<string | null> {
  if (state === 'delivered') return null
  if (state === 'failed') return last_error
  const result = await deliveries.deliverNow(ctx, id)
  return result.ok ? null : result.error
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
