import type { LogLine } from '#local/dashboard/log-lines.ts'
import type { TraceView } from '#local/dashboard/state.ts'
import { operationTable } from '../../../client/operation-table.ts'
import { formatNumber } from './columns.ts'
import { element } from './element.ts'
import { titles, writePlace } from './place.ts'
import { readTrace } from './server.ts'

/** Part of a trace: a request, a job, or something that an emulator received. */
interface Span {
  startMs: number
  endMs: number
  href: string
  name: string | HTMLElement
  status: unknown
  requestId: unknown
  isBad: boolean
}

const longestPauseMs = 200

/**
 * Show the requests and jobs of a trace and what they caused, in the order of time, each with a bar from its
 * start to its end. A longer pause, as before a retry, is shortened.
 */
export async function renderTrace(traceId: string, api: string): Promise<HTMLElement> {
  const { logs, records } = await readTrace(traceId)
  const spans = shortenPauses([...logs.map((line) => toSpan(line, api)), ...records.map(toMoment)])
  const totalMs = Math.max(1, ...spans.map(({ leftMs, startMs, endMs }) => leftMs + endMs - startMs))
  const head = ['Start', 'Time', 'What', 'Status', 'Request id'].map((title) => element('th', {}, title))
  const rows = spans.map((span) => renderSpan(span, spans[0]?.startMs ?? 0, totalMs))
  const table = element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...rows),
  )
  return element(
    'div',
    {},
    element('p', {}, 'Trace ', element('code', {}, traceId)),
    spans.length > 0
      ? element('div', { class: 'table', tabindex: 0, role: 'group', 'aria-label': 'Trace' }, table)
      : element('p', {}, 'The log has no line of it, and the emulators have no record.'),
  )
}

/** Sort spans by their start, and add where the bar of each begins. */
function shortenPauses(spans: readonly Span[]): (Span & { leftMs: number })[] {
  const sorted = spans.toSorted((a, b) => a.startMs - b.startMs)
  let lastEndMs = sorted[0]?.startMs ?? 0
  let offsetMs = lastEndMs
  return sorted.map((span) => {
    offsetMs += Math.max(0, span.startMs - lastEndMs - longestPauseMs)
    lastEndMs = Math.max(lastEndMs, span.endMs)
    return { ...span, leftMs: span.startMs - offsetMs }
  })
}

/** A line is logged when its request or job has ended. */
function toSpan(line: LogLine, api: string): Span {
  const endMs = Date.parse(String(line.at))
  const operation = typeof line.operation === 'string' ? line.operation : undefined
  const address = operation && getReference(operation, api)
  const name = String(operation ?? line.job ?? line.message ?? '')
  return {
    startMs: endMs - Number(line.ms ?? 0),
    endMs,
    href: writePlace('logs', line.id),
    name: address ? element('a', { href: address, target: '_blank' }, name) : name,
    status: line.status,
    requestId: line.request_id,
    isBad: Number(line.status ?? 0) >= 500 || 'error' in line,
  }
}

function toMoment({ service, id, at, title }: TraceView['records'][number]): Span {
  const name = `${titles[service]}: ${title}`
  return {
    startMs: Date.parse(at),
    endMs: Date.parse(at),
    href: writePlace(service, id),
    name,
    status: '',
    requestId: '',
    isBad: false,
  }
}

function renderSpan(span: Span & { leftMs: number }, firstMs: number, totalMs: number): HTMLElement {
  const { startMs, endMs, leftMs, href, name, status, requestId } = span
  const style = `margin-left: ${Math.min((100 * leftMs) / totalMs, 98)}%; width: ${(100 * (endMs - startMs)) / totalMs}%`
  const state = span.isBad ? 'bad' : undefined
  return element(
    'tr',
    {},
    element('td', {}, element('a', { href }, `+${formatNumber(startMs - firstMs)} ms`)),
    element('td', { class: 'span' }, element('i', { class: state, style, title: `${endMs - startMs} ms` })),
    element('td', {}, name),
    element('td', { class: state }, String(status ?? '')),
    element('td', {}, element('code', {}, String(requestId ?? ''))),
  )
}

/** Return the address of an operation in the reference, or undefined for a job. */
function getReference(operation: string, api: string): string | undefined {
  const [method, path] = (operationTable as Record<string, string>)[operation]?.split(' ') ?? []
  const group = operation.slice(0, operation.lastIndexOf('.')).replaceAll('.', '').toLowerCase()
  return method && `${api}/docs/#tag/${group}/${method.toUpperCase()}/api/v1${path}`
}
