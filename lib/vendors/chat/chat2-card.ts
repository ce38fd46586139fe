import { clip } from '#rules/text/clip.ts'
import type { ChatMessage, Escaped } from './chat.ts'

// A workflow puts the card into a text of JSON, which Teams accepts up to 28 KB:
// https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
const maxBytes = 20 * 1024
const maxTitle = 300
const maxText = 4000

// Cards render some Markdown (emphasis, links, lists, code that is indented, entities) and {{DATE()}}. A backslash keeps users' characters
// literal. In "1." it stands before the dot, because it escapes only punctuation:
// https://spec.commonmark.org/0.31.2/#backslash-escapes. Teams starts a new line only after two line feeds:
// https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format
function escapeText(text: string): Escaped<2> {
  return text
    .replace(/[\\*_[\]{}<&]/g, (mark) => `\\${mark}`)
    .replace(
      /^([^\S\r\n]*\d*)([-+]|(?<=\d)[.)])(?=\s)/gm,
      (_, start: string, mark: string) => `${start}\\${mark}`,
    )
    .replace(/(?:\r\n?|\n)+/g, '\n\n')
    .replace(/^\n+/, '')
    .replace(/^[^\S\n]+/gm, (space) => '\u00a0'.repeat(space.length)) as Escaped<2>
}

function toLink(words: Escaped<2>, url: string): Escaped<2> {
  return `[${words}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})` as Escaped<2>
}

interface TextBlock {
  type: 'TextBlock'
  text: Escaped<2>
  wrap: true
}

interface CardFact {
  title: Escaped<2>
  value: Escaped<2>
}

/** Build a workflow webhook's message with one Adaptive Card 1.4, under 20 KB of UTF-8. */
export function toAdaptiveCard(message: ChatMessage) {
  let length = maxText
  let card = buildCard(message, length)
  while (new TextEncoder().encode(JSON.stringify(card)).byteLength > maxBytes) {
    length = Math.floor(length / 2)
    card = buildCard(message, length)
  }
  return card
}

function buildCard(
  { title, body, url, facts = [], sections = [], button, secondButton }: ChatMessage,
  length: number,
) {
  const text = (value: string, style: object): TextBlock => ({
    type: 'TextBlock',
    text: escapeText(value),
    wrap: true,
    ...style,
  })
  const factSet = {
    type: 'FactSet',
    facts: facts.map(({ label, text: value, url: address }): CardFact => {
      const words = escapeText(clip(value, maxTitle))
      return { title: escapeText(label), value: address ? toLink(words, address) : words }
    }),
  }
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
            text(clip(title, maxTitle), {
              weight: 'Bolder',
              size: 'Medium',
              color: button?.isUrgent ? 'Attention' : undefined,
            }),
            ...(facts.length > 0 ? [factSet] : []),
            ...(body ? [text(clip(body, length), { spacing: 'Small' })] : []),
            ...sections.flatMap((section) => [
              text(section.label, { weight: 'Bolder' }),
              text(clip(section.text, length), { spacing: 'Small' }),
            ]),
          ],
          actions: [
            ...(url ? [{ type: 'Action.OpenUrl', title: button?.label ?? 'Open in Support Flow', url }] : []),
            ...(secondButton
              ? [{ type: 'Action.OpenUrl', title: secondButton.label, url: secondButton.url }]
              : []),
          ],
        },
      },
    ],
  }
}
