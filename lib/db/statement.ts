import type { Compilable, RawBuilder } from 'kysely'
import type { ReadDb } from './scope.ts'

/** A raw statement as a batch takes it. */
export function statement<T>(db: Pick<ReadDb, 'getExecutor'>, query: RawBuilder<T>): Compilable<T> {
  return { compile: () => query.compile(db) }
}
