import { type Compilable, type InferResult, Kysely, sql, type Transaction } from 'kysely'
import type { Feature } from '#rules/features.ts'
import { unmapAddress } from '#rules/text/address-block.ts'
import { type EnteringCall, toCallStatement, toEnteringStatement } from './call-function.ts'
import type { Database, Statement } from './database.ts'
import { lazyDialect, runInContext, type TenantContext } from './dialect.ts'
import type { Outbox } from './outbox-entry.ts'
import { isMissingRow, isRequiringRow } from './required-row.ts'
import type { DB } from './schema.ts'

// See README.md beside this file on tenancy, and on why the queries filter by account although policies do so
// too.

type Results<Q extends readonly Compilable[]> = { [K in keyof Q]: InferResult<Q[K]> }

export interface Batches {
  /** Run several statements in one round trip and one transaction. Return each statement's rows. */
  batch<const Q extends readonly Compilable[]>(queries: Q): Promise<Results<Q>>
}

export interface Enqueues {
  /** Register work that the current transaction has stored. It is published after the commit. */
  readonly outbox: Outbox
}

type Writes = 'insertInto' | 'updateTable' | 'deleteFrom' | 'mergeInto' | 'with' | 'transaction'

/** The database of a GET. It cannot write by its type, and its transaction is read only in PostgreSQL too. */
export type ReadDb = Batches & Pick<Kysely<DB>, 'selectFrom' | 'selectNoFrom'>
export type WriteDb = ReadDb & Pick<Kysely<DB>, Writes> & Enqueues

export type PlatformTables = {
  [T in keyof DB]: DB[T] extends { account_id: unknown }
    ? Omit<DB[T], 'account_id'> & { account_id: string }
    : DB[T]
}
/** The `platform` connection: it sees the rows of every account, so each statement names the account. */
export type PlatformDb = Pick<Kysely<PlatformTables>, 'selectFrom' | Writes> & Enqueues
/**
 * The `platform` connection of a super admin. Each statement runs after `app.enter`, so a revoked super admin
 * cannot write.
 */
export type StaffDb = PlatformDb & Batches

export type Access =
  | 'user'
  | 'engineer'
  | 'team_admin'
  | 'account_admin'
  | 'account_or_super_admin'
  | 'super_admin'
/**
 * Guards that an operation skips. `account`: the verified address and the subscription. `mfa`: also the
 * second factor that the account requires. `all`: also the due password change.
 */
export type SkippedGuards = 'none' | 'account' | 'mfa' | 'all'
const skippedInSql = {
  none: 'none',
  account: 'guards',
  mfa: 'mfa',
  all: 'password',
} as const satisfies Record<SkippedGuards, string>

export interface Caller {
  userId: string
  accountId: string
  /** The id of the sign-in, or of the API key. */
  signInId: string
  /** Set for an API key, whose id is then `userId` as well. */
  key?: KeyProof | undefined
  /** Set for an MCP client that acts for the person: the scopes that the person agreed to. */
  scopes?: readonly string[]
}

/** What proves an API key. */
export interface KeyProof {
  /** SHA-256 of the key, as a bytea. */
  hash: string
  /** Set for a stored request, whose address was checked when it was accepted. */
  isAddressChecked?: true
}

export interface ScopeOptions {
  caller: Caller
  access: Access
  skipGuards: SkippedGuards
  ip: string
  readOnly: boolean
  /**
   * Whether the address of the caller must be verified already, without the time that other operations leave.
   */
  needsVerified?: boolean
  /** A feature that must be switched on for the account. */
  feature?: Feature | undefined
  /** Whether a caller with a second factor must have verified it within the last 10 minutes. */
  stepUp?: true | undefined
  /** Whether super admins must have a second factor. */
  superAdminMfa?: boolean
  /** The scopes of which an API key needs one. None if the operation is closed to keys. */
  keyScopes?: readonly string[]
}

/** The database as one caller may see it. */
export interface Scope {
  readonly db: WriteDb
  /** Whether app.enter has admitted this caller during this request. */
  readonly isAdmitted: boolean
  /**
   * Call a SQL function that sets the tenant context itself, with the arguments of app.enter and its own.
   * Return its row, or undefined.
   */
  callFunction(...call: EnteringCall): Promise<unknown>
  /** Run only app.enter. Throw if it does not admit the caller. */
  checkAccess(): Promise<void>
  /** Run `work` in one transaction; transactions and batches inside join it. */
  transaction<T>(work: (db: WriteDb) => Promise<T>): Promise<T>
}

function toSkippedInSql({ skipGuards, needsVerified }: ScopeOptions): string {
  return needsVerified && skipGuards === 'none' ? 'verified' : skippedInSql[skipGuards]
}

function enterKeyStatement({ hash, isAddressChecked }: KeyProof, options: ScopeOptions): Statement {
  const { caller, access, ip, feature, keyScopes = [] } = options
  const address = isAddressChecked ? null : unmapAddress(ip)
  return toCallStatement('app.enter_key', {
    p_account: caller.accountId,
    p_key: caller.userId,
    p_hash: hash,
    p_scopes: keyScopes,
    p_access: access,
    p_past: toSkippedInSql(options),
    p_feature: feature ?? null,
    p_address: address,
  })
}

/** Return the arguments of app.enter, which functions that call it themselves have too. */
function toEnterArguments(options: ScopeOptions) {
  const { caller, access, ip, superAdminMfa } = options
  return {
    p_user: caller.userId,
    p_account: caller.accountId,
    p_sign_in: caller.signInId,
    p_access: superAdminMfa && access.endsWith('super_admin') ? `${access}_mfa` : access,
    p_past: toSkippedInSql(options),
    p_ip: ip,
  }
}

/** Return the statement that sets the tenant context. */
function enterStatement(options: ScopeOptions): Statement {
  const { caller, feature, stepUp } = options
  if (caller.key) return enterKeyStatement(caller.key, options)
  const args = toEnterArguments(options)
  if (stepUp) return toCallStatement('app.enter_with_step_up', { ...args, p_feature: feature ?? null })
  if (!feature) return toCallStatement('app.enter', args)
  return toCallStatement('app.enter_feature', { ...args, p_feature: feature })
}

/**
 * Open the scope of a caller, the only way to a tenant's rows. Every statement runs after app.enter in the
 * same transaction.
 */
export function openScope(database: Database, options: ScopeOptions, outbox: Outbox): Scope {
  const statement = enterStatement(options)
  // A function calls app.enter with its arguments. That admits a key only after app.enter_key in the same
  // transaction.
  const calls = { before: options.caller.key ? [statement] : [], args: toEnterArguments(options) }
  return createScope(
    divide(database, options.caller.accountId),
    { statement, readOnly: options.readOnly, calls },
    outbox,
  )
}

/**
 * Open an account's scope for work without a signed-in user. `database` must be the `platform` connection.
 */
export function openAccountScope(
  database: Database,
  accountId: string,
  actorId: string | null,
  outbox: Outbox,
): Scope {
  const args = { p_account: accountId, p_actor: actorId }
  const statement = toCallStatement('app.enter_account', args)
  return createScope(
    divide(database, accountId),
    { statement, readOnly: false, calls: { before: [], args } },
    outbox,
  )
}

/** The token of the provider of an organisation, which provisions the members of its account. */
export interface ProviderToken {
  accountId: string
  connectionId: string
  /** SHA-256 of the token, as a bytea. */
  hash: string
  ip: string
}

/** Open an account's scope for the provider of its organisation. Every statement runs after app.enter_scim. */
export function openProviderScope(
  database: Database,
  { accountId, connectionId, hash, ip }: ProviderToken,
  { readOnly, outbox }: { readOnly: boolean; outbox: Outbox },
): Scope {
  const args = { p_account: accountId, p_connection: connectionId, p_hash: hash, p_address: ip }
  const statement = toCallStatement('app.enter_scim', args)
  return createScope(
    divide(database, accountId),
    { statement, readOnly, calls: { before: [], args } },
    outbox,
  )
}

/** Return the database as one account may use it, so that an account can slow down only itself. */
function divide(database: Database, accountId: string): Database {
  return database.forAccount?.(accountId) ?? database
}

interface ScopeContext extends TenantContext {
  statement: Statement
  /**
   * What runs before a SQL function that sets the tenant context itself, and the arguments with which it
   * does.
   */
  calls: { before: readonly Statement[]; args: Record<string, string | null> }
}

// No accessor in an object that each request makes: V8 puts its functions into the old generation, where they
// keep all of the request until a full collection.
function createScope(outer: Database, context: ScopeContext, outbox: Outbox): Scope {
  const { statement, readOnly, calls } = context
  const markAdmitted = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work
    scope.isAdmitted = true
    return result
  }
  const database: Database = {
    run: (...args) => markAdmitted(outer.run(...args)),
    begin: (sql) => markAdmitted(outer.begin(sql)),
  }
  const batch = async (queries: readonly Compilable[]) => {
    const statements = queries.map((query) => query.compile())
    return (await runInContext(database, context, statements)).map(({ rows }) => rows)
  }
  const kysely = new Kysely<DB>({ dialect: lazyDialect(database, context) })
  const scope = {
    db: Object.assign(kysely, { batch, outbox }) as unknown as WriteDb,
    isAdmitted: false,
    async callFunction(...call: EnteringCall) {
      const results = await database.run([...calls.before, toEnteringStatement(call, calls.args)], {
        readOnly: false,
      })
      return results.at(-1)?.rows[0]
    },
    checkAccess: async () => void (await database.run([statement], { readOnly })),
    transaction: <T>(work: (db: WriteDb) => Promise<T>) =>
      kysely.transaction().execute((tx) => work(joinTransaction(tx, outbox))),
  }
  return scope
}

/** Run `work` in one transaction; batches and transactions inside join it. */
export function inTransaction<Db extends WriteDb | PlatformDb, T>(
  db: Db,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const { outbox } = db
  return (db as unknown as Kysely<DB>)
    .transaction()
    .execute((tx) => work(joinTransaction(tx, outbox) as unknown as Db))
}

/** Give a transaction the interface of a scope's database. Inner transactions and batches join it. */
function joinTransaction(tx: Transaction<DB>, outbox: Outbox): WriteDb {
  const batch = async (queries: readonly Compilable[]) => {
    const statements = queries.map((query) => query.compile())
    const run = async () => {
      const results: unknown[] = []
      for (const statement of statements) results.push((await tx.executeQuery(statement)).rows)
      return results
    }
    if (!isRequiringRow(statements)) return run()
    // Only this batch is rolled back, so that the transaction can read again.
    await sql`savepoint batch`.execute(tx)
    return run().catch(async (error) => {
      if (isMissingRow(error)) await sql`rollback to savepoint batch`.execute(tx)
      throw error
    })
  }
  const transaction = () => ({ execute: <T>(work: (db: Transaction<DB>) => Promise<T>) => work(tx) })
  return Object.assign(tx, { batch, transaction, outbox }) as unknown as WriteDb
}

/** Open the rows of every account. `reason` only documents why the caller needs them. */
export function openPlatformDb(database: Database, _reason: string, outbox: Outbox): PlatformDb {
  const kysely = new Kysely<PlatformTables>({
    dialect: lazyDialect(database, { statement: null, readOnly: false }),
  })
  return Object.assign(kysely, { outbox })
}
