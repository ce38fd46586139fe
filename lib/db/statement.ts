import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
} from 'kysely'
import * as z from 'zod'
import type { PlatformDb, PlatformTables, ReadDb, WriteDb } from './scope.ts'

/**
 * The shape of a statement's rows. It is not checked when the statement runs; test/lib/db/statements.test.ts
 * compares it with the database.
 */
export type RowShape = z.ZodObject | null
type RowOf<Shape extends RowShape> = Shape extends z.ZodObject ? z.output<Shape> : never

/** Declare a column of which the statement excludes null, although its table allows it. */
export function notNull<T>(): z.ZodCustom<T, T> {
  return z.custom<T>().describe('not null')
}

/** A SQL statement that the query builder cannot express, with the shape of its rows. */
export interface SqlStatement<Shape extends RowShape, Parameters extends readonly unknown[], Connection> {
  readonly shape: Shape
  readonly isReadOnly: boolean
  /** Run the statement and return its rows. */
  all(db: Connection, ...parameters: Parameters): Promise<RowOf<Shape>[]>
  /** Run the statement and return its first row. */
  first(db: Connection, ...parameters: Parameters): Promise<RowOf<Shape> | undefined>
  /** Run the statement and return its first row. Throw if there is none. */
  one(db: Connection, ...parameters: Parameters): Promise<RowOf<Shape>>
  /** Run the statement and return the number of rows that it wrote or returned. */
  run(db: Connection, ...parameters: Parameters): Promise<number>
  /** Return the statement with its parameters, for a batch. */
  query(...parameters: Parameters): Compilable<RowOf<Shape>>
}

/** Builds the parts of a statement that the query builder can express. It has no connection. */
export const queryBuilder = new Kysely<PlatformTables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

function createStatement<Shape extends RowShape, Parameters extends readonly unknown[], Connection>(
  { shape, isReadOnly }: { shape: Shape; isReadOnly: boolean },
  build: (...parameters: Parameters) => RawBuilder<unknown>,
): SqlStatement<Shape, Parameters, Connection> {
  type Row = RowOf<Shape>
  const compile = (parameters: Parameters) => build(...parameters).compile(queryBuilder) as CompiledQuery<Row>
  // Only this function can run SQL text on a connection. The types of the connections offer the query builder
  // alone.
  const execute = (db: Connection, parameters: Parameters): Promise<QueryResult<Row>> =>
    (db as unknown as Kysely<unknown>).executeQuery(compile(parameters))
  return {
    shape,
    isReadOnly,
    all: async (db, ...parameters) => (await execute(db, parameters)).rows,
    first: async (db, ...parameters) => (await execute(db, parameters)).rows[0],
    one: async (db, ...parameters) => {
      const [row] = (await execute(db, parameters)).rows
      if (row === undefined) throw new Error('The statement returned no row')
      return row
    },
    run: async (db, ...parameters) => Number((await execute(db, parameters)).numAffectedRows ?? 0),
    query: (...parameters) => ({ compile: () => compile(parameters) }),
  }
}

/** Define a statement that only reads. */
export function readStatement<Shape extends RowShape, Parameters extends readonly unknown[]>(
  shape: Shape,
  build: (...parameters: Parameters) => RawBuilder<unknown>,
): SqlStatement<Shape, Parameters, ReadDb | PlatformDb> {
  return createStatement({ shape, isReadOnly: true }, build)
}

/** Define a statement that writes. `shape` is null if it returns no rows. */
export function writeStatement<Shape extends RowShape, Parameters extends readonly unknown[]>(
  shape: Shape,
  build: (...parameters: Parameters) => RawBuilder<unknown>,
): SqlStatement<Shape, Parameters, WriteDb | PlatformDb> {
  return createStatement({ shape, isReadOnly: false }, build)
}
