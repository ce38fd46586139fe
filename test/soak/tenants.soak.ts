import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { createFlow, largeFlow } from '#test/support/flows.ts'
import { startServeProcess } from '#test/support/node-child.ts'
import { createAccount, type Person } from '#test/support/people.ts'

// What one account may do to the others, on both entries: each in a process of its own.

interface Waits {
  p50: number
  p95: number
  max: number
  statuses: Record<string, number>
}

const countStatuses = (statuses: readonly number[]) => {
  const counts: Record<string, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Start an entry in a process of its own. */
async function startEntry(platform: 'node' | 'cloudflare') {
  const service = await startOwnService({}, { platform })
  if (platform === 'cloudflare') return { service, api: service.api, close: () => service.close() }
  const child = await startServeProcess(service.settings)
  return {
    service,
    api: child.api,
    async close() {
      child.process.kill('SIGKILL')
      await service.close()
    },
  }
}

describe.each(['node', 'cloudflare'] as const)('on %s', async (platform) => {
  const { service, api, close } = await startEntry(platform)
  afterAll(close)
  let { admin: other } = await createAccount(service)

  /** Send a request, and return its status once the answer is read. */
  async function send(
    person: Person | null,
    method: string,
    path: string,
    body?: unknown,
    ip = '203.0.113.7',
  ) {
    const response = await fetch(api + path, {
      method,
      headers: {
        'content-type': 'application/json',
        'cf-connecting-ip': ip,
        ...(person && { authorization: `Bearer ${person.token}` }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    await response.arrayBuffer()
    return response.status
  }

  /** Measure how long a read of the other account takes while `work` runs. */
  async function measureWhile(work: () => Promise<unknown>): Promise<Waits> {
    let isOver = false
    const [times, statuses]: [number[], number[]] = [[], []]
    const measure = async () => {
      while (!isOver) {
        const start = performance.now()
        statuses.push(await send(other, 'GET', '/api/v1/teams'))
        times.push(performance.now() - start)
        await pause(50)
      }
    }
    const measuring = measure()
    await work()
    isOver = true
    await measuring
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share: number) =>
      Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
    return { p50: at(0.5), p95: at(0.95), max: at(1), statuses: countStatuses(statuses) }
  }

  const many = (count: number, request: (n: number) => Promise<number>) => () =>
    Promise.all(Array.from({ length: count }, (_, n) => request(n))).then(countStatuses)

  const floods: [
    name: string,
    flood: (admin: Person) => () => Promise<Record<string, number>>,
    expected: object,
  ][] = [
    [
      'sixty saves of 290 steps',
      (admin) => many(60, () => send(admin, 'POST', '/api/v1/trees', largeFlow)),
      { 201: 60 },
    ],
    [
      'two hundred searches',
      (admin) => many(200, (n) => send(admin, 'GET', `/api/v1/search?q=spooler%20${n % 7}`)),
      { 200: expect.any(Number) },
    ],
    [
      'three hundred wrong sign-ins',
      () =>
        many(300, (n) =>
          send(
            null,
            'POST',
            '/api/v1/auth/login',
            { email: `nobody${n}@people.example`, password: 'wrong-password-1' },
            `198.51.${n >> 8}.${n & 255}`,
          ),
        ),
      { 401: expect.any(Number) },
    ],
    [
      'two hundred public pages',
      () =>
        many(200, (n) =>
          send(null, 'GET', '/api/v1/public/templates', undefined, `198.18.${n >> 8}.${n & 255}`),
        ),
      { 200: expect.any(Number) },
    ],
  ]

  it.each(floods)(
    'WIR-50 WIR-54 WIR-56 during %s of one account, another one waits at most four times as long and is always answered',
    async (name, createFlood, expected) => {
      const { admin } = await createAccount(service)
      // Each flood has another one, whose calls are below their limits.
      ;({ admin: other } = await createAccount(service))
      await measureWhile(() => pause(1000))
      const quiet = await measureWhile(() => pause(2000))
      let statuses = {}
      const busy = await measureWhile(async () => {
        statuses = await createFlood(admin)()
      })
      console.log(JSON.stringify({ platform, name, quiet, busy, statuses }))
      expect(statuses).toMatchObject(expected)
      expect(busy.statuses).toEqual({ 200: expect.any(Number) })
      // The test sends all of it from the same machine at once, which keeps its processor busy for a moment.
      expect(busy.p95).toBeLessThan(4 * quiet.p95 + 150)
    },
    120_000,
  )

  it('WIR-54 a hundred starts of one flow at once by two people all succeed', async () => {
    const { admin, addColleague } = await createAccount(service)
    const colleague = await addColleague()
    const { id: tree_id } = await createFlow(admin, { visibility: 'account' })
    const body = { tree_id, variables: { printer_ip: '10.0.8.21' } }
    const start = many(100, (n) => send(n % 2 ? admin : colleague, 'POST', '/api/v1/sessions', body))
    expect(await start()).toEqual({ 201: 100 })
  }, 60_000)
})
