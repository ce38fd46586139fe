// @module-tag mechanism
import { expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '#client/client.ts'
import { insertRefreshToken } from '#test/contract/fixture-rows.ts'
import { sharedService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'
import { createInterceptor } from './interceptor.ts'

const service = await sharedService()

/**
 * Replace WebSocket by one that records its protocols and messages. It opens and receives nothing, or does
 * not open, as where there are none.
 */
function stubSockets({ opens }: { opens: boolean }) {
  const protocols: string[][] = []
  const sent: string[] = []
  class SilentSocket {
    onopen?: () => void
    onclose?: (event: { code: number }) => void
    constructor(_url: URL, offered: string[]) {
      protocols.push(offered)
      queueMicrotask(() => (opens ? this.onopen?.() : this.onclose?.({ code: 1006 })))
    }
    send(text: string) {
      sent.push(text)
    }
    close() {}
  }
  vi.stubGlobal('WebSocket', SilentSocket)
  onTestFinished(() => void vi.unstubAllGlobals())
  return { protocols, sent }
}

it('opens a WebSocket with a token that has not expired, and the stream where no WebSocket opens', async () => {
  const { protocols } = stubSockets({ opens: false })
  const { admin } = await createAccount(service)
  const expired = `x.${btoa(JSON.stringify({ exp: 1 }))}.x`
  const tokens = { access_token: expired, refresh_token: await insertRefreshToken(service, admin) }
  const { fetch, requests } = createInterceptor(service)
  const client = createClient({ baseUrl: service.api, tokens, fetch })
  const leaving = new AbortController()
  const first = client.ai.escalations.stream({}, { signal: leaving.signal, webSocket: true }).next()
  const listPaths = () => requests.map(({ url }) => new URL(url).pathname.slice('/api/v1'.length))
  await expect.poll(listPaths).toEqual(['/auth/refresh', '/ai-sessions/escalations/stream'])
  expect(protocols).toEqual([['support-flow', `bearer.${client.getTokens()?.access_token}`]])
  leaving.abort(new Error('Left the page'))
  await expect(first).rejects.toThrow('Left the page')
})

it('opens another WebSocket after one that did not answer a ping', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { protocols, sent } = stubSockets({ opens: true })
  const leaving = new AbortController()
  const client = createClient({ baseUrl: service.api, apiKey: 'key', wait: async () => {} })
  client.ai.escalations
    .stream({}, { signal: leaving.signal, webSocket: true })
    .next()
    .catch(() => {})
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
  vi.advanceTimersByTime(25_000)
  expect(sent).toEqual(['ping'])
  vi.advanceTimersByTime(25_000)
  await vi.waitFor(() => expect(protocols).toHaveLength(2))
  leaving.abort()
})

it('opens no WebSocket when the signal has aborted', async () => {
  const { protocols } = stubSockets({ opens: true })
  const client = createClient({ baseUrl: service.api, apiKey: 'key' })
  const signal = AbortSignal.abort(new Error('Left the page'))
  await expect(client.ai.escalations.stream({}, { signal, webSocket: true }).next()).rejects.toThrow(
    'Left the page',
  )
  expect(protocols).toEqual([])
})
