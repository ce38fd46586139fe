import { clip } from '#rules/text/clip.ts'
import { createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import { failedSend, parseRetryAfter, type SendResult, sendLimits } from '#vendors/net/send-result.ts'
import { createMessageKey, encryptFor, maxPlaintextBytes } from './encrypt.ts'
import { createVapidSigner } from './vapid.ts'
import type { PushMessage, WebPushPort } from './web-push.ts'

/** How long a push service keeps a message for a browser that is off. After that the alert is old, and other channels have told it. */
const ttlSeconds = 3600

/** Create a port that sends to the push services of all browsers: https://www.rfc-editor.org/rfc/rfc8030 */
export function httpWebPush({ privateKey, contact }: { privateKey: string; contact: string }): WebPushPort {
  const signer = createVapidSigner(privateKey, contact)
  const fetchBounded = createBoundedFetch('web_push', sendLimits)
  return {
    isConfigured: true,
    getPublicKey: signer.getPublicKey,
    async send(subscription, message) {
      const { endpoint } = subscription
      const salt = crypto.getRandomValues(new Uint8Array(16))
      const body = await encryptFor(subscription, encodeMessage(message), await createMessageKey(), salt)
      const headers = {
        authorization: await signer.authorize(endpoint),
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ttl: String(ttlSeconds),
        urgency: 'high',
        topic: message.topic,
      }
      try {
        const response = await fetchBounded(endpoint, { method: 'POST', headers, body })
        await response.body?.cancel()
        return toResult(response)
      } catch (error) {
        return failedSend(error)
      }
    },
  }
}

/** Encode a message as JSON that one record can have. A body that is too long is shortened. */
export function encodeMessage(message: PushMessage): Uint8Array {
  const encode = (body: string) => new TextEncoder().encode(JSON.stringify({ ...message, body }))
  let [length, encoded] = [message.body.length, encode(message.body)]
  while (encoded.byteLength > maxPlaintextBytes && length > 1) {
    length = Math.floor(length / 2)
    encoded = encode(clip(message.body, length))
  }
  return encoded
}

// https://www.rfc-editor.org/rfc/rfc8030#section-5 and, of ended subscriptions, section 7.3
function toResult({ ok, status, headers }: Response): SendResult {
  if (ok) return { ok, status }
  if (status === 404 || status === 410)
    return { ok: false, status, error: 'The browser takes no more messages', gone: true, isRemoved: true }
  const error = `The push service returned ${status}`
  const retryAfterSeconds = parseRetryAfter(headers.get('retry-after'))
  if (status === 429)
    return { ok: false, status, error, isPostponed: true, retryAfterSeconds: retryAfterSeconds ?? 60 }
  if (status >= 500) return { ok: false, status, error, ...(retryAfterSeconds ? { retryAfterSeconds } : {}) }
  return { ok: false, status, error, gone: true }
}
