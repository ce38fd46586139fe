import type pg from 'pg'
import type { Vault } from '#vendors/auth/vault.ts'

/** A column with secrets that `CREDENTIALS_KEY` has encrypted. */
export interface SealedColumn {
  table: string
  /** The primary key, by which the rows are read in batches. */
  key: string
  column: string
  /** Other columns that `contextOf` needs. */
  owner: readonly string[]
  /** Whether the column is an object of secrets instead of one text. */
  isObject?: true
  /** Return what a secret is bound to. `name` is its name in an object. */
  contextOf(row: Record<string, string>, name: string): string
}

/** Every such column. A test compares the list with what the code seals. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'psa_connections',
    key: 'id',
    column: 'credentials',
    owner: ['account_id', 'provider'],
    contextOf: ({ account_id, provider }) => `psa:${account_id}:${provider}`,
  },
  {
    table: 'sso_connections',
    key: 'id',
    column: 'client_secret',
    owner: ['account_id'],
    contextOf: ({ account_id }) => `sso:${account_id}`,
  },
  {
    table: 'runner_connections',
    key: 'id',
    column: 'credentials',
    owner: ['account_id', 'provider'],
    contextOf: ({ account_id, provider }) => `runner:${account_id}:${provider}`,
  },
  {
    table: 'runner_runs',
    key: 'id',
    column: 'payload',
    owner: ['account_id'],
    contextOf: ({ key, account_id }) => `runner-run:${account_id}:${key}`,
  },
  {
    table: 'mcp_servers',
    key: 'id',
    column: 'token',
    owner: ['account_id'],
    contextOf: ({ key, account_id }) => `mcp:${account_id}:${key}`,
  },
  {
    table: 'kb_batches',
    key: 'id',
    column: 'api_key',
    owner: ['account_id'],
    contextOf: ({ key, account_id }) => `kb-batch:${account_id}:${key}`,
  },
  {
    table: 'notification_configs',
    key: 'id',
    column: 'signing_secret',
    owner: ['account_id'],
    contextOf: ({ account_id }) => `chat:${account_id}`,
  },
  {
    table: 'phone_gateways',
    key: 'id',
    column: 'secret',
    owner: ['account_id', 'provider'],
    contextOf: ({ account_id, provider }) => `phone:${account_id}:${provider}`,
  },
  {
    table: 'push_subscriptions',
    key: 'id',
    column: 'sealed',
    owner: ['account_id'],
    contextOf: ({ key, account_id }) => `web-push:${account_id}:${key}`,
  },
  {
    table: 'totp_factors',
    key: 'user_id',
    column: 'secret',
    owner: [],
    contextOf: ({ key }) => `totp:${key}`,
  },
  {
    table: 'sessions',
    key: 'id',
    column: 'secret_variables',
    owner: [],
    isObject: true,
    contextOf: ({ key }, name) => `session:${key}:${name}`,
  },
  ...['secret', 'previous_secret'].map((column) => ({
    table: 'webhooks',
    key: 'id',
    column,
    owner: ['account_id'],
    contextOf: ({ key, account_id }: Record<string, string>) => `webhook:${account_id}:${key}`,
  })),
]

export interface ResealResult {
  /** Rows whose secrets were encrypted again. */
  resealed: number
  /** Rows with a secret that no key opens. They stay as they are. */
  unreadable: number
}

const batchSize = 500

/**
 * Encrypt every secret again that another key than `version` has sealed, in batches while the service runs. A
 * row that changes meanwhile is left to the next call: the service seals with the first key itself. `client`
 * must be the owner of the database.
 */
export async function resealColumn(
  client: pg.ClientBase,
  column: SealedColumn,
  vault: Vault,
  version: number,
): Promise<ResealResult> {
  const result = { resealed: 0, unreadable: 0 }
  for (let after: string | null = null; ; ) {
    const rows: Row[] = await selectBatch(client, column, version, after)
    for (const row of rows) {
      const sealed = await resealRow(column, row, vault).catch(() => null)
      if (sealed === null) result.unreadable++
      else result.resealed += await updateRow(client, column, row, sealed)
    }
    after = rows.at(-1)?.key ?? null
    if (after === null) return result
  }
}

type Row = { key: string; sealed: string } & Record<string, string>

/** Whether a text or one text of an object was sealed with another key than that of `$1`. */
function isOutdated({ column, isObject }: SealedColumn): string {
  if (!isObject) return `${column} not like $1 || '.%'`
  return `exists (select from jsonb_each_text(${column}) where value not like $1 || '.%')`
}

async function selectBatch(
  client: pg.ClientBase,
  column: SealedColumn,
  version: number,
  after: string | null,
): Promise<Row[]> {
  const { table, key, column: name, owner } = column
  const columns = [`${key} as key`, `${name}::text as sealed`, ...owner].join(', ')
  const { rows } = await client.query<Row>(
    `select ${columns} from ${table} where ${name} is not null and ($2::uuid is null or ${key} > $2) and ${isOutdated(column)}
      order by ${key} limit ${batchSize}`,
    [String(version), after],
  )
  return rows
}

async function resealRow({ isObject, contextOf }: SealedColumn, row: Row, vault: Vault): Promise<string> {
  const reseal = async (sealed: string, name: string) => {
    const context = contextOf(row, name)
    return vault.seal(await vault.open(sealed, context), context)
  }
  if (!isObject) return reseal(row.sealed, '')
  const secrets = Object.entries(JSON.parse(row.sealed) as Record<string, string>)
  return JSON.stringify(
    Object.fromEntries(
      await Promise.all(secrets.map(async ([name, sealed]) => [name, await reseal(sealed, name)])),
    ),
  )
}

/**
 * Store the secret again unless it has changed since it was read. Return the number of changed rows. It is no
 * change that the audit log records.
 */
async function updateRow(
  client: pg.ClientBase,
  { table, key, column, isObject }: SealedColumn,
  row: Row,
  sealed: string,
): Promise<number> {
  const type = isObject ? 'jsonb' : 'text'
  await client.query('begin')
  try {
    await client.query(`select set_config('app.audit', app.sign('audit off'), true)`)
    const { rowCount } = await client.query(
      `update ${table} set ${column} = $1::${type} where ${key} = $2 and ${column} = $3::${type}`,
      [sealed, row.key, row.sealed],
    )
    await client.query('commit')
    return rowCount ?? 0
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
