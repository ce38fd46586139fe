import { Problem } from '#problem.ts'
import { withTimeout } from '#vendors/net/send-result.ts'
import type { RealtimePort } from '#vendors/realtime/realtime.ts'

/** A response of workerd. Its WebSocket leads to the client when another response passes it on. */
export interface SocketResponse extends Response {
  webSocket?: unknown
}
interface Stub {
  fetch(url: string, init?: RequestInit): Promise<SocketResponse>
}
/** The used part of Cloudflare's Durable Object binding. */
export interface HubNamespace {
  idFromName(name: string): unknown
  get(id: unknown): Stub
}

const publishTimeoutMs = 1000
// The hub asks the database whose sign-in has ended.
const forgetTimeoutMs = 10_000

/** Create a port to the account's Durable Object. */
export function durableRealtime(namespace: HubNamespace | undefined): RealtimePort {
  const hubOf = (accountId: string): Stub => {
    if (!namespace) throw new Error('The ESCALATION_HUB binding is missing')
    return namespace.get(namespace.idFromName(accountId))
  }
  const send = async (accountId: string, path: string, events: readonly unknown[]): Promise<void> => {
    if (events.length === 0) return
    const publishing = hubOf(accountId).fetch(`https://hub/${path}`, {
      method: 'POST',
      body: JSON.stringify(events),
    })
    const response = await withTimeout(publishTimeoutMs, publishing)
    await response.body?.cancel()
    if (!response.ok) throw new Error(`The hub returned ${response.status}`)
  }
  // While the object moves or its code is updated, the answer is 503: nothing is wrong with the request.
  const open = async (accountId: string, url: string, init: RequestInit): Promise<SocketResponse> => {
    const attempt = () => hubOf(accountId).fetch(url, init)
    try {
      const response = await attempt().catch((error: unknown) =>
        isRetryable(error) ? attempt() : Promise.reject(error),
      )
      if (!response.ok && !response.webSocket) throw new Error(`The hub returned ${response.status}`)
      return response
    } catch (cause) {
      throw new Problem('unavailable', undefined, { cause, headers: { 'retry-after': '5' } })
    }
  }
  return {
    publish: (accountId, events) => send(accountId, 'publish', events),
    broadcast: (accountId, events) => send(accountId, 'broadcast', events),
    async subscribe(accountId, { signal, ...listener }) {
      const body = JSON.stringify({ ...listener, accountId })
      const { body: events } = await open(accountId, 'https://hub/subscribe', {
        method: 'POST',
        body,
        signal,
      })
      return events as ReadableStream<Uint8Array>
    },
    async acceptSocket(accountId, { userId, signInId, lastEventId }) {
      const query = new URLSearchParams({ accountId, userId, signInId, lastEventId: lastEventId ?? '' })
      const { webSocket } = await open(accountId, `https://hub/socket?${query}`, {
        headers: { upgrade: 'websocket' },
      })
      return (headers) => createSocketResponse(webSocket, headers)
    },
    async forget(accountId, { isErased } = { isErased: false }) {
      const forgotten = hubOf(accountId).fetch(`https://hub/${isErased ? 'erase' : 'forget'}`, {
        method: 'POST',
      })
      const response = await withTimeout(forgetTimeoutMs, forgotten)
      await response.body?.cancel()
      if (!response.ok) throw new Error(`The hub returned ${response.status}`)
    },
    async ping() {
      // A hub of its own, so that no account's hub is woken up.
      const response = await hubOf('ready').fetch('https://hub/')
      await response.body?.cancel()
      if (!response.ok) throw new Error(`The hub returned ${response.status}`)
    },
  }
}

/**
 * Return whether a call may be repeated through a new stub, which the failed one is not:
 * https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
 */
function isRetryable(error: unknown): boolean {
  const { retryable, overloaded } = error as { retryable?: unknown; overloaded?: unknown }
  return retryable === true && overloaded !== true
}

/**
 * Create the response that opens a WebSocket. See
 * https://developers.cloudflare.com/workers/runtime-apis/websockets/
 */
export function createSocketResponse(webSocket: unknown, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 101, webSocket, headers } as ResponseInit)
}
