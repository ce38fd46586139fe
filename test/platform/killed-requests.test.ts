// @module-tag night
import { execFileSync } from 'node:child_process'
import { expect, inject, it, onTestFinished } from 'vitest'
import { findFreePort } from '#local/ports.ts'
import { moveDatabaseClock, withSuperuser } from '#local/postgres.ts'
import type { LocalPlatform } from '#local/settings.ts'
import { startWorker } from '#local/worker.ts'
import { listCases } from '#test/contract/cases.ts'
import { createRequestSetup } from '#test/contract/request-setup.ts'
import { expectSuccess, send } from '#test/contract/requests.ts'
import { countTenantRows } from '#test/contract/tenant-row-counts.ts'
import { dashboard, type Service, startOwnService } from '#test/support/app.ts'
import { startNodeChild } from '#test/support/node-child.ts'
import { startTestRedis } from '#test/support/redis.ts'

/** Operations that call the model, and take a key. */
const operations = listCases(({ idempotent, background }) => idempotent === 'leased' && background)

interface Doomed {
  api: string
  kill(): void
}

/** Start a second process of the service on the same database, which can be killed: Node or workerd. */
async function startDoomed(platform: LocalPlatform, { settings }: Service, redis: object): Promise<Doomed> {
  if (platform === 'node') {
    const child = await startNodeChild(settings, { ...redis })
    return { api: child.api, kill: () => child.process.kill('SIGKILL') }
  }
  const others = listWorkerds()
  const port = await findFreePort()
  const worker = await startWorker({ port, settings, onLog: () => {} })
  onTestFinished(() => worker.dispose())
  const pid = Number(listWorkerds().find((id) => !others.includes(id)))
  return { api: `http://127.0.0.1:${port}`, kill: () => process.kill(pid, 'SIGKILL') }
}

const listWorkerds = () =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' })
    .split('\n')
    .flatMap(findOwnWorkerd)

function findOwnWorkerd(line: string): string[] {
  const [pid = '', parent, command] = line.trim().split(/\s+/)
  return Number(parent) === process.pid && command?.endsWith('workerd') ? [pid] : []
}

it.each(['node', 'cloudflare'] as const)(
  'WIR-68 WIR-69 requests whose process is killed in the call of the model have one effect when they are sent again: %s',
  async (platform) => {
    const service = await startOwnService({}, { platform })
    onTestFinished(() => service.close())
    const { setFault, clearFaults, listRecords, clearRecords } = dashboard(service)
    const database = new URL(service.ownerUrl).pathname.slice(1)
    const moveClock = (seconds: number) =>
      withSuperuser(inject('shared').postgresPort, database, (client) =>
        moveDatabaseClock(client, seconds * 1000),
      )
    const redis = platform === 'node' ? { REDIS_URL: await startTestRedis() } : {}
    const doomed = await startDoomed(platform, service, redis)
    const other = platform === 'node' ? await startNodeChild(service.settings, redis) : service
    const requests = await Promise.all(
      operations.map(async ([id, op]) => {
        const [alone, setup] = [await createRequestSetup(service, op), await createRequestSetup(service, op)]
        expectSuccess(op, await send(service, op, alone.sample, { token: alone.person.token }))
        const options = { token: setup.person.token, headers: { 'idempotency-key': crypto.randomUUID() } }
        const sendTo = (api: string) => send({ api } as Service, op, setup.sample, options)
        return { id, op, sendTo, accounts: [alone.account.id, setup.account.id] as const }
      }),
    )
    await setFault({ service: 'openai', mode: 'slow', delay_ms: 30_000, times: 99 })
    await clearRecords('ai')
    const lost = requests.map(({ sendTo }) => sendTo(doomed.api).catch(() => 'lost'))
    const countWaiting = async () =>
      (await service.sql('select from idempotency_keys where status is null and leased_until is not null'))
        .length
    await expect.poll(countWaiting, { timeout: 30_000 }).toBe(requests.length)
    doomed.kill()
    expect(new Set(await Promise.all(lost))).toEqual(new Set(['lost']))
    await clearFaults()

    for (const { id, sendTo } of requests) {
      const { status, body, headers } = await sendTo(other.api)
      expect([id, status, body.code, Number(headers.get('retry-after')) <= 60]).toEqual([
        id,
        409,
        'idempotency_key_in_use',
        true,
      ])
    }
    await moveClock(61)
    for (const { op, sendTo } of requests) expectSuccess(op, await sendTo(other.api))
    for (const { id, accounts } of requests) {
      const [alone, repeated] = await Promise.all(
        accounts.map((account) => countTenantRows(service, account)),
      )
      expect([id, repeated]).toEqual([id, alone])
    }
    expect((await listRecords('ai')).length).toBeGreaterThanOrEqual(requests.length)
  },
)
