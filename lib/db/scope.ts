import { type Compilable, type InferResult, Kysely, type Transaction } from 'kysely'
import type { Feature } from '../features.ts'
import type { Statement, Wire } from './client.ts'
import { type Entrance, lazyDialect, runEntered } from './dialect.ts'
import type { DB } from './schema.ts'

type Results<Q extends readonly Compilable[]> = { [K in keyof Q]: InferResult<Q[K]> }

export interface Batches {
  /** Several statements behind one entrance: one round trip, one transaction. Answers each statement's rows. */
  batch<const Q extends readonly Compilable[]>(queries: Q): Promise<Results<Q>>
}

/** What a GET gets. Its transaction is read only in the database too. */
export type ReadDb = Batches & Pick<Kysely<DB>, 'selectFrom' | 'selectNoFrom' | 'with' | 'withRecursive' | 'fn' | 'getExecutor'>
export type WriteDb = ReadDb & Pick<Kysely<DB>, 'insertInto' | 'updateTable' | 'deleteFrom' | 'mergeInto' | 'transaction'>

type PlatformTables = {
  [T in keyof DB]: DB[T] extends { account_id: unknown } ? Omit<DB[T], 'account_id'> & { account_id: string } : DB[T]
}
/** The platform door: every account's rows, and code that names whose. */
export type PlatformDb = Kysely<PlatformTables>
/** The same for staff: each statement runs behind the caller's own entrance, so whoever is no super admin any more writes nothing. */
export type StaffDb = PlatformDb & Batches

export type Access = 'user' | 'engineer' | 'team_admin' | 'account_admin' | 'account_or_super_admin' | 'super_admin'
/** Which guards do not stop an operation: none are waived, those of address and subscription, or also a password that is due. */
export type Past = 'none' | 'guards' | 'password'

export interface Caller {
  userId: string
  accountId: string
  signInId: string
}

export interface ScopeOf {
  caller: Caller
  access: Access
  past: Past
  ip: string
  readOnly: boolean
  /** What must be switched on for the account. */
  feature?: Feature | undefined
}

export interface Scope {
  db: WriteDb
  /** Whether app.enter has let this caller in during this request. */
  readonly entered: boolean
  /** Calls a SQL function that enters by itself: `select * from name(…the entrance's arguments, …rest)`; its row, or undefined. */
  call(name: `app.${string}`, rest: readonly (string | number)[]): Promise<unknown>
  /** The entrance alone: throws what it would throw before any statement. */
  check(): Promise<void>
  /** Runs `work` with everything in one transaction, nested transactions included. */
  within<T>(work: (db: WriteDb) => Promise<T>): Promise<T>
}

/** In the order of app.enter and app.enter_feature, and of every function that enters by itself. */
function entranceOf({ caller, access, past, ip, feature }: ScopeOf): Statement {
  const parameters = [caller.userId, caller.accountId, caller.signInId, access, past, ip]
  if (!feature) return { sql: 'select app.enter($1, $2, $3, $4, $5, $6)', parameters }
  return { sql: 'select app.enter_feature($1, $2, $3, $4, $5, $6, $7)', parameters: [...parameters, feature] }
}

/** The only way to a tenant's rows: whatever runs in it runs behind app.enter in the same transaction. On the platform's wire it is the door of staff. */
export function openScope(wire: Wire, of: ScopeOf): Scope {
  return scopeBehind(wire, entranceOf(of), of.readOnly)
}

/** An account's scope for work that no one signed in for. `wire` must be the platform's. */
export function openAccountScope(wire: Wire, accountId: string, actorId: string | null): Scope {
  return scopeBehind(wire, { sql: 'select app.enter_account($1, $2)', parameters: [accountId, actorId] }, false)
}

function scopeBehind(outer: Wire, statement: Statement, readOnly: boolean): Scope {
  const entrance: Entrance = { statement, readOnly }
  let entered = false
  const noting = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work
    entered = true
    return result
  }
  const wire: Wire = { run: (...args) => noting(outer.run(...args)), begin: (first) => noting(outer.begin(first)) }
  const kysely = new Kysely<DB>({ dialect: lazyDialect(wire, entrance) })
  const batch = async (queries: readonly Compilable[]) =>
    (
      await runEntered(
        wire,
        entrance,
        queries.map((query) => query.compile()),
      )
    ).map(({ rows }) => rows)
  return {
    db: Object.assign(kysely, { batch }) as unknown as WriteDb,
    get entered() {
      return entered
    },
    async call(name, rest) {
      const parameters = [...statement.parameters, ...rest]
      const sql = `select * from ${name}(${parameters.map((_, index) => `$${index + 1}`).join(', ')})`
      const [result] = await wire.run([{ sql, parameters }], { readOnly: false })
      return result?.rows[0]
    },
    check: async () => void (await wire.run([statement], { readOnly })),
    within: (work) => kysely.transaction().execute((tx) => work(nested(tx))),
  }
}

/** Runs `work` in one transaction of a scope's, or in the one that it is in already. */
export function inTransaction<T>(db: WriteDb, work: (db: WriteDb) => Promise<T>): Promise<T> {
  return db.transaction().execute((tx) => work(nested(tx)))
}

/** A transaction dressed as a scope: what would be a transaction or a batch of its own joins it. */
function nested(tx: Transaction<DB>): WriteDb {
  const batch = async (queries: readonly Compilable[]) => {
    const results: unknown[] = []
    for (const query of queries) results.push((await tx.executeQuery(query.compile())).rows)
    return results
  }
  const transaction = () => ({ execute: <T>(work: (db: Transaction<DB>) => Promise<T>) => work(tx) })
  return Object.assign(tx, { batch, transaction }) as unknown as WriteDb
}

/** Every account's rows, under the role that may see them. `reason` is for the reader of the call. */
export function asPlatform(wire: Wire, _reason: string): PlatformDb {
  return new Kysely<PlatformTables>({ dialect: lazyDialect(wire, { statement: null, readOnly: false }) })
}
