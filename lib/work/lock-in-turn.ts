import { type RawBuilder, sql } from 'kysely'

/**
 * Build the CTEs that choose and lock up to `limit` due rows of a table for a sweep. `due` has their accounts and
 * ids; sorted by `turn, chance`, each account has its first row before any has a second one, so that a backlog of
 * one account does not delay another. Chance decides between accounts, because no sweep remembers whose turn it was.
 * Rows that another sweep has locked are left out.
 */
export function lockInTurn(
  name: string,
  {
    id = 'id',
    isDue,
    orderBy,
    limit,
  }: {
    /** The column that is unique within the account. */
    id?: string
    isDue: RawBuilder<unknown>
    orderBy: string
    limit: number
  },
): RawBuilder<unknown> {
  const [table, key] = [sql.table(name), sql.ref(id)]
  return sql`
    turns as materialized (
      select account_id, ${key}, turn, random() as chance
        from (select account_id, ${key}, row_number() over (partition by account_id order by ${sql.ref(orderBy)}) as turn from ${table} where ${isDue}) t
       order by turn, chance limit ${limit}),
    due as materialized (
      select account_id, ${key}, turn, chance from ${table} q join turns using (account_id, ${key})
       where ${isDue} for no key update of q skip locked)`
}
