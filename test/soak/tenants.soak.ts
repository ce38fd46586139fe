import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { createFlow } from '#test/support/flows.ts'
import { startServeProcess } from '#test/support/node-child.ts'
import { createAccount, type Person } from '#test/support/people.ts'

// What one account may do to the others: the Node entry as a process of its own, beside a busy account.

const service = await startOwnService()

const child = await startServeProcess(service.settings)
afterAll(async () => {
  child.process.kill('SIGKILL')
  await service.close()
})
const { admin: other } = await createAccount(service)

function send(person: Person | null, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(person && { authorization: `Bearer ${person.token}` }),
  }
  return fetch(child.api + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

interface Waits {
  p50: number
  p95: number
  max: number
  statuses: Record<string, number>
}

/** Measure how long /health and a read of the other account take while `work` runs. */
async function measureWhile(work: () => Promise<unknown>): Promise<{ health: Waits; read: Waits }> {
  let isOver = false
  const measure = async (request: () => Promise<Response>): Promise<Waits> => {
    const [times, statuses]: [number[], Record<string, number>] = [[], {}]
    while (!isOver) {
      const start = performance.now()
      const response = await request()
      await response.arrayBuffer()
      times.push(performance.now() - start)
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      // Below the limit of requests per minute.
      await pause(150)
    }
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share: number) =>
      Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
    return { p50: at(0.5), p95: at(0.95), max: at(1), statuses }
  }
  const measuring = Promise.all([
    measure(() => send(null, 'GET', '/health')),
    measure(() => send(other, 'GET', '/api/v1/teams')),
  ])
  await work()
  isOver = true
  const [health, read] = await measuring
  return { health, read }
}

const countStatuses = (responses: readonly Response[]) => {
  const counts: Record<string, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const steps = [
  ...Array.from({ length: 290 }, (_, n) => ({
    id: `s${n}`,
    type: 'procedure_step',
    title: `Check ${n} of the spooler`,
    description: `Open the services console and restart the print spooler number ${n}. `.repeat(4),
  })),
  { id: 'end', type: 'procedure_end', title: 'Done', description: '' },
]

it('WIR-50 WIR-54 WIR-56 sixty large writes at once are all stored, and another account waits little', async () => {
  const { admin } = await createAccount(service)
  const baseline = await measureWhile(() => pause(5000))
  let statuses = {}
  const busy = await measureWhile(async () => {
    const body = {
      name: 'Large',
      status: 'published',
      visibility: 'account',
      tree_type: 'procedural',
      tree_structure: { steps },
    }
    statuses = countStatuses(
      await Promise.all(Array.from({ length: 60 }, () => send(admin, 'POST', '/api/v1/trees', body))),
    )
  })
  console.log(JSON.stringify({ baseline, busy, statuses }))
  expect(statuses).toEqual({ 201: 60 })
  expect(busy.read.statuses).toEqual({ 200: expect.any(Number) })
  // A single wait of up to 0.2 s is what PostgreSQL needs for sixty transactions of 300 steps at once.
  expect(busy.read.p50).toBeLessThan(2 * baseline.read.p50 + 20)
  expect(Math.max(busy.read.max, busy.health.max)).toBeLessThan(400)
}, 120_000)

it('WIR-54 a hundred starts of one flow at once by two people all succeed', async () => {
  const { admin, addColleague } = await createAccount(service)
  const colleague = await addColleague()
  const { id: tree_id } = await createFlow(admin, { visibility: 'account' })
  const starts = Array.from({ length: 100 }, (_, n) =>
    send(n % 2 ? admin : colleague, 'POST', '/api/v1/sessions', {
      tree_id,
      variables: { printer_ip: '10.0.8.21' },
    }),
  )
  expect(countStatuses(await Promise.all(starts))).toEqual({ 201: 100 })
}, 60_000)
