import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findPgbench } from './binaries.ts'
import { benchNotificationsPerUser, benchUsers, userId } from './seed.ts'

export type Operation = 'list' | 'unread-count' | 'mark-read'

const tag = '0b'
const accountId = `000000${tag}-0000-7000-b000-000000000001`

/**
 * The statements of the operations without row level security, roles and tenant context: the work of
 * PostgreSQL alone.
 */
const statements: Record<Operation, string> = {
  list: `select id, user_id, event_key, title, body, link, is_read, read_at, created_at from notifications
          where account_id = '${accountId}' and user_id = $1 order by is_read, created_at desc, id desc limit 50`,
  'unread-count': `select count(*) from notifications where account_id = '${accountId}' and user_id = $1 and not is_read`,
  'mark-read': `update notifications set is_read = true, read_at = coalesce(read_at, now()) where id = $1
                returning id, user_id, event_key, title, body, link, is_read, read_at, created_at`,
}
/** Return SQL for the id that `userId` and `notificationId` create from a number. */
const idExpression = (kind: string, number: string) =>
  `('000000${tag}-0000-7000-${kind}-' || lpad(to_hex(${number}::bigint), 12, '0'))::uuid`

/** Measure statements per second from Node, with a pool of `connections` and prepared statements. */
export async function measurePool(
  ownerUrl: string,
  operation: Operation,
  connections: number,
  seconds: number,
): Promise<number> {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: connections })
  const runUntil = async (end: number) => {
    let count = 0
    const runQueries = async () => {
      for (; performance.now() < end; count++) {
        await pool.query({
          name: operation,
          text: statements[operation],
          values: [randomRowId(operation)],
          rowMode: 'array',
        })
      }
    }
    await Promise.all(Array.from({ length: connections }, runQueries))
    return count
  }
  await runUntil(performance.now() + seconds * 200)
  const started = performance.now()
  const count = await runUntil(started + seconds * 1000)
  const perSecond = count / ((performance.now() - started) / 1000)
  await pool.end()
  return perSecond
}

/** Return the id of a random user, or of a random notification for `mark-read`. */
function randomRowId(operation: Operation): string {
  if (operation !== 'mark-read') return userId(tag, 1 + Math.floor(Math.random() * benchUsers))
  return userId(tag, 1 + Math.floor(Math.random() * benchUsers * benchNotificationsPerUser)).replace(
    '-8000-',
    '-a000-',
  )
}

/** Measure transactions per second with pgbench, or return null if the machine has none. */
export async function measurePgbench(
  server: { ownerUrl: string; folder: string },
  operation: Operation,
  connections: number,
  seconds: number,
): Promise<number | null> {
  const binary = findPgbench()
  if (!binary) return null
  const rowCount = operation === 'mark-read' ? benchUsers * benchNotificationsPerUser : benchUsers
  const id = idExpression(operation === 'mark-read' ? 'a000' : '8000', ':n')
  const script = join(server.folder, `${operation}.sql`)
  await writeFile(
    script,
    `\\set n random(1, ${rowCount})\n${statements[operation].replace('$1', id).replace(/\s+/g, ' ')};\n`,
  )
  const flags = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(connections),
    '-j',
    '2',
    '-T',
    String(seconds),
    '-f',
    script,
  ]
  const { stdout } = await promisify(execFile)(binary, [...flags, server.ownerUrl])
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
}
