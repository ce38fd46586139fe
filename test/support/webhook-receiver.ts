import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { listen } from '#platform/node/server.ts'
import { expectStatus } from './expect-status.ts'
import type { Person } from './people.ts'

interface ReceivedMessage {
  path: string
  id: string
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the data that it expects
  data: any
}

/**
 * Start a receiver that verifies each message with the secret of its path, and answers 401 when that fails.
 */
export async function startReceiver() {
  const receiver = {
    received: [] as ReceivedMessage[],
    secrets: new Map<string, string>(),
    answer: (response: ServerResponse, _path: string): unknown => response.writeHead(204).end(),
  }
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const body = await text(request)
    try {
      const message = new Webhook(receiver.secrets.get(path) ?? '').verify(
        body,
        request.headers as Record<string, string>,
      )
      receiver.received.push({
        path,
        id: String(request.headers['webhook-id']),
        ...(message as Pick<ReceivedMessage, 'type' | 'data'>),
      })
    } catch {
      return void response.writeHead(401).end()
    }
    receiver.answer(response, path)
  })
  const origin = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
  return Object.assign(receiver, { origin, close: () => server.close() })
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/**
 * Create a webhook through the API. Return it with what the receiver got and with the newest deliveries of
 * its log.
 */
export async function createWebhook(
  receiver: Receiver,
  admin: Person,
  events: string[],
  path = `/${crypto.randomUUID()}`,
) {
  const response = await admin.call('POST', '/webhooks', { url: receiver.origin + path, events })
  expectStatus(response, 201)
  receiver.secrets.set(path, response.body.secret)
  const { id } = response.body as { id: string }
  return {
    id,
    path,
    secret: response.body.secret as string,
    listReceived: () => receiver.received.filter((message) => message.path === path),
    listDeliveries: async () => (await admin.call('GET', `/webhooks/${id}/deliveries`)).body,
    get: async () =>
      (await admin.call('GET', '/webhooks')).body.find((webhook: { id: string }) => webhook.id === id),
  }
}
