import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dashboard, request, startOwnService } from '../../support/app.ts'
import { median } from '../../support/measure.ts'
import { createAccount, type Person } from '../../support/people.ts'

const dependencies = { postgres: 'database', redis: 'redis', qstash: 'queue', resend: 'mail' } as const
type Vendor = keyof typeof dependencies
const vendors = Object.keys(dependencies) as Vendor[]

let service: Awaited<ReturnType<typeof startOwnService>>
let person: Person
beforeAll(async () => {
  service = await startOwnService({ VERSION: '1.2.3', REDIS_TIMEOUT_MS: '250' })
  person = (await createAccount(service)).admin
})
afterAll(() => service.close())

const fault = (vendor: Vendor, mode: string) =>
  dashboard(service).setFault({ service: vendor, mode, ...(mode === 'slow' ? { delay_ms: 5000 } : {}) })

async function timed<T>(work: () => Promise<T>): Promise<{ answer: T; ms: number }> {
  const before = performance.now()
  const answer = await work()
  return { answer, ms: performance.now() - before }
}

async function ready() {
  const { answer, ms } = await timed(() => fetch(`${service.api}/ready`))
  return { status: answer.status, ms, body: (await answer.json()) as { status: string; detail?: string; checks: Record<string, string> } }
}

const allFine = { status: 'ok', checks: { database: 'ok', redis: 'ok', queue: 'ok', mail: 'ok' } }

describe('/health', () => {
  it('says that the Worker runs, and which version', async () => {
    const answer = await fetch(`${service.api}/health`)
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok', version: '1.2.3' }])
  })

  it.each(['down', 'hang'])('answers at once with every dependency on %s, and asks none of them', async (mode) => {
    for (const vendor of vendors) await fault(vendor, mode)
    const before = service.stack.countRoundTrips()
    const { answer, ms } = await timed(() => fetch(`${service.api}/health`))
    expect([answer.status, ms < 500, service.stack.countRoundTrips()]).toEqual([200, true, before])
  })
})

describe('/ready', () => {
  it('is 200 and lists every dependency when all answer', async () => {
    const { status, body } = await ready()
    expect([status, body]).toEqual([200, allFine])
  })

  const modes = ['down', 'hang', 'error', 'client_error', 'garbage', 'slow', 'rate_limit', 'redirect']
  // Two at a time, so that each case also shows that the others are not blamed.
  const pairs: Vendor[][] = [
    ['postgres', 'qstash'],
    ['redis', 'resend'],
  ]
  it.each(modes.flatMap((mode) => pairs.map((pair) => [mode, pair] as const)))(
    'is 503 within 2 s and names exactly those that are on %s: %s',
    async (mode, broken) => {
      for (const vendor of broken) await fault(vendor, mode)
      const { status, ms, body } = await ready()
      const named = vendors.filter((vendor) => broken.includes(vendor)).map((vendor) => dependencies[vendor])
      expect([status, body.status, body.detail]).toEqual([503, 'unavailable', `Not answering: ${named.join(', ')}`])
      expect(body.checks).toEqual({ ...allFine.checks, ...Object.fromEntries(named.map((name) => [name, 'failed'])) })
      expect(ms).toBeLessThan(2000)
    },
  )

  it.each(vendors)('names %s alone, and is 200 again when the fault is lifted', async (vendor) => {
    await fault(vendor, 'down')
    expect((await ready()).body.detail).toBe(`Not answering: ${dependencies[vendor]}`)
    await dashboard(service).clearFaults()
    await expect.poll(async () => (await ready()).body, { timeout: 5000 }).toEqual(allFine)
  })

  it('says nothing of where the dependencies are or why they fail', async () => {
    for (const vendor of vendors) await fault(vendor, 'error')
    const answer = await fetch(`${service.api}/ready`)
    expect(Object.keys((await answer.json()) as object).sort()).toEqual(['checks', 'detail', 'status'])
  })
})

/** How many milliseconds more than usual the slowest of nine calls takes while Redis is on `mode`. */
async function longestDelay(mode: string): Promise<number> {
  const fresh = await startOwnService({ REDIS_TIMEOUT_MS: '250' })
  try {
    const { admin } = await createAccount(fresh)
    const read = () => timed(() => admin.call('GET', '/notifications/unread-count'))
    const write = () => timed(() => admin.call('POST', '/notifications/mark-all-read'))
    for (const warm of [read, write]) await warm()
    const usual: number[] = []
    for (let n = 0; n < 9; n++) usual.push((await read()).ms)
    await dashboard(fresh).setFault({ service: 'redis', mode })
    const late: number[] = []
    for (let n = 0; n < 9; n++) {
      const { answer, ms } = n % 3 === 0 ? await write() : await read()
      expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([200, n % 3 === 0 ? '10' : '120'])
      late.push(ms)
    }
    await dashboard(fresh).clearFaults()
    return Math.max(...late) - median(usual)
  } finally {
    await fresh.close()
  }
}

describe('without Redis', () => {
  it.each(['down', 'hang', 'error'])('on %s a signed-in caller is answered, at most 300 ms later', async (mode) => {
    // On a busy machine one slow answer proves nothing: the best of three counts, each in an isolate that has not met the fault yet.
    const delays: number[] = []
    for (let n = 0; n < 3 && !delays.some((ms) => ms < 300); n++) delays.push(await longestDelay(mode))
    expect(Math.min(...delays)).toBeLessThan(300)
  })

  it('sign-in is answered too, and held to a tighter count', async () => {
    await fault('redis', 'down')
    const login = () => request(service, 'POST', '/auth/login', { body: { email: 'nobody@people.example', password: 'wrong' } })
    const statuses = []
    for (let n = 0; n < 7; n++) statuses.push((await login()).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
  })
})

it('without the database a signed-in caller gets 503 in time, and 200 when it is back', async () => {
  const config = { channel: 'email', email_addresses: ['oncall@people.example'] }
  for (const mode of ['down', 'hang']) {
    await fault('postgres', mode)
    const calls = [
      person.call('GET', '/notifications'),
      person.call('PATCH', '/auth/me', { full_name: 'Dana' }),
      person.call('POST', '/notifications/configs', config, { 'idempotency-key': crypto.randomUUID() }),
    ]
    const { answer: answers, ms } = await timed(() => Promise.all(calls))
    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([503, { detail: 'Temporarily unavailable; try again' }])
      expect(headers.get('retry-after')).toBe('5')
    }
    expect(ms).toBeLessThan(12_000)
    await dashboard(service).clearFaults()
    await expect.poll(async () => (await person.call('GET', '/notifications')).status, { timeout: 5000 }).toBe(200)
  }
  expect((await person.call('GET', '/notifications/configs')).body).toEqual([])
})
