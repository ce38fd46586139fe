import type { Compilable, RawBuilder } from 'kysely'
import type { ReadDb, WriteDb } from './scope.ts'

/** A raw statement as a batch takes it. */
export function statement<T>(db: ReadDb, query: RawBuilder<T>): Compilable<T> {
  return { compile: () => query.compile(db as WriteDb) }
}
