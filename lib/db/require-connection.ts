import { fingerprintKeys, type KeySet, type StoredKeys } from '#rules/settings/fingerprint.ts'
import { toCallStatement } from './call-function.ts'
import type { Database, QueryRows, Statement } from './database.ts'
import { findRefusal } from './refusal.ts'
import { getSqlState } from './sqlstate.ts'

/** A setting that is wrong. The message names it and the remedy, and contains no secret. */
export class SettingError extends Error {
  override name = 'SettingError'
  /** The service cannot work until it is corrected, so callers get 503. */
  readonly code = '28000'
}

/** The settings with a connection string, each of one role. */
export const connections = {
  DATABASE_URL: { role: 'app_runtime', bypasses: false },
  DATABASE_PLATFORM_URL: { role: 'app_platform', bypasses: true },
} as const
export type ConnectionSetting = keyof typeof connections

/**
 * Asks who connects. A connection that could change its role back counts as the role that it signed in with.
 */
export const selectRole: Statement = { sql: selectRoleText(''), parameters: [] }
/** Asks the same, and raises what a write would raise where the server takes none. */
export const selectWritingRole: Statement = {
  sql: selectRoleText(', app.require_writable()'),
  parameters: [],
}

function selectRoleText(more: string): string {
  return `select session_user::text as role, current_user = session_user as is_itself, rolbypassrls or rolsuper as bypasses,
                 rolsuper or rolcreaterole as is_owner${more} from pg_roles where rolname = session_user`
}

interface ConnectedRole {
  role: string
  is_itself: boolean
  bypasses: boolean
  is_owner: boolean
}

/** Throw a SettingError unless the row of `selectRole` is that of the setting's role. */
export function requireRole(setting: ConnectionSetting, row: unknown): void {
  const expected = connections[setting]
  const { role, is_itself, bypasses, is_owner } = row as ConnectedRole
  if (role === expected.role && bypasses === expected.bypasses && is_itself && !is_owner) return
  const harm =
    bypasses && !expected.bypasses
      ? 'which bypasses row level security and would show the rows of every account'
      : !bypasses && expected.bypasses
        ? 'which does not bypass row level security and would not see the work of every account'
        : is_owner
          ? 'which may change the database'
          : 'which lacks the rights of the service or could take others'
  const remedy =
    role === expected.role && is_itself
      ? `correct the role with \`alter role ${role}\`, as migrations/0001_tenancy.sql makes it`
      : `set it to the connection string of ${expected.role}, which \`npm run migrate\` makes`
  throw new SettingError(`${setting} connects as ${role}, ${harm}: ${remedy}`)
}

/**
 * Return the statement that looks whether the database knows one of the keys. With `stores`, it remembers them
 * if it does, so that a rotation in steps is followed.
 */
export function checkKeys({ setting, ids, fingerprints }: KeySet, stores: boolean): Statement {
  return toCallStatement('app.check_keys', {
    p_setting: setting,
    p_ids: ids,
    p_fingerprints: fingerprints,
    p_stores: stores,
  })
}

/** Return what is wrong with keys, by the row of `checkKeys`. */
export function describeUnknownKeys(setting: KeySet['setting'], row: unknown): string | null {
  const known = (row as { check_keys: string | null }).check_keys
  if (known === null) return null
  const harm =
    setting === 'CREDENTIALS_KEY'
      ? 'so nobody could read the secrets that it stores'
      : 'so everybody would be signed out, and no link in an e-mail would work'
  const name = setting === 'CREDENTIALS_KEY' ? 'credentials' : 'jwt'
  return `${setting} has none of the keys of this database (${known}), ${harm}: set the value that belongs to it, or run \`npm run secrets -- accept ${name}\` if the old key is lost or leaked`
}

/**
 * Return the database with its first call preceded by a check: who connects, and whether the keys of the
 * settings are those of the database. A wrong one fails every call. It costs one round trip per process or
 * isolate; a promise is not shared, because in workerd a request must not await that of another one.
 */
export function requireConnection<D extends Database>(
  database: D,
  setting: ConnectionSetting,
  keys: StoredKeys,
): D {
  let isChecked = false
  const check = async () => {
    await checkConnection(database, setting, keys)
    isChecked = true
  }
  const guard = <G extends Database>(guarded: G): G => {
    const { forAccount } = guarded
    return {
      ...guarded,
      run: (statements: readonly Statement[], options: { readOnly: boolean }): Promise<QueryRows[]> =>
        isChecked ? guarded.run(statements, options) : check().then(() => guarded.run(statements, options)),
      begin: (beginSql: string) =>
        isChecked ? guarded.begin(beginSql) : check().then(() => guarded.begin(beginSql)),
      ...(forAccount ? { forAccount: (accountId: string) => guard(forAccount(accountId)) } : {}),
    }
  }
  return guard(database)
}

/**
 * Throw a SettingError unless the database is that of the settings. One that is away is an error of its own.
 */
export async function checkConnection(
  database: Database,
  setting: ConnectionSetting,
  keys: StoredKeys,
): Promise<void> {
  const keySets = await fingerprintKeys(keys)
  const statements = [selectRole, ...keySets.map((keySet) => checkKeys(keySet, true))]
  const [role, ...checks] = await database
    .run(statements, { readOnly: false })
    .catch((error: unknown) => explain(database, setting, error))
  requireRole(setting, role?.rows[0])
  for (const [index, { setting }] of keySets.entries()) {
    const message = describeUnknownKeys(setting, checks[index]?.rows[0])
    if (message) throw new SettingError(message)
  }
}

/** Throw what an operator has to do about an error of the first call. */
async function explain(database: Database, setting: ConnectionSetting, error: unknown): Promise<never> {
  const { role } = connections[setting]
  const refusal = findRefusal(error)
  if (refusal !== null)
    throw new SettingError(
      `${setting} is refused (${refusal}): before the first start run \`npm run migrate\`, which makes ${role}; otherwise set it to the connection string of ${role}, with the password that \`npm run migrate\` sets and the host, the database and \`sslmode\` of your PostgreSQL`,
      { cause: error },
    )
  // Another role may not call the function, and a database without it was not migrated.
  const state = getSqlState(error)
  if (state !== '42501' && state !== '42883' && state !== '3F000') throw error
  const [result] = await database.run([selectRole], { readOnly: false })
  requireRole(setting, result?.rows[0])
  throw new SettingError(
    `${setting} names a database that this version has not migrated: run \`npm run migrate\`, or correct the database`,
    { cause: error },
  )
}
