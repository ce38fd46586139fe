import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { secrets } from '#local/settings.ts'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { concurrentCallers, runConcurrently } from '#test/support/concurrency.ts'
import { someByDay } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'

const dependencies = {
  postgres: 'database',
  redis: 'redis',
  qstash: 'queue',
  resend: 'mail',
  openai: 'ai',
  images: 'images',
} as const
type Vendor = keyof typeof dependencies
const vendors = Object.keys(dependencies) as Vendor[]

let service: Awaited<ReturnType<typeof startOwnService>>
beforeAll(async () => {
  service = await startOwnService(
    { VERSION: '1.2.3', REDIS_TIMEOUT_MS: '250', READY_CACHE_MS: '0' },
    { platform: 'cloudflare', databaseFaults: true },
  )
})
afterAll(() => service.close())

const withToken = { headers: { authorization: `Bearer ${secrets.readyToken}` } }
const setFault = (vendor: Vendor, mode: string) =>
  dashboard(service).setFault({ service: vendor, mode, ...(mode === 'slow' ? { delay_ms: 5000 } : {}) })

async function measureTime<T>(work: () => Promise<T>): Promise<{ response: T; ms: number }> {
  const startedAt = performance.now()
  const response = await work()
  return { response, ms: performance.now() - startedAt }
}

async function getReady() {
  const { response, ms } = await measureTime(() => fetch(`${service.api}/ready`, withToken))
  return {
    status: response.status,
    ms,
    body: (await response.json()) as { status: string; detail?: string; checks: Record<string, string> },
  }
}

const allOk = {
  status: 'ok',
  checks: {
    database: 'ok',
    redis: 'ok',
    queue: 'ok',
    mail: 'ok',
    ai: 'ok',
    hub: 'ok',
    objects: 'ok',
    images: 'ok',
  },
}

describe('/health', () => {
  it('returns ok and the version', async () => {
    const response = await fetch(`${service.api}/health`)
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok', version: '1.2.3' }])
  })

  it.each(['down', 'hang'])(
    'responds within 500 ms while every dependency has the fault %s, without calling the database',
    async (mode) => {
      for (const vendor of vendors) await setFault(vendor, mode)
      const roundTripsBefore = service.stack.countRoundTrips()
      const { response, ms } = await measureTime(() => fetch(`${service.api}/health`))
      expect([response.status, ms < 500, service.stack.countRoundTrips()]).toEqual([
        200,
        true,
        roundTripsBefore,
      ])
    },
  )
})

describe('/ready', () => {
  it('returns 200 and lists every dependency when all are available', async () => {
    const { status, body } = await getReady()
    expect([status, body]).toEqual([200, allOk])
  })

  const modes = ['down', 'hang', 'error', 'client_error', 'garbage', 'slow', 'redirect']
  // Some fail at a time, so that each case also checks that the other ones are reported as ok.
  const groups: { status: number; word: string; failingVendors: Vendor[] }[] = [
    { status: 503, word: 'unavailable', failingVendors: ['postgres', 'qstash', 'images'] },
    { status: 503, word: 'unavailable', failingVendors: ['redis'] },
    { status: 200, word: 'degraded', failingVendors: ['qstash', 'resend', 'openai', 'images'] },
  ]
  it.each(
    someByDay(
      modes.flatMap((mode) => groups.map((group) => ({ mode, ...group }))),
      8,
    ),
  )(
    'RES-06 returns $status $word within 2 s and lists exactly the dependencies with the fault $mode: $failingVendors',
    { retry: 2 },
    async ({ mode, failingVendors, ...expected }) => {
      for (const vendor of failingVendors) await setFault(vendor, mode)
      const { status, ms, body } = await getReady()
      const failing = vendors
        .filter((vendor) => failingVendors.includes(vendor))
        .map((vendor) => dependencies[vendor])
      expect([status, body.status, body.detail]).toEqual([
        expected.status,
        expected.word,
        `Not responding: ${failing.join(', ')}`,
      ])
      expect(body.checks).toEqual({
        ...allOk.checks,
        ...Object.fromEntries(failing.map((name) => [name, 'failed'])),
      })
      expect(ms).toBeLessThan(2000)
    },
  )

  it('RES-07 counts a 429 of a vendor as an answer, with a warning', async () => {
    for (const vendor of ['qstash', 'resend', 'openai'] as const) await setFault(vendor, 'rate_limit')
    const { status, body } = await getReady()
    const warnings = ['queue', 'mail', 'ai'].map((name) =>
      expect.stringMatching(`^${name}: the provider answers 429`),
    )
    expect([status, body]).toEqual([
      200,
      { ...allOk, warnings: expect.toSatisfy((all: string[]) => all.length === 3) },
    ])
    expect((body as { warnings?: string[] }).warnings).toEqual(expect.arrayContaining(warnings))
  })

  it('RES-08 logs why a dependency fails, once until the reason changes, and that it answers again', async () => {
    const isAboutMail = (line: string) => (JSON.parse(line) as { dependency?: string }).dependency === 'mail'
    await getReady()
    const before = service.log.filter(isAboutMail).length
    await setFault('resend', 'error')
    await getReady()
    await getReady()
    await dashboard(service).clearFaults()
    await getReady()
    const lines = service.log.filter(isAboutMail).slice(before)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { answers: false, error: { name: 'Error', status: 503 } },
      { answers: true },
    ])
  })

  it.each(someByDay(vendors, 3))(
    'reports only %s in the detail, and reports every dependency as ok after the fault',
    async (vendor) => {
      await setFault(vendor, 'down')
      expect((await getReady()).body.detail).toBe(`Not responding: ${dependencies[vendor]}`)
      await dashboard(service).clearFaults()
      await expect.poll(async () => (await getReady()).body, { timeout: 5000 }).toEqual(allOk)
    },
  )

  it('reports a missing hub, and repeats its result for 5 s, so that frequent calls do not reach the vendors', async () => {
    const ownService = await startOwnService({}, { platform: 'cloudflare', hub: false })
    try {
      const read = async () => {
        const response = await fetch(`${ownService.api}/ready`, withToken)
        return [response.status, ((await response.json()) as { detail: string }).detail]
      }
      const before = ownService.stack.countRoundTrips()
      const answers = await runConcurrently(read)
      await dashboard(ownService).setFault({ service: 'resend', mode: 'error' })
      expect([...answers, await read()]).toEqual(
        Array(concurrentCallers + 1).fill([200, 'Not responding: hub']),
      )
      // One check with one statement per role, and the first of each connection, which asks who it is.
      expect(ownService.stack.countRoundTrips() - before).toBe(4)
    } finally {
      await ownService.close()
    }
  })

  it('tells only how it is to a caller without the token, and refuses the 121st call of a minute', async () => {
    await setFault('resend', 'down')
    const read = async (authorization: string) => {
      const response = await fetch(`${service.api}/ready`, {
        headers: { authorization, 'cf-connecting-ip': '192.0.2.120' },
      })
      return [response.status, await response.json()]
    }
    for (const token of ['', 'Bearer ', 'Bearer wrong', secrets.readyToken])
      expect([token, await read(token)]).toEqual([token, [200, { status: 'degraded' }]])
    await dashboard(service).clearFaults()
    expect(await read('')).toEqual([200, { status: 'ok' }])
    const answers = await Promise.all(Array.from({ length: 116 }, () => read('')))
    // The tests repeat no result, and so many checks at once may fail.
    expect(answers.filter(([status]) => status === 429)).toHaveLength(1)
  })

  it('does not reveal where the dependencies are or why they fail', async () => {
    for (const vendor of vendors) await setFault(vendor, 'error')
    const response = await fetch(`${service.api}/ready`, withToken)
    expect(Object.keys((await response.json()) as object).sort()).toEqual(['checks', 'detail', 'status'])
  })
})

/**
 * Return how many milliseconds the slowest of nine calls with the Redis fault `mode` takes longer than that
 * of nine without it.
 */
async function measureLongestDelay(mode: string): Promise<number> {
  const ownService = await startOwnService({ REDIS_TIMEOUT_MS: '250' }, { platform: 'cloudflare' })
  try {
    const { admin } = await createAccount(ownService)
    const read = () => measureTime(() => admin.call('GET', '/notifications/unread-count'))
    const write = () => measureTime(() => admin.call('POST', '/notifications/mark-all-read'))
    for (const warmUp of [read, write]) await warmUp()
    const normalMs: number[] = []
    for (let n = 0; n < 9; n++) normalMs.push((await read()).ms)
    await dashboard(ownService).setFault({ service: 'redis', mode })
    const delayedMs: number[] = []
    for (let n = 0; n < 9; n++) {
      const { response, ms } = n % 3 === 0 ? await write() : await read()
      expect([response.status, response.headers.get('ratelimit-limit')]).toEqual([
        200,
        n % 3 === 0 ? '10' : '120',
      ])
      delayedMs.push(ms)
    }
    await dashboard(ownService).clearFaults()
    return Math.max(...delayedMs) - Math.max(...normalMs)
  } finally {
    await ownService.close()
  }
}

describe('without Redis', () => {
  it.each(['down', 'hang', 'error'])(
    'responds to a signed-in caller less than 300 ms later while Redis has the fault %s',
    async (mode) => {
      // A busy machine can slow down one response, so the best of three runs counts. Each run starts a new
      // isolate.
      const delays: number[] = []
      for (let n = 0; n < 3 && !delays.some((ms) => ms < 300); n++)
        delays.push(await measureLongestDelay(mode))
      expect(Math.min(...delays)).toBeLessThan(300)
    },
  )

  it('accepts sign-ins while Redis is down, with a lower rate limit', async () => {
    await setFault('redis', 'down')
    const login = () =>
      request(service, 'POST', '/auth/login', { body: { email: 'nobody@people.example', password: 'wrong' } })
    const statuses = []
    for (let n = 0; n < 7; n++) statuses.push((await login()).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
  })
})
