import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { exportedTables, tablesLeftOut } from '../../lib/db/account-data.ts'
import { sharedService } from '../support/app.ts'

describe('the contents of an export', () => {
  const columnsByTable = new Map<string, string[]>()
  beforeAll(async () => {
    const service = await sharedService()
    const rows = await service.sql<{ table: string; columns: string[] }>(
      `select c.relname as table, array_agg(a.attname::text order by a.attname) as columns
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migrations' group by 1`,
    )
    for (const { table, columns } of rows) columnsByTable.set(table, columns)
  })

  it('DAT-02 every table is declared as exported or left out, and none as both', () => {
    const declared = [...exportedTables.map(({ table }) => table), ...Object.keys(tablesLeftOut)]
    expect(declared.toSorted()).toEqual([...columnsByTable.keys()].toSorted())
  })

  it.each(exportedTables)('DAT-02 every column of $table is declared as exported or left out', ({ table, columns, leftOut }) => {
    const declared = [...columns, ...Object.keys(leftOut), ...(table === 'accounts' ? [] : ['account_id'])]
    expect(declared.toSorted()).toEqual(columnsByTable.get(table)?.toSorted())
  })

  it('DAT-01 the README lists every kind with its fields, and what is left out', async () => {
    const readme = await readFile(new URL('../../functions/accounts/exports/README.md', import.meta.url), 'utf8')
    const lines = exportedTables.flatMap(({ kind, isRestored, columns, computed = {}, leftOut }) => [
      `| \`${kind}\` | ${isRestored ? 'yes' : 'no'} | ${[...columns, ...Object.keys(computed)].join(', ')} |`,
      ...Object.entries(leftOut).map(([column, why]) => `| \`${kind}.${column}\` | ${why} |`),
    ])
    const tables = Object.entries(tablesLeftOut).map(([table, why]) => `| \`${table}\` | ${why} |`)
    expect([...lines, ...tables].filter((line) => !readme.split('\n').includes(line))).toEqual([])
  })

  it.each(exportedTables)('DAT-01 the records of $table have an order that PostgreSQL enforces as unique', async ({ table, key }) => {
    const { sql } = await sharedService()
    const indexes = await sql<{ columns: string[] }>(
      `select array(select pg_get_indexdef(i.indexrelid, n, true) from generate_series(1, i.indnkeyatts) n) as columns
         from pg_index i where i.indrelid = $1::regclass and i.indisunique and i.indpred is null`,
      [table],
    )
    const isUnique = ({ columns }: { columns: string[] }) => columns.every((column) => column === 'account_id' || column in key)
    expect(indexes.some(isUnique), Object.keys(key).join()).toBe(true)
  })
})
