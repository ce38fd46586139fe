import type { ChatMessage } from './chat.ts'

// A name or a ticket title could otherwise mention a channel or carry a link.
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Escaped and within `max` characters, without cutting an escape or a character in two. */
function clipEscaped(text: string, max: number): string {
  const whole = escapeText(text)
  if (whole.length <= max) return whole
  let kept = ''
  for (const character of text) {
    const escaped = escapeText(character)
    if (kept.length + escaped.length >= max) break
    kept += escaped
  }
  return `${kept}…`
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
