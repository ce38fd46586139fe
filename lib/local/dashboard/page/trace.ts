import type { LogLine } from '#local/dashboard/log-lines.ts'
import { operationTable } from '../../../client/operation-table.ts'
import { element } from './element.ts'
import { titles, writePlace } from './place.ts'
import { readTrace } from './server.ts'

/** Show the log lines of the request or job that caused a record, and what else it caused. */
export async function renderTrace(traceId: string, api: string): Promise<HTMLElement> {
  const { logs, records } = await readTrace(traceId)
  const head = element(
    'thead',
    {},
    element('tr', {}, ...['Time', 'Operation or job', 'Status', 'Request id'].map((title) => element('th', {}, title))),
  )
  return element(
    'div',
    {},
    element('p', {}, 'Trace ', element('code', {}, traceId)),
    logs.length > 0
      ? element('table', {}, head, element('tbody', {}, ...logs.map((line) => renderLine(line, api))))
      : element('p', {}, 'No line of the log.'),
    element(
      'ul',
      {},
      ...records.map(({ service, id, title }) =>
        element('li', {}, `${titles[service]}: `, element('a', { href: writePlace(service, id) }, title)),
      ),
    ),
  )
}

function renderLine(line: LogLine, api: string): HTMLElement {
  const operation = typeof line.operation === 'string' ? line.operation : undefined
  const address = operation && getReference(operation, api)
  const name = String(operation ?? line.job ?? '')
  return element(
    'tr',
    {},
    element('td', {}, element('a', { href: writePlace('logs', line.id) }, String(line.at ?? '').slice(11, 23))),
    element('td', {}, address ? element('a', { href: address, target: '_blank' }, name) : name),
    element('td', {}, String(line.status ?? '')),
    element('td', {}, element('code', {}, String(line.request_id ?? ''))),
  )
}

/** Return the address of an operation in the reference, or undefined for a job. */
function getReference(operation: string, api: string): string | undefined {
  const [method, path] = (operationTable as Record<string, string>)[operation]?.split(' ') ?? []
  const group = operation.slice(0, operation.lastIndexOf('.')).replaceAll('.', '').toLowerCase()
  return method && `${api}/docs/#tag/${group}/${method.toUpperCase()}/api/v1${path}`
}
