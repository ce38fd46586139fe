import type { PingResult } from '#vendors/net/ping-result.ts'
import type { RawBody } from '#vendors/net/raw-body.ts'
import type { SendResult } from '#vendors/net/send-result.ts'

export interface Mail {
  to: string
  replyTo?: string
  subject: string
  html: string
  text: string
  /**
   * What the e-mail is about, if others are about it too: the left side of a Message-ID. Mail programs show
   * the e-mails of one matter as a conversation.
   */
  matter: string | null
  headers?: Record<string, string>
}

/** An e-mail with the id of its delivery, which is the same at each attempt. */
export type OutgoingMail = Mail & { deliveryId: string }

/**
 * The headers of every e-mail, so that no mailbox answers it: RFC 3834, section 5, and, for Exchange,
 * https://learn.microsoft.com/openspecs/exchange_server_protocols/ms-oxcmail/ced68690-498a-4567-9d14-5c01f974d8b1
 */
const automaticMailHeaders = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

/**
 * Create the headers of an e-mail. `from` is the sender. All e-mails of a matter answer one that need not
 * exist. Gmail wants the same subject besides, up to `Re:`:
 * https://workspaceupdates.googleblog.com/2019/03/threading-changes-in-gmail-conversation-view.html
 */
export function createMailHeaders({ matter, headers }: Mail, from: string): Record<string, string> {
  const id = `<${matter}@${readDomain(from)}>`
  return {
    ...automaticMailHeaders,
    ...(matter === null ? {} : { 'In-Reply-To': id, References: id }),
    ...headers,
  }
}

/** Return the domain of `Name <address>`, or of an address alone. */
export function readDomain(mailbox: string): string {
  return /@([^<>@\s]+)>?\s*$/.exec(mailbox)?.[1] ?? ''
}

/** Maximum number of e-mails in one call. */
export const maxMailsPerCall = 100

/**
 * Why one e-mail of a call was not sent. `isRefused`: for its content or its recipient. `endsCall`: the
 * following ones would fail likewise.
 */
export type MailFailure = SendResult & { ok: false; isRefused?: boolean; endsCall?: boolean }

/**
 * The result of a call. `failures` has the e-mails that were not sent although the others were, by their
 * index. `isUncertain`: the call failed, but the provider may have sent the e-mails. `isUnread`: it refused
 * the caller before it looked at the key of the call.
 */
export type MailResult = SendResult & {
  failures?: ReadonlyMap<number, MailFailure>
  isUncertain?: boolean
  isUnread?: boolean
}

/**
 * Why an address gets no e-mails. `complained`: its owner called one spam; `suppressed`: it is on a list of
 * the provider.
 */
export const mailProblems = ['bounced', 'complained', 'suppressed'] as const
export type MailProblem = (typeof mailProblems)[number]

/** What the provider says of an address to which it has sent an e-mail. `at` is a time in RFC 3339. */
export type MailEvent = { problem: MailProblem; address: string; at: string }
/** `event` is null for one that says nothing of an address. */
export type MailEventResult =
  | { ok: true; event: MailEvent | null }
  | { ok: false; reason: 'unsigned' | 'not_configured' }

export interface MailPort {
  /** Whether there is a provider. */
  readonly isConfigured: boolean
  /** Verify and read an event. */
  readEvent(body: RawBody): Promise<MailEventResult>
  /**
   * Send up to 100 mails in one call. A repeated call with the same key within 24 hours sends nothing, as far
   * as the provider can tell.
   */
  send(mails: OutgoingMail[], idempotencyKey: string): Promise<MailResult>
  /** Throw when the provider does not answer. */
  ping(): Promise<PingResult>
}

/** The mail port of a service without a provider: no e-mail can be sent, now or later. */
export const noMail: MailPort = {
  isConfigured: false,
  readEvent: async () => ({ ok: false, reason: 'not_configured' }),
  send: async () => ({ ok: false, status: null, error: 'The service has no mail provider', gone: true }),
  ping: async () => ({ isLimited: false }),
}
