import type pg from 'pg'

/**
 * A result column of a statement. `isFromNullableColumn` is true if it is a column of a table without NOT
 * NULL.
 */
export interface ResultColumn {
  name: string
  type: string
  isFromNullableColumn: boolean
}

interface Field {
  name: string
  tableID: number
  columnID: number
  dataTypeID: number
}

interface ProtocolConnection {
  parse(statement: { text: string; name: string }): void
  describe(statement: { type: 'S'; name: string }): void
  sync(): void
}

/**
 * Prepare a statement without running it.
 * https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 */
function prepare(client: pg.Client, text: string): Promise<Field[]> {
  return new Promise((resolve, reject) => {
    let fields: Field[] = []
    // The driver accepts any object that sends messages in `submit` and handles the responses, as pg-cursor
    // does.
    client.query({
      submit(connection: ProtocolConnection) {
        connection.parse({ text, name: '' })
        connection.describe({ type: 'S', name: '' })
        connection.sync()
      },
      handleRowDescription: (message: { fields: Field[] }) => {
        fields = message.fields
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(fields),
    } as never)
  })
}

/**
 * Return the result columns of a statement; an empty list if it returns no rows. Throw PostgreSQL's error for
 * an invalid statement.
 */
export async function describeStatement(client: pg.Client, text: string): Promise<ResultColumn[]> {
  const fields = await prepare(client, text)
  const { rows } = await client.query<{ type: string; is_not_null: boolean | null }>(
    `select format_type(f.type, null) as type, a.attnotnull as is_not_null
       from unnest($1::oid[], $2::oid[], $3::integer[]) with ordinality f (type, table_id, column_id, place)
       left join pg_attribute a on a.attrelid = f.table_id and a.attnum = f.column_id and a.attnum > 0
      order by f.place`,
    [
      fields.map(({ dataTypeID }) => dataTypeID),
      fields.map(({ tableID }) => tableID),
      fields.map(({ columnID }) => columnID),
    ],
  )
  return fields.map(({ name }, n) => ({
    name,
    type: rows[n]?.type ?? '',
    isFromNullableColumn: rows[n]?.is_not_null === false,
  }))
}
