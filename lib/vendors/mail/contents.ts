import { toPlainName } from '#rules/text/plain-name.ts'
import { sentence } from '#rules/text/sentence.ts'
import { serviceName } from './brand.ts'
import type { EmailContent } from './layout.ts'

// The e-mails without an event. Their addresses are paths of the frontend.

/** A webhook that was switched off. `reason` is null when an admin has changed it since. */
export interface DisabledWebhook {
  url: string
  description: string
  reason: 'gone' | 'failing' | null
}

export interface LinkEmail {
  /** How long the link works, as an interval of PostgreSQL. */
  lifetime: string
  path: string
  /** The label of the link. */
  label: string
  content: Omit<EmailContent, 'link'>
  reason: string
}

/** The e-mails with a one-time link. */
export const linkEmails: Record<'verify_email' | 'reset_password' | 'change_email', LinkEmail> = {
  verify_email: {
    lifetime: '24 hours',
    path: '/verify-email',
    label: 'Verify my address',
    content: {
      subject: 'Verify your e-mail address',
      paragraphs: ['Please confirm that this address is yours. The link works once, within 24 hours.'],
    },
    reason: `Somebody entered this address in ${serviceName}.`,
  },
  reset_password: {
    lifetime: '1 hour',
    path: '/reset-password',
    label: 'Choose a new password',
    content: {
      subject: 'Reset your password',
      paragraphs: [
        'A new password was requested for your account. The link works once, within an hour. If you did not request it, ignore this e-mail.',
      ],
    },
    reason: `Somebody asked ${serviceName} for a new password of this address.`,
  },
  change_email: {
    lifetime: '1 hour',
    path: '/confirm-email',
    label: 'Use this address',
    content: {
      subject: 'Confirm your new e-mail address',
      paragraphs: [
        'Please confirm that you want to sign in with this address from now on. Until then nothing changes. The link works once, within an hour.',
      ],
    },
    reason: `Somebody who is signed in to ${serviceName} entered this address as their new one.`,
  },
}

const securityAdvice = 'If this was not you, change your password and tell an administrator of your account.'

/** The e-mails to a user about a change of what signs in as them, acts as them or reaches them. */
export const securityEmails = {
  email_change_requested: {
    subject: 'A new e-mail address was entered',
    paragraphs: [
      'Somebody who is signed in as you wants to sign in with another e-mail address. It changes when they follow the link that was sent there.',
      'If this was not you, change your password: that ends the link and every other sign-in. Then tell an administrator of your account.',
    ],
  },
  email_changed: {
    subject: 'Your e-mail address was changed',
    paragraphs: [
      'From now on you sign in with another e-mail address, and e-mails go there. This address works no longer.',
      'If this was not you, tell an administrator of your account at once. They can deactivate your user.',
    ],
  },
  identity_linked: {
    subject: 'A sign-in with Google or Microsoft was added',
    paragraphs: ['You can now also sign in with an identity at Google or Microsoft.', securityAdvice],
  },
  identity_unlinked: {
    subject: 'A sign-in with Google or Microsoft was removed',
    paragraphs: ['An identity at Google or Microsoft does not sign you in any more.', securityAdvice],
  },
  password_changed: {
    subject: 'Your password was changed',
    paragraphs: [
      'You sign in with a new password from now on. Every other sign-in has ended.',
      'If this was not you, request a link to set another password, and tell an administrator of your account.',
    ],
  },
  chat_user_linked: {
    subject: 'A user of your chat tool was linked to you',
    paragraphs: [
      'Buttons that this user presses in the chat act as you from now on. The link is listed among your sign-ins, where you can end it.',
      securityAdvice,
    ],
  },
  phone_number_added: {
    subject: 'A phone number was added',
    paragraphs: [
      'Alerts for you can now go to another phone number. It does not sign anybody in.',
      securityAdvice,
    ],
  },
  program_added: {
    subject: 'A program may now act as you',
    paragraphs: [
      'You agreed that a program may use this service as you. It is listed among your sign-ins, where you can end it.',
      securityAdvice,
    ],
  },
  second_factor_added: {
    subject: 'A second factor was added',
    paragraphs: ['Your sign-in now has another second factor.', securityAdvice],
  },
  second_factor_removed: {
    subject: 'A second factor was removed',
    paragraphs: ['Your sign-in has lost a second factor.', securityAdvice],
  },
  sign_in_without_sso: {
    subject: 'An admin signed in without your identity provider',
    paragraphs: [
      'Another admin of your account has signed in with a password and a second factor, past the identity provider that you enforce. That way is for when the provider is away.',
      'The audit log says who it was. If it was not one of you, deactivate that user.',
    ],
  },
}

const formatDay = (time: string) =>
  new Date(time).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })

/** The e-mails about the deletion of an account. `deletesAt` is RFC 3339. */
export const deletionEmails = {
  account_deletion_requested: (accountName: string, deletesAt: string, url: string): EmailContent => ({
    subject: sentence`The account “${toPlainName(accountName)}” will be deleted`,
    paragraphs: [
      sentence`An admin has asked to delete the account “${toPlainName(accountName)}” with everything in it. This will happen on ${formatDay(deletesAt)}.`,
      'Until then it works as before, and any admin can restore it. Afterwards nobody can.',
    ],
    link: { label: 'Restore the account', url },
  }),
  account_deletion_cancelled: (accountName: string, _: string, url: string): EmailContent => ({
    subject: sentence`Re: The account “${toPlainName(accountName)}” will be deleted`,
    headline: sentence`The account “${toPlainName(accountName)}” stays.`,
    paragraphs: [
      sentence`An admin has restored the account “${toPlainName(accountName)}”. It will not be deleted.`,
    ],
    link: { label: 'Open the account', url },
  }),
}

/** Return the content of an invite. The names are users' texts. */
export function writeInviteContent(
  names: { account_name: string; team_name: string | null; inviter_name: string | null },
  url: string,
): EmailContent {
  const team = toPlainName(names.team_name ?? '')
  return {
    subject: sentence`${nameInviter(names.inviter_name)} invites you to ${toPlainName(names.account_name)}`,
    paragraphs: [
      team
        ? sentence`Join the team “${team}” on ${serviceName}. The link works once, within 7 days.`
        : `Join your team on ${serviceName}. The link works once, within 7 days.`,
    ],
    link: { label: 'Accept the invite', url },
  }
}

export function nameInviter(name: string | null): string {
  return (name && toPlainName(name)) || 'A colleague'
}

const disabledReasons = {
  gone: 'Its receiver answered 410, which means that it wants no more messages.',
  failing: 'Its receiver has accepted no message for five days.',
}

/**
 * Return the content about a webhook that was switched off. It names the host only, because an address may
 * contain a secret.
 */
export function writeWebhookContent(
  { url, description, reason }: DisabledWebhook & { reason: 'gone' | 'failing' },
  settingsUrl: string,
): EmailContent {
  const { host } = new URL(url)
  const name = toPlainName(description)
    ? sentence`“${toPlainName(description)}” at ${host}`
    : sentence`at ${host}`
  return {
    subject: 'A webhook was switched off',
    paragraphs: [
      sentence`${serviceName} sends no more events to the webhook ${name}. ${disabledReasons[reason]}`,
      'Repair the receiver, switch the webhook on again, and replay the failed messages.',
    ],
    link: { label: 'Open the webhooks', url: settingsUrl },
  }
}

/**
 * Return the content about an export that has ended. The archive is fetched on the page, where the reader is
 * signed in.
 */
export function writeExportContent(purpose: 'export_ready' | 'export_failed', url: string): EmailContent {
  const link = { label: 'Open the exports', url }
  if (purpose === 'export_ready') {
    const paragraphs = ['The export of your account is ready. It can be downloaded for 7 days.']
    return { subject: 'Your export is ready', paragraphs, link }
  }
  return {
    subject: 'Your export failed',
    paragraphs: ['The export of your account could not be written. Start it again.'],
    link,
  }
}

/** What a sales lead has entered. */
export interface Lead {
  name: string
  company: string
  email: string
  phone: string | null
  seats: number | null
  source: string
  message: string | null
}

export function writeLeadContent({
  name,
  company,
  email,
  phone,
  seats,
  source,
  message,
}: Lead): EmailContent {
  const details = [
    sentence`${name}, ${company}`,
    email,
    ...(phone ? [phone] : []),
    ...(seats ? [`${seats} seats`] : []),
    sentence`From: ${source}`,
  ]
  return {
    subject: sentence`Sales lead: ${company}`,
    paragraphs: [details.join('\n'), ...(message ? [message] : [])],
  }
}

export interface Feedback {
  subject: string
  message: string
  page_url: string | null
  author: string
  email: string
  account_name: string
}

export function writeFeedbackContent({
  subject,
  message,
  page_url,
  author,
  email,
  account_name,
}: Feedback): EmailContent {
  const sender = sentence`${toPlainName(author)} <${email}>, ${toPlainName(account_name)}`
  return {
    subject: sentence`Feedback: ${subject}`,
    paragraphs: [message, page_url ? sentence`${sender}\n${page_url}` : sender],
  }
}

export function writeReceiptContent({
  subject,
  message,
  author,
}: Pick<Feedback, 'subject' | 'message' | 'author'>): EmailContent {
  return {
    subject: sentence`We got your feedback: ${subject}`,
    paragraphs: [sentence`Thank you, ${toPlainName(author)}. This is what you wrote:`, message],
  }
}
