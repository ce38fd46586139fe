import { Resend } from 'resend'
import { failedSend, parseRetryAfter, type SendResult, sendTimeoutMs, withTimeout } from '../net/send-result.ts'
import type { MailPort } from './mail.ts'

interface ResendSettings {
  key: string
  baseUrl: string
  from: string
}

/** Create a mail port that sends through Resend. */
export function resendMail({ key, baseUrl, from }: ResendSettings): MailPort {
  const resend = new Resend(key, { baseUrl })
  return {
    async send(mails, idempotencyKey) {
      try {
        const response = await withTimeout(
          sendTimeoutMs,
          resend.batch.send(
            mails.map((mail) => ({ ...mail, to: [mail.to], from })),
            { idempotencyKey },
          ),
        )
        return response.error ? toSendResult(response.error, new Headers(response.headers ?? {})) : { ok: true, status: 200 }
      } catch (error) {
        return failedSend(error)
      }
    },
    async ping() {
      // A send-only API key gets 401 or 403 here, which proves that Resend is reachable.
      const response = await fetch(`${baseUrl}/domains`, { headers: { authorization: `Bearer ${key}` }, redirect: 'manual' })
      if (response.status >= 500 || response.status === 429 || (response.status >= 300 && response.status < 401))
        throw new Error(`The mail provider returned ${response.status}`)
      await response.json()
    },
  }
}

function toSendResult({ name, statusCode }: { name: string; statusCode: number | null }, headers: Headers): SendResult {
  // Resend accepted an earlier attempt of this delivery and rejects its idempotency key for another body. Only the link in the body is new.
  if (name === 'invalid_idempotent_request') return { ok: true, status: statusCode }
  const seconds = parseRetryAfter(headers.get('retry-after'))
  return { ok: false, status: statusCode, error: `The mail provider returned ${name}`, ...(seconds ? { retryAfterSeconds: seconds } : {}) }
}
