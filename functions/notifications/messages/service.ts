import { randomToken, sha256Bytea } from '../../../lib/auth/hash.ts'
import type { ChatMessage, LabelledText } from '../../../lib/chat/chat.ts'
import { isShownBy, toAlertContent } from '../../../lib/events/escalation-alert.ts'
import type { JobContext } from '../../../lib/http/job.ts'
import { createUnsubscribeHeaders, type EmailContent, renderEmail } from '../../../lib/mail/layout.ts'
import type { Mail } from '../../../lib/mail/mail.ts'
import type { SendResult } from '../../../lib/net/send-result.ts'
import type { ClaimedDelivery } from '../../../lib/outbox/claimed-deliveries.ts'
import { defuseLinks, removeLinks, toPlainName } from '../../../lib/text/plain-name.ts'
import * as feedback from '../../feedback/service.ts'
import * as visitors from '../../public/service.ts'
import { insertInviteCode, insertOneTimeToken, type Recipient, selectRecipients } from './queries.ts'

export type MessageContext = Pick<JobContext, 'platform' | 'config' | 'unsubscribeTokens'>

/** The e-mails of a delivery, or why there is none to send. */
export type Messages = { mails: Mail[]; note?: string } | { refusal: SendResult & { ok: false } }

const createRefusal = (error: string): Messages => ({ refusal: { ok: false, status: null, error, gone: true } })

/** Write the e-mails of a delivery. */
export async function writeMails(ctx: MessageContext, delivery: ClaimedDelivery): Promise<Messages> {
  const { purpose } = delivery
  if (purpose === 'invite') return writeInvite(ctx, delivery)
  if (purpose === 'sales_lead') return writeServiceEmail(delivery, await visitors.getLeadEmail(ctx.platform, delivery.sales_lead_id ?? ''))
  if (purpose === 'feedback') return writeServiceEmail(delivery, await feedback.getEmail(ctx.platform, delivery.feedback_id ?? '', purpose))
  if (purpose === 'feedback_receipt') return writeReceipt(ctx, delivery)
  if (purpose === 'second_factor_added' || purpose === 'second_factor_removed') return writeServiceEmail(delivery, factorEmails[purpose])
  if (purpose === 'webhook_disabled') return writeWebhookDisabled(ctx, delivery)
  if (purpose) return writeLink(ctx, delivery)
  const { title, body, url, facts = [], sections = [], button } = writeChatMessage(ctx, delivery)
  const content = { subject: title, paragraphs: body ? [body] : [], facts, sections, isUrgent: button?.isUrgent === true }
  const link = { label: button?.label ?? 'Open in Support Flow', url: url ?? '' }
  return writeToRecipients(ctx, delivery, { ...content, link }, explainNotification(delivery))
}

/** Write the message of a notification, or the test message of a config. */
export function writeChatMessage({ config }: Pick<MessageContext, 'config'>, delivery: ClaimedDelivery): ChatMessage {
  const title = removeLinks(delivery.title ?? 'Test message')
  const text = delivery.body ?? 'This channel is set up. Notifications that you switched on will arrive here.'
  const url = config.FRONTEND_URL + (delivery.link ?? '/settings/notifications')
  if (!delivery.escalation) return { title, body: isShownBy(title, text) ? '' : text, url }
  const { facts, sections, isUrgent } = toAlertContent(delivery.escalation, title, text)
  return { title, body: '', url, facts, sections, button: { label: 'Pick up the session', isUrgent } }
}

/** Return the reason to state when an address that belongs to no member gets a notification. */
function explainNotification({ recipient, account_name, config_author, sender_name }: ClaimedDelivery): string {
  const account = `the account “${toPlainName(account_name)}”`
  if (recipient) return `This address was registered by a member of ${account}. The message was caused by ${formatPerson(sender_name)}.`
  return `${formatPerson(config_author)} set up this address to receive notifications of ${account} in Support Flow.`
}

const formatPerson = (name: string | null) => (name && toPlainName(name)) || 'An administrator'

/**
 * Write an e-mail to each address of a delivery, except those that unsubscribed. Recipients who are not verified members of the account read
 * the reason and can unsubscribe. In their e-mails, links in users' texts cannot be followed.
 */
async function writeToRecipients(ctx: MessageContext, delivery: ClaimedDelivery, content: EmailContent, reason: string): Promise<Messages> {
  const addresses = delivery.recipient ? [delivery.recipient] : (delivery.email_addresses ?? [])
  // Addresses that were added after the delivery was created are not in its daily limit.
  const recipients = await selectRecipients.all(ctx.platform, delivery.account_id, addresses.slice(0, delivery.mails))
  const subscribed = recipients.filter(({ is_unsubscribed }) => !is_unsubscribed)
  if (subscribed.length === 0) return createRefusal('Every recipient has unsubscribed')
  const mails = await Promise.all(subscribed.map((recipient) => writeMail(ctx, recipient, content, reason)))
  const leftOut = addresses.length - subscribed.length
  const note = `${leftOut} of ${addresses.length} recipients have unsubscribed or were added later`
  return { mails, ...(leftOut > 0 ? { note } : {}) }
}

async function writeMail(ctx: MessageContext, recipient: Recipient, content: EmailContent, reason: string): Promise<Mail> {
  const { address: to, address_hash, is_member } = recipient
  if (is_member) return { to, ...renderEmail(content) }
  const unsubscribeUrl = `${ctx.config.PUBLIC_BASE_URL}/api/v1/unsubscribe/${await ctx.unsubscribeTokens.sign(address_hash)}`
  return { to, ...renderEmail(defuseContent(content), { reason, unsubscribeUrl }), headers: createUnsubscribeHeaders(unsubscribeUrl) }
}

function defuseContent(content: EmailContent): EmailContent {
  const defuse = ({ label, text }: LabelledText) => ({ label, text: defuseLinks(text) })
  const { paragraphs, facts = [], sections = [] } = content
  return { ...content, paragraphs: paragraphs.map(defuseLinks), facts: facts.map(defuse), sections: sections.map(defuse) }
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

const securityAdvice = 'If this was not you, change your password and tell an administrator of your account.'
const factorEmails = {
  second_factor_added: {
    subject: 'A second factor was added',
    paragraphs: ['Your sign-in now has another second factor.', securityAdvice],
  },
  second_factor_removed: { subject: 'A second factor was removed', paragraphs: ['Your sign-in has lost a second factor.', securityAdvice] },
}

/** Write an e-mail to the platform, or to a user about their own sign-in. Nobody can unsubscribe from these. */
function writeServiceEmail({ recipient }: ClaimedDelivery, email: (EmailContent & { replyTo?: string }) | undefined): Messages {
  if (!email) return createRefusal('The feedback or sales lead no longer exists')
  const { replyTo, ...content } = email
  return { mails: [{ to: recipient ?? '', ...(replyTo ? { replyTo } : {}), ...renderEmail(content) }] }
}

async function writeReceipt(ctx: MessageContext, delivery: ClaimedDelivery): Promise<Messages> {
  const email = await feedback.getEmail(ctx.platform, delivery.feedback_id ?? '', 'feedback_receipt')
  if (!email) return createRefusal('The feedback no longer exists')
  return writeToRecipients(ctx, delivery, email, 'You sent feedback about Support Flow.')
}

const disabledReasons = {
  gone: 'Its receiver answered 410, which means that it wants no more messages.',
  failing: 'Its receiver has accepted no message for five days.',
}

/** Write the e-mail to an account admin about a webhook that was switched off. It names the host only: an address may contain a secret. */
async function writeWebhookDisabled(ctx: MessageContext, delivery: ClaimedDelivery): Promise<Messages> {
  const { webhook, account_name } = delivery
  if (!webhook?.reason) return createRefusal('The webhook no longer exists or is on again')
  const name = toPlainName(webhook.description) || new URL(webhook.url).host
  const content = {
    subject: 'A webhook was switched off',
    paragraphs: [
      `Support Flow sends no more events to the webhook “${name}” at ${new URL(webhook.url).host}. ${disabledReasons[webhook.reason]}`,
      'Repair the receiver, switch the webhook on again, and replay the failed messages.',
    ],
    link: { label: 'Open the webhooks', url: `${ctx.config.FRONTEND_URL}/settings/webhooks` },
  }
  return writeToRecipients(ctx, delivery, content, `You are an admin of the account “${toPlainName(account_name)}” in Support Flow.`)
}

/** Write the e-mail of an invite with a new code. Return a final failure for an invite that was used or revoked or has expired. */
async function writeInvite(ctx: MessageContext, delivery: ClaimedDelivery): Promise<Messages> {
  const code = randomToken()
  const invite = await insertInviteCode.first(ctx.platform, delivery.invite_id ?? '', await sha256Bytea(code))
  if (!invite) return createRefusal('The invite is no longer open')
  const inviter = (invite.inviter_name && toPlainName(invite.inviter_name)) || 'A colleague'
  const account = toPlainName(invite.account_name)
  const content = {
    subject: `${inviter} invites you to ${account}`,
    paragraphs: ['Join your team on Support Flow. The link works once, within 7 days.'],
    link: { label: 'Accept the invite', url: `${ctx.config.FRONTEND_URL}/register?code=${code}` },
  }
  return writeToRecipients(ctx, delivery, content, `${inviter} invited this address to the account “${account}” in Support Flow.`)
}

/** Write an e-mail with a one-time link. The token is created here, so that only its hash is ever stored. */
async function writeLink(ctx: MessageContext, { purpose, user_id, recipient }: ClaimedDelivery): Promise<Messages> {
  const { lifetime, path, label, subject, text } = linkEmails[purpose === 'reset_password' ? purpose : 'verify_email']
  const token = randomToken()
  await insertOneTimeToken.run(ctx.platform, { hash: await sha256Bytea(token), userId: user_id ?? '', purpose: purpose ?? '', lifetime })
  const content = renderEmail({ subject, paragraphs: [text], link: { label, url: `${ctx.config.FRONTEND_URL}${path}?token=${token}` } })
  return { mails: [{ to: recipient ?? '', ...content }] }
}
