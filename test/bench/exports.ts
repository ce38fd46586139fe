import { asSuperuser } from '../../lib/local/postgres.ts'
import { longFlow } from '../support/exports.ts'
import { ownCpuMicros } from './cpu.ts'
import { loadWhile, type Shot } from './load.ts'
import { notes, stepCount } from './notes.ts'
import { type Crowd, type Place, seedCrowd, userId } from './seed.ts'
import type { Standing, Subject } from './server.ts'
import { textFormats } from './writing.ts'

/** An export of one format: microseconds of workerd's processor time per request. */
export interface Exported {
  format: string
  bytes: number
  open: number
  masked: number
  /** The writing alone, in a bare Worker with the rows in memory; none of a PDF, whose fonts are assets. */
  written: { open: number; masked: number; floor: number } | null
  /** An answer of as many bytes, written by JSON.stringify in a bare Worker. */
  floor: number
  /** `GET /sessions/{id}` of the same session: what every call that reads it takes. */
  read: number
  /** The least that a signed-in call takes. */
  fixed: number
}

/** Calls of a bare Worker: microseconds of each, and the bytes of an answer. */
type Bare = (path: string, of?: { warm: number; each: number }) => Promise<{ micros: number; bytes: number }>

const formats = ['markdown', 'text', 'html', 'ticket-note', 'pdf'] as const
// Enough people to stay below the limits.
const people = 400
const connections = 4
const rounds = 10
// A PDF takes ten times as long, and is measured as well by a tenth of the calls.
const calls = { usual: { warm: 300, each: 500 }, pdf: { warm: 50, each: 100 } }
const sessionId = '0000004a-0000-7000-b002-000000000001'
const treeId = '0000004a-0000-7000-b001-000000000001'

/** Processor time of each format of a session of a hundred steps, open and masked. */
export async function exported(place: Place, { subjects }: Standing): Promise<Exported[]> {
  const subject = subjects[0] as Subject
  const crowd = await seedCrowd(place, '4a', people, 1)
  await seedSession(place, crowd)
  let turn = 0
  const shot = (path: string): Shot => ({
    method: 'GET',
    path: `/api/v1/sessions/${sessionId}${path}`,
    token: crowd.tokens[turn++ % people] ?? '',
  })
  const fixed = await cpuOf(subject.port, subject.workerdPid, () => ({ ...shot(''), path: '/api/v1/notifications/unread-count' }))
  const read = await cpuOf(subject.port, subject.workerdPid, () => shot(''))
  const all: Exported[] = []
  for (const format of formats) {
    const of = (masked: boolean) =>
      cpuOf(
        subject.port,
        subject.workerdPid,
        () => shot(`/export?format=${format}&mask=${masked}`),
        format === 'pdf' ? calls.pdf : calls.usual,
      )
    const [open, masked] = [await of(false), await of(true)]
    const bare: Bare = (path, of) => cpuOf(subject.barePort, subject.barePid, () => ({ method: 'GET', path }), of)
    const floor = await bare(`/json/${open.bytes}`)
    all.push({
      format,
      bytes: open.bytes,
      open: open.micros,
      masked: masked.micros,
      written: textFormats.includes(format) ? await writtenBare(bare, format) : null,
      floor: floor.micros,
      read: read.micros,
      fixed: fixed.micros,
    })
  }
  return all
}

/** Once their code is compiled, as it is for most of an isolate's life; in turn, since the machine's speed changes from one second to the next. */
async function writtenBare(bare: Bare, format: string) {
  const { bytes } = await bare(`/export/${format}/false`, { warm: 0, each: 1 })
  const paths = { open: `/export/${format}/false`, masked: `/export/${format}/true`, floor: `/json/${bytes}` }
  const sums = { open: 0, masked: 0, floor: 0 }
  const each = async (work: (part: keyof typeof paths) => Promise<unknown>) => {
    for (const part of ['open', 'masked', 'floor'] as const) await work(part)
  }
  await each((part) => bare(paths[part], { warm: 1500, each: 1 }))
  for (let round = 0; round < rounds; round++)
    await each(async (part) => {
      sums[part] += (await bare(paths[part], { warm: 0, each: 200 })).micros
    })
  return { open: sums.open / rounds, masked: sums.masked / rounds, floor: sums.floor / rounds }
}

async function cpuOf(
  port: number,
  pid: number,
  next: () => Shot,
  { warm, each } = calls.usual,
): Promise<{ micros: number; bytes: number }> {
  const send = (count: number) => loadWhile({ port, connections, next, more: () => count-- > 0 })
  await send(warm)
  const before = ownCpuMicros(pid) ?? 0
  const { requests, bytes } = await send(each)
  return { micros: ((ownCpuMicros(pid) ?? 0) - before) / requests, bytes }
}

async function seedSession(place: Place, { accountId, tag }: Crowd): Promise<void> {
  const user = userId(tag, 1)
  await asSuperuser(place.postgresPort, place.database, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query(
      `insert into trees (id, account_id, author_id, tree_type, status, visibility, name)
       values ('${treeId}', '${accountId}', '${user}', 'procedural', 'published', 'account', 'Printer offline')`,
    )
    await client.query(
      `insert into tree_versions (account_id, tree_id, version, status, name, description, tree_type, tree_structure, saved_by)
       values ('${accountId}', '${treeId}', 1, 'published', 'Printer offline', 'For printers that do not print.', 'procedural', $1, '${user}')`,
      [longFlow(stepCount)],
    )
    await client.query(
      `insert into sessions (id, account_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, ticket_number, client_name,
                             variables, outcome, notes, next_steps, answered, remaining, started_at, completed_at, exported_at)
       values ('${sessionId}', '${accountId}', '${user}', '${accountId}', '${treeId}', 1, 'Printer offline', 'completed', 'T-48213', 'Contoso Dental',
               '{"printer_ip": "10.0.8.21"}', 'resolved', 'All well.', 'Call back.', ${stepCount}, 0, now() - interval '2 hours', now(), now())`,
    )
    await client.query(
      `insert into session_decisions (account_id, session_id, seq, step_id, outcome, note, started_at, duration_seconds, decided_at)
       select '${accountId}', '${sessionId}', n, 's' || n, 'done', ($1::text[])[1 + n], now(), 75, now()
         from generate_series(0, ${stepCount - 1}) n`,
      [notes],
    )
    await client.query(
      `insert into session_supporting_data (account_id, session_id, kind, title, content, step_id, created_by)
       select '${accountId}', '${sessionId}', 'text', 'Output of ping', repeat('Reply from 10.0.8.21: bytes=32 time=2ms TTL=64' || E'\\n', 10) || n, 's' || n * 10, '${user}'
         from generate_series(1, 5) n`,
    )
    await client.query('set session_replication_role = origin')
    await client.query('vacuum analyze sessions, session_decisions, session_supporting_data, tree_versions')
  })
}
