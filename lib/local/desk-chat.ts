import { html } from 'hono/html'

type Json = Record<string, unknown>
export type Html = ReturnType<typeof html>

/** Draws a message of chat tool 1 from its blocks or of tool 2 from its cards; anything else as its JSON. */
export function drawMessage(tool: 1 | 2, body: unknown): Html {
  const parts =
    tool === 1 ? listOf(body, 'blocks').map(drawBlock) : listOf(body, 'attachments').map((item) => drawCard(field(item, 'content')))
  if (parts.length > 0) return html`<div class="message">${parts}</div>`
  const text = field(body, 'text')
  return typeof text === 'string' ? html`<div class="message">${mrkdwn(text)}</div>` : html`<pre>${JSON.stringify(body, null, 2)}</pre>`
}

function drawBlock(block: unknown): Html {
  switch (field(block, 'type')) {
    case 'header':
      return html`<h4>${plain(field(block, 'text'))}</h4>`
    case 'section':
      return html`<p>${textObject(field(block, 'text'))}</p>${listOf(block, 'fields').map((item) => html`<p>${textObject(item)}</p>`)}`
    case 'context':
      return html`<p class="small">${listOf(block, 'elements').map((item) => html`${textObject(item)} `)}</p>`
    case 'actions':
      return html`<p>${listOf(block, 'elements').map((item) => button(plain(field(item, 'text')), field(item, 'url')))}</p>`
    case 'divider':
      return html`<hr />`
    default:
      return html`<pre>${JSON.stringify(block, null, 2)}</pre>`
  }
}

function drawCard(card: unknown): Html {
  const actions = listOf(card, 'actions').map((action) => button(plain(action, 'title'), field(action, 'url')))
  return html`${listOf(card, 'body').map(drawElement)}<p>${actions}</p>`
}

function drawElement(element: unknown): Html {
  const items = [...listOf(element, 'items'), ...listOf(element, 'columns')]
  switch (field(element, 'type')) {
    case 'TextBlock':
      return field(element, 'weight') === 'Bolder' || field(element, 'style') === 'heading'
        ? html`<p><b>${plain(element)}</b></p>`
        : html`<p class="${field(element, 'isSubtle') ? 'small' : ''}">${plain(element)}</p>`
    case 'FactSet':
      return html`<dl>${listOf(element, 'facts').map((fact) => html`<dt>${plain(fact, 'title')}</dt><dd>${plain(fact, 'value')}</dd>`)}</dl>`
    default:
      return items.length > 0 ? html`<div>${items.map(drawElement)}</div>` : html`<pre>${JSON.stringify(element, null, 2)}</pre>`
  }
}

function button(label: string, url: unknown): Html {
  return typeof url === 'string' && /^https?:/i.test(url)
    ? html`<a class="button" href="${url}" rel="noreferrer">${label}</a>`
    : html`<span class="button">${label}</span>`
}

function textObject(value: unknown): Html {
  const text = plain(value)
  return field(value, 'type') === 'mrkdwn' ? mrkdwn(text) : html`${text}`
}

/** Links, mentions and bold of Slack's markup; a mention stands out, since user text must not be able to make one. */
function mrkdwn(text: string): Html {
  const parts = text.split(/(<[^<>]+>|\*[^*\n]+\*)/).map((part) => {
    if (/^<https?:/i.test(part)) {
      const [url = '', label = url] = part.slice(1, -1).split('|')
      return html`<a href="${decoded(url)}" rel="noreferrer">${decoded(label)}</a>`
    }
    if (part.startsWith('<')) return html`<mark>${part}</mark>`
    return /^\*.+\*$/.test(part) ? html`<b>${decoded(part.slice(1, -1))}</b>` : html`${decoded(part)}`
  })
  return html`${parts}`
}

function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

function plain(value: unknown, name = 'text'): string {
  const text = field(value, name)
  return typeof text === 'string' ? text : ''
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Json)[name] : undefined
}

function listOf(value: unknown, name: string): unknown[] {
  const list = field(value, name)
  return Array.isArray(list) ? list : []
}
