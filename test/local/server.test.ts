import { connect } from 'node:net'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { startLocalServer } from '../../lib/local/server.ts'
import { expectStatus } from '../support/answers.ts'
import { secrets, stand } from './stand.ts'

test('it listens on the loopback interface and on no other', async () => {
  const { origin } = await stand()
  expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  await expect(startLocalServer({ port: 0, host: '0.0.0.0', redisName: 'x', secrets })).rejects.toThrow('loopback')
})

test('the raw handler is asked first, and more routes may be mounted', async () => {
  const extra = ({ desk }: { desk: { records: { list(service: 'ai'): unknown[] } } }) =>
    new Hono().get('/another/v1/models', (c) => c.json(desk.records.list('ai')))
  const { call } = await stand({
    extra,
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

test('closing ends idle, hanging and upgraded connections at once', async () => {
  const server = await startLocalServer({
    port: 0,
    redisName: 'closing',
    secrets,
    onUpgrade: (_, socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  })
  server.faults.set({ service: 'chat1', mode: 'hang' })
  const held = fetch(`${server.origin}/chat/1/x`, { method: 'POST', body: '{}' })
  held.catch(() => undefined)
  const socket = connect(server.port, '127.0.0.1')
  const ended = new Promise((resolve) => socket.once('close', resolve).on('error', () => undefined))
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  await expect.poll(() => server.desk.records.list('chat')).toHaveLength(1)
  const before = performance.now()
  await server.close()
  expect(performance.now() - before).toBeLessThan(500)
  await ended
  await expect(held).rejects.toThrow('fetch failed')
})
