import { connect } from 'node:net'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { requiresToken } from '#http/operation.ts'
import { startOwnService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'
import { listCases } from './cases.ts'

const service = await startOwnService()
afterAll(() => service.close())

it('WIR-94 clients that send half of a body to each operation hold up nobody', async () => {
  const [{ admin }, { admin: other }] = [await createAccount(service), await createAccount(service)]
  const { host, hostname, port } = new URL(service.api)
  // A place that is held for too long would be given away, so no time passes.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  onTestFinished(() => void vi.useRealTimers())
  const halves = listCases((op) => op.method !== 'get').map(([, op]) => {
    const path = op.path.replace(/\{\w+\}/g, crypto.randomUUID())
    const token = requiresToken(op) ? `authorization: Bearer ${admin.token}\r\n` : ''
    const head = `${op.method.toUpperCase()} /api/v1${path} HTTP/1.1\r\nhost: ${host}\r\n${token}`
    const socket = connect(Number(port), hostname).on('error', () => {})
    socket.write(`${head}content-type: application/json\r\ncontent-length: 9\r\n\r\n{"a":`)
    onTestFinished(() => void socket.destroy())
    return socket
  })
  expect(halves.length).toBeGreaterThan(200)
  // The halves have arrived before these.
  for (let i = 0; i < 20; i++) expect((await other.call('GET', '/auth/me')).status).toBe(200)
  const signal = AbortSignal.timeout(8000)
  const send = (path: string, more: RequestInit) =>
    fetch(`${service.api}/api/v1${path}`, { signal, ...more }).then(
      ({ status }) => status,
      (error: Error) => error.name,
    )
  const body = JSON.stringify({ email: 'nobody@example.com', password: 'violet-tractor-81' })
  const json = { 'content-type': 'application/json' }
  const statuses = await Promise.all([
    send('/auth/me', { headers: { authorization: `Bearer ${admin.token}` } }),
    send('/plans/public', {}),
    send('/auth/login', { method: 'POST', headers: json, body }),
  ])
  expect(statuses).toEqual([200, 200, 401])
})
