import { sql } from 'kysely'
import { accountId, jsonb, now } from '#db/expressions.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import type { McpTool } from '#rules/ai/outside-tool.ts'

const columns = [
  'id',
  'account_id',
  'name',
  'url',
  'token',
  'tools',
  'allowed',
  'last_checked_at',
  'last_check_error',
  'created_at',
  'updated_at',
] as const

const ownServers = (db: ReadDb) =>
  db.selectFrom('mcp_servers').select(columns).where('account_id', '=', accountId)

export const selectServers = (db: ReadDb) => ownServers(db).orderBy('name').execute()
/** Select the servers of which at least one tool is allowed. */
export const selectAllowedServers = (db: ReadDb) =>
  ownServers(db).where('allowed', '<>', sql<never>`'{}'::jsonb`).orderBy('name').execute()
export const selectServer = (db: ReadDb, id: string) => ownServers(db).where('id', '=', id).executeTakeFirst()
export type McpServerRow = NonNullable<Awaited<ReturnType<typeof selectServer>>>

export function insertServer(
  db: WriteDb,
  server: Pick<McpServerRow, 'id' | 'name' | 'url' | 'token'>,
): Promise<McpServerRow> {
  return db.insertInto('mcp_servers').values(server).returning(columns).executeTakeFirstOrThrow()
}

export async function deleteServer(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('mcp_servers')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Store what the server has answered: its tools, or why it did not. */
export function recordCheck(db: WriteDb, id: string, found: { tools: McpTool[] } | { error: string }) {
  const change =
    'error' in found
      ? { last_check_error: found.error }
      : { tools: jsonb(found.tools), last_check_error: null }
  return db
    .updateTable('mcp_servers')
    .set({ ...change, last_checked_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
}

export function updateAllowed(db: WriteDb, id: string, allowed: Record<string, string>) {
  return db
    .updateTable('mcp_servers')
    .set({ allowed: jsonb(allowed), updated_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
}
