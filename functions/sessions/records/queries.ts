import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { exportedTables } from '#db/account-data.ts'
import { callFunction } from '#db/call-function.ts'
import { accountId, nowText, selectIds } from '#db/expressions.ts'
import type { ReadDb } from '#db/scope.ts'
import { notNull, readStatement } from '#db/statement.ts'

// A record has the rows of a case with the columns that an export of the account has, so that both mean the
// same. A condition is on a row `t`, and finds the ids of the case in `parts`: a run has its sub-flows too.

const belongs = sql`t.account_id = app.account_id() and t.session_id in (select id from parts)`
const belongsToAiSession = sql`t.account_id = app.account_id() and t.ai_session_id in (select id from parts)`
const isPart = sql`t.account_id = app.account_id() and t.id in (select id from parts)`
const partOf = (alias: string) => sql`
  ${sql.ref(`${alias}.account_id`)} = app.account_id() and ${sql.ref(`${alias}.session_id`)} in (select id from parts)`

/** The tables of the record of each kind of case, in its order, with the condition on their rows. */
export const caseTables = {
  session: {
    sessions: isPart,
    // What was asked. The flow may be another account's: one that ships with the service.
    tree_versions: sql`
      exists (select from sessions s where s.account_id = app.account_id() and s.id in (select id from parts)
                 and s.tree_account_id = t.account_id and s.tree_id = t.tree_id and s.tree_version = t.version)`,
    session_decisions: belongs,
    session_evidence: belongs,
    session_fallbacks: belongs,
    session_custom_steps: belongs,
    session_supporting_data: belongs,
    approvals: belongs,
    script_runs: belongs,
    uploads: sql`
      t.account_id = app.account_id() and t.id in (
        select e.upload_id from session_evidence e where ${partOf('e')}
        union all select d.upload_id from session_supporting_data d where ${partOf('d')})`,
  },
  ai_session: {
    ai_sessions: isPart,
    ai_branches: belongs,
    ai_messages: belongs,
    ai_message_uploads: belongs,
    ai_steps: belongs,
    ai_facts: belongs,
    ai_fixes: belongs,
    ai_outputs: belongs,
    ai_handoffs: belongs,
    escalation_follow_ups: belongs,
    approvals: belongsToAiSession,
    script_runs: belongsToAiSession,
    uploads: sql`
      t.account_id = app.account_id() and t.id in (select m.upload_id from ai_message_uploads m where ${partOf('m')})`,
  },
} as const satisfies Record<string, Record<string, RawBuilder<unknown>>>

/** What a record can be of. */
export type CaseKind = keyof typeof caseTables

const partIds = {
  session: (id: string) => sql`
    select ${id}::uuid as id union all select f.id from ${callFunction('app.list_subflow_sessions', { p_session: id })} f`,
  ai_session: (id: string) => sql`select ${id}::uuid as id`,
} as const satisfies Record<CaseKind, (id: string) => RawBuilder<unknown>>

/**
 * Select the rows of a case as lines of JSON, in the order of its tables and of their keys: those that begin
 * within `maxBytes`.
 */
export const selectRows = readStatement(
  z.object({ table_name: notNull<string>(), line: notNull<string>() }),
  (kind: CaseKind, id: string, maxBytes: number) => {
    const tables = Object.entries(caseTables[kind]).map(([name, condition], place) => {
      const { columns, key } = exportedTables.find(({ table }) => table === name) ?? missingTable(name)
      const list = (names: readonly string[]) => sql.join(names.map((column) => sql.ref(`t.${column}`)))
      return sql`
        select ${place}::integer as table_place, ${name}::text as table_name, row_number() over (order by ${list(Object.keys(key))}) as place,
               row_to_json((select x from (select ${list(columns)}) x))::text as line
          from ${sql.table(name)} t where ${condition}`
    })
    return sql`
      with parts as materialized (${partIds[kind](id)}), lines as (${sql.join(tables, sql` union all `)})
      select b.table_name, b.line from (
        select l.*, sum(octet_length(l.line)) over (order by l.table_place, l.place) - octet_length(l.line) as bytes_before from lines l) b
       where b.bytes_before <= ${maxBytes}::bigint order by b.table_place, b.place`
  },
)

function missingTable(name: string): never {
  throw new Error(`An export has no table ${name}`)
}

/** Select the account with the time at which its record is made. */
export function selectAccount(db: ReadDb) {
  return db
    .selectFrom('accounts')
    .select(['id', 'name', nowText.as('issued_at')])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
}

/** Select those of the ids that are members of the account, with their names. */
export function selectPeople(db: ReadDb, ids: readonly string[]) {
  return db
    .selectFrom('users')
    .select(['id', 'full_name'])
    .where('account_id', '=', accountId)
    .where(sql<boolean>`id in (${selectIds(ids)})`)
    .orderBy('id')
    .execute()
}
