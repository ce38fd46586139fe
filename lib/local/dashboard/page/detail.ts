import type { LogLine } from '#local/dashboard/log-lines.ts'
import type { DashboardState } from '#local/dashboard/state.ts'
import type { RecordedService, RecordTypes } from '#local/vendors/records.ts'
import { renderConversation } from './conversation.ts'
import { actionButton, element, getById } from './element.ts'
import { formField, readForm } from './form.ts'
import { type ListSection, readPlace, writePlace } from './place.ts'
import { describeRecord } from './record-title.ts'
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
export async function renderDetail(
  section: ListSection,
  record: RecordTypes[RecordedService] | LogLine,
  state: DashboardState,
): Promise<void> {
  const tabs = listTabs(section, record, state)
  const chosen = tabs.find(({ name }) => toId(name) === readPlace().tab) ?? tabs[0]
  if (!chosen) return
  const tabList = tabs.map((tab) => renderTab(section, record.id, tab, tab === chosen))
  const panel = element(
    'div',
    { role: 'tabpanel', 'aria-label': chosen.name, tabindex: 0 },
    await chosen.render(),
  )
  getById('detail').replaceChildren(
    element('a', { id: 'back', href: writePlace(section) }, 'Back to the list'),
    ...renderHead(section, record),
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

function renderHead(section: ListSection, record: RecordTypes[RecordedService] | LogLine): HTMLElement[] {
  if (section === 'logs') return [element('h2', {}, 'Log line')]
  const { at, trace_id, ...rest } = record as RecordTypes[RecordedService]
  const title = element('h2', {}, describeRecord(record as RecordTypes[RecordedService]))
  const mail =
    'subject' in rest
      ? [
          `${rest.from} to ${rest.to.join(', ')}`,
          ...Object.entries(rest.headers).map((pair) => pair.join(': ')),
        ]
      : []
  const lines = [at, ...mail].map((line) => element('div', { class: 'small' }, line))
  return [title, ...lines, ...renderResend(record)]
}

/** A billing event can be sent again. */
function renderResend(record: object): HTMLElement[] {
  const event = 'request' in record ? (record.request as { object?: string; id?: string } | null) : null
  if (event?.object !== 'event') return []
  return [actionButton('Send again', () => send('POST', `/desk/billing/events/${event.id}/resend`))]
}

function listTabs(
  section: ListSection,
  record: RecordTypes[RecordedService] | LogLine,
  state: DashboardState,
): Tab[] {
  const source = { name: 'Source', render: () => renderJson(record) }
  const traceId = record.trace_id
  const trace = traceId ? [{ name: 'Trace', render: () => renderTrace(String(traceId), state.api) }] : []
  if (section === 'logs') return [source, ...trace]
  return [...listViews(record as RecordTypes[RecordedService]), source, ...trace]
}

function listViews(record: RecordTypes[RecordedService]): Tab[] {
  if ('subject' in record) return listMailViews(record)
  if ('tool' in record)
    return [{ name: 'Message', render: () => renderFrame(`/desk/chat/${record.id}/preview`) }]
  if ('signature' in record) return [{ name: 'Body', render: () => renderHook(record) }]
  if ('usage' in record)
    return [
      { name: 'Conversation', render: () => renderConversation(record) },
      { name: 'Request', render: () => renderJson(record.request) },
    ]
  if ('request' in record)
    return [
      ...listNoteViews(record),
      { name: 'Request', render: () => renderJson(record.request) },
      { name: 'Response', render: () => renderJson(record.response) },
    ]
  return []
}

function listMailViews({ html, text }: RecordTypes['mail']): Tab[] {
  return [
    ...(html === null
      ? []
      : [
          { name: 'HTML', render: () => renderMail(html, 'light') },
          { name: 'Dark', render: () => renderMail(html, 'dark') },
        ]),
    ...(text === null ? [] : [{ name: 'Text', render: () => element('pre', {}, text) }]),
  ]
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
 * The text of a note that the service has added to a ticket. HaloPSA takes an array with one note,
 * ConnectWise the note itself.
 */
function listNoteViews({ request, method, status }: RecordTypes['psa']): Tab[] {
  const [note] = [request].flat() as ({ text?: string; note_html?: string } | null)[]
  const text =
    method === 'POST' && status === 201
      ? (note?.text ?? note?.note_html?.replaceAll('<br>', '\n'))
      : undefined
  return text === undefined ? [] : [{ name: 'Note', render: () => element('pre', {}, text) }]
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
