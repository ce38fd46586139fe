import type { Service } from '#test/support/app.ts'
import { listTenantTables, passingTables } from './row-checksums.ts'

/** They record calls and requests, not what the requests are about. */
const ledgers = ['idempotency_keys', 'ai_calls', 'ai_call_totals', 'ai_tasks', 'audit_logs']

/** Count an account's rows in each tenant table that has some, except in the ledgers and what passes. */
export async function countTenantRows(service: Service, accountId: string): Promise<Record<string, number>> {
  const tables = (await listTenantTables(service)).filter(
    (table) => ![...ledgers, ...passingTables].includes(table),
  )
  const counts = tables.map(
    (table) => `select '${table}' as name, count(*)::integer as count from ${table} where account_id = $1`,
  )
  const rows = await service.sql<{ name: string; count: number }>(counts.join(' union all '), [accountId])
  return Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ name, count }) => [name, count]))
}
