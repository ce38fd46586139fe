import type { LabelledText } from '#rules/text/labelled-text.ts'
import { type ChatAction, type ChatMessage, type ChatNotice, chatActions, type Escaped } from './chat.ts'

// https://docs.slack.dev/reference/block-kit/blocks: a header has 150 characters, the text of a section 3,000, a field 2,000, and a section
// ten fields. A message has 50 blocks.
const maxHeader = 150
const maxText = 3000
const maxFact = 300
// Of one section, and of a message.
const maxFields = 5
const maxFacts = 8
const maxSections = 8
// Slack refuses a message whose blocks have more characters than this together.
const maxSectionTexts = 10_000

interface BlockText {
  type: 'plain_text' | 'mrkdwn'
  text: Escaped<1>
  emoji?: boolean
}

type Block = { type: string; text?: BlockText; fields?: BlockText[]; elements?: object[] }

// Unescaped, a name or a ticket title could mention a channel or contain a link.
function escapeText(text: string): Escaped<1> {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') as Escaped<1>
}

/** Escape a text and cut it to `max` characters. Never split an escape or a character. */
function clipEscaped(text: string, max: number): Escaped<1> {
  const whole = escapeText(text)
  if (whole.length <= max) return whole
  let clippedText = ''
  for (const character of text) {
    const escaped = escapeText(character)
    if (clippedText.length + escaped.length >= max) break
    clippedText += escaped
  }
  return `${clippedText}…` as Escaped<1>
}

/**
 * Build the Block Kit message of an incoming webhook. `text` is the phone notification. Users' texts are
 * `plain_text`: mrkdwn, which would make `*slow*` bold, has no escape for its marks.
 */
export function toBlocks({ title, body, url, button, secondButton, actions = [], ...lists }: ChatMessage) {
  // Slack refuses a message with an empty text.
  const facts = lists.facts?.filter(hasText) ?? []
  const sections = lists.sections?.filter(hasText) ?? []
  const left = Math.max(0, facts.length - maxFacts) + Math.max(0, sections.length - maxSections)
  const hasBody = body.trim() !== '' || (facts.length === 0 && sections.length === 0)
  const max = Math.min(maxText, Math.floor(maxSectionTexts / Math.max(1, sections.length)))
  const blocks: Block[] = [{ type: 'header', text: toPlainText(title || 'Support Flow', maxHeader) }]
  for (let first = 0; first < Math.min(facts.length, maxFacts); first += maxFields)
    blocks.push({
      type: 'section',
      fields: facts.slice(first, Math.min(first + maxFields, maxFacts)).flatMap(toFields),
    })
  if (hasBody)
    blocks.push({
      type: 'section',
      text: toPlainText(body.trim() === '' ? title || 'Support Flow' : body, maxText),
    })
  for (const { label, text } of sections.slice(0, maxSections)) {
    blocks.push({ type: 'section', text: toBold(label) })
    blocks.push({ type: 'section', text: toPlainText(text, max) })
  }
  if (left > 0) blocks.push({ type: 'section', text: toPlainText(`… and ${left} more`, maxText) })
  if (url && button) {
    const isWhole =
      left === 0 &&
      facts.every(({ text }) => escapeText(text).length <= maxFact) &&
      sections.every(({ text }) => escapeText(text).length <= max)
    // Nobody approves what the message does not show.
    const shown = actions.filter(({ kind }) => kind !== 'approve' || isWhole)
    const elements = [
      ...shown.map((action, n) => toActionButton(action, n === 0, button.isUrgent)),
      toButton(url, { ...button, isUrgent: button.isUrgent && shown.length === 0 }),
      ...(secondButton ? [toSecondButton(secondButton)] : []),
    ]
    blocks.push({ type: 'actions', elements })
  }
  if (url && !button) blocks.push({ type: 'context', elements: [toLink('Open in Support Flow', url)] })
  return { text: clipEscaped(title || 'Support Flow', maxText), blocks }
}

const hasText = ({ text }: LabelledText) => text.trim() !== ''

function toPlainText(text: string, max: number): BlockText {
  return { type: 'plain_text', text: clipEscaped(text, max), emoji: false }
}

const toBold = (label: string): BlockText => ({
  type: 'mrkdwn',
  text: `*${escapeText(label)}*` as Escaped<1>,
})
// The fields of a section are shown in two columns.
const toFields = ({ label, text, url }: LabelledText & { url?: string }) => [
  toBold(label),
  url ? toLink(text, url) : toPlainText(text, maxFact),
]

// A link ends at the first `|`, and is none over two lines.
const toLink = (text: string, url: string): BlockText => ({
  type: 'mrkdwn',
  text: `<${escapeText(url.replaceAll('|', '%7C'))}|${clipEscaped(text.replace(/\s+/g, ' '), maxFact)}>` as Escaped<1>,
})

function toSecondButton({ label, url }: NonNullable<ChatMessage['secondButton']>) {
  return { type: 'button', text: toPlainText(label, 75), url, action_id: 'second' }
}

function toButton(url: string, { label, isUrgent }: NonNullable<ChatMessage['button']>) {
  return {
    type: 'button',
    text: toPlainText(label, 75),
    url,
    action_id: 'open',
    style: isUrgent ? 'danger' : undefined,
  }
}

// The first button is the one to press. https://docs.slack.dev/reference/block-kit/block-elements/button-element
function toActionButton({ kind, deliveryId }: ChatAction, isFirst: boolean, isUrgent: boolean) {
  return {
    type: 'button',
    text: toPlainText(chatActions[kind], 75),
    action_id: kind,
    value: deliveryId,
    style: isFirst ? (isUrgent ? 'danger' : 'primary') : undefined,
  }
}

/** Build what only the person who pressed a button sees. `text` is shown by programs without blocks. */
export function toNotice({ text, link }: ChatNotice) {
  const blocks: Block[] = [{ type: 'section', text: toPlainText(text, maxText) }]
  if (link) blocks.push({ type: 'section', text: toLink(link.label, link.url) })
  return { text: clipEscaped(text, maxText), blocks }
}
