import { createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import { failedSend, parseRetryAfter, type SendResult, sendLimits } from '#vendors/net/send-result.ts'
import type { ChatPort } from './chat.ts'
import { toBlocks } from './chat1-blocks.ts'
import { toAdaptiveCard } from './chat2-card.ts'

/** Create a chat port that posts to the incoming webhooks of both chat tools. */
export function chatWebhooks(): ChatPort {
  const fetchBounded = createBoundedFetch('chat', sendLimits)
  return {
    async send(tool, webhookUrl, message) {
      try {
        const response = await fetchBounded(webhookUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(tool === 1 ? toBlocks(message) : toAdaptiveCard(message)),
        })
        return toSendResult(tool, response, (await response.text()).slice(0, 2000))
      } catch (error) {
        return failedSend(error)
      }
    },
  }
}

/** Tool 1 answers the text `ok`. Tool 2 answers 202, or 200 with a text that can still be an error. */
function toSendResult(tool: 1 | 2, response: Response, text: string): SendResult {
  const { status } = response
  const accepted = tool === 1 ? status === 200 && text.trim() === 'ok' : response.ok && !text.includes('returned HTTP error')
  if (accepted) return { ok: true, status }
  const seconds = status === 429 ? parseRetryAfter(response.headers.get('retry-after')) : undefined
  // The far side's words are not repeated: the address may be that of any server.
  const error = response.ok ? 'The chat tool did not accept the message' : `The chat tool returned ${status}`
  return { ok: false, status, error, gone: status === 404 || status === 410, ...(seconds ? { retryAfterSeconds: seconds } : {}) }
}
