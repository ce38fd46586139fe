import { Client } from '@upstash/qstash'
import { within } from '../net/sent.ts'
import type { QueuePort } from './queue.ts'

interface Settings {
  url: string
  token: string
  /** Where this Worker is reached. */
  target: string
}

/** QStash, without its own retries: each attempt of ours is a message of its own, delayed as the row says. */
export function qstashQueue({ url, token, target }: Settings): QueuePort {
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
      // The client knows no time limit of its own.
      await within(3000, client.batchJSON(requests))
    },
    async ping() {
      const answer = await fetch(`${url}/v2/keys`, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' })
      if (!answer.ok) throw new Error(`The queue answered ${answer.status}`)
      await answer.json()
    },
  }
}
