import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { benchUsers, notificationsEach, userId } from './seed.ts'
import { pgbench } from './tools.ts'

export type Measure = 'list' | 'unread-count' | 'mark-read'

const tag = '0b'
const account = `000000${tag}-0000-7000-b000-000000000001`

/** The same work without rules, roles or entering: what PostgreSQL alone takes for it. */
const statements: Record<Measure, string> = {
  list: `select id, user_id, event_key, title, body, link, is_read, read_at, created_at from notifications
          where account_id = '${account}' and user_id = $1 order by is_read, created_at desc, id desc limit 50`,
  'unread-count': `select count(*) from notifications where account_id = '${account}' and user_id = $1 and not is_read`,
  'mark-read': `update notifications set is_read = true, read_at = coalesce(read_at, now()) where id = $1
                returning id, user_id, event_key, title, body, link, is_read, read_at, created_at`,
}
const idOf = (kind: string, number: string) => `('000000${tag}-0000-7000-${kind}-' || lpad(to_hex(${number}::bigint), 12, '0'))::uuid`

/** Statements per second from Node, over a pool of `connections` with prepared statements. */
export async function poolPerSecond(ownerUrl: string, measure: Measure, connections: number, seconds: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: connections })
  const run = async (end: number) => {
    let done = 0
    const work = async () => {
      for (; performance.now() < end; done++) {
        await pool.query({ name: measure, text: statements[measure], values: [target(measure)], rowMode: 'array' })
      }
    }
    await Promise.all(Array.from({ length: connections }, work))
    return done
  }
  await run(performance.now() + seconds * 200)
  const started = performance.now()
  const done = await run(started + seconds * 1000)
  const perSecond = done / ((performance.now() - started) / 1000)
  await pool.end()
  return perSecond
}

function target(measure: Measure): string {
  if (measure !== 'mark-read') return userId(tag, 1 + Math.floor(Math.random() * benchUsers))
  return userId(tag, 1 + Math.floor(Math.random() * benchUsers * notificationsEach)).replace('-8000-', '-a000-')
}

/** Transactions per second by pgbench; null where the machine has none. */
export async function pgbenchPerSecond(
  place: { ownerUrl: string; folder: string },
  measure: Measure,
  connections: number,
  seconds: number,
): Promise<number | null> {
  const binary = pgbench()
  if (!binary) return null
  const rows = measure === 'mark-read' ? benchUsers * notificationsEach : benchUsers
  const id = idOf(measure === 'mark-read' ? 'a000' : '8000', ':n')
  const script = join(place.folder, `${measure}.sql`)
  await writeFile(script, `\\set n random(1, ${rows})\n${statements[measure].replace('$1', id).replace(/\s+/g, ' ')};\n`)
  const flags = ['-n', '-M', 'prepared', '-c', String(connections), '-j', '2', '-T', String(seconds), '-f', script]
  const { stdout } = await promisify(execFile)(binary, [...flags, place.ownerUrl])
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
}
