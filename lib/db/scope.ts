import { type Compilable, type InferResult, Kysely, type Transaction } from 'kysely'
import type { Feature } from '../features.ts'
import type { Database, Statement } from './database.ts'
import { lazyDialect, runInContext, type TenantContext } from './dialect.ts'
import type { Outbox } from './outbox-entry.ts'
import type { DB } from './schema.ts'

// See README.md beside this file on tenancy, and on why the queries filter by account although policies do so too.

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
  [T in keyof DB]: DB[T] extends { account_id: unknown } ? Omit<DB[T], 'account_id'> & { account_id: string } : DB[T]
}
/** The `platform` connection: it sees the rows of every account, so each statement names the account. */
export type PlatformDb = Pick<Kysely<PlatformTables>, 'selectFrom' | Writes> & Enqueues
/** The `platform` connection of a super admin. Each statement runs after `app.enter`, so a revoked super admin cannot write. */
export type StaffDb = PlatformDb & Batches

export type Access = 'user' | 'engineer' | 'team_admin' | 'account_admin' | 'account_or_super_admin' | 'super_admin'
/**
 * Guards that an operation skips. `account`: the verified address and the subscription. `mfa`: also the second factor that the account
 * requires. `all`: also the due password change.
 */
export type SkippedGuards = 'none' | 'account' | 'mfa' | 'all'
const skippedInSql = { none: 'none', account: 'guards', mfa: 'mfa', all: 'password' } as const satisfies Record<SkippedGuards, string>

export interface Caller {
  userId: string
  accountId: string
  signInId: string
}

export interface ScopeOptions {
  caller: Caller
  access: Access
  skipGuards: SkippedGuards
  ip: string
  readOnly: boolean
  /** A feature that must be switched on for the account. */
  feature?: Feature | undefined
  /** Whether a caller with a second factor must have verified it within the last 10 minutes. */
  stepUp?: true | undefined
  /** Whether super admins must have a second factor. */
  superAdminMfa?: boolean
}

/** The database as one caller may see it. */
export interface Scope {
  readonly db: WriteDb
  /** Whether app.enter has admitted this caller during this request. */
  readonly isAdmitted: boolean
  /** Call a SQL function that sets the tenant context itself: `name(…the arguments of app.enter, …rest)`. Return its row, or undefined. */
  callFunction(name: `app.${string}`, rest: readonly (string | number)[]): Promise<unknown>
  /** Run only app.enter. Throw if it does not admit the caller. */
  checkAccess(): Promise<void>
  /** Run `work` in one transaction; transactions and batches inside join it. */
  transaction<T>(work: (db: WriteDb) => Promise<T>): Promise<T>
}

/** Return the statement that sets the tenant context. Functions that set it themselves have their arguments in the same order. */
function enterStatement({ caller, access, skipGuards, ip, feature, stepUp, superAdminMfa }: ScopeOptions): Statement {
  const checkedAccess = superAdminMfa && access.endsWith('super_admin') ? `${access}_mfa` : access
  const parameters = [caller.userId, caller.accountId, caller.signInId, checkedAccess, skippedInSql[skipGuards], ip]
  if (stepUp) return { sql: 'select app.enter_with_step_up($1, $2, $3, $4, $5, $6, $7)', parameters: [...parameters, feature ?? null] }
  if (!feature) return { sql: 'select app.enter($1, $2, $3, $4, $5, $6)', parameters }
  return { sql: 'select app.enter_feature($1, $2, $3, $4, $5, $6, $7)', parameters: [...parameters, feature] }
}

/** Open the scope of a caller, the only way to a tenant's rows. Every statement runs after app.enter in the same transaction. */
export function openScope(database: Database, options: ScopeOptions, outbox: Outbox): Scope {
  return createScope(database, { statement: enterStatement(options), readOnly: options.readOnly }, outbox)
}

/** Open an account's scope for work without a signed-in user. `database` must be the `platform` connection. */
export function openAccountScope(database: Database, accountId: string, actorId: string | null, outbox: Outbox): Scope {
  const statement = { sql: 'select app.enter_account($1, $2)', parameters: [accountId, actorId] }
  return createScope(database, { statement, readOnly: false }, outbox)
}

function createScope(outer: Database, context: TenantContext & { statement: Statement }, outbox: Outbox): Scope {
  const { statement, readOnly } = context
  let isAdmitted = false
  const markAdmitted = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work
    isAdmitted = true
    return result
  }
  const database: Database = { run: (...args) => markAdmitted(outer.run(...args)), begin: (sql) => markAdmitted(outer.begin(sql)) }
  // Created on first use: a request that only calls a SQL function needs no query builder.
  let kysely: Kysely<DB> | undefined
  const openKysely = () => {
    kysely ??= Object.assign(new Kysely<DB>({ dialect: lazyDialect(database, context) }), { batch, outbox })
    return kysely
  }
  const batch = async (queries: readonly Compilable[]) => {
    const statements = queries.map((query) => query.compile())
    return (await runInContext(database, context, statements)).map(({ rows }) => rows)
  }
  return {
    get db() {
      return openKysely() as unknown as WriteDb
    },
    get isAdmitted() {
      return isAdmitted
    },
    async callFunction(name, rest) {
      const parameters = [...statement.parameters, ...rest]
      const sql = `select * from ${name}(${parameters.map((_, index) => `$${index + 1}`).join(', ')})`
      const [result] = await database.run([{ sql, parameters }], { readOnly: false })
      return result?.rows[0]
    },
    checkAccess: async () => void (await database.run([statement], { readOnly })),
    transaction: (work) =>
      openKysely()
        .transaction()
        .execute((tx) => work(joinTransaction(tx, outbox))),
  }
}

/** Run `work` in one transaction; batches and transactions inside join it. */
export function inTransaction<Db extends WriteDb | PlatformDb, T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  const { outbox } = db
  return (db as unknown as Kysely<DB>).transaction().execute((tx) => work(joinTransaction(tx, outbox) as unknown as Db))
}

/** Give a transaction the interface of a scope's database. Inner transactions and batches join it. */
function joinTransaction(tx: Transaction<DB>, outbox: Outbox): WriteDb {
  const batch = async (queries: readonly Compilable[]) => {
    const results: unknown[] = []
    for (const query of queries) results.push((await tx.executeQuery(query.compile())).rows)
    return results
  }
  const transaction = () => ({ execute: <T>(work: (db: Transaction<DB>) => Promise<T>) => work(tx) })
  return Object.assign(tx, { batch, transaction, outbox }) as unknown as WriteDb
}

/** Open the rows of every account. `reason` only documents why the caller needs them. */
export function openPlatformDb(database: Database, _reason: string, outbox: Outbox): PlatformDb {
  const kysely = new Kysely<PlatformTables>({ dialect: lazyDialect(database, { statement: null, readOnly: false }) })
  return Object.assign(kysely, { outbox })
}
