import { withSuperuser } from '#local/postgres.ts'
import { buildLongFlow } from '#test/support/exports.ts'
import { readProcessCpuMicros } from './cpu.ts'
import { type LoadRequest, runLoadWhile } from './load.ts'
import { type BenchDatabase, type SeededAccount, seedAccount, userId } from './seed.ts'
import type { BenchServer, MeasuredWorker } from './server.ts'
import { notes, stepCount } from './session-notes.ts'
import { textFormats } from './write-export.ts'

/** The cost of an export in one format: workerd's processor time per request, in microseconds. */
export interface ExportCost {
  format: string
  bytes: number
  unmasked: number
  masked: number
  /**
   * The writing alone, in the baseline Worker with the rows in memory. Null for a PDF, whose fonts are
   * assets.
   */
  writing: WritingCost | null
  /** A JSON response of the same size, from the baseline Worker. */
  baseline: number
  /** `GET /sessions/{id}` of the same session. */
  read: number
  /** A signed-in call with almost no work of its own. */
  minimum: number
}

export interface WritingCost {
  unmasked: number
  masked: number
  baseline: number
}

/** The numbers of unmeasured and of measured requests. */
interface RequestCounts {
  warmUp: number
  measured: number
}
type Cost = { micros: number; bytes: number }
type MeasureBaseline = (path: string, counts?: RequestCounts) => Promise<Cost>

const formats = ['markdown', 'text', 'html', 'ticket-note', 'pdf'] as const
// Enough people to stay below the rate limits.
const peopleCount = 400
const connections = 4
const rounds = 10
const defaultCounts = { warmUp: 300, measured: 500 }
// A PDF takes ten times as long, so fewer requests are as precise.
const pdfCounts = { warmUp: 50, measured: 100 }
const sessionId = '0000004a-0000-7000-b002-000000000001'
const treeId = '0000004a-0000-7000-b001-000000000001'

/**
 * Measure the processor time of each export format for a session of a hundred steps, with and without
 * masking.
 */
export async function measureExports(
  database: BenchDatabase,
  { workers }: BenchServer,
): Promise<ExportCost[]> {
  const worker = workers[0] as MeasuredWorker
  const account = await seedAccount(database, '4a', peopleCount, 1)
  await seedSession(database, account)
  let requestCount = 0
  const createRequest = (path: string): LoadRequest => ({
    method: 'GET',
    path: `/api/v1${path}`,
    token: account.tokens[requestCount++ % peopleCount] ?? '',
  })
  const measure = (path: string, counts?: RequestCounts) =>
    measureCpu(worker.port, worker.workerdPid, () => createRequest(path), counts)
  const measureBaseline: MeasureBaseline = (path, counts) =>
    measureCpu(worker.baselinePort, worker.baselinePid, () => ({ method: 'GET', path }), counts)
  const minimum = await measure('/notifications/unread-count')
  const read = await measure(`/sessions/${sessionId}`)
  const costs: ExportCost[] = []
  for (const format of formats) {
    const counts = format === 'pdf' ? pdfCounts : defaultCounts
    const unmasked = await measure(`/sessions/${sessionId}/export?format=${format}&mask=false`, counts)
    const masked = await measure(`/sessions/${sessionId}/export?format=${format}&mask=true`, counts)
    const baseline = await measureBaseline(`/json/${unmasked.bytes}`)
    costs.push({
      format,
      bytes: unmasked.bytes,
      unmasked: unmasked.micros,
      masked: masked.micros,
      writing: textFormats.includes(format) ? await measureWriting(measureBaseline, format) : null,
      baseline: baseline.micros,
      read: read.micros,
      minimum: minimum.micros,
    })
  }
  return costs
}

/**
 * Measure the writing of a format in the baseline Worker, after a warm-up that lets V8 compile the code. The
 * three parts take turns, because the speed of the machine changes from second to second.
 */
async function measureWriting(measureBaseline: MeasureBaseline, format: string): Promise<WritingCost> {
  const { bytes } = await measureBaseline(`/export/${format}/false`, { warmUp: 0, measured: 1 })
  const paths = {
    unmasked: `/export/${format}/false`,
    masked: `/export/${format}/true`,
    baseline: `/json/${bytes}`,
  }
  const parts = ['unmasked', 'masked', 'baseline'] as const
  const sums = { unmasked: 0, masked: 0, baseline: 0 }
  for (const part of parts) await measureBaseline(paths[part], { warmUp: 1500, measured: 1 })
  for (let round = 0; round < rounds; round++)
    for (const part of parts)
      sums[part] += (await measureBaseline(paths[part], { warmUp: 0, measured: 200 })).micros
  return { unmasked: sums.unmasked / rounds, masked: sums.masked / rounds, baseline: sums.baseline / rounds }
}

async function measureCpu(
  port: number,
  pid: number,
  next: () => LoadRequest,
  { warmUp, measured }: RequestCounts = defaultCounts,
): Promise<Cost> {
  const sendRequests = (count: number) => {
    let remaining = count
    return runLoadWhile({ port, connections, next, hasMore: () => remaining-- > 0 })
  }
  await sendRequests(warmUp)
  const before = readProcessCpuMicros(pid) ?? 0
  const { requests, bytes } = await sendRequests(measured)
  return { micros: ((readProcessCpuMicros(pid) ?? 0) - before) / requests, bytes }
}

async function seedSession(database: BenchDatabase, { accountId, tag }: SeededAccount): Promise<void> {
  const user = userId(tag, 1)
  await withSuperuser(database.postgresPort, database.database, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query(
      `insert into trees (id, account_id, author_id, tree_type, status, visibility, name)
       values ('${treeId}', '${accountId}', '${user}', 'procedural', 'published', 'account', 'Printer offline')`,
    )
    await client.query(
      `insert into tree_versions (account_id, tree_id, version, status, name, description, tree_type, tree_structure, saved_by)
       values ('${accountId}', '${treeId}', 1, 'published', 'Printer offline', 'For printers that do not print.', 'procedural', $1, '${user}')`,
      [buildLongFlow(stepCount)],
    )
    await client.query(
      `insert into sessions (id, account_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, ticket_number, client_name,
                             variables, outcome, notes, next_steps, answered, remaining, started_at, completed_at, exported_at)
       values ('${sessionId}', '${accountId}', '${user}', '${accountId}', '${treeId}', 1, 'Printer offline', 'completed', 'T-48213', 'Contoso Dental',
               '{"printer_ip": "10.0.8.21"}', 'resolved', 'All well.', 'Call back.', ${stepCount}, 0, now() - interval '2 hours', now(), now())`,
    )
    await client.query(
      `insert into session_decisions (decided_by, account_id, session_id, seq, step_id, outcome, note, started_at, duration_seconds, decided_at)
       select '${user}', '${accountId}', '${sessionId}', n, 's' || n, 'done', ($1::text[])[1 + n], now(), 75, now()
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
