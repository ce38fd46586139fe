import type { Client } from '@upstash/qstash'
import { createTraceparent } from '#trace.ts'
import { createBoundedFetch, type Fetch } from '#vendors/net/bounded-fetch.ts'
import { createPingError } from '#vendors/net/ping-result.ts'
import { parseAnswer, readAnswer } from '#vendors/net/read-answer.ts'
import type { QueuePort } from './queue.ts'

interface QStashSettings {
  url: string
  token: string
  /** The public address of this service. */
  target: string
}

const limits = { timeoutMs: 3000, maxBytes: 1024 * 1024 }

/**
 * Create a queue that publishes jobs to QStash. Its retries are off: each attempt is a message of its own,
 * with the delay of its row. The first message loads the client, because most requests send none.
 */
export function qstashQueue({ url, token, target }: QStashSettings): QueuePort {
  const fetchBounded = createBoundedFetch('queue', limits)
  let client: Client | undefined
  return {
    async publish(messages) {
      if (messages.length === 0) return
      // QStash forwards it to the job: https://upstash.com/docs/qstash/howto/publishing#custom-headers
      const traceparent = createTraceparent()
      const requests = messages.map(({ path, body, delaySeconds = 0, deduplicationId }) => ({
        url: target + path,
        body,
        retries: 0,
        delay: delaySeconds > 0 ? delaySeconds : undefined,
        deduplicationId: deduplicationId || undefined,
        headers: traceparent ? { traceparent } : undefined,
      }))
      client ??= await openClient({ url, token }, fetchBounded)
      await client.batchJSON(requests)
    },
    async ping() {
      const response = await fetchBounded(`${url}/v2/keys`, { headers: { authorization: `Bearer ${token}` } })
      const isLimited = response.status === 429
      if (!response.ok && !isLimited) throw createPingError('The queue', response.status)
      await readAnswer(response)
      return { isLimited }
    },
  }
}

/** Open QStash's client with our `fetch`. It takes none, so its method that sends a request is replaced. */
async function openClient(
  { url, token }: Pick<QStashSettings, 'url' | 'token'>,
  fetchBounded: Fetch,
): Promise<Client> {
  const { Client } = await import('@upstash/qstash')
  // With QSTASH_DEV, which another program may have set, it would load and start a server of its own:
  // https://upstash.com/docs/qstash/howto/local-development
  const client = new Client({ baseUrl: url, token, enableTelemetry: false, devMode: false })
  client.http.request = async ({ path, method = 'GET', headers, body }) => {
    const init = {
      method,
      headers: new Headers(headers as HeadersInit),
      body: (body ?? null) as string | null,
    }
    init.headers.set('authorization', `Bearer ${token}`)
    const response = await fetchBounded([url, ...path].join('/'), init)
    const text = await response.text()
    if (!response.ok) throw new Error(`The queue returned ${response.status}`)
    return parseAnswer(text) as never
  }
  return client
}
