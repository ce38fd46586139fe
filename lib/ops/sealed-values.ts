import { withConnection } from '#db/migrate/connection.ts'
import { createVault, type VaultKey } from '#vendors/auth/vault.ts'
import type { Finding } from './checks.ts'
import { find } from './find.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'

/** Open one secret of each column and version of a key. It prints none. */
export function checkSealedValues(ownerUrl: string, keys: readonly VaultKey[]): Promise<Finding> {
  const vault = createVault(keys)
  return find(
    'CREDENTIALS_KEY opens one stored secret of each kind',
    'Set CREDENTIALS_KEY to the value that the database was used with. A secret that no key opens must be entered again.',
    () =>
      withConnection({ connectionString: ownerUrl }, async (client) => {
        const problems: string[] = []
        for (const column of sealedColumns) {
          const { rows } = await client.query<SealedRow>(selectSealed(column))
          for (const row of rows) {
            const isOpened = await vault.open(row.sealed, column.contextOf(row, row.name)).then(
              () => true,
              () => false,
            )
            if (isOpened) continue
            const version = row.sealed.split('.')[0]?.slice(0, 20)
            problems.push(`${column.table}.${column.column}: no key opens a secret of version ${version}`)
          }
        }
        return problems
      }),
  )
}

type SealedRow = { key: string; name: string; sealed: string } & Record<string, string>

function selectSealed({ table, key, column, owner, isObject }: SealedColumn): string {
  const columns = [`t.${key} as key`, ...owner.map((name) => `t.${name}`)].join(', ')
  const values = isObject
    ? `${table} t cross join jsonb_each_text(t.${column}) v (name, sealed)`
    : `${table} t cross join lateral (select '' as name, t.${column} as sealed) v`
  return `select distinct on (split_part(v.sealed, '.', 1)) ${columns}, v.name, v.sealed from ${values}
           where t.${column} is not null order by split_part(v.sealed, '.', 1), t.${key} desc`
}
