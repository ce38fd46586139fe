import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withConnection } from '#db/migrate/connection.ts'
import { build } from '#local/build/build.ts'
import { createDemoEscalation } from '#local/demo.ts'
import { startPostgres } from '#local/postgres.ts'
import { secrets } from '#local/settings.ts'
import { type Stack, startStack } from '#local/stack.ts'
import { addLocalPrices } from '#test/support/billing.ts'
import { playTour } from '#test/tour/tour.ts'
import type { Counts, Usage } from './usage.ts'

/** Play the tour on the Worker and count what it uses. */
export async function measureUsage(): Promise<Usage> {
  const folder = await mkdtemp(join(tmpdir(), 'flow-costs-'))
  const [cluster] = await Promise.all([startPostgres(join(folder, 'data'), { durable: false }), build()])
  const redis = await startRedisCounter()
  let requests = 0
  const stack = await startStack({
    platform: 'cloudflare',
    cluster,
    database: 'flow_costs',
    port: 0,
    localPort: 0,
    createEscalation: createDemoEscalation,
    settings: { UPSTASH_REDIS_REST_URL: redis.url },
    // Each request logs one line with its method.
    onLog(line) {
      if (line.includes('"method":')) requests++
    },
  })
  redis.setTarget(`${stack.localServer.origin}/redis`)
  try {
    await addLocalPrices(stack.ownerUrl)
    const chapters = await countChapters(stack, () => ({ requests, redisCommands: redis.count() }))
    return {
      measuredOn: new Date().toISOString().slice(0, 10),
      chapters,
      ...(await readDatabase(stack.ownerUrl)),
    }
  } finally {
    await stack.close()
    redis.close()
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Play the tour and return what each of its chapters has used. */
async function countChapters(
  stack: Stack,
  readCounters: () => Pick<Counts, 'requests' | 'redisCommands'>,
): Promise<Usage['chapters']> {
  const { records } = stack.localServer.dashboard
  const readAll = (): Counts => ({
    ...readCounters(),
    roundTrips: stack.countRoundTrips(),
    queueMessages: records.list('queue').length,
    mails: records.list('mail').length,
    aiCalls: records.list('ai').length,
  })
  const starts: [title: string, counts: Counts][] = []
  const print = (line: string) => void (/^\n\d+\. /.test(line) && starts.push([line.trim(), readAll()]))
  await playTour({ api: stack.api, dashboard: stack.localServer.origin }, print)
  starts.push(['end', readAll()])
  const chapters: Usage['chapters'] = {}
  for (const [index, [title, before]] of starts.slice(0, -1).entries())
    chapters[title] = subtract(starts[index + 1]?.[1] ?? before, before)
  return chapters
}

function subtract(after: Counts, before: Counts): Counts {
  const names = Object.keys(before) as (keyof Counts)[]
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as Counts
}

/**
 * Read the tokens per call to the model, and the mean size of the rows that belong to the account of the
 * tour.
 */
async function readDatabase(ownerUrl: string): Promise<Pick<Usage, 'tokensPerAiCall' | 'tables'>> {
  return withConnection({ connectionString: ownerUrl }, async (client) => {
    const { rows: names } = await client.query<{ name: string }>(`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`)
    const tables: Usage['tables'] = {}
    for (const { name } of names) {
      // 24 bytes of header and 4 of the line pointer:
      // https://www.postgresql.org/docs/18/storage-page-layout.html
      const { rows } = await client.query<{ bytes: number; rows: number }>(
        `select coalesce(round(avg(pg_column_size(t.*))) + 4, 0)::float8 as bytes, count(*)::float8 as rows from ${name} t
          where account_id <> app.platform_account()`,
      )
      if (rows[0]?.rows) tables[name] = { bytesPerRow: rows[0].bytes, rows: rows[0].rows }
    }
    const { rows } = await client.query<{ input: number; output: number }>(
      'select coalesce(round(avg(input_tokens)), 0)::float8 as input, coalesce(round(avg(output_tokens)), 0)::float8 as output from ai_calls',
    )
    return { tokensPerAiCall: rows[0] ?? { input: 0, output: 0 }, tables }
  })
}

/** Start a proxy that counts the commands to Redis over REST. */
async function startRedisCounter() {
  let target = ''
  let commands = 0
  const server = createServer(async (request, response) => {
    commands++
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = { authorization: `Bearer ${secrets.redisToken}`, 'content-type': 'application/json' }
    const answer = await fetch(target + (request.url ?? ''), {
      method: 'POST',
      headers,
      body: Buffer.concat(chunks),
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setTarget(url: string) {
      target = url
    },
    count: () => commands,
    close: () => server.close(),
  }
}
