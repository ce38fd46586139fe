import { inAccount } from '#db/enter-account.ts'
import { retryWhileUnavailable } from '#db/retry.ts'
import * as mails from '#functions/notifications/mails/service.ts'
import * as messages from '#functions/notifications/messages/service.ts'
import * as phoneMessages from '#functions/notifications/phone-messages/service.ts'
import * as pushSubscriptions from '#functions/notifications/push-subscriptions/service.ts'
import type { JobContext } from '#http/job.ts'
import { type ChatChannel, toolByChannel } from '#vendors/chat/chat.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { recordAttempt, secondsUntilRetry } from '#work/attempts.ts'
import type { Work } from '#work/define-work.ts'
import { enqueueDelivery, postponeDelivery } from '#work/deliveries.ts'
import { enqueueEvent } from '#work/events.ts'
import * as queries from './queries.ts'

export type DeliveryContext = mails.MailContext &
  Pick<JobContext, 'chat' | 'guard' | 'phone' | 'webPush' | 'vault'>

/** A row is a message to one receiver, or an e-mail, which `mails` claims with others. */
export const work: Work<DeliveryContext> = {
  kind: 'delivery',
  parallel: 6,
  attempt: async (ctx, id, attempt) => void (await attemptDelivery(ctx, id, attempt)),
  claimDue: ({ platform }, limit) => queries.claimDueDeliveries.all(platform, limit),
  failAbandoned: async ({ platform }) => void (await queries.failAbandonedDeliveries.run(platform)),
}

/** Make the first attempt in this request instead of through the queue, and return its result. */
export async function deliverNow(ctx: DeliveryContext, deliveryId: string): Promise<SendResult> {
  return (
    (await attemptDelivery(ctx, deliveryId, 1)) ?? {
      ok: false,
      status: null,
      error: 'Another worker is making this attempt',
    }
  )
}

/** Claim an attempt and make it. Return its result, or undefined when there is nothing to do. */
async function attemptDelivery(
  ctx: DeliveryContext,
  id: string,
  attempt: number,
): Promise<SendResult | undefined> {
  const claimed = await queries.claimAttempt.first(ctx.platform, id, attempt)
  return claimed ? sendClaimed(ctx, claimed) : mails.send(ctx, id, attempt)
}

/**
 * Send a claimed message, record the result and enqueue the next attempt if there is one. Return the result.
 */
async function sendClaimed(ctx: DeliveryContext, claimed: queries.ClaimedMessage): Promise<SendResult> {
  const result = messages.findNeedless(claimed) ?? (await sendByChannel(ctx, claimed))
  // After a day, a receiver that is always busy counts as a failure. A test message has its result at once.
  if (!result.ok && result.isPostponed && !claimed.is_old && claimed.event_key !== null)
    return postpone(ctx, claimed, result)
  const retrySeconds = secondsUntilRetry(claimed, result)
  recordAttempt(claimed.channel, result, retrySeconds)
  // If recording fails, the message is sent again once the lease has expired.
  const isRecorded =
    (await retryWhileUnavailable(() =>
      queries.completeAttempt.run(ctx.platform, claimed, result, retrySeconds),
    )) > 0
  if (isRecorded && retrySeconds !== null)
    enqueueDelivery(ctx.platform, claimed.id, claimed.attempts + 1, retrySeconds)
  if (isRecorded && !result.ok && retrySeconds === null && claimed.user_id !== null)
    for (const { id } of await queries.hastenNextStep.all(ctx.platform, claimed))
      enqueueDelivery(ctx.platform, id)
  return result
}

async function postpone(
  { platform }: DeliveryContext,
  claimed: queries.ClaimedMessage,
  result: SendResult & { ok: false },
): Promise<SendResult> {
  const seconds = result.retryAfterSeconds ?? 0
  recordAttempt(claimed.channel, result, seconds)
  const isRecorded =
    (await retryWhileUnavailable(() => queries.postponeAttempt.run(platform, claimed, result, seconds))) > 0
  if (isRecorded) postponeDelivery(platform, claimed.id, claimed.attempts, seconds)
  return result
}

/**
 * Mark the config of a webhook that no longer exists, and tell the admins once. Remove the mark after a
 * message that was accepted. This comes before the result of the attempt, so that a crash between them
 * repeats both.
 */
async function recordConnection(
  { platform }: DeliveryContext,
  claimed: queries.ClaimedMessage,
  result: SendResult,
): Promise<void> {
  if (result.ok) return void (claimed.is_disconnected && (await queries.markConnected.run(platform, claimed)))
  if (!result.isRemoved || claimed.is_disconnected) return
  await inAccount(platform, { accountId: claimed.account_id, userId: null }, async (db) => {
    const config = await queries.markDisconnected.first(db, claimed)
    if (!config) return
    const { hostname: host } = new URL(claimed.webhook_url ?? '')
    const { id: configId, author_id: authorId } = config
    await enqueueEvent(db, {
      key: 'channel.disconnected',
      actorId: null,
      teamId: null,
      configId,
      host,
      authorId,
    })
  })
}

async function sendByChannel(ctx: DeliveryContext, claimed: queries.ClaimedMessage): Promise<SendResult> {
  switch (claimed.channel) {
    case 'chat1_webhook':
    case 'chat2_webhook': {
      const result = await sendToChat(ctx, { ...claimed, channel: claimed.channel })
      await recordConnection(ctx, claimed, result)
      return result
    }
    case 'sms':
    case 'voice':
      return phoneMessages.send(ctx, { ...claimed, channel: claimed.channel })
    case 'web_push':
      return pushSubscriptions.send(ctx, claimed)
  }
}

async function sendToChat(
  ctx: DeliveryContext,
  delivery: queries.ClaimedMessage & { channel: ChatChannel },
): Promise<SendResult> {
  const webhookUrl = delivery.webhook_url ?? ''
  const refusal = await ctx.guard.findRefusal(webhookUrl, 'sending')
  if (refusal) return { ok: false, status: null, error: `The webhook address ${refusal}` }
  return ctx.chat.send(
    toolByChannel[delivery.channel],
    webhookUrl,
    await messages.writeMessage(ctx, delivery),
  )
}
