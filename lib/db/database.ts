/** Compiled SQL: placeholders `$1`, `$2`, … with one parameter each. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export interface QueryRows {
  rows: unknown[]
  rowCount: number
}

/** An open transaction on a connection of its own. */
export interface TransactionConnection {
  query(statement: Statement): Promise<QueryRows>
  /** Close the connection. A transaction that is not committed is rolled back. */
  end(): Promise<void>
}

/**
 * The database as one role sees it. Each call of a method is one round trip, and so is each query of a
 * transaction.
 */
export interface Database {
  /**
   * Run all statements in one round trip and one transaction. A single statement runs without an explicit
   * transaction.
   */
  run(statements: readonly Statement[], options: { readOnly: boolean }): Promise<QueryRows[]>
  /** Take a connection and run `beginSql`, which starts a transaction. */
  begin(beginSql: string): Promise<TransactionConnection>
  /**
   * Return the same database for the work of one account, where accounts share the connections of a process.
   */
  forAccount?(accountId: string): Database
}

/**
 * Convert PostgreSQL's text of a UTC timestamptz to RFC 3339 with milliseconds. A Date per cell would make
 * lists slow.
 */
export function toIsoTime(text: string): string {
  const dot = text.indexOf('.')
  const plus = text.lastIndexOf('+')
  const millis =
    dot === -1
      ? '000'
      : text
          .slice(dot + 1, plus)
          .padEnd(3, '0')
          .slice(0, 3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${millis}Z`
}

/**
 * How the service reads PostgreSQL's types, by OID, where it differs from the driver: bigint as a number,
 * timestamptz as RFC 3339, a date as it is.
 */
export const typeParsers: Readonly<Record<number, (text: string) => unknown>> = {
  20: Number,
  1082: (text) => text,
  1184: toIsoTime,
}
