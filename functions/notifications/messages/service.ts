import { inAccount } from '#db/enter-account.ts'
import * as feedback from '#functions/feedback/service.ts'
import * as digests from '#functions/notifications/digests/service.ts'
import { findEscalationPeople } from '#functions/oncall/reminders/service.ts'
import * as visitors from '#functions/public/service.ts'
import type { JobContext } from '#http/job.ts'
import { type Released, releaseParts } from '#rules/audience.ts'
import { type AlertPeople, isShownBy, toAlertContent } from '#rules/events/escalation-alert.ts'
import { readSessionPath } from '#rules/events/events.ts'
import { judgeLateMessage } from '#rules/events/late-messages.ts'
import { type ReviewAlert, writeDueDay, writeMore } from '#rules/events/review-alert.ts'
import { toSnippet } from '#rules/events/snippet.ts'
import { release } from '#rules/release.ts'
import type { LabelledText } from '#rules/text/labelled-text.ts'
import { defuseLinks, removeLinks } from '#rules/text/plain-name.ts'
import { sentence } from '#rules/text/sentence.ts'
import { randomToken, sha256Bytea, sha256Hex } from '#vendors/auth/hash.ts'
import type { ChatAction, ChatActionKind, ChatMessage } from '#vendors/chat/chat.ts'
import type { Brand } from '#vendors/mail/brand.ts'
import {
  deletionEmails,
  linkEmails,
  nameInviter,
  securityEmails,
  writeExportContent,
  writeInviteContent,
  writeWebhookContent,
} from '#vendors/mail/contents.ts'
import {
  createDeletionFrame,
  createLinkFrame,
  createMemberFrame,
  createSecurityFrame,
  createStaffFrame,
  createStrangerFrame,
  explainDigest,
  explainExport,
  explainInvite,
  explainNotification,
  explainReceipt,
  explainReport,
  explainWebhook,
  type Reasons,
} from '#vendors/mail/frames.ts'
import {
  createUnsubscribeHeaders,
  type EmailContent,
  type EmailFrame,
  renderEmail,
} from '#vendors/mail/layout.ts'
import type { Mail } from '#vendors/mail/mail.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import type { ClaimedDelivery } from '#work/claimed-deliveries.ts'
import { findMatter } from '#work/delivery-matters.ts'
import { insertInviteCode, insertOneTimeToken, type Recipient, selectRecipients } from './queries.ts'

export type MessageContext = Pick<
  JobContext,
  'platform' | 'config' | 'unsubscribeTokens' | 'acknowledgementTokens' | 'approvalTokens' | 'reviewTokens'
>

/** The e-mails of a delivery, or why there is none to send. */
export type Messages = { mails: Mail[]; note?: string } | { refusal: SendResult & { ok: false } }
type WrittenMail = Omit<Mail, 'matter'>
type WrittenMessages = { mails: WrittenMail[]; note?: string } | { refusal: SendResult & { ok: false } }

/** Return the result of a message that is no longer needed, or undefined. */
export function findNeedless({
  event_key,
  happened,
  may_receive,
}: Pick<ClaimedDelivery, 'event_key' | 'happened' | 'may_receive'>):
  | (SendResult & { ok: false })
  | undefined {
  if (!may_receive) return createRefusal('The recipient has left or can no longer work').refusal
  const late = judgeLateMessage(event_key, happened)
  return late && 'leftOut' in late ? { ok: false, status: null, error: late.leftOut, gone: true } : undefined
}

const createRefusal = (error: string) => ({
  refusal: { ok: false as const, status: null, error, gone: true },
})

export async function writeMails(ctx: MessageContext, delivery: ClaimedDelivery): Promise<Messages> {
  const needless = findNeedless(delivery)
  if (needless) return { refusal: needless }
  const messages = await writeByPurpose(ctx, delivery)
  if ('refusal' in messages) return messages
  const matter = findMatter(delivery)
  return { ...messages, mails: messages.mails.map((mail) => ({ ...mail, matter })) }
}

async function writeByPurpose(ctx: MessageContext, delivery: ClaimedDelivery): Promise<WrittenMessages> {
  const { purpose, sales_lead_id, feedback_id } = delivery
  switch (purpose) {
    case null: {
      const content = writeNotificationContent(await writeMessage(ctx, delivery))
      return writeToRecipients(
        ctx,
        delivery,
        continueConversation(content, release(delivery.opening, delivery.is_masked)),
        explainDelivery(delivery),
      )
    }
    case 'invite':
      return writeInvite(ctx, delivery)
    case 'sales_lead':
      return writeServiceEmail(
        delivery,
        await visitors.getLeadEmail(ctx.platform, sales_lead_id ?? ''),
        createStaffFrame('SALES_EMAIL'),
      )
    case 'feedback': {
      const email = await feedback.getEmail(ctx.platform, feedback_id ?? '', purpose)
      return writeServiceEmail(delivery, email, createStaffFrame('FEEDBACK_EMAIL'))
    }
    case 'feedback_receipt':
      return writeReceipt(ctx, delivery)
    case 'email_change_requested':
    case 'email_changed':
    case 'identity_linked':
    case 'identity_unlinked':
    case 'password_changed':
    case 'chat_user_linked':
    case 'phone_number_added':
    case 'program_added':
    case 'second_factor_added':
    case 'second_factor_removed':
    case 'sign_in_without_sso':
      return writeServiceEmail(delivery, securityEmails[purpose], createSecurityFrame(purpose))
    case 'webhook_disabled':
      return writeWebhookDisabled(ctx, delivery)
    case 'account_deletion_requested':
    case 'account_deletion_cancelled':
      return writeDeletion(ctx, delivery, purpose)
    case 'export_ready':
    case 'export_failed': {
      const content = releaseParts(writeExportContent(purpose, `${ctx.config.FRONTEND_URL}/settings/exports`))
      return writeToRecipients(ctx, delivery, content, explainExport(delivery.account_name))
    }
    case 'digest':
      return writeDigest(ctx, delivery)
    case 'weekly_report':
      return writeReport(ctx, delivery)
    case 'verify_phone':
      return createRefusal('A code for a phone is no e-mail')
    default:
      return writeLink(ctx, delivery, purpose)
  }
}

/** Return the e-mail with the content of a chat message. */
export function writeNotificationContent({
  title,
  body,
  url,
  facts = [],
  sections = [],
  button,
  secondButton,
}: Released<ChatMessage>): Released<EmailContent> {
  const content = {
    subject: title,
    paragraphs: body ? [body] : [],
    facts,
    sections,
    isUrgent: button?.isUrgent === true,
  }
  const secondLink = secondButton ? { secondLink: secondButton } : {}
  return releaseParts({
    ...content,
    ...secondLink,
    link: { label: button?.label ?? 'Open in Support Flow', url: url ?? '' },
  })
}

/**
 * Give an e-mail the subject of the one that opened the conversation: programs group by subject too. What has
 * happened is its first line.
 */
export function continueConversation(
  content: Released<EmailContent>,
  opening: Released<string> | null,
): Released<EmailContent> {
  const subject = opening === null ? content.subject : removeLinks(opening)
  return subject === content.subject
    ? content
    : releaseParts({ ...content, subject: `Re: ${subject}`, headline: content.subject })
}

/**
 * Write the message of a delivery. That of a reminder contains a link to acknowledge the escalation, unless
 * it goes to the addresses of a config, whose owners may be strangers.
 */
export async function writeMessage(
  ctx: Omit<MessageContext, 'unsubscribeTokens'>,
  delivery: ClaimedDelivery,
): Promise<Released<ChatMessage>> {
  // Its event was stored before the account has perhaps decided to mask what leaves.
  const { title, body, escalation, approval, review, requested_approval, is_masked } = delivery
  const people = await findPeople(ctx, delivery)
  const texts = release({ title, body, escalation, approval, review, requested_approval, people }, is_masked)
  const message = addNotice(writeChatMessage(ctx, { ...texts, link: delivery.link }), delivery)
  if (delivery.takes_presses) return { ...message, actions: listActions(delivery, texts.people) }
  if (delivery.approval) return addDecisionLinks(ctx, delivery, message)
  if (delivery.review) return addReviewLinks(ctx, delivery, message)
  const { id, alerted_at, channel, recipient } = delivery
  if (alerted_at === null || (channel === 'email' && recipient === null)) return message
  const token = await ctx.acknowledgementTokens.sign(id, new Date(alerted_at))
  return {
    ...message,
    secondButton: { label: 'Acknowledge', url: `${ctx.config.PUBLIC_BASE_URL}/api/v1/acknowledge/${token}` },
  }
}

/** List what whoever presses a button of the message can still do. */
function listActions(
  { id: deliveryId, escalation, alerted_at, approval, open_approval }: ClaimedDelivery,
  people: AlertPeople | undefined,
): ChatAction[] {
  const isUnclaimed = escalation?.handoff_id !== undefined && people !== undefined && !people.claimant_name
  const kinds: ChatActionKind[] = [
    ...(isUnclaimed ? (['claim'] as const) : []),
    ...(isUnclaimed && alerted_at !== null && !people.acknowledger_name ? (['acknowledge'] as const) : []),
    ...(open_approval && !approval?.is_shortened ? (['approve'] as const) : []),
  ]
  return kinds.map((kind) => ({ kind, deliveryId }))
}

/**
 * Return the people of the escalation that an alert is about. Their names are not stored with it, so that
 * they can be erased.
 */
async function findPeople(
  { platform }: Pick<MessageContext, 'platform'>,
  { account_id, link, escalation }: ClaimedDelivery,
): Promise<AlertPeople | undefined> {
  const sessionId = escalation ? readSessionPath(link) : undefined
  if (!sessionId) return undefined
  return inAccount(platform, { accountId: account_id, userId: null }, (db) =>
    findEscalationPeople(db, sessionId),
  )
}

/** Say before the text of a late message what has happened since. */
function addNotice(
  message: Released<ChatMessage>,
  { event_key, happened }: ClaimedDelivery,
): Released<ChatMessage> {
  const late = judgeLateMessage(event_key, happened)
  return late && 'notice' in late
    ? { ...message, body: [late.notice, message.body].filter(Boolean).join('\n\n') }
    : message
}

/**
 * Add the links that decide a request. Only the e-mail to an approver has them: anybody in a chat channel
 * could follow those of a message there, so its button leads to the request in the app.
 */
async function addDecisionLinks(
  { config, approvalTokens }: Pick<MessageContext, 'config' | 'approvalTokens'>,
  {
    account_id: accountId,
    approval,
    open_approval,
    channel,
    recipient,
    recipient_id: userId,
  }: ClaimedDelivery,
  message: Released<ChatMessage>,
): Promise<Released<ChatMessage>> {
  if (!approval || !open_approval || channel !== 'email' || userId === null || recipient === null)
    return message
  const { digest, requested_at } = open_approval
  const addressHash = await sha256Hex(recipient)
  const createUrl = async (decision: 'approved' | 'rejected') => {
    const token = await approvalTokens.sign(
      { approvalId: approval.approval_id, accountId, userId, addressHash, digest, decision },
      new Date(requested_at),
    )
    return `${config.PUBLIC_BASE_URL}/api/v1/approval-links/${token}`
  }
  return {
    ...message,
    body: `Decide here, or in the app: ${message.url}`,
    url: await createUrl('approved'),
    button: { label: 'Approve', isUrgent: false },
    secondButton: { label: 'Decline', url: await createUrl('rejected') },
  }
}

/**
 * Add a link per flow that leads to the page on which its review is confirmed. Only the e-mail to who reviews
 * the flows has them.
 */
async function addReviewLinks(
  { config, reviewTokens }: Pick<MessageContext, 'config' | 'reviewTokens'>,
  { account_id: accountId, review, channel, recipient, recipient_id: userId }: ClaimedDelivery,
  message: Released<ChatMessage>,
): Promise<Released<ChatMessage>> {
  if (!review || channel !== 'email' || userId === null || recipient === null) return message
  const addressHash = await sha256Hex(recipient)
  const urls = await Promise.all(
    review.flows.map(async ({ tree_id: treeId, reviewed_at: reviewedAt }) => {
      const token = await reviewTokens.sign(
        { treeId, accountId, userId, addressHash, reviewedAt },
        new Date(review.announced_at),
      )
      return `${config.PUBLIC_BASE_URL}/api/v1/review-links/${token}`
    }),
  )
  return {
    ...message,
    body: ['Follow the link of a flow to confirm that it is still right.', message.body]
      .filter(Boolean)
      .join('\n'),
    facts: (message.facts ?? []).map((fact, index) => ({ ...fact, url: urls[index] ?? '' })),
  }
}

/** Write the message of a notification, or the test message of a config. */
export function writeChatMessage(
  { config }: { config: Pick<MessageContext['config'], 'FRONTEND_URL'> },
  delivery: Released<Pick<ClaimedDelivery, 'title' | 'body' | 'link' | 'escalation' | 'approval'>> &
    Partial<Pick<ClaimedDelivery, 'requested_approval'>> & {
      review: ReviewAlert | null
      people?: AlertPeople
    },
): Released<ChatMessage> {
  const { people } = delivery
  const title = removeLinks(delivery.title ?? 'Test message')
  const text = delivery.body ?? 'This channel is set up. Notifications that you switched on will arrive here.'
  const url = config.FRONTEND_URL + (delivery.link ?? '/settings/notifications')
  if (delivery.approval) {
    const { facts, sections } = delivery.approval
    const { outcome = null, name = null } = delivery.requested_approval ?? {}
    const decision = { label: outcome ?? '', text: name ? sentence`by ${name}` : 'The request is over' }
    return releaseParts({
      title,
      body: '',
      url,
      facts: outcome ? [decision, ...facts] : facts,
      sections,
      button: { label: 'Open the request', isUrgent: false },
    })
  }
  if (delivery.review) {
    const { flows, more } = delivery.review
    const facts = flows.map(({ name, due_on, since }) => ({
      label: writeDueDay(due_on),
      text: [removeLinks(name), since].filter(Boolean).join('\n'),
    }))
    const button = { label: 'Open the flows', isUrgent: false }
    return releaseParts({ title, body: more > 0 ? writeMore(more) : '', url, facts, button })
  }
  if (!delivery.escalation) return releaseParts({ title, body: isShownBy(title, text) ? '' : text, url })
  const { facts, sections, isUrgent } = toAlertContent(delivery.escalation, title, text, people)
  // A reminder in chat that somebody has pressed is shown again.
  const takenBy = delivery.escalation.reminder === undefined ? null : people?.claimant_name
  const isTaken = people?.claimant_name || delivery.escalation.handoff_id === undefined
  const label = isTaken ? 'Open the session' : 'Pick up the session'
  return releaseParts({
    title: takenBy ? sentence`Taken by ${takenBy}: ${toSnippet(text)}` : title,
    body: '',
    url,
    facts,
    sections,
    button: { label, isUrgent },
  })
}

function explainDelivery({ recipient, account_name, config_author, sender_name }: ClaimedDelivery): Reasons {
  return explainNotification({
    accountName: account_name,
    isPersonal: recipient !== null,
    senderName: sender_name,
    configAuthor: config_author,
  })
}

/**
 * Write an e-mail to each address of a delivery, except those that unsubscribed or take none. Recipients who
 * are not verified members of the account can unsubscribe. In their e-mails, links in users' texts cannot be
 * followed.
 */
async function writeToRecipients(
  ctx: MessageContext,
  delivery: ClaimedDelivery,
  content: Released<EmailContent>,
  reasons: Reasons,
): Promise<WrittenMessages> {
  const addresses = delivery.recipient ? [delivery.recipient] : (delivery.email_addresses ?? [])
  // Addresses that were added after the delivery was created are not in its daily limit.
  const recipients = await selectRecipients.all(
    ctx.platform,
    delivery.account_id,
    addresses.slice(0, delivery.mails),
  )
  const subscribed = recipients.filter(({ is_unreachable }) => !is_unreachable)
  if (subscribed.length === 0)
    return createRefusal('Every recipient has unsubscribed, or their address takes no e-mails')
  const brand = { accountName: delivery.account_name, colour: delivery.account_colour }
  const origin = release({ brand, reasons }, delivery.is_masked)
  const mails = await Promise.all(subscribed.map((recipient) => writeMail(ctx, recipient, content, origin)))
  const leftOut = addresses.length - subscribed.length
  const note = `${leftOut} of ${addresses.length} recipients have unsubscribed, take no e-mails or were added later`
  return { mails, note: leftOut > 0 ? note : undefined }
}

async function writeMail(
  { config, unsubscribeTokens }: MessageContext,
  { address: to, address_hash, is_member }: Recipient,
  content: Released<EmailContent>,
  { brand, reasons }: Released<{ brand: Brand; reasons: Reasons }>,
): Promise<WrittenMail> {
  if (is_member)
    return {
      to,
      ...renderEmail(content, releaseParts(createMemberFrame(brand, reasons, config.FRONTEND_URL))),
    }
  const unsubscribeUrl = `${config.PUBLIC_BASE_URL}/api/v1/unsubscribe/${await unsubscribeTokens.sign(address_hash)}`
  const frame = releaseParts(createStrangerFrame(brand, reasons, unsubscribeUrl))
  const rendered = renderEmail(defuseContent(content), frame)
  return { to, ...rendered, headers: createUnsubscribeHeaders(unsubscribeUrl) }
}

/** Write the links in users' texts so that they cannot be followed. */
export function defuseContent(content: Released<EmailContent>): Released<EmailContent> {
  const defuse = ({ label, text }: LabelledText) => ({ label, text: defuseLinks(text) })
  const { headline, paragraphs, facts = [], sections = [] } = content
  return {
    ...content,
    ...(headline === undefined ? {} : { headline: defuseLinks(headline) }),
    paragraphs: paragraphs.map(defuseLinks),
    facts: facts.map(defuse),
    sections: sections.map(defuse),
  }
}

/**
 * Write an e-mail to the platform, or to a user about their own sign-in. Nobody can unsubscribe from these.
 */
function writeServiceEmail(
  { recipient, is_masked }: ClaimedDelivery,
  email: (EmailContent & { replyTo?: string }) | undefined,
  frame: EmailFrame,
): WrittenMessages {
  if (!email) return createRefusal('The feedback or sales lead no longer exists')
  const { replyTo, ...content } = email
  const rendered = renderEmail(release(content, is_masked), release(frame, is_masked))
  return { mails: [{ to: recipient ?? '', replyTo: replyTo || undefined, ...rendered }] }
}

async function writeReceipt(ctx: MessageContext, delivery: ClaimedDelivery): Promise<WrittenMessages> {
  const email = await feedback.getEmail(ctx.platform, delivery.feedback_id ?? '', 'feedback_receipt')
  if (!email) return createRefusal('The feedback no longer exists')
  return writeToRecipients(ctx, delivery, release(email, delivery.is_masked), explainReceipt())
}

async function writeWebhookDisabled(
  ctx: MessageContext,
  delivery: ClaimedDelivery,
): Promise<WrittenMessages> {
  const { webhook, account_name } = delivery
  if (!webhook?.reason) return createRefusal('The webhook no longer exists or is on again')
  const url = `${ctx.config.FRONTEND_URL}/settings/webhooks`
  const content = writeWebhookContent({ ...webhook, reason: webhook.reason }, url)
  return writeToRecipients(
    ctx,
    delivery,
    release(content, delivery.is_masked),
    explainWebhook(account_name, url),
  )
}

async function writeDigest(ctx: MessageContext, delivery: ClaimedDelivery): Promise<WrittenMessages> {
  const content = await digests.writeContent(ctx, delivery)
  if (!content) return createRefusal('The events of the digest no longer exist')
  return writeToRecipients(
    ctx,
    delivery,
    release(content, delivery.is_masked),
    explainDigest(delivery.account_name, `${ctx.config.FRONTEND_URL}/settings/emails`),
  )
}

/** Write a weekly report. Mail programs offer to end the subscription with one click. */
async function writeReport(ctx: MessageContext, delivery: ClaimedDelivery): Promise<WrittenMessages> {
  // Loaded on first use: few e-mails need it.
  const { writeContent } = await import('#functions/analytics/reports/service.ts')
  const report = await writeContent(ctx, delivery)
  if (!report) return createRefusal('The report no longer exists')
  const { account_id: accountId, account_name, user_id: userId } = delivery
  const token = await ctx.unsubscribeTokens.signSubscription({
    accountId,
    userId: userId ?? '',
    teamId: report.team.id,
  })
  const url = `${ctx.config.PUBLIC_BASE_URL}/api/v1/unsubscribe/${token}`
  const messages = await writeToRecipients(
    ctx,
    delivery,
    release(report.content, delivery.is_masked),
    explainReport(account_name, report.team.name, url),
  )
  if ('refusal' in messages) return messages
  return {
    ...messages,
    mails: messages.mails.map((mail) => ({ headers: createUnsubscribeHeaders(url), ...mail })),
  }
}

/**
 * Write the e-mail about the deletion of an account. Write none if the deletion has been cancelled or
 * scheduled again since.
 */
function writeDeletion(
  { config }: MessageContext,
  delivery: ClaimedDelivery,
  purpose: keyof typeof deletionEmails,
): WrittenMessages {
  const { account_name, account_colour, deletes_at } = delivery
  if ((deletes_at === null) !== (purpose === 'account_deletion_cancelled'))
    return createRefusal('Another admin has decided otherwise')
  const url = `${config.FRONTEND_URL}/settings/account`
  const frame = createDeletionFrame({ accountName: account_name, colour: account_colour })
  return writeServiceEmail(delivery, deletionEmails[purpose](account_name, deletes_at ?? '', url), frame)
}

/**
 * Write the e-mail of an invite with a new code. Return a final failure for an invite that was used or
 * revoked or has expired.
 */
async function writeInvite(ctx: MessageContext, delivery: ClaimedDelivery): Promise<WrittenMessages> {
  const code = randomToken()
  const invite = await insertInviteCode.first(ctx.platform, delivery.invite_id ?? '', await sha256Bytea(code))
  if (!invite) return createRefusal('The invite is no longer open')
  const url = `${ctx.config.FRONTEND_URL}/register?code=${code}`
  const content = release(writeInviteContent(invite, url), delivery.is_masked)
  return writeToRecipients(
    ctx,
    delivery,
    content,
    explainInvite(invite.account_name, nameInviter(invite.inviter_name)),
  )
}

/** Write an e-mail with a one-time link. The token is created here, so that only its hash is ever stored. */
async function writeLink(
  ctx: MessageContext,
  { user_id, recipient }: ClaimedDelivery,
  purpose: keyof typeof linkEmails,
): Promise<WrittenMessages> {
  const { lifetime, path, label, content } = linkEmails[purpose]
  const token = randomToken()
  const stored = {
    hash: await sha256Bytea(token),
    userId: user_id ?? '',
    recipient: recipient ?? '',
    purpose,
    lifetime,
  }
  if ((await insertOneTimeToken.run(ctx.platform, stored)) === 0)
    return createRefusal('The user has another address since')
  const link = { label, url: `${ctx.config.FRONTEND_URL}${path}?token=${token}` }
  return {
    mails: [
      {
        to: recipient ?? '',
        ...renderEmail(releaseParts({ ...content, link }), releaseParts(createLinkFrame(purpose))),
      },
    ],
  }
}
