import { randomToken, sha256Bytea } from '../../../lib/auth/hash.ts'
import { deliveryMessage } from '../../../lib/events/outbox.ts'
import type { JobContext } from '../../../lib/http/job.ts'
import { type Letter, renderLetter } from '../../../lib/mail/layout.ts'
import type { Sent } from '../../../lib/net/sent.ts'
import { nextDelay, republish } from '../../../lib/queue/attempts.ts'
import * as feedback from '../../feedback/service.ts'
import * as visitors from '../../public/service.ts'
import { type Claimed, claimAttempt, failAbandoned, insertInviteCode, insertOneTimeToken, recordAttempt, selectDue } from './queries.ts'
import type { DeliverJob } from './schemas.ts'

export type Sender = Pick<JobContext, 'platform' | 'queue' | 'mail' | 'chat' | 'guard' | 'config'>

/** One attempt at a delivery. A copy of the message finds the attempt taken and does nothing. */
export async function deliver(ctx: Sender, { delivery_id, attempt }: DeliverJob): Promise<void> {
  const claimed = await claimAttempt(ctx.platform, delivery_id, attempt)
  if (claimed) await sendClaimed(ctx, claimed)
}

/** The first attempt made here and now instead of by the queue: the outcome is the caller's answer. */
export async function deliverNow(ctx: Sender, deliveryId: string): Promise<Sent> {
  const claimed = await claimAttempt(ctx.platform, deliveryId, 1)
  return claimed ? sendClaimed(ctx, claimed) : { ok: false, status: null, error: 'The attempt is made by another worker' }
}

/** Sends what was claimed, records how it ended and asks for the next attempt; answers the attempt's outcome. */
export async function sendClaimed(ctx: Sender, claimed: Claimed): Promise<Sent> {
  const sent = await sendOnce(ctx, claimed)
  const retrySeconds = nextDelay(claimed, sent)
  const current = await recordAttempt(ctx.platform, claimed, sent, retrySeconds)
  if (current && retrySeconds !== null) {
    // The queue may be away: the row is due all the same, and the sweep finds it.
    await ctx.queue.publish([deliveryMessage(claimed.id, claimed.attempts + 1, retrySeconds)]).catch(() => {})
  }
  return sent
}

async function sendOnce(ctx: Sender, delivery: Claimed): Promise<Sent> {
  const { purpose } = delivery
  if (purpose === 'invite') return sendInvite(ctx, delivery)
  if (purpose === 'sales_lead') return sendLetter(ctx, delivery, await visitors.leadLetter(ctx.platform, delivery.sales_lead_id ?? ''))
  if (purpose === 'feedback' || purpose === 'feedback_receipt')
    return sendLetter(ctx, delivery, await feedback.letterOf(ctx.platform, delivery.feedback_id ?? '', purpose))
  if (purpose) return sendLink(ctx, delivery)
  const message = {
    title: delivery.title ?? 'Test message',
    body: delivery.body ?? 'This channel is set up. Notifications that you switched on will arrive here.',
    url: ctx.config.FRONTEND_URL + (delivery.link ?? '/settings/notifications'),
  }
  if (delivery.channel !== 'email') {
    const webhookUrl = delivery.webhook_url ?? ''
    const refusal = await ctx.guard.refusal(webhookUrl, 'sending')
    if (refusal) return { ok: false, status: null, error: `The webhook address is refused: ${refusal}` }
    return ctx.chat.send(delivery.channel === 'chat1_webhook' ? 1 : 2, webhookUrl, message)
  }
  const letter = renderLetter({
    subject: message.title,
    paragraphs: [message.body],
    link: { label: 'Open in Support Flow', url: message.url },
  })
  const addresses = delivery.recipient ? [delivery.recipient] : (delivery.email_addresses ?? [])
  return ctx.mail.send(
    addresses.map((to) => ({ to, ...letter })),
    delivery.id,
  )
}

const letters = {
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
    text: 'Somebody, hopefully you, asked for a new password. The link works once, within an hour. If it was not you, do nothing.',
  },
}

/** What somebody wrote to us, as a mail. */
async function sendLetter(ctx: Sender, { id, recipient }: Claimed, found: (Letter & { replyTo?: string }) | undefined): Promise<Sent> {
  if (!found) return { ok: false, status: null, error: 'What it tells of is gone', gone: true }
  const { replyTo, ...letter } = found
  return ctx.mail.send([{ to: recipient ?? '', ...(replyTo ? { replyTo } : {}), ...renderLetter(letter) }], id)
}

/** An invite's mail, with a code of its own; nothing is sent for one that was used or revoked meanwhile. */
async function sendInvite(ctx: Sender, { id, invite_id, recipient }: Claimed): Promise<Sent> {
  const code = randomToken()
  const invite = await insertInviteCode(ctx.platform, invite_id ?? '', await sha256Bytea(code))
  if (!invite) return { ok: false, status: null, error: 'The invite is not open any more', gone: true }
  const letter = renderLetter({
    subject: `${invite.inviter_name ?? 'A colleague'} invites you to ${invite.account_name}`,
    paragraphs: ['Join your team on Support Flow. The link works once, within 7 days.'],
    link: { label: 'Accept the invite', url: `${ctx.config.FRONTEND_URL}/register?code=${code}` },
  })
  return ctx.mail.send([{ to: recipient ?? '', ...letter }], id)
}

/** A mail whose link is made at this moment, so that nothing but its hash is ever stored. */
async function sendLink(ctx: Sender, { id, purpose, user_id, recipient }: Claimed): Promise<Sent> {
  const { lifetime, path, label, subject, text } = letters[purpose === 'reset_password' ? purpose : 'verify_email']
  const token = randomToken()
  await insertOneTimeToken(ctx.platform, { hash: await sha256Bytea(token), userId: user_id ?? '', purpose: purpose ?? '', lifetime })
  const letter = renderLetter({ subject, paragraphs: [text], link: { label, url: `${ctx.config.FRONTEND_URL}${path}?token=${token}` } })
  return ctx.mail.send([{ to: recipient ?? '', ...letter }], id)
}

/** Publishes due deliveries whose message was lost, or sends them here when the queue does not answer. */
export async function sweep(ctx: Sender): Promise<void> {
  await failAbandoned(ctx.platform)
  const tryHere = (delivery_id: string, attempt: number) => deliver(ctx, { delivery_id, attempt })
  await republish(ctx.queue, await selectDue(ctx.platform, 100), deliveryMessage, tryHere)
}
