import { type ChatMessage, clip } from './chat.ts'

// A name or a ticket title could otherwise mention a channel or carry a link.
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Escaped and within `max` characters, without cutting an escape in two. */
function clipEscaped(text: string, max: number): string {
  let clipped = clip(text, max)
  for (let length = max; escapeText(clipped).length > max; length -= 10) clipped = clip(text, Math.max(1, length))
  return escapeText(clipped)
}

/** Block Kit of an incoming webhook: header (150), section (3,000) and a context with the link. `text` is what a phone shows. */
export function blocks({ title, body, url }: ChatMessage) {
  const section = { type: 'section', text: { type: 'mrkdwn', text: clipEscaped(body || title, 3000) } }
  const context = url ? [{ type: 'context', elements: [{ type: 'mrkdwn', text: `<${escapeText(url)}|Open in Support Flow>` }] }] : []
  return {
    text: clipEscaped(title, 3000),
    blocks: [{ type: 'header', text: { type: 'plain_text', text: clipEscaped(title, 150), emoji: false } }, section, ...context],
  }
}
