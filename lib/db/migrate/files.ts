import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { splitStatements, summarizeStatement } from './statements.ts'

/**
 * How a file is applied. The first line `-- migrate: no-transaction` or `-- migrate: backfill` chooses
 * another mode than `transaction`.
 */
export type Mode = 'transaction' | 'no-transaction' | 'backfill'

export interface MigrationFile {
  name: string
  text: string
  checksum: string
  mode: Mode
}

/**
 * Read the migrations in `folder`, in the order of their numbers. Throw when a name, a number or a first line
 * is not valid.
 */
export async function readMigrationFiles(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  for (const [index, name] of names.entries()) {
    if (!/^\d{4}_\w+\.sql$/.test(name))
      throw new Error(`Migration ${name} needs a name such as 0123_rename_owner.sql.`)
    const next = names[index + 1]
    if (next?.slice(0, 4) === name.slice(0, 4))
      throw new Error(`Migrations ${name} and ${next} have the same number. Renumber the newer one.`)
  }
  return Promise.all(names.map((name) => readMigrationFile(folder, name)))
}

async function readMigrationFile(folder: string, name: string): Promise<MigrationFile> {
  const text = await readFile(join(folder, name), 'utf8')
  const checksum = createHash('sha256').update(text).digest('hex')
  return { name, text, checksum, mode: parseMode(name, text) }
}

function parseMode(name: string, text: string): Mode {
  const [firstLine = ''] = text.split('\n', 1)
  const [, mode] = /^-- migrate:\s*(.*?)\s*$/.exec(firstLine) ?? []
  if (mode === undefined) return 'transaction'
  if (mode === 'no-transaction' || mode === 'backfill') return mode
  throw new Error(`Migration ${name} has the unknown mode "${mode}". Use no-transaction or backfill.`)
}

// Each can be repeated, because an interrupted file starts again from its first statement. None blocks reads
// or writes of rows.
const repeatableStatements = [
  /^create (unique )?index concurrently if not exists /i,
  /^drop index concurrently if exists /i,
  /^alter table [\w."]+ validate constraint [\w"]+$/i,
  /^analyze\b/i,
]

/** Throw if a file contains what its mode cannot apply safely. */
export function requireStatementsOfMode({ name, text, mode }: MigrationFile): void {
  const statements = splitStatements(text).map((statement) => statement.replace(/\s+/g, ' '))
  const refuse = (statement: string, advice: string) => {
    throw new Error(`Migration ${name} contains \`${summarizeStatement(statement)}\`. ${advice}`)
  }
  if (mode === 'backfill') requireOneBatch(name, statements)
  for (const statement of statements) {
    if (mode === 'transaction' && /^(begin|start transaction|commit|end|rollback|abort)\b/i.test(statement))
      refuse(statement, 'The file runs in one transaction, which it must not end.')
    if (mode === 'transaction' && /^\w+ (unique )?index concurrently\b/i.test(statement))
      refuse(statement, 'Move it to a file whose first line is `-- migrate: no-transaction`.')
    if (mode === 'no-transaction' && !repeatableStatements.some((pattern) => pattern.test(statement)))
      refuse(
        statement,
        'Without a transaction, only statements that can be repeated are allowed; migrations/README.md lists them.',
      )
  }
}

function requireOneBatch(name: string, [statement = '', ...rest]: readonly string[]): void {
  const isOne =
    rest.length === 0 && /^(update|insert|delete|with)\b/i.test(statement) && /\blimit \d+/i.test(statement)
  if (!isOne)
    throw new Error(
      `Migration ${name} is a backfill. It must be one UPDATE, INSERT or DELETE that changes at most LIMIT rows.`,
    )
}
