import pg from 'pg'

/** Run `work` with a connection of its own, and close it. */
export async function withConnection<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config)
  // A connection that PostgreSQL ends fails the statement in flight. Without a listener, the event would also
  // end this process:
  // https://node-postgres.com/apis/client#error
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
