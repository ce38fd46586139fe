import { type ChatMessage, clip } from './chat.ts'

const maxBytes = 20 * 1024

// Cards render some Markdown (emphasis, links, lists). A backslash keeps users' characters literal.
function escapeText(text: string): string {
  return text
    .replace(/[\\*_[\]]/g, (mark) => `\\${mark}`)
    .replace(/^(\s*)([-+]|\d+\.)(?=\s)/gm, (_, space: string, mark: string) => `${space}\\${mark}`)
}

/** Build a workflow webhook's message with one Adaptive Card 1.4, under 20 KB of UTF-8. */
export function toAdaptiveCard(message: ChatMessage) {
  let length = 4000
  let card = buildCard(message, length)
  while (new TextEncoder().encode(JSON.stringify(card)).byteLength > maxBytes) {
    length = Math.floor(length / 2)
    card = buildCard(message, length)
  }
  return card
}

function buildCard({ title, body, url }: ChatMessage, length: number) {
  const text = (value: string, style: object) => ({ type: 'TextBlock', text: escapeText(value), wrap: true, ...style })
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            text(clip(title, 300), { weight: 'Bolder', size: 'Medium' }),
            ...(body ? [text(clip(body, length), { spacing: 'Small' })] : []),
          ],
          actions: url ? [{ type: 'Action.OpenUrl', title: 'Open in Support Flow', url }] : [],
        },
      },
    ],
  }
}
