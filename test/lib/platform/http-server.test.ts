import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { serveHttp } from '#platform/node/server.ts'

describe('the HTTP server', () => {
  it('finishes the effects of requests before it is closed', async () => {
    const effect = Promise.withResolvers<void>()
    let isClosed = false
    const app = {
      fetch: (request: Request, env: unknown, execution: { waitUntil(promise: Promise<unknown>): void }) => {
        execution.waitUntil(Promise.reject(new Error('ignored')))
        execution.waitUntil(effect.promise)
        const { remoteAddress } = (env as { incoming: { socket: { remoteAddress: string } } }).incoming.socket
        return new Response(`${new URL(request.url).pathname} ${remoteAddress}`)
      },
    }
    const server = await serveHttp(app, { port: 0, host: '127.0.0.1' })
    expect(await (await fetch(`http://127.0.0.1:${server.port}/a`)).text()).toBe('/a 127.0.0.1')
    expect(await (await server.fetch(new Request('http://x/b'))).text()).toBe('/b 127.0.0.1')
    const closing = server.close(5000).then(() => {
      isClosed = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isClosed).toBe(false)
    effect.resolve()
    await closing
    expect(isClosed).toBe(true)
  })
  it('cuts connections that are open after the time', async () => {
    const server = await serveHttp(
      { fetch: () => new Promise<Response>(() => {}) },
      { port: 0, host: '127.0.0.1' },
    )
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await server.close(1)
    await closed
    expect(socket.destroyed).toBe(true)
  })
  it.each([
    ['without a body', {}, ''],
    ['with a body', { body: 'text' }, 'text'],
    ['with a body of unknown length', { body: new Blob(['text']).stream(), duplex: 'half' }, 'text'],
  ])('passes on a request %s', async (_, init, expected) => {
    const app = { fetch: async (request: Request) => new Response(await request.text()) }
    const server = await serveHttp(app, { port: 0, host: '127.0.0.1' })
    const response = await fetch(`http://127.0.0.1:${server.port}/`, {
      method: 'DELETE',
      ...init,
    } as RequestInit)
    expect(await response.text()).toBe(expected)
    await server.close(1)
  })
  it('has no port when its address is taken', async () => {
    const server = await serveHttp({ fetch: () => new Response() }, { port: 0, host: '127.0.0.1' })
    await expect(
      serveHttp({ fetch: () => new Response() }, { port: server.port, host: '127.0.0.1' }),
    ).rejects.toThrow(
      `The port ${server.port} of 127.0.0.1 is in use: stop what uses it, or set another PORT`,
    )
    await server.close(1)
  })
})
