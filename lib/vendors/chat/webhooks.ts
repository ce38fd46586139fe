import { createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import { failedSend, parseRetryAfter, type SendResult, sendLimits } from '#vendors/net/send-result.ts'
import type { ChatMessage, ChatPort, ChatTool } from './chat.ts'
import { toBlocks } from './chat1-blocks.ts'
import { toAdaptiveCard } from './chat2-card.ts'

interface WebhookFormat {
  build(message: ChatMessage): unknown
  accepts(response: Response, text: string): boolean
}
const formats: Record<ChatTool, WebhookFormat> = {
  1: { build: toBlocks, accepts: ({ status }, text) => status === 200 && text.trim() === 'ok' },
  // It answers 202, or 200 with a text that can still be an error.
  2: { build: toAdaptiveCard, accepts: ({ ok }, text) => ok && !text.includes('returned HTTP error') },
}

/** Return the JSON body of a message to a chat tool. */
export function buildChatBody(tool: ChatTool, message: ChatMessage): unknown {
  return formats[tool].build(message)
}

/** Create a chat port that posts to the incoming webhooks of every chat tool. */
export function chatWebhooks(): ChatPort {
  const fetchBounded = createBoundedFetch('chat', sendLimits)
  return {
    async send(tool, webhookUrl, message) {
      try {
        const response = await fetchBounded(webhookUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(buildChatBody(tool, message)),
        })
        return toSendResult(tool, response, (await response.text()).slice(0, 2000))
      } catch (error) {
        return failedSend(error)
      }
    },
  }
}

function toSendResult(tool: ChatTool, response: Response, text: string): SendResult {
  const { status } = response
  if (formats[tool].accepts(response, text)) return { ok: true, status }
  const seconds = status === 429 ? parseRetryAfter(response.headers.get('retry-after')) : undefined
  // The far side's words are not repeated: the address may be that of any server.
  const error = response.ok ? 'The chat tool did not accept the message' : `The chat tool returned ${status}`
  return { ok: false, status, error, gone: status === 404 || status === 410, ...(seconds ? { retryAfterSeconds: seconds } : {}) }
}
