import { withTimeout } from '../../net/send-result.ts'
import type { RealtimePort } from '../../realtime/realtime.ts'

interface Stub {
  fetch(url: string, init?: RequestInit): Promise<Response>
}
/** The used part of Cloudflare's Durable Object binding. */
export interface HubNamespace {
  idFromName(name: string): unknown
  get(id: unknown): Stub
}

const publishTimeoutMs = 1000

/** Create a port to the account's Durable Object. */
export function durableRealtime(namespace: HubNamespace | undefined): RealtimePort {
  const hubOf = (accountId: string): Stub => {
    if (!namespace) throw new Error('The ESCALATION_HUB binding is missing')
    return namespace.get(namespace.idFromName(accountId))
  }
  return {
    async publish(accountId, events) {
      if (events.length === 0) return
      const sent = hubOf(accountId).fetch('https://hub/publish', { method: 'POST', body: JSON.stringify(events) })
      const response = await withTimeout(publishTimeoutMs, sent)
      await response.body?.cancel()
      if (!response.ok) throw new Error(`The hub returned ${response.status}`)
    },
    async subscribe(accountId, { signal, ...listener }) {
      const body = JSON.stringify({ ...listener, accountId })
      const { body: events } = await hubOf(accountId).fetch('https://hub/subscribe', { method: 'POST', body, signal })
      return events as ReadableStream<Uint8Array>
    },
    async ping() {
      // A hub of its own, so that no account's hub is woken up.
      const response = await hubOf('ready').fetch('https://hub/')
      await response.body?.cancel()
      if (!response.ok) throw new Error(`The hub returned ${response.status}`)
    },
  }
}
