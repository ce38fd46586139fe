import { withConnection } from '#db/migrate/connection.ts'
import {
  type ConnectionSetting,
  checkKeys,
  connections,
  describeUnknownKeys,
  requireRole,
  selectRole,
} from '#db/require-connection.ts'
import { fingerprintKeys, type StoredKeys } from '#rules/settings/fingerprint.ts'
import { PostgresUrl } from '#rules/settings/values.ts'
import type { Finding } from './checks.ts'
import { find } from './find.ts'

const timeoutMs = 10_000

/**
 * Connect as the service does, and ask who connects. With the keys of the settings, ask too whether they are
 * those of the database. It changes nothing.
 */
export function checkConnections(
  urls: Record<ConnectionSetting, string | undefined>,
  keys: StoredKeys | null,
): Promise<Finding[]> {
  const names = Object.keys(connections) as ConnectionSetting[]
  return Promise.all(
    names.map((name) =>
      find(
        `${name} reaches the database as ${connections[name].role}, with its keys`,
        `Set ${name} to the connection string of ${connections[name].role}, the role that \`npm run migrate\` makes, not one of the console.`,
        () => checkConnection(name, urls[name] ?? '', keys),
      ),
    ),
  )
}

async function checkConnection(
  name: ConnectionSetting,
  url: string,
  keys: StoredKeys | null,
): Promise<string[]> {
  if (!PostgresUrl.safeParse(url).success) return [`${name} is not valid`]
  return connect(url, async (query) => {
    try {
      requireRole(name, (await query(selectRole.sql, []))[0])
    } catch (error) {
      return [(error as Error).message]
    }
    const keySets = keys ? await fingerprintKeys(keys) : []
    const problems: string[] = []
    for (const keySet of keySets) {
      const { sql, parameters } = checkKeys(keySet, false)
      problems.push(describeUnknownKeys(keySet.setting, (await query(sql, [...parameters]))[0]) ?? '')
    }
    return problems.filter(Boolean)
  })
}

/** Ask whether a connection string is that of the role that owns the tables, which migrates and sees every row. */
export function checkOwner(url: string): Promise<Finding> {
  return find(
    'DATABASE_OWNER_URL is of the owner of the tables',
    'Set DATABASE_OWNER_URL to the connection string of the role that ran `npm run migrate`.',
    () =>
      connect(url, async (query) => {
        const [row] = await query(
          `select session_user::text as role, pg_has_role(relowner, 'usage') as owns from pg_class where oid = to_regclass('public.accounts')`,
          [],
        )
        if (!row)
          return ['the database has no tables of the service: run `npm run migrate`, or correct its name']
        return row.owns ? [] : [`DATABASE_OWNER_URL connects as ${row.role}, who does not own the tables`]
      }),
  )
}

type Query = (sql: string, values: unknown[]) => Promise<Record<string, unknown>[]>

function connect(url: string, work: (query: Query) => Promise<string[]>): Promise<string[]> {
  const config = { connectionString: url, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs }
  return withConnection(config, (client) =>
    work(async (sql, values) => (await client.query<Record<string, unknown>>(sql, values)).rows),
  )
}
