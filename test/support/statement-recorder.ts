import { startRelay } from '#local/vendors/relay.ts'

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
  const relay = await startRelay(postgresPort, (client) => {
    client.on(
      'data',
      createMessageReader((role, sql) => statements.set(`${role} ${sql}`, { role, sql })),
    )
  })
  return { port: relay.port, list: () => [...statements.values()], close: relay.close }
}

/**
 * Return a function that reads a client's bytes and reports the statements in them.
 * https://www.postgresql.org/docs/18/protocol-message-formats.html
 */
function createMessageReader(report: (role: string, sql: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let role = ''
  /** What has come of a message, which is joined when it is whole: one may have megabytes. */
  let chunks: Buffer[] = []
  let missing = 0
  return (chunk) => {
    chunks.push(chunk)
    missing -= chunk.length
    if (missing > 0) return
    rest = Buffer.concat([rest, ...chunks])
    chunks = []
    for (;;) {
      // A message is a type, the length of what follows, and the content. The first one has no type.
      const typeLength = role ? 1 : 0
      const end =
        rest.length < typeLength + 4 ? Number.POSITIVE_INFINITY : typeLength + rest.readInt32BE(typeLength)
      if (rest.length < end) {
        missing = Number.isFinite(end) ? end - rest.length : 1
        return
      }
      const content = rest.subarray(typeLength + 4, end)
      if (!role) role = findUser(content)
      else if (rest[0] === 'Q'.charCodeAt(0)) report(role, content.toString('utf8').split('\0')[0] ?? '')
      else if (rest[0] === 'P'.charCodeAt(0)) report(role, content.toString('utf8').split('\0')[1] ?? '')
      rest = rest.subarray(end)
    }
  }
}

/**
 * Return the user of a start-up message: the protocol version in four bytes, then pairs of names and values.
 */
function findUser(content: Buffer): string {
  const parts = content.toString('utf8', 4).split('\0')
  return parts[parts.findIndex((text, n) => n % 2 === 0 && text === 'user') + 1] ?? 'unknown'
}
