import type { Compilable, RawBuilder } from 'kysely'
import type { ReadDb } from './scope.ts'

/** Make a raw statement usable in a batch. */
export function statement<T>(db: Pick<ReadDb, 'getExecutor'>, query: RawBuilder<T>): Compilable<T> {
  return { compile: () => query.compile(db) }
}
