export type LockMode = 'ROWS' | 'SHARE' | 'SHARE ROW EXCLUSIVE' | 'ACCESS EXCLUSIVE' | 'UNKNOWN'

/**
 * A lock of a statement that makes statements of the service wait. `ROWS` stands for the rows that the
 * statement changes.
 */
export interface StrongLock {
  /** The table, or an index or a view of this name. Empty if it is not known. */
  relation: string
  mode: LockMode
  note?: string
}

interface Rule {
  pattern: RegExp
  mode: LockMode
  note?: string
}

const name = String.raw`((?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+))?)`
const table = `alter table (?:if exists )?(?:only )?${name}`
const rule = (pattern: string, mode: LockMode, note?: string): Rule => ({
  pattern: new RegExp(pattern, 'gi'),
  mode,
  note: note || undefined,
})

// The first group of a pattern is the relation. The first rule that matches a relation counts, so exceptions
// come first. Source:
// https://www.postgresql.org/docs/18/explicit-locking.html#LOCKING-TABLES and the pages of the statements.
const rules: Rule[] = [
  rule(`^${table} add (?:constraint \\S+ )?foreign key .*not valid`, 'SHARE ROW EXCLUSIVE'),
  rule(
    `^${table} add (?:constraint \\S+ )?foreign key `,
    'SHARE ROW EXCLUSIVE',
    'reads all rows; add it `not valid`, validate it later',
  ),
  rule(`^${table} (?:enable|disable) trigger `, 'SHARE ROW EXCLUSIVE'),
  rule(
    `^${table} .*\\balter (?:column )?\\S+ (?:set data )?type `,
    'ACCESS EXCLUSIVE',
    'may rewrite the table',
  ),
  rule(
    `^${table} add .*\\b(?:generated always as|(?:big)?serial\\b|default \\(*\\w+(?:\\.\\w+)?\\()`,
    'ACCESS EXCLUSIVE',
    'may rewrite the table',
  ),
  rule(
    `^${table} .*\\bset not null`,
    'ACCESS EXCLUSIVE',
    'reads all rows, unless a valid check excludes null',
  ),
  rule(`^${table} add (?:constraint \\S+ )?check .*not valid`, 'ACCESS EXCLUSIVE'),
  rule(
    `^${table} add (?:constraint \\S+ )?check `,
    'ACCESS EXCLUSIVE',
    'reads all rows; add it `not valid`, validate it later',
  ),
  rule(`^${table} add (?:constraint \\S+ )?(?:unique|primary key) using index `, 'ACCESS EXCLUSIVE'),
  rule(
    `^${table} add (?:constraint \\S+ )?(?:unique|primary key) ?\\(`,
    'ACCESS EXCLUSIVE',
    'builds an index; build it concurrently before',
  ),
  rule(`^${table} `, 'ACCESS EXCLUSIVE'),
  rule(
    `^create (?:unique )?index (?!concurrently).*?\\bon (?:only )?${name}`,
    'SHARE',
    'builds an index; build it concurrently',
  ),
  rule(`^drop (?:table|index|view) (?!concurrently)(?:if exists )?${name}`, 'ACCESS EXCLUSIVE'),
  rule(`^alter view (?:if exists )?${name}`, 'ACCESS EXCLUSIVE'),
  rule(`^create or replace view ${name}`, 'ACCESS EXCLUSIVE'),
  rule(
    `^(?:truncate|lock|cluster|vacuum full|reindex table|reindex index)(?: table)? (?:only )?(?!concurrently)${name}`,
    'ACCESS EXCLUSIVE',
  ),
  rule(`^create (?:or replace )?(?:constraint )?trigger .*? on ${name}`, 'SHARE ROW EXCLUSIVE'),
  rule(`^(?:drop trigger|(?:create|alter|drop) policy|create rule) .*? on ${name}`, 'ACCESS EXCLUSIVE'),
  rule(`^call app\\.protect\\('([^']+)'`, 'ACCESS EXCLUSIVE'),
  rule(`^update (?:only )?${name}`, 'ROWS'),
  rule(`^delete from (?:only )?${name}`, 'ROWS'),
  rule(`^with .*?\\b(?:update|delete from) ${name}`, 'ROWS'),
  rule(`(?<=^(?:alter|create) table .*)\\breferences ${name}`, 'SHARE ROW EXCLUSIVE'),
]

/**
 * List the locks of a statement that block reads or writes of a table. `VALIDATE CONSTRAINT` and concurrent
 * builds have none.
 */
export function listStrongLocks(statement: string): StrongLock[] {
  const text = statement.replace(/\s+/g, ' ')
  if (/^do\b/i.test(text)) return [{ relation: '', mode: 'UNKNOWN', note: 'a DO block' }]
  if (/^alter table \S+ validate constraint /i.test(text)) return []
  const locks = new Map<string, StrongLock>()
  for (const { pattern, mode, note } of rules) {
    for (const [, relation = ''] of text.matchAll(pattern)) {
      if (!locks.has(relation)) locks.set(relation, { relation, mode, note: note || undefined })
    }
  }
  return [...locks.values()]
}
