import type { ChatMessage } from './chat.ts'

// Unescaped, a name or a ticket title could mention a channel or contain a link.
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Escape a text and cut it to `max` characters. Never split an escape or a character. */
function clipEscaped(text: string, max: number): string {
  const whole = escapeText(text)
  if (whole.length <= max) return whole
  let clipped = ''
  for (const character of text) {
    const escaped = escapeText(character)
    if (clipped.length + escaped.length >= max) break
    clipped += escaped
  }
  return `${clipped}…`
}

/** Build the Block Kit message of an incoming webhook: header (150 characters), section (3,000) and the link. `text` is the phone notification. */
export function toBlocks({ title, body, url }: ChatMessage) {
  const section = { type: 'section', text: { type: 'mrkdwn', text: clipEscaped(body || title, 3000) } }
  const context = url ? [{ type: 'context', elements: [{ type: 'mrkdwn', text: `<${escapeText(url)}|Open in Support Flow>` }] }] : []
  return {
    text: clipEscaped(title, 3000),
    blocks: [{ type: 'header', text: { type: 'plain_text', text: clipEscaped(title, 150), emoji: false } }, section, ...context],
  }
}
