import { writeCsv, writeLines as writeCsvLines } from '#rules/text/csv.ts'

const columns = [
  'sequence',
  'created_at',
  'actor_id',
  'actor_name',
  'action',
  'resource_type',
  'resource_id',
  'changes',
  'ip',
  'id',
  'account_id',
] as const

type AuditRow = Record<Exclude<(typeof columns)[number], 'sequence' | 'changes'>, string | null> & {
  sequence: number
  changes: object
}

/** The first line of the audit log as CSV. */
export const header = writeCsv([columns])

/** Write a line per entry of the audit log. `changes` is JSON. */
export function writeLines(entries: readonly AuditRow[]): string {
  return writeCsvLines(
    entries.map((entry) =>
      columns.map((name) => (name === 'changes' ? JSON.stringify(entry.changes) : entry[name])),
    ),
  )
}
