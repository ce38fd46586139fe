import { Resend } from 'resend'
import { attemptMs, failed, retryAfter, type Sent, within } from '../net/sent.ts'
import type { MailPort } from './mail.ts'

interface Settings {
  key: string
  baseUrl: string
  from: string
}

export function resendMail({ key, baseUrl, from }: Settings): MailPort {
  const resend = new Resend(key, { baseUrl })
  return {
    async send(mails, idempotencyKey) {
      try {
        const answer = await within(
          attemptMs,
          resend.batch.send(
            mails.map((mail) => ({ ...mail, to: [mail.to], from })),
            { idempotencyKey },
          ),
        )
        return answer.error ? refused(answer.error, new Headers(answer.headers ?? {})) : { ok: true, status: 200 }
      } catch (error) {
        return failed(error)
      }
    },
    async ping() {
      // A key that may only send is refused here, which is an answer too.
      const answer = await fetch(`${baseUrl}/domains`, { headers: { authorization: `Bearer ${key}` }, redirect: 'manual' })
      if (answer.status >= 500 || answer.status === 429 || (answer.status >= 300 && answer.status < 401))
        throw new Error(`The mail provider answered ${answer.status}`)
      await answer.json()
    },
  }
}

function refused({ name, statusCode }: { name: string; statusCode: number | null }, headers: Headers): Sent {
  // The key was used for this very delivery: what differs is a link made anew, and the first mail has gone out.
  if (name === 'invalid_idempotent_request') return { ok: true, status: statusCode }
  const seconds = retryAfter(headers.get('retry-after'))
  return { ok: false, status: statusCode, error: `The mail provider answered ${name}`, ...(seconds ? { retryAfterSeconds: seconds } : {}) }
}
