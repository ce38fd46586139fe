import { Client } from '@upstash/qstash'
import { withTimeout } from '../net/send-result.ts'
import type { QueuePort } from './queue.ts'

interface QStashSettings {
  url: string
  token: string
  /** The public address of this service. */
  target: string
}

/** Create a queue that publishes jobs to QStash. Its retries are off: each attempt is a message of its own, with the delay of its row. */
export function qstashQueue({ url, token, target }: QStashSettings): QueuePort {
  const client = new Client({ baseUrl: url, token, retry: false, enableTelemetry: false })
  return {
    async publish(messages) {
      if (messages.length === 0) return
      const requests = messages.map(({ path, body, delaySeconds = 0, deduplicationId }) => ({
        url: target + path,
        body,
        retries: 0,
        ...(delaySeconds > 0 ? { delay: delaySeconds } : {}),
        ...(deduplicationId ? { deduplicationId } : {}),
      }))
      // The client has no time-out of its own.
      await withTimeout(3000, client.batchJSON(requests))
    },
    async ping() {
      const response = await fetch(`${url}/v2/keys`, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' })
      if (!response.ok) throw new Error(`The queue returned ${response.status}`)
      await response.json()
    },
  }
}
