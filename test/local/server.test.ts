import { connect } from 'node:net'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { startLocalServer } from '#local/server.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { secrets, startTestServer } from './test-server.ts'

test('the local server listens on the loopback interface only', async () => {
  const { origin } = await startTestServer()
  expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  await expect(startLocalServer({ port: 0, host: '0.0.0.0', redisName: 'x', secrets })).rejects.toThrow(
    'loopback',
  )
})

test('the local server calls the raw handler first, and mounts extra routes', async () => {
  const createExtraRoutes = ({ dashboard }: { dashboard: { records: { list(service: 'ai'): unknown[] } } }) =>
    new Hono().get('/another/v1/models', (c) => c.json(dashboard.records.list('ai')))
  const { call } = await startTestServer({
    createExtraRoutes,
    rawHandler: (req, res) => {
      if (req.url !== '/sql') return false
      res.end('raw')
      return true
    },
  })
  expect(await (await call('POST', '/sql', {})).text()).toBe('raw')
  expect(await (await call('GET', '/another/v1/models')).json()).toEqual([])
  expectStatus(await call('GET', '/nowhere'), 404)
})

test('closing the server closes idle, hanging and upgraded connections at once', { retry: 2 }, async () => {
  const server = await startLocalServer({
    port: 0,
    redisName: 'closing',
    secrets,
    onUpgrade: (_, socket) =>
      void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  })
  server.faults.set({ service: 'chat1', mode: 'hang' })
  const hangingRequest = fetch(`${server.origin}/chat/1/x`, { method: 'POST', body: '{}' })
  hangingRequest.catch(() => undefined)
  const socket = connect(server.port, '127.0.0.1')
  const socketClosed = new Promise((resolve) => socket.once('close', resolve).on('error', () => undefined))
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  await expect.poll(() => server.dashboard.records.list('chat')).toHaveLength(1)
  const startedAt = performance.now()
  await server.close()
  expect(performance.now() - startedAt).toBeLessThan(500)
  await socketClosed
  await expect(hangingRequest).rejects.toThrow('fetch failed')
})
