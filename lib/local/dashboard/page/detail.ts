import type { DashboardState } from '#local/dashboard/state.ts'
import type { RecordedCall, RecordTypes } from '#local/vendors/records.ts'
import { describeItem, type Item } from './columns.ts'
import { renderConversation } from './conversation.ts'
import { actionButton, element, getById } from './element.ts'
import { formField, readForm } from './form.ts'
import { type ListSection, readPlace, writePlace } from './place.ts'
import { listActions, renderPress } from './press.ts'
import { send } from './server.ts'
import { renderTrace } from './trace.ts'

interface Tab {
  name: string
  render(): Node | Promise<Node>
}

export function clearDetail(): void {
  getById('detail').replaceChildren()
}

/** Show one record: what it is, and a tab for each way to look at it. */
export async function renderDetail<S extends ListSection>(
  section: S,
  item: Item<S>,
  state: DashboardState,
): Promise<void> {
  const traceId = item.trace_id
  const tabs: Tab[] = [
    ...views[section](item).filter((tab) => tab !== false),
    { name: 'Source', render: () => renderJson(item) },
    ...(traceId ? [{ name: 'Trace', render: () => renderTrace(traceId, state.api) }] : []),
  ]
  const chosen = tabs.find(({ name }) => toId(name) === readPlace().tab) ?? (tabs[0] as Tab)
  const tabList = tabs.map((tab) => renderTab(section, item.id, tab, tab === chosen))
  const panel = element(
    'div',
    { role: 'tabpanel', 'aria-label': chosen.name, tabindex: 0 },
    await chosen.render(),
  )
  getById('detail').replaceChildren(
    element('a', { id: 'back', href: writePlace(section) }, 'Back to the list'),
    element('h2', {}, section === 'logs' ? 'Log line' : describeItem(section, item).title),
    ...renderHead(section, item),
    element('div', { role: 'tablist', 'aria-label': 'Ways to look at it' }, ...tabList),
    panel,
  )
}

function renderTab(section: ListSection, id: string, { name }: Tab, isChosen: boolean): HTMLElement {
  const show = () => {
    location.hash = writePlace(section, id, toId(name))
  }
  return element(
    'button',
    { type: 'button', role: 'tab', 'aria-selected': String(isChosen), click: show },
    name,
  )
}

function toId(name: string): string {
  return name.toLowerCase()
}

/** Show the time of a record, the people and headers of an e-mail, and a button for an event of billing. */
function renderHead(section: ListSection, item: Item<ListSection>): HTMLElement[] {
  if (section === 'logs') return []
  const { from, to, headers } = item as RecordTypes['mail']
  const mail =
    section === 'mail'
      ? [`${from} to ${to.join(', ')}`, ...Object.entries(headers).map((pair) => pair.join(': '))]
      : []
  const lines = [String(item.at), ...mail].map((line) => element('div', { class: 'small' }, line))
  const event = 'request' in item ? (item.request as { object?: string; id?: string } | null) : null
  if (event?.object !== 'event') return lines
  const resend = () => send('POST', `/desk/billing/events/${event.id}/resend`)
  return [...lines, actionButton('Send again', resend)]
}

const listCallViews = ({ request, response }: RecordedCall): Tab[] => [
  { name: 'Request', render: () => renderJson(request) },
  { name: 'Response', render: () => renderJson(response) },
]

/** The ways to look at an item of each section, beside its source and its trace. */
const views: { [S in ListSection]: (item: Item<S>) => (Tab | false)[] } = {
  mail: ({ html, text }) => [
    html !== null && { name: 'HTML', render: () => renderMail(html, 'light') },
    html !== null && { name: 'Dark', render: () => renderMail(html, 'dark') },
    text !== null && { name: 'Text', render: () => element('pre', {}, text) },
  ],
  chat: (message) => [
    { name: 'Message', render: () => renderFrame(`/desk/chat/${message.id}/preview`) },
    listActions(message).length > 0 && { name: 'Press', render: () => renderPress(message) },
  ],
  phone: ({ text }) => [{ name: 'Text', render: () => element('pre', {}, text) }],
  queue: () => [],
  hooks: (record) => [{ name: 'Body', render: () => renderHook(record) }],
  push: ({ message, browser, topic, urgency, ttl }) => [
    { name: 'Message', render: () => renderJson({ message, browser, topic, urgency, ttl }) },
  ],
  ai: (record) => [
    { name: 'Conversation', render: () => renderConversation(record) },
    { name: 'Request', render: () => renderJson(record.request) },
  ],
  psa: (call) => {
    const note = readAddedNote(call)
    return [
      note !== undefined && { name: 'Note', render: () => element('pre', {}, note) },
      ...listCallViews(call),
    ]
  },
  billing: listCallViews,
  analytics: listCallViews,
  redirect: () => [],
  logs: () => [],
}

/** Show a webhook's headers and body, and a field for the secret that its signature is checked with. */
function renderHook({ headers, body, signature }: RecordTypes['hooks']): HTMLElement {
  const secret = formField('secret', 'Signing secret', { placeholder: 'whsec_…' })
  const form = element('form', { class: 'row', submit: (event) => event.preventDefault() }, secret)
  form.append(
    actionButton('Check signatures', () => send('POST', '/desk/hooks/secrets', readForm(form)), {
      type: 'submit',
    }),
  )
  const lines = Object.entries(headers).map((pair) => element('div', { class: 'small' }, pair.join(': ')))
  return element(
    'div',
    {},
    ...lines,
    element('p', {}, `The signature is ${signature}.`),
    form,
    element('pre', {}, formatJson(body)),
  )
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/**
 * Return the text of a note that the service has added to a ticket. HaloPSA takes an array with one note,
 * ConnectWise the note itself.
 */
function readAddedNote({ request, method, status }: RecordTypes['psa']): string | undefined {
  const [note] = [request].flat() as ({ text?: string; note_html?: string } | null)[]
  return method === 'POST' && status === 201
    ? (note?.text ?? note?.note_html?.replaceAll('<br>', '\n'))
    : undefined
}

/**
 * Show an e-mail in one colour scheme. The sandbox blocks its scripts and forms, and the policy of this page
 * remote images. Links open in a new tab.
 */
function renderMail(html: string, scheme: 'light' | 'dark'): HTMLElement {
  const sandbox = 'allow-popups allow-popups-to-escape-sandbox'
  return element('iframe', {
    sandbox,
    title: 'E-mail',
    'data-scheme': scheme,
    srcdoc: `<base target="_blank">${html}`,
  })
}

function renderFrame(path: string): HTMLElement {
  return element('iframe', {
    sandbox: 'allow-popups allow-popups-to-escape-sandbox',
    title: 'Message',
    src: path,
  })
}

function renderJson(value: unknown): HTMLElement {
  return element('pre', {}, JSON.stringify(value, null, 2) ?? '')
}
