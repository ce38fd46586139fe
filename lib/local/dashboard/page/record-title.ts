import type { RecordedService, RecordTypes } from '#local/vendors/records.ts'

/** Return the title of a record: the subject of an e-mail, or the request. */
export function describeRecord(record: RecordTypes[RecordedService]): string {
  if ('subject' in record) return record.subject
  if ('tool' in record) return `${record.tool === 1 ? 'Slack' : 'Teams'} ${record.path}`
  if ('signature' in record) return `/hooks/${record.name}`
  if ('url' in record) return new URL(record.url).pathname
  return 'service' in record ? `${record.service}: ${record.method} ${record.path}` : `${record.method} ${record.path}`
}
