import { connect, createServer, type Socket } from 'node:net'

export interface RecordedStatement {
  /** The database role that sent it. */
  role: string
  sql: string
}

export interface StatementRecorder {
  /** Connections to this port reach PostgreSQL. */
  port: number
  /** The distinct statements so far. */
  list(): RecordedStatement[]
  close(): Promise<void>
}

/** Start a TCP relay in front of PostgreSQL that records the text of each statement. */
export async function startStatementRecorder(postgresPort: number): Promise<StatementRecorder> {
  const statements = new Map<string, RecordedStatement>()
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(postgresPort, '127.0.0.1')
    const read = createMessageReader((role, sql) => statements.set(`${role} ${sql}`, { role, sql }))
    client.on('data', read)
    for (const [source, target] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(source)
      source.setNoDelay(true)
      source.pipe(target)
      source.on('error', () => target.destroy())
      source.on('close', () => {
        sockets.delete(source)
        target.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: address && typeof address === 'object' ? address.port : 0,
    list: () => [...statements.values()],
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/**
 * Return a function that reads a client's bytes and reports the statements in them.
 * https://www.postgresql.org/docs/18/protocol-message-formats.html
 */
function createMessageReader(report: (role: string, sql: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let role = ''
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      // A message is a type, the length of what follows, and the content. The first one has no type.
      const typeLength = role ? 1 : 0
      const end = rest.length < typeLength + 4 ? Number.POSITIVE_INFINITY : typeLength + rest.readInt32BE(typeLength)
      if (rest.length < end) return
      const content = rest.subarray(typeLength + 4, end)
      if (!role) role = findUser(content)
      else if (rest[0] === 'Q'.charCodeAt(0)) report(role, content.toString('utf8').split('\0')[0] ?? '')
      else if (rest[0] === 'P'.charCodeAt(0)) report(role, content.toString('utf8').split('\0')[1] ?? '')
      rest = rest.subarray(end)
    }
  }
}

/** Return the user of a start-up message: the protocol version in four bytes, then pairs of names and values. */
function findUser(content: Buffer): string {
  const parts = content.toString('utf8', 4).split('\0')
  return parts[parts.findIndex((text, n) => n % 2 === 0 && text === 'user') + 1] ?? 'unknown'
}
