import { type Expression, type RawBuilder, sql } from 'kysely'
import { getSqlState } from './sqlstate.ts'

const raising = 'app.require_row('

/**
 * Make a statement raise SF409 when it returns no row. The whole batch is rolled back, so its other
 * statements need no condition. `retryOnConflict` then reads again; elsewhere `ignoreMissingRow` tells it
 * from other errors. A statement inside `with` cannot write, so `ctes` has the parts that do: "name as (…),
 * name as (…)".
 */
export function requireRow<T>(statement: Expression<T>, ctes?: RawBuilder<unknown>): RawBuilder<T> {
  return sql<T>`
    with ${ctes ? sql`${ctes}, ` : sql``}required_row as (${statement})
    select required_row.* from (select ${sql.raw(raising)}exists (select from required_row))) checked left join required_row on true`
}

/** Return whether a statement of the batch may raise SF409. */
export function isRequiringRow(statements: readonly { sql: string }[]): boolean {
  return statements.some(({ sql }) => sql.includes(raising))
}

export function isMissingRow(error: unknown): boolean {
  return getSqlState(error) === 'SF409'
}

/** Turn the error of a missing row into undefined: a `catch` handler. */
export function ignoreMissingRow(error: unknown): undefined {
  if (!isMissingRow(error)) throw error
}
