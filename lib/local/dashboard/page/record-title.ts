import type { RecordedService, RecordTypes } from '#local/vendors/records.ts'
import type { ChatTool } from '#vendors/chat/chat.ts'

const toolNames: Record<ChatTool, string> = { 1: 'Slack', 2: 'Teams' }

/** Return the title of a record: the subject of an e-mail, or the request. */
export function describeRecord(record: RecordTypes[RecordedService]): string {
  if ('subject' in record) return record.subject
  if ('tool' in record) return `${toolNames[record.tool]} ${record.path}`
  if ('signature' in record) return `/hooks/${record.name}`
  if ('usage' in record) return describeTask(record)
  if ('url' in record) return new URL(record.url).pathname
  return 'service' in record
    ? `${record.service}: ${record.method} ${record.path}`
    : `${record.method} ${record.path}`
}

/** Return the task of a call of the model, such as `escalation assessment`. */
export function describeTask({ task, path }: RecordTypes['ai']): string {
  return task?.replaceAll('_', ' ') ?? path
}

/** Write a number with separators between its thousands. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en')
}

/** Write an amount of cents with two digits after the point. */
export function formatCents(cents: number): string {
  return cents.toFixed(2)
}
