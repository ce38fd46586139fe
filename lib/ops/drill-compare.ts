import type { Finding } from './checks.ts'
import type { Table, TableSummary } from './drill-tables.ts'

/** List the tables whose rows are not those of the dump. */
export function compareTables(
  dumped: readonly (Table & TableSummary)[],
  restored: ReadonlyMap<string, TableSummary>,
): string[] {
  return dumped.flatMap(({ name, rows, checksum }) => {
    const found = restored.get(name)
    if (!found) return [`${name}: the table is missing`]
    if (found.rows !== rows) return [`${name}: ${found.rows} rows instead of ${rows}`]
    return found.checksum === checksum ? [] : [`${name}: the ${rows} rows differ`]
  })
}

export interface ObjectProblems {
  /** Rows refer to them, but the store does not have them. */
  missing: string[]
  /** The store has them, but no row refers to them. */
  orphaned: string[]
}

/**
 * Compare the keys that rows refer to with the object store. The store is listed before and after the dump,
 * so that an upload meanwhile is neither missing nor orphaned.
 */
export function compareObjects(
  referenced: readonly string[],
  before: readonly string[],
  after: readonly string[],
): ObjectProblems {
  const [rows, earlier, stored] = [new Set(referenced), new Set(before), new Set(after)]
  return {
    missing: referenced.filter((key) => !stored.has(key)),
    orphaned: after.filter((key) => earlier.has(key) && !rows.has(key)),
  }
}

/**
 * Return the findings of the restored database that are its own: not those about waiting work, and none that
 * the source has too.
 */
export function selectNewFindings(source: readonly Finding[], restored: readonly Finding[]): Finding[] {
  const knownProblems = new Set(
    source.flatMap(({ name, problems }) => problems.map((problem) => `${name} ${problem}`)),
  )
  return restored
    .filter(({ isWarning, isAboutWork }) => !isWarning && !isAboutWork)
    .map((finding) => ({
      ...finding,
      problems: finding.problems.filter((problem) => !knownProblems.has(`${finding.name} ${problem}`)),
    }))
    .filter(({ problems }) => problems.length > 0)
}
