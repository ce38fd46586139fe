import { type ChatMessage, clip } from './chat.ts'

const maxBytes = 20 * 1024

// Cards read a little Markdown (emphasis, links, lists): a backslash keeps what a user wrote text.
function escapeText(text: string): string {
  return text
    .replace(/[\\*_[\]]/g, (mark) => `\\${mark}`)
    .replace(/^(\s*)([-+]|\d+\.)(?=\s)/gm, (_, space: string, mark: string) => `${space}\\${mark}`)
}

/** A workflow webhook's message with one Adaptive Card 1.4, under 20 KB as UTF-8. */
export function adaptiveCard(message: ChatMessage) {
  let length = 4000
  let card = build(message, length)
  while (new TextEncoder().encode(JSON.stringify(card)).byteLength > maxBytes) {
    length = Math.floor(length / 2)
    card = build(message, length)
  }
  return card
}

function build({ title, body, url }: ChatMessage, length: number) {
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
