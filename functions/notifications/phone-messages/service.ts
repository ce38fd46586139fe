import { inAccount } from '#db/enter-account.ts'
import type { PlatformDb } from '#db/scope.ts'
import type { JobContext } from '#http/job.ts'
import { type Released, releaseParts } from '#rules/audience.ts'
import { writePushTitle } from '#rules/events/push-titles.ts'
import { release } from '#rules/release.ts'
import { clip } from '#rules/text/clip.ts'
import { removeLinks } from '#rules/text/plain-name.ts'
import { writeSms } from '#rules/text/sms.ts'
import { createPhoneCode, hashPhoneCode } from '#vendors/auth/phone-codes.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import type { PhoneChannel } from '#vendors/phone/phone.ts'
import { openPhoneSecret } from '#vendors/phone/sealed-secret.ts'
import type { ClaimedDelivery } from '#work/claimed-deliveries.ts'
import { enqueueEvent } from '#work/events.ts'
import * as queries from './queries.ts'

export type PhoneContext = Pick<JobContext, 'platform' | 'config' | 'vault' | 'phone'>
type ClaimedMessage = ClaimedDelivery & { channel: PhoneChannel }

/** Send a claimed message to the phone of its person, or call it. */
export async function send(ctx: PhoneContext, claimed: ClaimedMessage): Promise<SendResult> {
  const route = await queries.selectRoute.first(ctx.platform, claimed)
  if (!route) return refuse('No gateway to phones is set up')
  const isCode = claimed.purpose === 'verify_phone'
  const number = isCode ? route.pending_number : route.number
  if (number === null)
    return refuse(isCode ? 'The number no longer waits for a code' : 'The recipient has no verified number')
  if (!route.allowed_prefixes.some((prefix) => number.startsWith(prefix)))
    return refuse('The account does not allow numbers with this prefix')
  const { is_allowed } = await inScope(ctx, claimed, (db) => queries.countMessage.one(db))
  if (!is_allowed) return refuseBeyondLimit(ctx, claimed, route)
  const text = isCode ? await writeCode(ctx, claimed, number) : writeMessage(ctx, claimed)
  if (text === null) return refuse('The number no longer waits for a code')
  const { base_url: baseUrl, provider, sender } = route
  const secret = await openPhoneSecret(ctx.vault, claimed.account_id, provider, route.secret)
  const { isGatewayFault, ...result } = await ctx
    .phone({
      provider,
      baseUrl,
      secret,
      sender,
      accountSid: route.account_sid,
      apiKeySid: route.api_key_sid,
    })
    .send({ id: claimed.id, kind: claimed.channel, to: number, text })
  if (result.ok || isGatewayFault)
    await queries.recordGateway.run(ctx.platform, claimed, route, result.ok ? null : result.error)
  // Whoever waits for a code asks for another one, and a repeated message would end the code of the first.
  return isCode && !result.ok ? { ...result, gone: true, isPostponed: undefined } : result
}

const inScope = <T>(
  { platform }: PhoneContext,
  { account_id: accountId }: ClaimedMessage,
  work: (db: PlatformDb) => Promise<T>,
) => inAccount(platform, { accountId, userId: null }, work)
const refuse = (error: string) => ({ ok: false as const, status: null, error, gone: true })

/** Tell the admins once a day that the limit is reached. */
async function refuseBeyondLimit(
  ctx: PhoneContext,
  claimed: ClaimedMessage,
  { daily_limit: dailyLimit }: queries.Route,
): Promise<SendResult> {
  await inScope(ctx, claimed, async (db) => {
    const marked = await queries.markAnnounced.first(db)
    if (!marked) return
    const origin = { actorId: null, teamId: null }
    await enqueueEvent(db, { key: 'phone.limited', ...origin, gatewayId: marked.id, dailyLimit })
  })
  return refuse(`The account has reached its limit of ${dailyLimit} text messages and calls per day`)
}

/** Write a message with a new code. Return null when the number no longer waits for one. */
async function writeCode(
  { platform }: PhoneContext,
  claimed: ClaimedMessage,
  number: string,
): Promise<Released<string> | null> {
  const code = createPhoneCode()
  const hash = await hashPhoneCode(claimed.user_id ?? '', code)
  if (!(await queries.storeCode(platform, claimed, number, hash))) return null
  return releaseParts(writeSms(`${code} is your Support Flow code. It is good for 10 minutes.`))
}

/** The most of an account's text that is said. */
const maxSaid = 300

/**
 * Write what a text message reads or a call says: the kind of the message, or its title if the account allows
 * texts in notifications. A call says no address.
 */
export function writeMessage(
  { config }: Pick<PhoneContext, 'config'>,
  { channel, event_key, title, link, escalation, shows_details, is_masked }: ClaimedMessage,
): Released<string> {
  const subject =
    shows_details && title !== null
      ? removeLinks(release(title, is_masked))
      : writePushTitle(event_key, escalation)
  switch (channel) {
    case 'sms':
      return releaseParts(
        writeSms(`Support Flow: ${subject}`, link === null ? null : config.FRONTEND_URL + link),
      )
    case 'voice':
      return releaseParts(
        `This is Support Flow. ${clip(subject, maxSaid)}. Open the app to see more.`.replace('..', '.'),
      )
  }
}
