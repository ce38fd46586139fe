import { Resend } from 'resend'
import { failedSend, parseRetryAfter, type SendResult, sendTimeoutMs, withTimeout } from '../net/send-result.ts'
import type { MailPort } from './mail.ts'

interface ResendSettings {
  key: string
  baseUrl: string
  from: string
}

/** Send mail through Resend. */
export function resendMail({ key, baseUrl, from }: ResendSettings): MailPort {
  const resend = new Resend(key, { baseUrl })
  return {
    async send(mails, idempotencyKey) {
      try {
        const answer = await withTimeout(
          sendTimeoutMs,
          resend.batch.send(
            mails.map((mail) => ({ ...mail, to: [mail.to], from })),
            { idempotencyKey },
          ),
        )
        return answer.error ? toSendResult(answer.error, new Headers(answer.headers ?? {})) : { ok: true, status: 200 }
      } catch (error) {
        return failedSend(error)
      }
    },
    async ping() {
      // A key that may only send is refused here (401 or 403); that also shows that the provider answers.
      const answer = await fetch(`${baseUrl}/domains`, { headers: { authorization: `Bearer ${key}` }, redirect: 'manual' })
      if (answer.status >= 500 || answer.status === 429 || (answer.status >= 300 && answer.status < 401))
        throw new Error(`The mail provider answered ${answer.status}`)
      await answer.json()
    },
  }
}

function toSendResult({ name, statusCode }: { name: string; statusCode: number | null }, headers: Headers): SendResult {
  // An earlier attempt of this delivery was accepted. The body differs only by its newly created link.
  if (name === 'invalid_idempotent_request') return { ok: true, status: statusCode }
  const seconds = parseRetryAfter(headers.get('retry-after'))
  return { ok: false, status: statusCode, error: `The mail provider answered ${name}`, ...(seconds ? { retryAfterSeconds: seconds } : {}) }
}
