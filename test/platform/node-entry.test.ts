import { afterAll, expect, it } from 'vitest'
import { secrets } from '#local/settings.ts'
import { parseNodeConfig } from '#platform/node/settings.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { openEscalationStream } from '#test/support/escalations.ts'
import { fetchMetrics } from '#test/support/metrics.ts'
import { night } from '#test/support/night.ts'
import { spawnNode, startNodeChild, waitForOutput } from '#test/support/node-child.ts'
import { createAccount } from '#test/support/people.ts'
import { startTestRedis } from '#test/support/redis.ts'
import { sampleSettings } from '#test/support/settings.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { settings } = service
const { setFault } = dashboard(service)

// The worker of the jobs creates its tables while the service starts.
const pollOptions = { timeout: 30_000 }
const withToken = { headers: { authorization: `Bearer ${secrets.readyToken}` } }
const readReady = async (api: string) =>
  (await (await fetch(`${api}/ready`, withToken)).json()) as {
    status: string
    checks: Record<string, string>
  }

it('ends at once without settings, and names each one that is missing', async () => {
  const child = await spawnNode({})
  expect(await child.exited).toBe(1)
  for (const name of ['DATABASE_URL', 'JWT_KEYS', 'OBJECTS_DIR'])
    expect(child.output()).toContain(`${name}: is missing`)
})

it('INS-16 the service drops the passwords of the owner, and says where they belong', async () => {
  const owner = { DATABASE_OWNER_URL: service.ownerUrl, OWNER_PASSWORD: 'x', RUNTIME_PASSWORD: 'x'.repeat(8) }
  const print =
    'process.on("SIGUSR2", () => console.log("variables:", ["DATABASE_OWNER_URL", "OWNER_PASSWORD", "RUNTIME_PASSWORD"].filter((name) => process.env[name])))'
  const child = await startNodeChild(settings, {
    ...owner,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(print)}`,
  })
  child.process.kill('SIGUSR2')
  await waitForOutput(child, 'variables:')
  expect(child.output()).toContain('variables: []')
  expect(child.output()).toContain('move them to .env.owner')
})

it.each([
  ['S3_BUCKET', { S3_ENDPOINT: 'https://s3.example.com', S3_ACCESS_KEY_ID: 'x', S3_SECRET_ACCESS_KEY: 'x' }],
  ['QSTASH_NEXT_SIGNING_KEY', { OBJECTS_DIR: '/x', QSTASH_NEXT_SIGNING_KEY: undefined }],
  ['OBJECTS_DIR', {}],
])('requires %s when the settings beside it need it', (name, changes) => {
  expect(() => parseNodeConfig({ ...sampleSettings, ...changes })).toThrow(`${name}: is missing`)
})

it(
  'says at the start and in /ready that limits, cache and live events are in its memory, unless it has a Redis',
  night,
  async () => {
    const child = await startNodeChild(settings, { READY_CACHE_MS: '0' })
    expect(child.output()).toContain('"in_process":["redis","hub"]')
    const ok = { database: 'ok', queue: 'ok', mail: 'ok', ai: 'ok', objects: 'ok', images: 'ok' }
    await expect
      .poll(() => readReady(child.api), pollOptions)
      .toEqual({ status: 'ok', checks: { ...ok, redis: 'in_process', hub: 'in_process' } })
    const withRedis = await startNodeChild(settings, {
      READY_CACHE_MS: '0',
      REDIS_URL: await startTestRedis(),
    })
    expect(withRedis.output()).toContain('"in_process":[]')
    await expect
      .poll(() => readReady(withRedis.api), pollOptions)
      .toEqual({ status: 'ok', checks: { ...ok, redis: 'ok', hub: 'ok' } })
  },
)

it('OBS-02 serves the reference and the OpenAPI document from disk, and has no endpoint for jobs, or for metrics without a token', async () => {
  const { api } = await startNodeChild(settings, { METRICS_TOKEN: undefined })
  expect(((await (await fetch(`${api}/openapi.json`)).json()) as { openapi: string }).openapi).toMatch(
    /^3\.1/,
  )
  expect((await fetch(`${api}/docs/`)).headers.get('content-type')).toMatch(/^text\/html/)
  expect((await fetch(`${api}/jobs/notifications/sweep`, { method: 'POST' })).status).toBe(404)
  expect((await fetchMetrics({ api })).status).toBe(404)
})

it('after a signal finishes the open request, ends the streams, refuses new connections, ignores another signal, and exits with 0', async () => {
  const child = await startNodeChild(settings, { SHUTDOWN_TIMEOUT_MS: '10000' })
  const { admin } = await createAccount(service)
  const stream = await openEscalationStream(child, admin)
  await expect.poll(() => stream.text()).toContain(': connected')
  await setFault({ service: 'openai', mode: 'slow', delay_ms: 1000, times: 1 })
  const openRequest = fetch(`${child.api}/ready`, withToken)
  // The request now waits for the slow vendor.
  await expect.poll(() => service.stack.localServer.faults.peek('openai')).toBeUndefined()
  child.process.kill('SIGTERM')
  await waitForOutput(child, '"stopping"')
  child.process.kill('SIGINT')
  expect(await (await openRequest).json()).toHaveProperty('checks.database')
  await stream.closed
  expect(stream.text()).toMatch(/retry: \d+/)
  expect(await child.exited).toBe(0)
  expect(child.output().match(/"stopping":"\w+"/g)).toEqual(['"stopping":"SIGTERM"'])
  await expect(fetch(`${child.api}/health`)).rejects.toThrow()
})
