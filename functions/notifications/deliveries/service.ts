import { randomToken, sha256Bytea } from '../../../lib/auth/hash.ts'
import { retryWhileUnavailable } from '../../../lib/db/retry.ts'
import type { JobContext } from '../../../lib/http/job.ts'
import { createUnsubscribeHeaders, type EmailContent, renderEmail } from '../../../lib/mail/layout.ts'
import type { Mail } from '../../../lib/mail/mail.ts'
import type { SendResult } from '../../../lib/net/send-result.ts'
import { secondsUntilRetry } from '../../../lib/outbox/attempts.ts'
import { enqueueDelivery } from '../../../lib/outbox/deliveries.ts'
import type { SweptKind } from '../../../lib/outbox/sweep.ts'
import { defuseLinks, removeLinks, toPlainName } from '../../../lib/text/plain-name.ts'
import * as feedback from '../../feedback/service.ts'
import * as visitors from '../../public/service.ts'
import {
  type ClaimedDelivery,
  claimAttempt,
  claimDueDeliveries,
  completeAttempt,
  failAbandonedDeliveries,
  insertInviteCode,
  insertOneTimeToken,
  type Recipient,
  selectRecipients,
} from './queries.ts'
import type { DeliverJob } from './schemas.ts'

export type DeliveryContext = Pick<JobContext, 'platform' | 'mail' | 'chat' | 'guard' | 'config' | 'unsubscribeTokens'>

/** Make one attempt at a delivery. A duplicate message finds the attempt already claimed and does nothing. */
export async function deliver(ctx: DeliveryContext, { delivery_id, attempt }: DeliverJob): Promise<void> {
  const claimed = await claimAttempt.first(ctx.platform, delivery_id, attempt)
  if (claimed) await sendClaimed(ctx, claimed)
}

/** Make the first attempt in this request instead of through the queue, and return its result. */
export async function deliverNow(ctx: DeliveryContext, deliveryId: string): Promise<SendResult> {
  const claimed = await claimAttempt.first(ctx.platform, deliveryId, 1)
  return claimed ? sendClaimed(ctx, claimed) : { ok: false, status: null, error: 'Another worker is making this attempt' }
}

/** Send a claimed delivery, record the result and enqueue the next attempt if there is one. Return the result. */
export async function sendClaimed(ctx: DeliveryContext, claimed: ClaimedDelivery): Promise<SendResult> {
  const result = await sendDelivery(ctx, claimed)
  const retrySeconds = secondsUntilRetry(claimed, result)
  // If the result were lost, the message would be sent again once the lease has expired.
  const isRecorded = (await retryWhileUnavailable(() => completeAttempt.run(ctx.platform, claimed, result, retrySeconds))) > 0
  if (isRecorded && retrySeconds !== null) enqueueDelivery(ctx.platform, claimed.id, claimed.attempts + 1, retrySeconds)
  return result
}

async function sendDelivery(ctx: DeliveryContext, delivery: ClaimedDelivery): Promise<SendResult> {
  const { purpose } = delivery
  if (purpose === 'invite') return sendInvite(ctx, delivery)
  if (purpose === 'sales_lead')
    return sendServiceEmail(ctx, delivery, await visitors.getLeadEmail(ctx.platform, delivery.sales_lead_id ?? ''))
  if (purpose === 'feedback')
    return sendServiceEmail(ctx, delivery, await feedback.getEmail(ctx.platform, delivery.feedback_id ?? '', purpose))
  if (purpose === 'feedback_receipt') return sendReceipt(ctx, delivery)
  if (purpose === 'second_factor_added' || purpose === 'second_factor_removed')
    return sendServiceEmail(ctx, delivery, factorEmails[purpose])
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
    return ctx.chat.send(delivery.channel === 'chat1_webhook' ? 1 : 2, webhookUrl, { ...message, title: removeLinks(message.title) })
  }
  const link = { label: 'Open in Support Flow', url: message.url }
  return sendToRecipients(ctx, delivery, { subject: message.title, paragraphs: [message.body], link }, explainNotification(delivery))
}

/** Return why an address that belongs to no member gets a notification. */
function explainNotification({ recipient, account_name, config_author, sender_name }: ClaimedDelivery): string {
  const account = `the account “${toPlainName(account_name)}”`
  if (recipient) return `This address was registered by a member of ${account}. The message was caused by ${nameOf(sender_name)}.`
  return `${nameOf(config_author)} set up this address to receive notifications of ${account} in Support Flow.`
}

const nameOf = (name: string | null) => (name && toPlainName(name)) || 'An administrator'

/**
 * Send an e-mail to each address of a delivery, except those that unsubscribed. Whoever is no verified member of the account learns the
 * reason and can unsubscribe, and sees the links of users' texts as text.
 */
async function sendToRecipients(
  ctx: DeliveryContext,
  delivery: ClaimedDelivery,
  content: EmailContent,
  reason: string,
): Promise<SendResult> {
  const addresses = delivery.recipient ? [delivery.recipient] : (delivery.email_addresses ?? [])
  // Addresses that were added since are not counted.
  const recipients = await selectRecipients.all(ctx.platform, delivery.account_id, addresses.slice(0, delivery.mails))
  const subscribed = recipients.filter(({ is_unsubscribed }) => !is_unsubscribed)
  if (subscribed.length === 0) return { ok: false, status: null, error: 'Every recipient has unsubscribed', gone: true }
  const mails = await Promise.all(subscribed.map((recipient) => writeMail(ctx, recipient, content, reason)))
  const result = await ctx.mail.send(mails, delivery.id)
  const leftOut = addresses.length - subscribed.length
  return result.ok && leftOut > 0
    ? { ...result, note: `${leftOut} of ${addresses.length} recipients have unsubscribed or were added later` }
    : result
}

async function writeMail(ctx: DeliveryContext, recipient: Recipient, content: EmailContent, reason: string): Promise<Mail> {
  const { address: to, address_hash, is_member } = recipient
  if (is_member) return { to, ...renderEmail(content) }
  const unsubscribeUrl = `${ctx.config.PUBLIC_BASE_URL}/api/v1/unsubscribe/${await ctx.unsubscribeTokens.sign(address_hash)}`
  const paragraphs = content.paragraphs.map(defuseLinks)
  return { to, ...renderEmail({ ...content, paragraphs }, { reason, unsubscribeUrl }), headers: createUnsubscribeHeaders(unsubscribeUrl) }
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

const notYou = 'If this was not you, change your password and tell an administrator of your account.'
const factorEmails = {
  second_factor_added: { subject: 'A second factor was added', paragraphs: ['Your sign-in now has another second factor.', notYou] },
  second_factor_removed: { subject: 'A second factor was removed', paragraphs: ['Your sign-in has lost a second factor.', notYou] },
}

/** Send an e-mail to the platform, or to a user about their own sign-in. Nobody can unsubscribe from these. */
async function sendServiceEmail(
  ctx: DeliveryContext,
  { id, recipient }: ClaimedDelivery,
  email: (EmailContent & { replyTo?: string }) | undefined,
): Promise<SendResult> {
  if (!email) return { ok: false, status: null, error: 'The feedback or sales lead no longer exists', gone: true }
  const { replyTo, ...content } = email
  return ctx.mail.send([{ to: recipient ?? '', ...(replyTo ? { replyTo } : {}), ...renderEmail(content) }], id)
}

async function sendReceipt(ctx: DeliveryContext, delivery: ClaimedDelivery): Promise<SendResult> {
  const email = await feedback.getEmail(ctx.platform, delivery.feedback_id ?? '', 'feedback_receipt')
  if (!email) return { ok: false, status: null, error: 'The feedback no longer exists', gone: true }
  return sendToRecipients(ctx, delivery, email, 'You sent feedback about Support Flow.')
}

/** Send the e-mail of an invite with a new code. Return a final failure for an invite that was used or revoked or has expired. */
async function sendInvite(ctx: DeliveryContext, delivery: ClaimedDelivery): Promise<SendResult> {
  const code = randomToken()
  const invite = await insertInviteCode.first(ctx.platform, delivery.invite_id ?? '', await sha256Bytea(code))
  if (!invite) return { ok: false, status: null, error: 'The invite is no longer open', gone: true }
  const inviter = (invite.inviter_name && toPlainName(invite.inviter_name)) || 'A colleague'
  const account = toPlainName(invite.account_name)
  const content = {
    subject: `${inviter} invites you to ${account}`,
    paragraphs: ['Join your team on Support Flow. The link works once, within 7 days.'],
    link: { label: 'Accept the invite', url: `${ctx.config.FRONTEND_URL}/register?code=${code}` },
  }
  return sendToRecipients(ctx, delivery, content, `${inviter} invited this address to the account “${account}” in Support Flow.`)
}

/** Send an e-mail with a one-time link. The token is created here, so that only its hash is ever stored. */
async function sendLink(ctx: DeliveryContext, { id, purpose, user_id, recipient }: ClaimedDelivery): Promise<SendResult> {
  const { lifetime, path, label, subject, text } = linkEmails[purpose === 'reset_password' ? purpose : 'verify_email']
  const token = randomToken()
  await insertOneTimeToken.run(ctx.platform, { hash: await sha256Bytea(token), userId: user_id ?? '', purpose: purpose ?? '', lifetime })
  const content = renderEmail({ subject, paragraphs: [text], link: { label, url: `${ctx.config.FRONTEND_URL}${path}?token=${token}` } })
  return ctx.mail.send([{ to: recipient ?? '', ...content }], id)
}

/** Fail the deliveries whose last attempt never reported a result. */
export async function failAbandoned({ platform }: Pick<DeliveryContext, 'platform'>): Promise<void> {
  await failAbandonedDeliveries.run(platform)
}

/** Return the functions with which the sweep claims and attempts due deliveries. */
export function toSweptKind(ctx: DeliveryContext): SweptKind {
  return {
    kind: 'delivery',
    parallel: 6,
    claimDue: (limit) => claimDueDeliveries.all(ctx.platform, limit),
    attempt: (delivery_id, attempt) => deliver(ctx, { delivery_id, attempt }),
  }
}
