import type { LogLine } from '#local/dashboard/log-lines.ts'
import type { RecordTypes } from '#local/vendors/records.ts'
import { describeTask, formatCents, formatNumber } from './columns.ts'
import { element } from './element.ts'
import type { ListSection } from './place.ts'
import { renderTrafficPlots } from './plots.ts'

/** What a section shows, and how something gets there. */
const hints: Record<ListSection, [what: string, how: string]> = {
  mail: [
    'Select an e-mail to see it in light and dark colours, as text, and with what caused it.',
    'Escalate a session under Actions.',
  ],
  chat: [
    'Select a message to see it as Slack or Teams shows it.',
    'Create a channel with a webhook address of this server, such as /chat/1/oncall.',
  ],
  phone: [
    'Text messages, and what calls say.',
    'Set up a gateway with an address of this server, and verify a number.',
  ],
  queue: [
    'Select a message to see its attempts.',
    'With the Worker each job is a message. With --node jobs are rows of the database.',
  ],
  hooks: [
    'Select a message to see its headers, its body, and whether its signature is valid.',
    'Create a webhook with an address of this server, such as /hooks/mine.',
  ],
  push: [
    'Select a message to see what a browser of this server has decrypted.',
    'Create a browser with POST /desk/browsers, then subscribe it.',
  ],
  ai: [
    'Select a call to read the conversation with the model.',
    'Escalate a session under Actions: the model then assesses it.',
  ],
  psa: [
    'Select a call to see the request to the ticketing system and its answer.',
    'Connect a ticketing system, then push the note of a session.',
  ],
  billing: [
    'Select a call or an event to see it, and to send the event again.',
    'Send an event of the billing provider under Actions.',
  ],
  analytics: ['Select a call to see the counted event.', 'Sign up, or run a flow.'],
  redirect: [
    'Requests that followed a redirect. The service should make none.',
    'Set the fault "redirect" for a vendor.',
  ],
  logs: ['Select a line to see its fields and its trace.', 'Call the API.'],
}

/** Show what there is to see while nothing is selected. */
export function renderOverview(section: ListSection, items: readonly { id: string }[]): HTMLElement[] {
  const [what, how] = hints[section]
  const hint = element('p', { class: 'small' }, items.length > 0 ? what : `Nothing yet. ${how}`)
  if (items.length === 0) return [hint]
  if (section === 'ai') return [hint, ...renderTasks(items as RecordTypes['ai'][])]
  return section === 'logs' ? [hint, ...renderTrafficPlots(items as LogLine[])] : [hint]
}

/** Show the calls, tokens and costs of each task, the most expensive first. */
function renderTasks(calls: readonly RecordTypes['ai'][]): HTMLElement[] {
  const tasks = [...Map.groupBy(calls, describeTask)].map(([task, calls]) => ({ task, ...sumUsage(calls) }))
  const rows = [...tasks.sort((a, b) => b.cents - a.cents), { task: 'Total', ...sumUsage(calls) }]
  const head = ['Calls', 'Tokens in', 'Tokens out', 'Cents'].map((title) =>
    element('th', { class: 'number' }, title),
  )
  const body = rows.map(({ task, count, input, output, cents }) => {
    const numbers = [formatNumber(count), formatNumber(input), formatNumber(output), formatCents(cents)]
    return element(
      'tr',
      {},
      element('td', {}, task),
      ...numbers.map((text) => element('td', { class: 'number' }, text)),
    )
  })
  return [
    element('h2', {}, 'Calls by task'),
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, element('th', {}, 'Task'), ...head)),
      element('tbody', {}, ...body),
    ),
  ]
}

function sumUsage(calls: readonly RecordTypes['ai'][]) {
  const sum = (read: (usage: NonNullable<RecordTypes['ai']['usage']>) => number) =>
    calls.reduce((total, { usage }) => total + (usage ? read(usage) : 0), 0)
  return {
    count: calls.length,
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    cents: sum(({ cents }) => cents),
  }
}
