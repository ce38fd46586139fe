import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, now } from '#db/expressions.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { RunnerProvider } from '#vendors/runner/runner.ts'

const columns = [
  'account_id',
  'base_url',
  'credentials',
  'last_checked_at',
  'last_check_error',
  'created_at',
  'updated_at',
] as const

export function selectConnection(db: ReadDb) {
  return db
    .selectFrom('runner_connections')
    .select(sql<RunnerProvider>`provider`.as('provider'))
    .select(columns)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}
export type ConnectionRow = NonNullable<Awaited<ReturnType<typeof selectConnection>>>

type ConnectionChange = Pick<ConnectionRow, 'provider' | 'base_url' | 'credentials'>

/**
 * Insert or update the connection. `oldCredentials` are the encrypted ones that the caller read, or null for
 * none. Return no row if another request has changed the connection since.
 */
export const saveConnection = writeStatement(
  z.object({ id: z.string() }),
  ({ provider, base_url, credentials }: ConnectionChange, oldCredentials: string | null) => sql`
    insert into runner_connections as c (provider, base_url, credentials)
    select ${provider}, ${base_url}, ${credentials}
     where ${oldCredentials}::text is null
        or exists (select from runner_connections o where o.account_id = app.account_id() and o.credentials = ${oldCredentials})
    on conflict (account_id) do update set provider = excluded.provider, base_url = excluded.base_url, credentials = excluded.credentials,
      last_checked_at = null, last_check_error = null, updated_at = app.now()
      where c.credentials = ${oldCredentials}
    returning c.id`,
)

export async function deleteConnection(db: WriteDb): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('runner_connections')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/**
 * Store the result of a check of the key, unless another key is stored by now; `error` is null after a
 * success.
 */
export async function recordCheck(db: WriteDb, credentials: string, error: string | null): Promise<void> {
  await db
    .updateTable('runner_connections')
    .set({ last_checked_at: now, last_check_error: error })
    .where('account_id', '=', accountId)
    .where('credentials', '=', credentials)
    .execute()
}
