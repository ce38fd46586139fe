import { Resend } from 'resend'
import { createBoundedFetch, type Fetch } from '../net/bounded-fetch.ts'
import { failedSend, parseRetryAfter, type SendResult, sendLimits } from '../net/send-result.ts'
import { parseJson } from '../text/json.ts'
import type { MailPort } from './mail.ts'

interface ResendSettings {
  key: string
  baseUrl: string
  from: string
}

/** Create a mail port that sends through Resend. */
export function resendMail({ key, baseUrl, from }: ResendSettings): MailPort {
  const fetchBounded = createBoundedFetch(sendLimits)
  const resend = openResend({ key, baseUrl }, fetchBounded)
  return {
    async send(mails, idempotencyKey) {
      try {
        const response = await resend.batch.send(
          mails.map((mail) => ({ ...mail, to: [mail.to], from })),
          { idempotencyKey },
        )
        return response.error ? toSendResult(response.error, new Headers(response.headers ?? {})) : { ok: true, status: 200 }
      } catch (error) {
        return failedSend(error)
      }
    },
    async ping() {
      // A send-only API key gets 401 or 403 here, which proves that Resend is reachable.
      const response = await fetchBounded(`${baseUrl}/domains`, { headers: { authorization: `Bearer ${key}` } })
      if (response.status >= 500 || response.status === 429 || (response.status >= 300 && response.status < 401))
        throw new Error(`The mail provider returned ${response.status}`)
      await response.json()
    },
  }
}

/** Open Resend's client with our `fetch`. It takes none, so its one method that calls fetch is replaced. Exceptions are not turned into results. */
function openResend({ key, baseUrl }: Pick<ResendSettings, 'key' | 'baseUrl'>, fetchBounded: Fetch): Resend {
  const send = async (path: string, options: RequestInit = {}) => {
    const response = await fetchBounded(`${baseUrl}${path}`, options)
    const answer = parseJson(await response.text())
    const headers = Object.fromEntries(response.headers)
    if (response.ok && answer !== undefined) return { data: answer, error: null, headers }
    const { name } = (answer ?? {}) as { name?: unknown }
    return { data: null, error: { name: String(name ?? 'application_error'), message: '', statusCode: response.status }, headers }
  }
  return Object.assign(new Resend(key, { baseUrl }), { fetchRequest: send as Resend['fetchRequest'] })
}

function toSendResult({ name, statusCode }: { name: string; statusCode: number | null }, headers: Headers): SendResult {
  // Resend accepted an earlier attempt of this delivery and rejects its idempotency key for another body. Only the link in the body is new.
  if (name === 'invalid_idempotent_request') return { ok: true, status: statusCode }
  const seconds = parseRetryAfter(headers.get('retry-after'))
  // The provider's error codes are words. Anything else is not repeated.
  const code = /^[a-z_]{3,60}$/.test(name) ? name : String(statusCode ?? 'an error')
  return { ok: false, status: statusCode, error: `The mail provider returned ${code}`, ...(seconds ? { retryAfterSeconds: seconds } : {}) }
}
