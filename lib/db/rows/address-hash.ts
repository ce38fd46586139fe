import { type RawBuilder, sql } from 'kysely'

/** Condition on a user: a hash is that of their present address, in hex. */
export const isAddressOf = (users: string, hash: string): RawBuilder<boolean> =>
  sql`encode(sha256(convert_to(${sql.ref(`${users}.email`)}, 'UTF8')), 'hex') = ${hash}`
