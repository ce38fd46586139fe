import { failedSend, parseRetryAfter, type SendResult, sendTimeoutMs } from '../net/send-result.ts'
import type { ChatPort } from './chat.ts'
import { toBlocks } from './chat1-blocks.ts'
import { toAdaptiveCard } from './chat2-card.ts'

/** Create a chat port that posts to the incoming webhooks of both chat tools. */
export function chatWebhooks(): ChatPort {
  return {
    async send(tool, webhookUrl, message) {
      try {
        const response = await fetch(webhookUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(tool === 1 ? toBlocks(message) : toAdaptiveCard(message)),
          redirect: 'manual',
          signal: AbortSignal.timeout(sendTimeoutMs),
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
  // Repeat only the tools' own short error codes. A longer text may come from any server.
  const word = /^[a-z_]{3,60}$/.test(text.trim()) ? ` (${text.trim()})` : ''
  const error = response.ok ? 'The chat tool did not accept the message' : `The chat tool returned ${status}${word}`
  return { ok: false, status, error, gone: status === 404 || status === 410, ...(seconds ? { retryAfterSeconds: seconds } : {}) }
}
