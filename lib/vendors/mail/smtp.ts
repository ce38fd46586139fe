import { createHash } from 'node:crypto'
import { createTransport, type Transporter } from 'nodemailer'
import { addSentence, readSentence, readWaitMs } from '#vendors/net/refusal.ts'
import { failedSend, sendTimeoutMs } from '#vendors/net/send-result.ts'
import { createMailHeaders, type MailFailure, type MailPort, type OutgoingMail, readDomain } from './mail.ts'

interface SmtpSettings {
  /**
   * `smtps://user:password@host:465`, or `smtp://…:587`, which demands STARTTLS unless it ends in `?tls=off`.
   */
  url: string
  /** `Name <address>`, or an address alone. */
  from: string
  /** Where answers go to an e-mail that names no address of its own. */
  replyTo?: string | undefined
  /** How long the server may be silent. */
  timeoutMs?: number
  /** How long a call may take. The lease of its deliveries is 60 s. */
  callTimeoutMs?: number
}

/** A mail port that can also sign in, to check its settings. */
export interface SmtpPort extends MailPort {
  signIn(): Promise<void>
}

// More than a process has in work. An e-mail to several recipients is repeated to those only who did not get
// it.
const maxRememberedMails = 10_000

/**
 * Create a mail port that sends through a mail server, on Node only: the client needs Node's sockets and TLS.
 */
export function smtpMail({
  url,
  from,
  replyTo,
  timeoutMs = sendTimeoutMs,
  callTimeoutMs = 30_000,
}: SmtpSettings): SmtpPort {
  const sender = readMailbox(from)
  const { auth, ...server } = { ...readServer(url), ...createTimeouts(timeoutMs) }
  const acceptedIds = new Set<string>()
  const remember = (id: string) => {
    acceptedIds.add(id)
    for (const oldest of acceptedIds) if (acceptedIds.size > maxRememberedMails) acceptedIds.delete(oldest)
  }
  const domain = readDomain(from)
  const toMessage = (mail: OutgoingMail) => {
    const { deliveryId, to, replyTo: ownReplyTo = replyTo, subject, html, text } = mail
    return {
      // Objects, because a text would be parsed as a list of addresses.
      from: sender,
      to: { name: '', address: to },
      envelope: { from: sender, to: { name: '', address: to } },
      replyTo: ownReplyTo ? { name: '', address: ownReplyTo } : undefined,
      subject,
      html,
      text,
      headers: createMailHeaders(mail, from),
      // The same at each attempt, so that a mailbox can recognize an e-mail that it already has.
      messageId: `<${createHash('sha256').update(`${deliveryId} ${to}`).digest('base64url').slice(0, 27)}@${domain}>`,
      disableFileAccess: true,
      disableUrlAccess: true,
    }
  }
  return {
    isConfigured: true,
    async send(mails) {
      const signal = AbortSignal.timeout(callTimeoutMs)
      const transport = createTransport({
        ...server,
        ...(auth ? { auth } : {}),
        pool: true,
        maxConnections: 1,
        maxMessages: mails.length,
      })
      const failures = new Map<number, MailFailure>()
      // Why nothing else is sent in this call. A wrong password, for example, must not be tried a hundred
      // times.
      let end: MailFailure | undefined
      let hasAccepted = false
      for (const [index, mail] of mails.entries()) {
        const message = { ...toMessage(mail), signal }
        if (acceptedIds.has(message.messageId)) continue
        const failure: MailFailure | undefined = end ?? (await sendOne(transport, message, timeoutMs))
        if (!failure) {
          remember(message.messageId)
          hasAccepted = true
          continue
        }
        // A slow server gets the others in the next call, which counts as no attempt.
        const isPostponed = hasAccepted && signal.aborted
        if (failure.endsCall) end = isPostponed ? { ...failure, isPostponed, retryAfterSeconds: 1 } : failure
        failures.set(index, end ?? failure)
      }
      transport.close()
      return { ok: true, status: null, failures: failures.size > 0 ? failures : undefined }
    },
    // A mail server reports a bounce by an e-mail to the sender.
    readEvent: async () => ({ ok: false, reason: 'not_configured' }),
    async ping() {
      // Without signing in: some providers block an account that does so every few seconds.
      await createTransport(server).verify()
      return { isLimited: false }
    },
    async signIn() {
      await createTransport({ ...server, ...(auth ? { auth } : {}) }).verify()
    },
  }
}

type Message = Parameters<Transporter['sendMail']>[0]

/** Send one e-mail. Return why it failed, undefined when the server has accepted it. */
async function sendOne(
  transport: Pick<Transporter, 'sendMail'>,
  message: Message,
  timeoutMs: number,
): Promise<MailFailure | undefined> {
  try {
    await transport.sendMail(message)
    return undefined
  } catch (error) {
    return await describeMailError(error, timeoutMs)
  }
}

/** Describe an error of the client, with the server's text, in which addresses are masked. */
export async function describeMailError(error: unknown, timeoutMs = sendTimeoutMs): Promise<MailFailure> {
  const {
    code = '',
    command = '',
    responseCode,
    response = '',
    message = '',
  } = error as Record<string, string | undefined> & { responseCode?: number }
  // https://www.rfc-editor.org/rfc/rfc3463#section-2
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S)/.exec(response)?.[1]
  const answer = [responseCode, enhanced].filter(Boolean).join(' ') || 'no answer'
  // The codes before each line are in ours.
  const said = response.replace(/^\d{3}[ -](?:\d\.\d{1,3}\.\d{1,3}\s)?/gm, '')
  const describe = async (ours: string) => addSentence(ours, await readSentence(said, [], 'all'))
  const isAboutMail = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== 421
  const endsCall = !isAboutMail
  if (isAboutMail && isPermanent(responseCode, command) && !aboutSender.test(response))
    return {
      ok: false,
      status: null,
      error: await describe(`The mail server refused the e-mail (${answer})`),
      gone: true,
      isRefused: true,
    }
  // The client replaces the code of an error of TLS, but not its text.
  if (code === 'ETLS' || (code === 'ESOCKET' && /certificate|wrong version/i.test(message)))
    return { ok: false, status: null, error: 'The mail server has no TLS, or no valid certificate', endsCall }
  if (code === 'EAUTH' || code === 'ENOAUTH')
    return {
      ok: false,
      status: null,
      error: await describe(`The mail server refused the sign-in (${answer})`),
      endsCall,
    }
  if (responseCode !== undefined)
    return {
      ok: false,
      status: null,
      error: await describe(`The mail server answered ${answer}`),
      endsCall,
      ...readWait(said),
    }
  if (code === 'ETIMEDOUT' || code === 'EABORT')
    return { ...failedSend(new DOMException('Took too long', 'TimeoutError'), timeoutMs), endsCall }
  return { ...failedSend(error), endsCall }
}

/** The seconds that a server asks to wait, such as one that keeps a list of unknown senders. */
function readWait(said: string): { retryAfterSeconds?: number } {
  const ms = readWaitMs(said)
  return ms === undefined ? {} : { retryAfterSeconds: Math.ceil(ms / 1000) }
}

/**
 * Servers refuse the sender after the recipient or the message too: Microsoft 365 with 5.7.60 and SendAsDenied
 * (https://learn.microsoft.com/en-us/exchange/troubleshoot/email-delivery/ndr/non-delivery-reports-in-exchange-online),
 * Postfix with reject_sender_login_mismatch (https://www.postfix.org/postconf.5.html).
 */
const aboutSender =
  /\b5\.(?:1\.[78]|7\.60)\b|SendAsDenied|send(?:ing)? (?:as|from)\b|sender (?:address )?(?:rejected|denied|verify failed|(?:is )?not (?:allowed|authori[sz]ed|verified|owned))|(?:from|sender) address (?:is )?not (?:allowed|authori[sz]ed|verified)/i

/**
 * A permanent answer about the recipient or the message, or none because the client refused it. What is said
 * of the sender can be corrected.
 */
function isPermanent(responseCode: number | undefined, command: string): boolean {
  if (responseCode === undefined) return true
  // 503: a wrong order of commands, so a later connection may succeed.
  return responseCode >= 500 && responseCode !== 503 && command !== 'MAIL FROM'
}

function createTimeouts(timeoutMs: number) {
  return {
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketCloseTimeout: 0,
  }
}

function readServer(text: string) {
  const { protocol, hostname, port, username, password, searchParams } = new URL(text)
  const secure = protocol === 'smtps:'
  const isPlain = searchParams.get('tls') === 'off'
  return {
    // Without the brackets of an IPv6 address.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port ? Number(port) : secure ? 465 : 587,
    secure,
    ...(isPlain ? { ignoreTLS: true } : { requireTLS: !secure }),
    auth: username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : undefined,
  }
}

function readMailbox(text: string): { name: string; address: string } {
  const [, name = '', address = text] = /^([^<>]*)<([^<>]+)>$/.exec(text) ?? []
  return { name: name.trim(), address }
}
