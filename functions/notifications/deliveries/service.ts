import { randomToken, sha256Bytea } from '../../../lib/auth/hash.ts'
import { deliveryMessage } from '../../../lib/events/outbox.ts'
import type { JobContext } from '../../../lib/http/job.ts'
import { type EmailContent, renderEmail } from '../../../lib/mail/layout.ts'
import type { SendResult } from '../../../lib/net/send-result.ts'
import { republishDue, secondsUntilRetry } from '../../../lib/queue/attempts.ts'
import * as feedback from '../../feedback/service.ts'
import * as visitors from '../../public/service.ts'
import {
  type ClaimedDelivery,
  claimAttempt,
  failAbandonedDeliveries,
  insertInviteCode,
  insertOneTimeToken,
  recordAttempt,
  selectDueDeliveries,
} from './queries.ts'
import type { DeliverJob } from './schemas.ts'

export type DeliveryContext = Pick<JobContext, 'platform' | 'queue' | 'mail' | 'chat' | 'guard' | 'config'>

/** Make one attempt at a delivery. A duplicate message finds the attempt already claimed and does nothing. */
export async function deliver(ctx: DeliveryContext, { delivery_id, attempt }: DeliverJob): Promise<void> {
  const claimed = await claimAttempt(ctx.platform, delivery_id, attempt)
  if (claimed) await sendClaimed(ctx, claimed)
}

/** Make the first attempt in this request instead of through the queue, and return its result. */
export async function deliverNow(ctx: DeliveryContext, deliveryId: string): Promise<SendResult> {
  const claimed = await claimAttempt(ctx.platform, deliveryId, 1)
  return claimed ? sendClaimed(ctx, claimed) : { ok: false, status: null, error: 'Another worker is making this attempt' }
}

/** Send a claimed delivery, record the result and queue the next attempt if there is one. Return the result. */
export async function sendClaimed(ctx: DeliveryContext, claimed: ClaimedDelivery): Promise<SendResult> {
  const result = await sendDelivery(ctx, claimed)
  const retrySeconds = secondsUntilRetry(claimed, result)
  const isRecorded = await recordAttempt(ctx.platform, claimed, result, retrySeconds)
  if (isRecorded && retrySeconds !== null) {
    // The queue may be unreachable: the row stays due, and the sweep republishes it.
    await ctx.queue.publish([deliveryMessage(claimed.id, claimed.attempts + 1, retrySeconds)]).catch(() => {})
  }
  return result
}

async function sendDelivery(ctx: DeliveryContext, delivery: ClaimedDelivery): Promise<SendResult> {
  const { purpose } = delivery
  if (purpose === 'invite') return sendInvite(ctx, delivery)
  if (purpose === 'sales_lead') return sendEmail(ctx, delivery, await visitors.getLeadEmail(ctx.platform, delivery.sales_lead_id ?? ''))
  if (purpose === 'feedback' || purpose === 'feedback_receipt')
    return sendEmail(ctx, delivery, await feedback.getEmail(ctx.platform, delivery.feedback_id ?? '', purpose))
  if (purpose) return sendLink(ctx, delivery)
  return sendNotification(ctx, delivery)
}

/** Send a notification, or the test message of a config, through a chat tool or by e-mail. */
async function sendNotification(ctx: DeliveryContext, delivery: ClaimedDelivery): Promise<SendResult> {
  const message = {
    title: delivery.title ?? 'Test message',
    body: delivery.body ?? 'This channel is set up. Notifications that you switched on will arrive here.',
    url: ctx.config.FRONTEND_URL + (delivery.link ?? '/settings/notifications'),
  }
  if (delivery.channel !== 'email') {
    const webhookUrl = delivery.webhook_url ?? ''
    const refusal = await ctx.guard.findRefusal(webhookUrl, 'sending')
    if (refusal) return { ok: false, status: null, error: `The webhook address ${refusal}` }
    return ctx.chat.send(delivery.channel === 'chat1_webhook' ? 1 : 2, webhookUrl, message)
  }
  const content = renderEmail({
    subject: message.title,
    paragraphs: [message.body],
    link: { label: 'Open in Support Flow', url: message.url },
  })
  const addresses = delivery.recipient ? [delivery.recipient] : (delivery.email_addresses ?? [])
  return ctx.mail.send(
    addresses.map((to) => ({ to, ...content })),
    delivery.id,
  )
}

const linkEmails = {
  verify_email: {
    lifetime: '24 hours',
    path: '/verify-email',
    label: 'Verify my address',
    subject: 'Verify your e-mail address',
    text: 'Please confirm that this address is yours. The link works once, within 24 hours.',
  },
  reset_password: {
    lifetime: '1 hour',
    path: '/reset-password',
    label: 'Choose a new password',
    subject: 'Reset your password',
    text: 'A new password was requested for your account. The link works once, within an hour. If you did not request it, ignore this e-mail.',
  },
}

/** Send an e-mail about feedback or a sales lead. */
async function sendEmail(
  ctx: DeliveryContext,
  { id, recipient }: ClaimedDelivery,
  email: (EmailContent & { replyTo?: string }) | undefined,
): Promise<SendResult> {
  if (!email) return { ok: false, status: null, error: 'The feedback or sales lead no longer exists', gone: true }
  const { replyTo, ...content } = email
  return ctx.mail.send([{ to: recipient ?? '', ...(replyTo ? { replyTo } : {}), ...renderEmail(content) }], id)
}

/** Send the e-mail of an invite with a new code. Return a final failure for an invite that was used or revoked or has expired. */
async function sendInvite(ctx: DeliveryContext, { id, invite_id, recipient }: ClaimedDelivery): Promise<SendResult> {
  const code = randomToken()
  const invite = await insertInviteCode(ctx.platform, invite_id ?? '', await sha256Bytea(code))
  if (!invite) return { ok: false, status: null, error: 'The invite is no longer open', gone: true }
  const content = renderEmail({
    subject: `${invite.inviter_name ?? 'A colleague'} invites you to ${invite.account_name}`,
    paragraphs: ['Join your team on Support Flow. The link works once, within 7 days.'],
    link: { label: 'Accept the invite', url: `${ctx.config.FRONTEND_URL}/register?code=${code}` },
  })
  return ctx.mail.send([{ to: recipient ?? '', ...content }], id)
}

/** Send an e-mail with a one-time link. The token is created here, so that only its hash is ever stored. */
async function sendLink(ctx: DeliveryContext, { id, purpose, user_id, recipient }: ClaimedDelivery): Promise<SendResult> {
  const { lifetime, path, label, subject, text } = linkEmails[purpose === 'reset_password' ? purpose : 'verify_email']
  const token = randomToken()
  await insertOneTimeToken(ctx.platform, { hash: await sha256Bytea(token), userId: user_id ?? '', purpose: purpose ?? '', lifetime })
  const content = renderEmail({ subject, paragraphs: [text], link: { label, url: `${ctx.config.FRONTEND_URL}${path}?token=${token}` } })
  return ctx.mail.send([{ to: recipient ?? '', ...content }], id)
}

/** Republish due deliveries, or send them directly if the queue is unreachable. The cron trigger calls this each minute. */
export async function sweep(ctx: DeliveryContext): Promise<void> {
  await failAbandonedDeliveries(ctx.platform)
  const deliverDirectly = (delivery_id: string, attempt: number) => deliver(ctx, { delivery_id, attempt })
  await republishDue(ctx.queue, await selectDueDeliveries(ctx.platform, 100), deliveryMessage, deliverDirectly)
}
