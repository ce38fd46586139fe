import { toPlainName } from '#rules/text/plain-name.ts'
import { sentence } from '#rules/text/sentence.ts'
import { type Brand, serviceBrand, serviceName } from './brand.ts'
import { linkEmails, type securityEmails } from './contents.ts'
import type { EmailFrame } from './layout.ts'

// The footer of an e-mail: why the recipient gets it, and how to stop such e-mails.

/** Why a verified member of the account gets an e-mail, and why any other recipient does. */
export interface Reasons {
  member: string
  stranger: string
  /** How a member stops such e-mails, if not by who is notified. */
  memberStop?: EmailFrame['stop']
}

/** The facts about a notification that explain it. The names are users' texts. */
export interface NotificationOrigin {
  accountName: string
  /** Whether it is addressed to a person, and not to the addresses of a config. */
  isPersonal: boolean
  senderName: string | null
  configAuthor: string | null
}

const formatAccount = (name: string) => sentence`the account “${toPlainName(name)}”`
const formatPerson = (name: string | null) => (name && toPlainName(name)) || 'An administrator'

export function explainNotification({
  accountName,
  isPersonal,
  senderName,
  configAuthor,
}: NotificationOrigin): Reasons {
  const account = formatAccount(accountName)
  if (isPersonal)
    return {
      member: sentence`You are a member of ${account}, and this event concerns you.`,
      stranger: sentence`This address was registered by a member of ${account}. The message was caused by ${formatPerson(senderName)}.`,
    }
  return {
    member: sentence`${formatPerson(configAuthor)} has listed your address for notifications of ${account}.`,
    stranger: sentence`${formatPerson(configAuthor)} set up this address to receive notifications of ${account} in ${serviceName}.`,
  }
}

export function explainInvite(accountName: string, inviter: string): Reasons {
  const reason = sentence`${inviter} invited this address to ${formatAccount(accountName)} in ${serviceName}.`
  return { member: reason, stranger: reason, memberStop: 'Ignore this e-mail if you do not want to join.' }
}

export function explainReceipt(): Reasons {
  const reason = `You sent feedback about ${serviceName}.`
  return {
    member: reason,
    stranger: reason,
    memberStop: 'You get one e-mail for each feedback that you send.',
  }
}

export function explainWebhook(accountName: string, webhooksUrl: string): Reasons {
  const reason = sentence`You are an admin of ${formatAccount(accountName)} in ${serviceName}.`
  return {
    member: reason,
    stranger: reason,
    memberStop: { label: 'Delete webhooks that nobody needs', url: webhooksUrl },
  }
}

export function explainExport(accountName: string): Reasons {
  const reason = sentence`You asked for an export of ${formatAccount(accountName)} in ${serviceName}.`
  return {
    member: reason,
    stranger: reason,
    memberStop: 'You get one e-mail for each export that you start.',
  }
}

export function explainDigest(accountName: string, preferencesUrl: string): Reasons {
  const reason = sentence`You are a member of ${formatAccount(accountName)} and asked for quiet hours or a digest.`
  return {
    member: reason,
    stranger: reason,
    memberStop: { label: 'Change your quiet hours and digests', url: preferencesUrl },
  }
}

export function explainReport(accountName: string, teamName: string, unsubscribeUrl: string): Reasons {
  const reason = sentence`You subscribed to the weekly report of the team “${toPlainName(teamName)}” in ${formatAccount(accountName)}.`
  return {
    member: reason,
    stranger: reason,
    memberStop: { label: 'Unsubscribe from this report', url: unsubscribeUrl },
  }
}

export function createMemberFrame(
  brand: Brand,
  { member, memberStop }: Reasons,
  frontendUrl: string,
): EmailFrame {
  const settings = {
    label: 'Admins of the account change who is notified here',
    url: `${frontendUrl}/settings/notifications`,
  }
  return { brand, reason: member, stop: memberStop ?? settings }
}

export function createStrangerFrame(brand: Brand, { stranger }: Reasons, unsubscribeUrl: string): EmailFrame {
  return { brand, reason: stranger, stop: { label: 'Never send me e-mails again', url: unsubscribeUrl } }
}

/**
 * The frame of an e-mail with a one-time link. It shows no account, because its address may be that of a
 * stranger.
 */
export function createLinkFrame(purpose: keyof typeof linkEmails): EmailFrame {
  const { reason } = linkEmails[purpose]
  return {
    brand: serviceBrand,
    reason,
    stop: 'If this was not you, ignore it: nothing changes. E-mails about your own sign-in are always sent.',
  }
}

/** The frame of an e-mail to a user about their own sign-in. */
export function createSecurityFrame(purpose: keyof typeof securityEmails): EmailFrame {
  const isOldAddress = purpose === 'email_changed'
  return {
    brand: serviceBrand,
    reason: isOldAddress
      ? `You signed in to ${serviceName} with this address until now.`
      : `You sign in to ${serviceName} with this address.`,
    stop: 'E-mails about the security of your sign-in are always sent.',
  }
}

export function createDeletionFrame(brand: Brand): EmailFrame {
  const reason = sentence`You are an admin of ${formatAccount(brand.accountName ?? '')} in ${serviceName}.`
  return { brand, reason, stop: 'E-mails about the deletion of an account are always sent to its admins.' }
}

/** The frame of an e-mail to the platform itself. `setting` has its address. */
export function createStaffFrame(setting: 'SALES_EMAIL' | 'FEEDBACK_EMAIL'): EmailFrame {
  return {
    brand: serviceBrand,
    reason: `${setting} of the service is this address.`,
    stop: `Change ${setting} to stop these e-mails.`,
  }
}
