import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createDemoEscalation } from '#local/demo.ts'
import { findFreePort } from '#local/ports.ts'
import { root } from '#local/root.ts'
import { createMockStore } from '#local/vendors/redis/redis-store.ts'
import { startTcpRedis, type TcpRedis } from '#local/vendors/redis/redis-tcp.ts'
import { createKey } from '#test/support/api-keys.ts'
import { type OwnService, startOwnService } from '#test/support/app.ts'
import { addLocalPrices } from '#test/support/billing.ts'
import { insertStreamEvents } from '#test/support/escalations.ts'
import { type NodeChild, startServeProcess } from '#test/support/node-child.ts'
import { createAccount } from '#test/support/people.ts'
import {
  fetchThrough,
  isInstalled,
  openThrough,
  type ProxyKind,
  type ReverseProxy,
  startReverseProxy,
} from '#test/support/reverse-proxies.ts'

const run = promisify(execFile)
const bytes = (length: number) => new Uint8Array(length)

// Without the program of a proxy its tests are skipped; both are packages of Debian.
describe.each(['nginx', 'caddy'] as const)('behind %s', (kind: ProxyKind) => {
  describe.skipIf(!isInstalled(kind))('the service', { timeout: 60_000 }, () => {
    let service: OwnService
    let child: NodeChild
    let proxy: ReverseProxy
    let redis: TcpRedis
    beforeAll(async () => {
      redis = await startTcpRedis({ store: createMockStore(randomUUID()) })
      service = await startOwnService({ REDIS_URL: redis.url }, { createEscalation: createDemoEscalation })
      await addLocalPrices(service.ownerUrl)
      const port = await findFreePort()
      const changes = {
        PUBLIC_BASE_URL: `https://localhost:${port}`,
        TRUSTED_PROXIES: '127.0.0.1',
        CLIENT_ADDRESS_HEADER: undefined,
      }
      child = await startServeProcess(service.settings, changes)
      proxy = await startReverseProxy(kind, port, Number(new URL(child.api).port))
    })
    afterAll(async () => {
      await proxy?.stop()
      child?.process.kill('SIGKILL')
      await service?.close()
      await redis?.stop()
    })

    /** Create an account whose tokens name the address of the proxy. */
    const createProxiedAccount = () =>
      createAccount({ ...service, settings: { ...service.settings, PUBLIC_BASE_URL: proxy.origin } })

    /** Run the command of `npm run tour` in a process that trusts the certificate. */
    const runTour = async (args: string[], settings: Record<string, string> = {}) => {
      const env = { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: proxy.certificate, ...settings }
      return (await run(process.execPath, ['test/tour/tour.ts', ...args], { cwd: root, env, maxBuffer: 1e7 }))
        .stdout
    }

    it('passes the tour', async () => {
      expect(await runTour([proxy.origin, service.localOrigin])).toContain('The tour is complete')
    })

    it('passes the smoke test of a deployed service', async () => {
      const account = await createAccount(service)
      const { key } = await createKey(service, account, { scopes: ['flows:write'] })
      const settings = { READY_TOKEN: service.settings.READY_TOKEN ?? '', SMOKE_API_KEY: key }
      expect(await runTour(['--against', proxy.origin], settings)).toContain(
        'The service answers as expected.',
      )
    })

    it('sends each event of a stream when it happens', async () => {
      const account = await createProxiedAccount()
      const headers = { authorization: `Bearer ${account.admin.token}`, accept: 'text/event-stream' }
      const stream = await openThrough(proxy, '/api/v1/ai-sessions/escalations/stream', { headers })
      onTestFinished(() => void stream.destroy())
      let received = ''
      stream.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
      await expect.poll(() => received, { timeout: 2000 }).toContain('retry:')
      await insertStreamEvents(service, account.id, 1)
      await expect.poll(() => received, { timeout: 2000 }).toContain('event: handoff_created')
    })

    it('sees a request for a WebSocket as one', async () => {
      const account = await createProxiedAccount()
      const headers = {
        ...{
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        },
        'sec-websocket-protocol': `support-flow, bearer.${account.admin.token}`,
      }
      const { status, text } = await fetchThrough(proxy, '/api/v1/ai-sessions/escalations/stream', {
        headers,
      })
      expect([status, JSON.parse(text).code]).toEqual([426, 'websocket_unavailable'])
    })

    it('counts calls by the address of the client, whatever the client writes', async () => {
      const readRemaining = async (localAddress: string, forwarded: string) => {
        const options = { localAddress, headers: { 'x-forwarded-for': forwarded } }
        return Number(
          (await fetchThrough(proxy, '/api/v1/plans/public', options)).headers['ratelimit-remaining'],
        )
      }
      const first = await readRemaining('127.0.0.2', '203.0.113.1')
      expect(await readRemaining('127.0.0.2', '203.0.113.2')).toBe(first - 1)
      expect(await readRemaining('127.0.0.2', '127.0.0.3')).toBe(first - 2)
      expect(await readRemaining('127.0.0.3', '203.0.113.1')).toBe(first)
    })

    it('receives bodies of 10 MB and refuses larger ones', async () => {
      const { admin } = await createProxiedAccount()
      const headers = {
        authorization: `Bearer ${admin.token}`,
        'content-type': 'multipart/form-data; boundary=x',
      }
      const upload = (size: number) =>
        fetchThrough(proxy, '/api/v1/uploads', { method: 'POST', headers, body: bytes(size) })
      const refused = await upload(10_000_000)
      expect([refused.status, refused.headers['content-type']]).toEqual([
        422,
        'application/json; charset=utf-8',
      ])
      expect((await upload(13_000_000)).status).toBe(413)
    })

    it('signs staff in to the operations page with a cookie that only TLS carries', async () => {
      const staff = await (await createProxiedAccount()).addColleague({ superAdmin: true })
      const headers = { origin: proxy.origin, 'content-type': 'application/x-www-form-urlencoded' }
      const body = new TextEncoder().encode(`access_token=${staff.token}`)
      const signedIn = await fetchThrough(proxy, '/admin/operations/sign-in', {
        method: 'POST',
        headers,
        body,
      })
      const cookie = signedIn.headers['set-cookie']?.[0] ?? ''
      expect([signedIn.status, cookie.endsWith('; HttpOnly; SameSite=Lax; Secure')]).toEqual([303, true])
      expect((await fetchThrough(proxy, '/admin/operations', { headers: { cookie } })).text).toContain(
        'Stored work',
      )
    })

    it('answers one request after the other without a lost connection', async () => {
      const statuses = new Set<number | undefined>()
      for (let n = 0; n < 500; n++) statuses.add((await fetchThrough(proxy, '/health')).status)
      expect([...statuses]).toEqual([200])
    })
  })
})
