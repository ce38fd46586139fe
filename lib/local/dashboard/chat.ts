import { html, raw } from 'hono/html'
import MarkdownIt from 'markdown-it'
import { pageStyle } from '#http/page-style.ts'
import type { ChatTool } from '#vendors/chat/chat.ts'

type Json = Record<string, unknown>
export type Html = ReturnType<typeof html>

// Slack shows line feeds. Teams colours the title of an urgent card, and Slack the button.
const messageStyle = `
.message p { white-space: pre-line; }
.message .markdown p { white-space: normal; }
.message dl p { margin: 0; }
.urgent { border-color: var(--bad); }
.urgent .attention, .button.danger { color: var(--bad); }
.button.danger { border-color: currentcolor; }`

// Of markdown, Teams shows emphasis, lists and links in a card, but no HTML:
// https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format
const markdown = new MarkdownIt('zero').enable(['emphasis', 'list', 'link', 'escape', 'entity', 'newline'])

/** Render a message as a page of its own, which is shown in a frame. */
export function renderChatPreview({ tool, body }: { tool: ChatTool; body: unknown }): Html {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8" /><title>Message</title><style>${raw(pageStyle + messageStyle)}</style></head><body>${renderMessage(tool, body)}</body></html>`
}

const renderParts: Record<ChatTool, (body: unknown) => Html[]> = {
  1: (body) => readList(body, 'blocks').map(renderBlock),
  2: (body) =>
    readList(body, 'attachments').map((attachment) => renderCard(readField(attachment, 'content'))),
}

/**
 * Render a Slack message from its blocks or a Teams message from its cards. A message with only a text is
 * rendered as markup, anything else as JSON.
 */
function renderMessage(tool: ChatTool, body: unknown): Html {
  const parts = renderParts[tool](body)
  const isUrgent = /"style":"danger"|"color":"Attention"/.test(JSON.stringify(body))
  if (parts.length > 0) return html`<div class="message ${isUrgent ? 'urgent' : ''}">${parts}</div>`
  const text = readField(body, 'text')
  return typeof text === 'string'
    ? html`<div class="message">${renderMrkdwn(text)}</div>`
    : html`<pre>${JSON.stringify(body, null, 2)}</pre>`
}

function renderBlock(block: unknown): Html {
  switch (readField(block, 'type')) {
    case 'header':
      return html`<h4>${renderTextObject(readField(block, 'text'))}</h4>`
    case 'section':
      return html`<p>${renderTextObject(readField(block, 'text'))}</p>${readList(block, 'fields').map((item) => html`<p>${renderTextObject(item)}</p>`)}`
    case 'context':
      return html`<p class="small">${readList(block, 'elements').map((item) => html`${renderTextObject(item)} `)}</p>`
    case 'actions':
      return html`<p>${readList(block, 'elements').map((item) => renderButton(readText(readField(item, 'text')), readField(item, 'url'), readText(item, 'style')))}</p>`
    case 'divider':
      return html`<hr />`
    default:
      return html`<pre>${JSON.stringify(block, null, 2)}</pre>`
  }
}

function renderCard(card: unknown): Html {
  const actions = readList(card, 'actions').map((action) =>
    renderButton(readText(action, 'title'), readField(action, 'url')),
  )
  return html`${readList(card, 'body').map(renderElement)}<p>${actions}</p>`
}

function renderElement(element: unknown): Html {
  const items = [...readList(element, 'items'), ...readList(element, 'columns')]
  switch (readField(element, 'type')) {
    case 'TextBlock':
      return readField(element, 'weight') === 'Bolder' || readField(element, 'style') === 'heading'
        ? html`<div class="markdown ${readText(element, 'color').toLowerCase()}"><b>${renderMarkdown(readText(element))}</b></div>`
        : html`<div class="markdown ${readField(element, 'isSubtle') ? 'small' : ''}">${renderMarkdown(readText(element))}</div>`
    case 'FactSet':
      return html`<dl>${readList(element, 'facts').map((fact) => html`<dt class="markdown">${renderMarkdown(readText(fact, 'title'))}</dt><dd class="markdown">${renderMarkdown(readText(fact, 'value'))}</dd>`)}</dl>`
    default:
      return items.length > 0
        ? html`<div>${items.map(renderElement)}</div>`
        : html`<pre>${JSON.stringify(element, null, 2)}</pre>`
  }
}

const renderMarkdown = (text: string) => raw(markdown.render(text))

function renderButton(label: string, url: unknown, style = ''): Html {
  return typeof url === 'string' && /^https?:/i.test(url)
    ? html`<a class="button ${style}" href="${url}" rel="noreferrer">${label}</a>`
    : html`<span class="button ${style}">${label}</span>`
}

function renderTextObject(value: unknown): Html {
  const text = readText(value)
  return readField(value, 'type') === 'mrkdwn' ? renderMrkdwn(text) : html`${decodeEntities(text)}`
}

/**
 * Render links, bold text and mentions of Slack's markup. A mention is highlighted, because user text must
 * never create one.
 */
function renderMrkdwn(text: string): Html {
  const parts = text.split(/(<[^<>]+>|\*[^*\n]+\*)/).map((part) => {
    if (/^<https?:/i.test(part)) {
      const [url = '', label = url] = part.slice(1, -1).split('|')
      return html`<a href="${decodeEntities(url)}" rel="noreferrer">${decodeEntities(label)}</a>`
    }
    if (part.startsWith('<')) return html`<mark>${part}</mark>`
    return /^\*.+\*$/.test(part)
      ? html`<b>${decodeEntities(part.slice(1, -1))}</b>`
      : html`${decodeEntities(part)}`
  })
  return html`${parts}`
}

function decodeEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

function readText(value: unknown, name = 'text'): string {
  const text = readField(value, name)
  return typeof text === 'string' ? text : ''
}

function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Json)[name] : undefined
}

function readList(value: unknown, name: string): unknown[] {
  const list = readField(value, name)
  return Array.isArray(list) ? list : []
}
