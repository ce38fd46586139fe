import { createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import { readStart } from '#vendors/net/read-at-most.ts'
import { failedSend, parseRetryAfter } from '#vendors/net/send-result.ts'
import { signWebhook } from './sign.ts'
import type { WebhookPort, WebhookResult } from './webhooks.ts'

/** The specification recommends 15 to 30 seconds. */
export const webhookTimeoutMs = 15_000
/** How much of a response is read, in bytes. */
export const maxResponseBytes = 2048

interface HttpWebhookOptions {
  timeoutMs?: number
  now?: () => number
}

/** Create a port that posts messages to the receivers' addresses. */
export function httpWebhooks({
  timeoutMs = webhookTimeoutMs,
  now = Date.now,
}: HttpWebhookOptions = {}): WebhookPort {
  // The body is not read to its end, so its size does not matter.
  const fetchBounded = createBoundedFetch('webhook', { timeoutMs, maxBytes: Number.MAX_SAFE_INTEGER })
  return {
    async send(url, { id, payload, secrets }) {
      const startedAt = now()
      const timestamp = Math.floor(startedAt / 1000)
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'SupportFlow-Webhooks/1',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': await signWebhook({ id, timestamp, payload }, secrets),
      }
      try {
        const response = await fetchBounded(url, { method: 'POST', headers, body: payload })
        // The status decides, so a body that breaks off does not matter.
        const body = await readStart(response, maxResponseBytes).catch(() => '')
        return { ...toResult(response), body, durationMs: now() - startedAt }
      } catch (error) {
        return { ...noResponse, error: failedSend(error, timeoutMs).error, durationMs: now() - startedAt }
      }
    },
  }
}

const noResponse = { ok: false, status: null, isGone: false, retryAfterSeconds: undefined, body: null }

function toResult(response: Response): Omit<WebhookResult, 'body' | 'durationMs'> {
  const { ok, status } = response
  const isGone = status === 410
  const retryAfterSeconds = ok ? undefined : parseRetryAfter(response.headers.get('retry-after'))
  return { ok, status, error: ok ? null : describeStatus(status), isGone, retryAfterSeconds }
}

function describeStatus(status: number): string {
  if (status === 410) return 'The receiver returned 410: it wants no more messages'
  return status >= 300 && status < 400
    ? `The receiver redirected (${status}); redirects are not followed`
    : `The receiver returned ${status}`
}
