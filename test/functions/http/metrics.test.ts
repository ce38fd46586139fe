import { expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import type { Services } from '#http/app.ts'
import { createMetricsRegistry } from '#platform/node/metrics-registry.ts'
import { createMetricsWriter } from '#platform/node/write-metrics.ts'
import { createAiSession } from '#test/support/ai.ts'
import { request, sharedService } from '#test/support/app.ts'
import { fetchMetrics, parseMetrics, readMetrics, type Sample, sumSamples } from '#test/support/metrics.ts'
import { createAccount } from '#test/support/people.ts'
import { registerUser } from '#test/support/public-requests.ts'

const service = await sharedService()

/** Return how much a metric grew since `before`. */
async function readGrowth(
  before: readonly Sample[],
  name: string,
  labels: Record<string, string>,
): Promise<number> {
  return sumSamples(await readMetrics(service), name, labels) - sumSamples(before, name, labels)
}

it('OBS-02 shows the metrics only to callers with METRICS_TOKEN', async () => {
  const answers = [
    await fetchMetrics(service),
    await fetchMetrics(service, 'wrong'),
    await fetch(`${service.api}/metrics`),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 401])
  expect(answers[0]?.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect((await answers[1]?.text())?.includes('support_flow')).toBe(false)
})

it('OBS-03 counts requests by operation and class of the status, with the time that they took', async () => {
  const { admin } = await createAccount(service)
  const before = await readMetrics(service)
  await admin.call('GET', '/notifications?limit=1')
  await admin.call('GET', '/notifications?limit=x')
  const operation = 'notifications.list'
  expect(await readGrowth(before, 'support_flow_requests_total', { operation, status: '2xx' })).toBe(1)
  expect(await readGrowth(before, 'support_flow_requests_total', { operation, status: '4xx' })).toBe(1)
  expect(await readGrowth(before, 'support_flow_request_duration_seconds_count', { operation })).toBe(2)
  expect(
    await readGrowth(before, 'support_flow_request_duration_seconds_bucket', { operation, le: '+Inf' }),
  ).toBe(2)
  expect(
    await readGrowth(before, 'support_flow_database_round_trip_seconds_count', { role: 'runtime' }),
  ).toBeGreaterThan(0)
})

it('OBS-03 counts requests that a rate limit refused', async () => {
  const { admin } = await createAccount(service)
  const before = await readMetrics(service)
  const testConfig = () =>
    admin.call('POST', '/notifications/configs/test', { config_id: crypto.randomUUID() })
  const answers = [
    await testConfig(),
    await testConfig(),
    await testConfig(),
    await testConfig(),
    await testConfig(),
    await testConfig(),
  ]
  expect(answers.at(-1)?.status).toBe(429)
  expect(
    await readGrowth(before, 'support_flow_rate_limited_total', { operation: 'notifications.testConfig' }),
  ).toBe(1)
})

it('OBS-03 counts calls to other services, jobs and attempts of e-mails', async () => {
  const before = await readMetrics(service)
  await registerUser(service)
  const read = (name: string, labels: Record<string, string>) => readGrowth(before, name, labels)
  const succeeded = { kind: 'email', outcome: 'succeeded' }
  await expect
    .poll(() => read('support_flow_attempts_total', succeeded), { timeout: 30_000 })
    .toBeGreaterThan(0)
  expect(await read('support_flow_outgoing_calls_total', { vendor: 'mail', outcome: '2xx' })).toBeGreaterThan(
    0,
  )
  await expect
    .poll(() => read('support_flow_jobs_total', { job_id: 'jobs.deliver', outcome: 'succeeded' }))
    .toBeGreaterThan(0)
})

it('OBS-03 counts calls to the model with their tokens and cost', async () => {
  const { admin } = await createAccount(service)
  const session = await createAiSession(admin)
  const before = await readMetrics(service)
  await admin.call('POST', `/ai-sessions/${session.id}/chat`, { message: 'The printer is offline.' })
  expect(await readGrowth(before, 'support_flow_ai_calls_total', { outcome: 'answered' })).toBeGreaterThan(0)
  expect(await readGrowth(before, 'support_flow_ai_tokens_total', { kind: 'input' })).toBeGreaterThan(0)
  expect(await readGrowth(before, 'support_flow_ai_cost_dollars_total', {})).toBeGreaterThan(0)
})

it('OBS-04 labels contain declared ids and outcomes only, never what a caller sent', async () => {
  const { admin } = await createAccount(service)
  const word = `canary${crypto.randomUUID()}`
  await admin.call('GET', `/trees/${crypto.randomUUID()}`)
  await request(service, 'GET', `/${word}`)
  await request(service, 'POST', '/auth/login', { body: { email: `${word}@people.example`, password: word } })
  const samples = await readMetrics(service)
  expect(samples.length).toBeGreaterThan(0)
  const known = new Set(['none', ...operations.map(({ id }) => id)])
  // The servers of MCP, OAuth and SCIM are no operations. Their ids are declared where they are mounted.
  const isKnown = (id: string) =>
    known.has(id) ||
    /^(?:jobs\.|oauth\.|mcp$|scim(?:\.(?:users|groups)\.(?:get|head|post|put|patch|delete))?$)/.test(id)
  expect(
    samples.map(({ labels }) => labels.operation).filter((id) => id !== undefined && !isKnown(id)),
  ).toEqual([])
  const values = samples.flatMap(({ labels }) => Object.values(labels))
  expect(values.filter((value) => !/^[\w.+-]{1,60}$/.test(value) || value.includes('canary'))).toEqual([])
})

/** Write the metrics of the service with a clock of the test. */
function createWriter() {
  const clock = { now: 0 }
  const services = service.services as Services
  const sources = { services, registry: createMetricsRegistry(), realtime: { countAllStreams: () => 3 } }
  const write = createMetricsWriter(sources, () => clock.now)
  return { clock, read: async () => parseMetrics(await write()) }
}

it('OBS-05 shows the depth and age of each outbox, read at most every 15 s, the open streams and the process', async () => {
  const { admin } = await createAccount(service)
  const { clock, read } = createWriter()
  const before = await read()
  await service.sql(
    `insert into stream_events (account_id, event, data, swept_at) values ($1, 'handoff_created', '{}', now() + interval '1 hour')`,
    [admin.accountId],
  )
  const readOpen = (samples: readonly Sample[]) =>
    sumSamples(samples, 'support_flow_outbox_open', { outbox: 'live_events' })
  clock.now = 14_000
  expect(readOpen(await read())).toBe(readOpen(before))
  clock.now = 16_000
  const after = await read()
  expect(readOpen(after)).toBeGreaterThan(readOpen(before))
  expect(
    new Set(
      after.filter(({ name }) => name === 'support_flow_outbox_due').map(({ labels }) => labels.outbox),
    ),
  ).toEqual(
    new Set([
      'deliveries',
      'pushes',
      'ai_tasks',
      'webhooks',
      'reminders',
      'ticket_changes',
      'assessments',
      'live_events',
      'exports',
      'imports',
      'kb_batches',
      'runner_runs',
      'alerts',
    ]),
  )
  expect([
    sumSamples(after, 'support_flow_open_streams'),
    sumSamples(after, 'support_flow_outbox_readable'),
  ]).toEqual([3, 1])
  for (const name of ['support_flow_stuck_jobs', 'support_flow_mails_left_out'])
    expect(after.filter((sample) => sample.name === name).length, name).toBe(1)
  for (const name of [
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
    'nodejs_heap_size_used_bytes',
  ])
    expect(sumSamples(after, name), name).toBeGreaterThan(0)
  await service.sql('delete from stream_events where account_id = $1', [admin.accountId])
})

it('OBS-05 answers while the database does not, and says so', async () => {
  const services = service.services as Services
  const run = () => Promise.reject(new Error('Connection terminated'))
  const platform = { ...services.platform, run }
  const write = createMetricsWriter({
    services: { ...services, platform },
    registry: createMetricsRegistry(),
    realtime: { countAllStreams: () => 0 },
  })
  const samples = parseMetrics(await write())
  expect(sumSamples(samples, 'support_flow_outbox_readable')).toBe(0)
  expect(samples.filter(({ name }) => name === 'support_flow_outbox_open')).toEqual([])
})
