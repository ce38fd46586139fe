import type { RecordTypes } from '#local/vendors/records.ts'
import { element } from './element.ts'

interface Message {
  role: string
  content: string | { type: string; text?: string }[]
}

/** Show a request to the model and its answer as a conversation. */
export function renderConversation({ request, response }: RecordTypes['ai']): HTMLElement {
  const { messages = [] } = (request ?? {}) as { messages?: Message[] }
  return element(
    'div',
    {},
    ...messages.flatMap(({ role, content }) => renderMessage(role, content)),
    ...renderMessage('assistant', typeof response === 'string' ? response : JSON.stringify(response)),
  )
}

function renderMessage(role: string, content: Message['content']): HTMLElement[] {
  const texts = typeof content === 'string' ? [content] : content.map(({ type, text }) => text ?? `(${type})`)
  // The rules are the same in each call, and long.
  if (role === 'system')
    return [element('details', {}, element('summary', {}, 'Rules'), element('pre', {}, texts.join('\n')))]
  return texts.map((text) =>
    element('article', { class: role }, element('div', { class: 'small' }, role), renderText(text)),
  )
}

/** Show a text, or the fields of a JSON object, whose texts keep their lines. */
function renderText(text: string): HTMLElement {
  try {
    return renderValue(JSON.parse(text))
  } catch {
    return element('p', {}, text)
  }
}

function renderValue(value: unknown): HTMLElement {
  if (typeof value !== 'object' || value === null) return element('p', {}, String(value))
  if (Array.isArray(value))
    return element('ol', {}, ...value.map((item) => element('li', {}, renderValue(item))))
  const filled = Object.entries(value).filter(([, item]) => !isEmpty(item))
  const pairs = filled.flatMap(([name, item]) => [
    element('dt', {}, name),
    element('dd', {}, renderValue(item)),
  ])
  return element('dl', {}, ...pairs)
}

/** Most fields of a case are empty at first. */
function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.values(value).every(isEmpty))
}
