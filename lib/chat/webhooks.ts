import { attemptMs, failed, retryAfter, type Sent } from '../net/sent.ts'
import type { ChatPort } from './chat.ts'
import { blocks } from './chat1-blocks.ts'
import { adaptiveCard } from './chat2-card.ts'

/** Both chat tools' incoming webhooks over fetch. */
export function chatWebhooks(): ChatPort {
  return {
    async send(tool, webhookUrl, message) {
      try {
        const response = await fetch(webhookUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(tool === 1 ? blocks(message) : adaptiveCard(message)),
          redirect: 'manual',
          signal: AbortSignal.timeout(attemptMs),
        })
        return judge(tool, response, (await response.text()).slice(0, 2000))
      } catch (error) {
        return failed(error)
      }
    },
  }
}

/** Tool 1 says `ok` as plain text; tool 2 says 202, or 200 with a text that may be an error all the same. */
function judge(tool: 1 | 2, response: Response, text: string): Sent {
  const { status } = response
  const accepted = tool === 1 ? status === 200 && text.trim() === 'ok' : response.ok && !text.includes('returned HTTP error')
  if (accepted) return { ok: true, status }
  const seconds = status === 429 ? retryAfter(response.headers.get('retry-after')) : undefined
  // Only the tools' own words are repeated; anything longer is somebody's page.
  const word = /^[a-z_]{3,60}$/.test(text.trim()) ? ` (${text.trim()})` : ''
  const error = response.ok ? 'The chat tool did not accept the message' : `The chat tool answered ${status}${word}`
  return { ok: false, status, error, gone: status === 404 || status === 410, ...(seconds ? { retryAfterSeconds: seconds } : {}) }
}
