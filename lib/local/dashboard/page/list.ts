import type { LogLine } from '#local/dashboard/log-lines.ts'
import type { DashboardState } from '#local/dashboard/state.ts'
import type { RecordedService, RecordTypes } from '#local/vendors/records.ts'
import { renderDetail } from './detail.ts'
import { element, getById } from './element.ts'
import { renderOverview } from './overview.ts'
import { type ListSection, titles, writePlace } from './place.ts'
import { describeRecord, formatCents, formatNumber } from './record-title.ts'
import { readLogs, readRecords } from './server.ts'

const maxShown = 200

/** What a list shows of one record. */
interface Row {
  id: string
  title: string
  subtitle: string
  at: string
  status?: string | number | null
  isBad?: boolean
}

/** Show the records of a section that contain all searched words, and the chosen one. */
export async function showList(
  section: ListSection,
  id: string | undefined,
  state: DashboardState,
): Promise<void> {
  const items: { id: string }[] = section === 'logs' ? await readLogs() : await readRecords(section)
  const found = items.filter(matches(getWords()))
  const rows = found
    .slice(0, maxShown)
    .map((item) =>
      section === 'logs' ? toLogRow(item as LogLine) : toRow(item as RecordTypes[RecordedService]),
    )
  getById('items').replaceChildren(
    found.length > 0
      ? element('ul', {}, ...rows.map((row) => renderRow(section, row, id)))
      : renderEmpty(section, items.length),
  )
  const chosen = items.find((item) => item.id === id)
  if (chosen) await renderDetail(section, chosen as never, state)
  else getById('detail').replaceChildren(...renderOverview(section, items))
}

function getWords(): string[] {
  const input = getById('search').querySelector('input') as HTMLInputElement
  return input.value.toLowerCase().split(/\s+/).filter(Boolean)
}

function matches(words: readonly string[]): (item: object) => boolean {
  return (item) => {
    const text = JSON.stringify(item).toLowerCase()
    return words.every((word) => text.includes(word))
  }
}

function toRow(record: RecordTypes[RecordedService]): Row {
  return { id: record.id, at: record.at, title: describeRecord(record), ...describeState(record) }
}

function describeState(record: RecordTypes[RecordedService]): Pick<Row, 'subtitle' | 'status' | 'isBad'> {
  if ('subject' in record) return { subtitle: record.to.join(', ') }
  if ('tool' in record)
    return { subtitle: '', status: record.accepted ? null : 'refused', isBad: !record.accepted }
  if ('signature' in record)
    return {
      subtitle: record.body.slice(0, 80),
      status: describeHook(record),
      isBad: !record.accepted || record.signature === 'invalid',
    }
  if ('state' in record)
    return {
      subtitle: `due ${record.due_at.slice(11, 19)}, ${record.attempts === 1 ? '1 attempt' : `${record.attempts} attempts`}`,
      status: record.state,
      isBad: ['failed', 'dead'].includes(record.state),
    }
  if ('usage' in record)
    return {
      subtitle: describeUsage(record),
      ...(record.usage ? {} : { status: record.status, isBad: true }),
    }
  return 'status' in record
    ? { subtitle: '', status: record.status, isBad: record.status >= 400 }
    : { subtitle: record.body.slice(0, 100) }
}

function describeUsage({ usage }: RecordTypes['ai']): string {
  return usage
    ? `${formatNumber(usage.input)} + ${formatNumber(usage.output)} tokens, ${formatCents(usage.cents)} ¢`
    : ''
}

function describeHook({ accepted, signature }: RecordTypes['hooks']): string {
  return accepted ? `signature ${signature}` : 'refused by a fault'
}

function toLogRow(line: LogLine): Row {
  const title =
    line.operation ??
    line.job ??
    (line.method ? `${line.method} (no operation)` : undefined) ??
    line.text ??
    Object.keys(line)[1]
  const isBad = Number(line.status ?? 0) >= 500 || 'error' in line
  return {
    id: line.id,
    title: String(title).slice(0, 200),
    subtitle: line.ms === undefined ? '' : `${line.ms} ms`,
    at: String(line.at ?? ''),
    status: line.status as number,
    isBad,
  }
}

function renderRow(
  section: ListSection,
  { id, title, subtitle, at, status, isBad }: Row,
  chosen: string | undefined,
): HTMLElement {
  return element(
    'li',
    {},
    element(
      'a',
      { href: writePlace(section, id), 'aria-current': id === chosen ? 'true' : undefined },
      element('b', {}, title),
      element('span', { class: isBad ? 'bad' : 'small' }, status),
      element('span', { class: 'small' }, status && subtitle ? `, ${subtitle}` : subtitle),
      ' ',
      element('time', {}, at.slice(11, 19)),
    ),
  )
}

function renderEmpty(section: ListSection, count: number): HTMLElement {
  return element(
    'p',
    { class: 'small' },
    count > 0 ? 'Nothing contains these words.' : `${titles[section]}: nothing yet.`,
  )
}
