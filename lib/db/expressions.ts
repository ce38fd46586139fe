import { type RawBuilder, sql } from 'kysely'
import type { Json } from './schema.ts'

/** The account of the scope. */
export const accountId = sql<string>`app.account_id()`
/** The account that owns what ships with the service. */
export const platformAccountId = sql<string>`app.platform_account()`
/** The caller of the scope. */
export const userId = sql<string>`app.user_id()`
/**
 * The team of the caller. It is null for a caller without a team; a column that needs a team rejects that.
 */
export const teamId = sql<string>`app.team_id()`
/** The database's clock. Tests move it. */
export const now = sql<string>`app.now()`

/** The database's clock as a text of JSON, in milliseconds. */
export const nowText = sql<string>`app.iso(app.now()::timestamptz(3))`

/**
 * The next `updated_at` of a row. It is later than the stored time, which callers compare to detect changes
 * by others.
 */
export const nextUpdatedAt = sql<string>`greatest(app.now(), updated_at + interval '1 ms')`

/** Return a value as a JSON parameter. The driver would send an array as a PostgreSQL array. */
export function jsonb<T>(value: T): RawBuilder<T & Json> {
  return sql<T & Json>`${JSON.stringify(value)}::jsonb`
}

/** Return an array of texts as one parameter. */
export function textArray(values: readonly string[]): RawBuilder<string[]> {
  return sql<string[]>`array(select jsonb_array_elements_text(${jsonb(values)}))`
}

/** Select these ids: a subquery for `in (…)` and `array(…)`. */
export function selectIds(ids: readonly string[]): RawBuilder<unknown> {
  return sql`select i::uuid from jsonb_array_elements_text(${jsonb(ids)}) i`
}

/** Return bytes from the text form of a `bytea`. */
export function bytea(text: string): RawBuilder<Uint8Array> {
  return sql<Uint8Array>`${text}::bytea`
}

/**
 * Sort texts as people do: Ä beside A, and without regard to case. Indexes that serve such a list have the
 * same collation.
 */
export function byName(column: string): RawBuilder<string> {
  return sql<string>`${sql.ref(column)} collate "und-x-icu"`
}

/**
 * Return whether the caller created a row, is an admin of its team or is an account admin. The arguments are
 * columns.
 */
export function mayChange(creator: string, team: string): RawBuilder<boolean> {
  return sql<boolean>`app.may_change(${sql.ref(creator)}, ${sql.ref(team)})`
}

/**
 * Return whether a row of `table` (name or alias) belongs to the caller's account and the caller may change
 * it.
 */
export function isEditable(table: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${table}.account_id`)} = app.account_id() and ${mayChange(`${table}.created_by`, `${table}.team_id`)}`
}

/**
 * Return whether a row belongs to the caller, or to a member who has left and whose work the caller inherits.
 * The argument is a column.
 */
export function isOwnOrInherited(owner: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(owner)} = ${userId} or app.inherits_from(${sql.ref(owner)}))`
}

/**
 * Return whether a row belongs to a member who has left and whose work the caller inherits. The members are
 * few, so they are found first.
 */
export function isInherited(owner: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(owner)} in (select u.id from users u where u.account_id = ${accountId} and app.inherits_from(u.id))`
}

/** The id and the name of the user that a column names, as JSON; null for none. The arguments are columns. */
export function personOf(account: string, user: string): RawBuilder<{ id: string; name: string } | null> {
  return sql`
  (select jsonb_build_object('id', u.id, 'name', u.full_name) from users u where u.account_id = ${sql.ref(account)} and u.id = ${sql.ref(user)})`
}
