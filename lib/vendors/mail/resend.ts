import type { Resend } from 'resend'
import * as z from 'zod'
import { parseJson } from '#rules/text/json.ts'
import { createBoundedFetch, type Fetch } from '#vendors/net/bounded-fetch.ts'
import { createPingError } from '#vendors/net/ping-result.ts'
import { readAnswer } from '#vendors/net/read-answer.ts'
import { addSentence, readSentence } from '#vendors/net/refusal.ts'
import { failedSend, parseRetryAfter, sendLimits } from '#vendors/net/send-result.ts'
import { readItems, text } from '#vendors/net/wire.ts'
import {
  createMailHeaders,
  type MailEvent,
  type MailFailure,
  type MailPort,
  type MailProblem,
  type MailResult,
} from './mail.ts'

interface ResendSettings {
  key: string
  baseUrl: string
  from: string
  /** Where answers go to an e-mail that names no address of its own. */
  replyTo?: string | undefined
  /** Signs the events. */
  webhookSecret?: string | undefined
}

const WireError = z.object({ index: z.int(), message: text })
/** Addresses in the sentences of the provider are masked. */
const readReason = (said: string, key: string) => readSentence(said, [key], 'all')

async function createRefusal(message: string | null, key: string): Promise<MailFailure> {
  const error = addSentence('The mail provider refused the e-mail', await readReason(message ?? '', key))
  return { ok: false, status: 422, error, isRefused: true }
}

/**
 * Create a mail port that sends through Resend. The first e-mail loads its client, because most requests send
 * none.
 */
export function resendMail({ key, baseUrl, from, replyTo, webhookSecret }: ResendSettings): MailPort {
  const fetchBounded = createBoundedFetch('mail', sendLimits)
  let resend: Resend | undefined
  return {
    isConfigured: true,
    async send(mails, idempotencyKey) {
      try {
        resend ??= await openResend({ key, baseUrl }, fetchBounded)
        // One e-mail that is refused does not stop the others:
        // https://resend.com/docs/api-reference/emails/send-batch-emails
        const response = await resend.batch.send(
          mails.map(({ deliveryId: _, matter, ...mail }) => ({
            replyTo: replyTo || undefined,
            ...mail,
            // Also for conversations: https://resend.com/docs/dashboard/receiving/reply-to-emails
            headers: createMailHeaders({ ...mail, matter }, from),
            to: [mail.to],
            from,
          })),
          { idempotencyKey, batchValidation: 'permissive' },
        )
        if (response.error) return toMailResult(response.error, new Headers(response.headers ?? {}))
        const failures = new Map<number, MailFailure>()
        for (const { index, message } of readItems('mail', WireError, response.data.errors ?? []))
          failures.set(index, await createRefusal(message, key))
        return { ok: true, status: 200, failures: failures.size > 0 ? failures : undefined }
      } catch (error) {
        return { ...failedSend(error), isUncertain: true }
      }
    },
    async readEvent({ bytes, headers }) {
      if (!webhookSecret) return { ok: false, reason: 'not_configured' }
      resend ??= await openResend({ key, baseUrl }, fetchBounded)
      const readHeader = (name: string) => headers.get(name) ?? ''
      try {
        // Signed by the scheme of Svix: https://resend.com/docs/webhooks/verify-webhooks-requests
        const event = resend.webhooks.verify({
          payload: new TextDecoder().decode(bytes),
          headers: {
            id: readHeader('svix-id'),
            timestamp: readHeader('svix-timestamp'),
            signature: readHeader('svix-signature'),
          },
          webhookSecret,
        })
        return { ok: true, event: toMailEvent(event) }
      } catch {
        return { ok: false, reason: 'unsigned' }
      }
    },
    async ping() {
      // A send-only API key gets 401 or 403 here, which proves that Resend is reachable.
      const response = await fetchBounded(`${baseUrl}/domains`, {
        headers: { authorization: `Bearer ${key}` },
      })
      const { status } = response
      if (status >= 500 || (status >= 300 && status < 401)) throw createPingError('The mail provider', status)
      await readAnswer(response)
      return { isLimited: status === 429 }
    },
  }
}

/**
 * Open Resend's client with our `fetch`. The client has no option for it, so the method that calls fetch is
 * replaced. The new one throws.
 */
async function openResend(
  { key, baseUrl }: Pick<ResendSettings, 'key' | 'baseUrl'>,
  fetchBounded: Fetch,
): Promise<Resend> {
  const { Resend } = await import('resend')
  const send = async (path: string, options: RequestInit = {}) => {
    const response = await fetchBounded(`${baseUrl}${path}`, options)
    const body = await response.text()
    const answer = parseJson(body)
    const headers = Object.fromEntries(response.headers)
    if (response.ok && answer !== undefined) return { data: answer, error: null, headers }
    const { name } = (answer ?? {}) as { name?: unknown }
    return {
      data: null,
      error: {
        name: typeof name === 'string' ? name : '',
        message: (await readReason(body, key)) ?? '',
        statusCode: response.status,
      },
      headers,
    }
  }
  return Object.assign(new Resend(key, { baseUrl, userAgent: 'SupportFlow/1' }), {
    fetchRequest: send as Resend['fetchRequest'],
  })
}

// The pause after a 429 without `retry-after`, for example when the daily quota is used up:
// https://resend.com/docs/api-reference/errors
const defaultPauseSeconds = 60

function toMailResult(
  { name, message, statusCode }: { name: string; message: string; statusCode: number | null },
  headers: Headers,
): MailResult {
  // Resend accepted an earlier call with this key and rejects the key for another body. Only the links in the
  // bodies are new.
  if (name === 'invalid_idempotent_request') return { ok: true, status: statusCode }
  const seconds = parseRetryAfter(headers.get('retry-after'))
  // The provider's error codes are words, and its sentence says what to do.
  const code = /^[a-z_]{3,60}$/.test(name) ? name : String(statusCode ?? 'an error')
  const error = addSentence(`The mail provider returned ${code}`, message || null)
  if (statusCode === 429)
    return {
      ok: false,
      status: 429,
      error,
      retryAfterSeconds: seconds ?? defaultPauseSeconds,
      isPostponed: true,
      isUnread: true,
    }
  // It refuses a request with 4xx before it sends anything, unless an earlier call with the same key still
  // runs.
  const isUncertain =
    statusCode === null || statusCode < 400 || statusCode >= 500 || name === 'concurrent_idempotent_requests'
  const result: MailResult = {
    ok: false,
    status: statusCode,
    error,
    isUncertain,
    retryAfterSeconds: seconds || undefined,
  }
  return statusCode === 401 || statusCode === 403 ? { ...result, isUnread: true } : result
}

// https://resend.com/docs/webhooks/emails/bounced, and complained and suppressed beside it. An e-mail has at most 50 recipients.
const WireEvent = z.object({
  type: z.string(),
  created_at: z.string(),
  data: z.object({
    to: z.array(z.string().max(320)).max(50),
    bounce: z.object({ type: z.string() }).optional().catch(undefined),
  }),
})
/**
 * Convert an event. A bounce that is not permanent says nothing of its address. Nor does an event about
 * several recipients, such as of another program with the same key: it does not say whose address it means.
 */
function toMailEvent(wire: unknown): MailEvent | null {
  const parsed = WireEvent.safeParse(wire).data
  const time = Date.parse(parsed?.created_at ?? '')
  const [mailbox, ...others] = parsed?.data.to ?? []
  const problem = parsed && toMailProblem(parsed)
  if (!problem || mailbox === undefined || others.length > 0 || Number.isNaN(time)) return null
  return { problem, address: readAddress(mailbox), at: new Date(time).toISOString() }
}

function toMailProblem({ type, data }: z.output<typeof WireEvent>): MailProblem | null {
  switch (type) {
    case 'email.bounced':
      return data.bounce?.type === 'Permanent' ? 'bounced' : null
    case 'email.complained':
      return 'complained'
    case 'email.suppressed':
      return 'suppressed'
    default:
      return null
  }
}

/** Read the address of `Name <address>`. */
const readAddress = (mailbox: string) => (/<([^<>]+)>$/.exec(mailbox)?.[1] ?? mailbox).trim()
