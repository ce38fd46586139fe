import type { Database, Statement } from '#db/database.ts'
import type { Service } from '#test/support/app.ts'

const column = (name: string) => String.raw`(?:"?\w+"?\.)?"?${name}"?`
/** Also the account of a referenced row, such as `tree_account_id`. The alias of `accounts` is `a`. */
const anyAccount = String.raw`(?:\w+_)?account_id`
/**
 * The conditions with which statements limit themselves to the account of the scope, or to rows of one
 * account.
 */
const filters = new RegExp(
  [
    String.raw`${column('(?:account_id|id)')}\s*=\s*app\.account_id\(\)`,
    String.raw`${column('account_id')}\s+in\s*\(app\.account_id\(\),\s*app\.platform_account\(\)\)`,
    String.raw`(?<=[\s(])${column(anyAccount)}\s*=\s*(?:${column(anyAccount)}|"?a"?\."?id"?)(?=[\s),;]|$)`,
  ].join('|'),
  'g',
)

/** Return a statement without its conditions on the account. */
export function removeFilters(sql: string): string {
  return sql.replace(filters, 'true')
}

/** What the connection has sent. */
export interface SentStatements {
  /** The number of conditions that were removed. */
  removed: number
  /** The statements that still compare an account_id. */
  left: Set<string>
}

/**
 * Make the runtime connection of a service on Node remove the conditions on the account from each statement
 * before it is sent.
 */
export function removeFiltersOfRuntime({ services }: Service): SentStatements {
  if (!services) throw new Error('Only a service on Node has its connections in this process')
  const sent: SentStatements = { removed: 0, left: new Set() }
  const change = (statement: Statement): Statement => {
    sent.removed += statement.sql.match(filters)?.length ?? 0
    const sql = removeFilters(statement.sql)
    // A comparison with the platform's account widens what is seen, so it is no filter.
    if (/account_id"?\s*(?:=|<>|in\b)(?!\s*app\.platform_account\(\))/.test(sql)) sent.left.add(sql)
    return { ...statement, sql }
  }
  services.runtime = changeStatements(services.runtime, change)
  return sent
}

function changeStatements(database: Database, change: (statement: Statement) => Statement): Database {
  return {
    run: (statements, options) => database.run(statements.map(change), options),
    async begin(beginSql) {
      const connection = await database.begin(beginSql)
      return { query: (statement) => connection.query(change(statement)), end: () => connection.end() }
    },
  }
}

/**
 * Remove the conditions on the account from the functions of the database. Return the names of the changed
 * ones. Security definer functions keep theirs: policies do not apply to their owner, so the conditions are
 * what protects the rows.
 */
export async function removeFiltersOfFunctions({ sql }: Service): Promise<string[]> {
  const functions = await sql<{ name: string; definition: string }>(
    `select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition from pg_proc p
      where p.pronamespace = 'app'::regnamespace and p.prokind = 'f' and not p.prosecdef order by 1`,
  )
  const changed = functions.filter(({ definition }) => removeFilters(definition) !== definition)
  for (const { definition } of changed) await sql(removeFilters(definition))
  return changed.map(({ name }) => name)
}
