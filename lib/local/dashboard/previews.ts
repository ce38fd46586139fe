import {
  continueConversation,
  defuseContent,
  writeChatMessage,
  writeNotificationContent,
} from '#functions/notifications/messages/service.ts'
import { type Released, releaseParts } from '#rules/audience.ts'
import { type Announcement, toAnnouncement } from '#rules/events/events.ts'
import { eventKeyList } from '#rules/events/keys.ts'
import { buildWeeklyReport } from '#rules/reports/build-weekly.ts'
import { type ChatMessage, type ChatTool, chatTools } from '#vendors/chat/chat.ts'
import { buildChatBody } from '#vendors/chat/webhooks.ts'
import type { Brand } from '#vendors/mail/brand.ts'
import {
  deletionEmails,
  linkEmails,
  nameInviter,
  securityEmails,
  writeExportContent,
  writeFeedbackContent,
  writeInviteContent,
  writeLeadContent,
  writeReceiptContent,
  writeWebhookContent,
} from '#vendors/mail/contents.ts'
import { writeDigestContent } from '#vendors/mail/digest.ts'
import * as frames from '#vendors/mail/frames.ts'
import { type EmailContent, type EmailFrame, renderEmail } from '#vendors/mail/layout.ts'
import { writeReportContent } from '#vendors/mail/weekly-report.ts'
import type { ClaimedDelivery } from '#work/claimed-deliveries.ts'
import { samples } from './preview-samples.ts'

/** An e-mail or a chat message with sample data, written by the code that writes the real ones. */
export type Preview = { id: string; title: string } & (
  | { kind: 'mail'; subject: string; html: string; text: string }
  | { kind: 'chat'; tool: ChatTool; body: unknown }
)

const frontendUrl = 'https://app.supportflow.example'
const unsubscribeUrl = 'https://api.supportflow.example/api/v1/unsubscribe/sample'

type SampleBrand = Brand & { accountName: string }
export type Samples = typeof samples

/** List the previews of every e-mail and card of an account with this colour and name. */
export function listPreviews(
  colour: string | null = null,
  accountName = samples.accountName,
  texts: Samples = samples,
): Preview[] {
  const brand = { accountName, colour }
  return [...listNotifications(brand, texts), ...listPurposes(brand, texts)]
}

function listNotifications(brand: SampleBrand, texts: Samples): Preview[] {
  const { events, people } = texts
  const messages: [string, Released<ChatMessage>][] = [
    ...eventKeyList.map((key): [string, Released<ChatMessage>] => [
      key,
      writeMessage(toAnnouncement(events[key])),
    ]),
    ['notification_test', writeMessage()],
  ]
  const origin = {
    accountName: brand.accountName,
    senderName: people.sender,
    configAuthor: people.configAuthor,
  }
  const personal = frames.explainNotification({ ...origin, isPersonal: true })
  const listed = frames.explainNotification({ ...origin, isPersonal: false })
  return messages.flatMap(([key, message]) => {
    const content = writeNotificationContent(message)
    return [
      createMail(
        `${key}.member`,
        `${key}, to a member`,
        content,
        frames.createMemberFrame(brand, personal, frontendUrl),
      ),
      createMail(
        `${key}.reply`,
        `${key}, in a conversation`,
        continueConversation(content, releaseParts(texts.opening)),
        frames.createMemberFrame(brand, personal, frontendUrl),
      ),
      createMail(
        `${key}.listed`,
        `${key}, to a listed member`,
        content,
        frames.createMemberFrame(brand, listed, frontendUrl),
      ),
      createMail(
        `${key}.stranger`,
        `${key}, to a stranger`,
        defuseContent(releaseParts(content)),
        frames.createStrangerFrame(brand, listed, unsubscribeUrl),
      ),
      ...chatTools.map((tool) =>
        createChat(`${key}.chat${tool}`, `${key}, chat tool ${tool}`, tool, message),
      ),
    ]
  })
}

const writeMessage = (announcement?: Announcement) => {
  const { title = null, body = null, link = null, escalation = null } = announcement ?? {}
  const { approval = null, review = null } = announcement ?? {}
  return writeChatMessage(
    { config: { FRONTEND_URL: frontendUrl } },
    releaseParts({ title, body, link, escalation, approval, review }),
  )
}

function createMail(id: string, title: string, content: EmailContent, frame: EmailFrame): Preview {
  return { id, title, kind: 'mail', ...renderEmail(releaseParts(content), releaseParts(frame)) }
}

function createChat(id: string, title: string, tool: ChatTool, message: ChatMessage): Preview {
  return { id, title, kind: 'chat', tool, body: buildChatBody(tool, message) }
}

/** The purposes of e-mails. */
type Purpose = Exclude<NonNullable<ClaimedDelivery['purpose']>, 'verify_phone'>

function listPurposes(
  brand: SampleBrand,
  { people, webhookDescription, digest, week, lead, feedback }: Samples,
): Preview[] {
  const { accountName } = brand
  const report = buildWeeklyReport(week)
  const webhook = {
    url: 'https://hooks.northwind.example/support-flow',
    description: webhookDescription,
    reason: 'failing' as const,
  }
  const webhooksUrl = `${frontendUrl}/settings/webhooks`
  const accountUrl = `${frontendUrl}/settings/account`
  const deletesAt = '2026-12-05T09:30:00.000Z'
  const invite = writeInviteContent(
    { account_name: accountName, team_name: 'Field service', inviter_name: people.inviter },
    `${frontendUrl}/register?code=sample`,
  )
  const exportFrame = frames.createMemberFrame(brand, frames.explainExport(accountName), frontendUrl)
  const contents: Record<Purpose, [EmailContent, EmailFrame]> = {
    verify_email: [writeLink('verify_email'), frames.createLinkFrame('verify_email')],
    reset_password: [writeLink('reset_password'), frames.createLinkFrame('reset_password')],
    invite: [
      invite,
      frames.createStrangerFrame(
        brand,
        frames.explainInvite(accountName, nameInviter(people.inviter)),
        unsubscribeUrl,
      ),
    ],
    sales_lead: [writeLeadContent(lead), frames.createStaffFrame('SALES_EMAIL')],
    feedback: [writeFeedbackContent(feedback), frames.createStaffFrame('FEEDBACK_EMAIL')],
    feedback_receipt: [
      writeReceiptContent(feedback),
      frames.createMemberFrame(brand, frames.explainReceipt(), frontendUrl),
    ],
    change_email: [writeLink('change_email'), frames.createLinkFrame('change_email')],
    ...writeSecurity(),
    export_ready: [writeExportContent('export_ready', `${frontendUrl}/settings/exports`), exportFrame],
    export_failed: [writeExportContent('export_failed', `${frontendUrl}/settings/exports`), exportFrame],
    digest: [
      writeDigestContent(digest, frontendUrl),
      frames.createMemberFrame(
        brand,
        frames.explainDigest(accountName, `${frontendUrl}/settings/emails`),
        frontendUrl,
      ),
    ],
    weekly_report: [
      writeReportContent(report, frontendUrl),
      frames.createMemberFrame(
        brand,
        frames.explainReport(accountName, report.team.name, unsubscribeUrl),
        frontendUrl,
      ),
    ],
    webhook_disabled: [
      writeWebhookContent(webhook, webhooksUrl),
      frames.createMemberFrame(brand, frames.explainWebhook(accountName, webhooksUrl), frontendUrl),
    ],
    account_deletion_requested: [
      deletionEmails.account_deletion_requested(accountName, deletesAt, accountUrl),
      frames.createDeletionFrame(brand),
    ],
    account_deletion_cancelled: [
      deletionEmails.account_deletion_cancelled(accountName, '', accountUrl),
      frames.createDeletionFrame(brand),
    ],
  }
  return Object.entries(contents).map(([purpose, [content, frame]]) =>
    createMail(purpose, purpose, content, frame),
  )
}

function writeSecurity(): Record<SecurityPurpose, [EmailContent, EmailFrame]> {
  const purposes = Object.keys(securityEmails) as SecurityPurpose[]
  return Object.fromEntries(
    purposes.map((purpose) => [purpose, [securityEmails[purpose], frames.createSecurityFrame(purpose)]]),
  ) as Record<SecurityPurpose, [EmailContent, EmailFrame]>
}
type SecurityPurpose = keyof typeof securityEmails

function writeLink(purpose: keyof typeof linkEmails): EmailContent {
  const { label, path, content } = linkEmails[purpose]
  return { ...content, link: { label, url: `${frontendUrl}${path}?token=sample` } }
}
