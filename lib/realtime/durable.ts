import { within } from '../net/sent.ts'
import type { RealtimePort } from './realtime.ts'

interface Stub {
  fetch(url: string, init?: RequestInit): Promise<Response>
}
/** The part of Cloudflare's binding that is used. */
export interface HubNamespace {
  idFromName(name: string): unknown
  get(id: unknown): Stub
}

const publishMs = 1000

/** One hub per account. */
export function durableRealtime(namespace: HubNamespace | undefined): RealtimePort {
  const hubOf = (accountId: string): Stub => {
    if (!namespace) throw new Error('No hub is bound')
    return namespace.get(namespace.idFromName(accountId))
  }
  return {
    async publish(accountId, events) {
      if (events.length === 0) return
      const sent = hubOf(accountId).fetch('https://hub/publish', { method: 'POST', body: JSON.stringify(events) })
      const answer = await within(publishMs, sent)
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`The hub answered ${answer.status}`)
    },
    async subscribe(accountId, { signal, ...listener }) {
      const body = JSON.stringify({ ...listener, accountId })
      const { body: events } = await hubOf(accountId).fetch('https://hub/subscribe', { method: 'POST', body, signal })
      return events as ReadableStream<Uint8Array>
    },
  }
}
