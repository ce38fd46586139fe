import pg from 'pg'
import { dropLibpqVariables } from '../drop-libpq-variables.ts'

/**
 * Run `work` with a connection of its own, and close it. Throw a sentence with the remedy if the server does not
 * answer.
 */
export async function withConnection<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  dropLibpqVariables()
  const client = new pg.Client(config)
  // A connection that PostgreSQL ends fails the statement in flight. Without a listener, the event would also
  // end this process:
  // https://node-postgres.com/apis/client#error
  client.on('error', () => {})
  await client.connect().catch((error: unknown) => explainSilence(client, error))
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Throw where nobody answers. Any other error is thrown as it is. */
function explainSilence({ host, port }: pg.Client, error: unknown): never {
  // Several addresses of one host that all refuse make an AggregateError without a message.
  const [first] = error instanceof AggregateError ? error.errors : [error]
  if (!(first instanceof Error && 'syscall' in first && 'code' in first)) throw error
  throw new Error(
    `PostgreSQL does not answer at ${host}:${port} (${first.code}): look whether it runs, or correct the host and the port of the connection string`,
    { cause: first },
  )
}
