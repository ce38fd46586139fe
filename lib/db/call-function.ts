import { type RawBuilder, sql } from 'kysely'
import type { Statement } from './database.ts'
import type { SqlFunctions } from './schema.ts'

export type FunctionName = keyof SqlFunctions
/** The arguments of a SQL function by the names of its parameters. Each can be null, or an SQL expression. */
export type FunctionArguments<Name extends FunctionName> = {
  [Argument in keyof SqlFunctions[Name]]: SqlFunctions[Name][Argument] | RawBuilder<unknown> | null
}
type EnterArguments = keyof SqlFunctions['app.enter']
/** The name and the own arguments of a SQL function that runs `app.enter` itself. */
export type EnteringCall = {
  [Name in FunctionName]: SqlFunctions[Name] extends SqlFunctions['app.enter']
    ? [name: Name, args: Omit<SqlFunctions[Name], EnterArguments>]
    : never
}[FunctionName]

/**
 * Return a call of a SQL function, as a part of a statement. An argument with a default may be left out. The
 * text depends on the names of the arguments alone, so calls with the same names share a prepared statement.
 */
export function callFunction<Name extends FunctionName>(
  name: Name,
  args: FunctionArguments<Name>,
): RawBuilder<unknown> {
  const named = Object.entries(args).map(([argument, value]) => sql`${sql.raw(argument)} => ${value}`)
  return sql`${sql.raw(name)}(${sql.join(named)})`
}

/** Return a statement that only calls a SQL function, for a connection without the query builder. */
export function toCallStatement<Name extends FunctionName>(
  name: Name,
  args: { [Argument in keyof SqlFunctions[Name]]: SqlFunctions[Name][Argument] | null },
): Statement {
  return { sql: `select ${name}(${listNamed(args)})`, parameters: Object.values(args) }
}

/**
 * Return a statement that calls a function which runs `app.enter` itself, with the arguments of `app.enter`.
 */
export function toEnteringStatement(
  [name, args]: EnteringCall,
  enterArguments: Record<string, string | null>,
): Statement {
  const all = { ...enterArguments, ...args }
  return { sql: `select * from ${name}(${listNamed(all)})`, parameters: Object.values(all) }
}

function listNamed(args: object): string {
  return Object.keys(args)
    .map((argument, index) => `${argument} => $${index + 1}`)
    .join(', ')
}
