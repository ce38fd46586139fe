import type { Statement } from './database.ts'

// A statement with data-modifying parts begins with `with`; its first verb and table are what it is about.
const verbAndTable = /\b(insert into|update|delete from|from)\s+"?([a-z_][a-z0-9_.]*)"?/i
const calledFunction = /^\s*select\s+(?:\*\s+from\s+)?(app\.[a-z_]+)\(/i

/**
 * Describe statements for a span: verbs and tables or functions, such as `app.enter, select notifications`.
 * No text and no values.
 */
export function describeStatements(statements: readonly Pick<Statement, 'sql'>[]): string {
  return statements.slice(0, 8).map(describeStatement).join(', ')
}

function describeStatement({ sql }: Pick<Statement, 'sql'>): string {
  const called = calledFunction.exec(sql)?.[1]
  if (called) return called
  const [, verb, table] = verbAndTable.exec(sql) ?? []
  if (verb && table)
    return `${verb.toLowerCase() === 'from' ? 'select' : verb.toLowerCase()} ${table.toLowerCase()}`
  return /^\s*([a-z]+)/i.exec(sql)?.[1]?.toLowerCase() ?? 'statement'
}
