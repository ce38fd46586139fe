import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type LocalServerOptions, startLocalServer } from '#local/server.ts'

export const secrets = {
  redisToken: 'redis-token',
  qstashToken: 'qstash-token',
  qstashCurrentSigningKey: 'sig_current',
  qstashNextSigningKey: 'sig_next',
  resendKey: 're_local',
  resendWebhookSecret: 'whsec_c2VjcmV0LW9mLXRoZS10ZXN0LWV2ZW50cw==',
  analyticsKey: 'phc_local',
  identitySecret: 'identity-secret',
  stripeKey: 'sk_local',
  openaiKey: 'sk-local',
  stripeWebhookSecret: 'whsec_local',
}

/** Start a local server for one test. It is closed when the test ends. */
export async function startTestServer(options: Partial<LocalServerOptions> = {}) {
  const server = await startLocalServer({ port: 0, redisName: randomUUID(), secrets, ...options })
  onTestFinished(() => server.close())
  const call = (method: string, path: string, body?: unknown) =>
    fetch(`${server.origin}${path}`, {
      method,
      redirect: 'manual',
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  const read = async (path: string): Promise<Record<string, unknown>[]> => (await call('GET', path)).json()
  return { ...server, call, read }
}

export interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** Start an HTTP server that records its requests. It responds with `statuses` in turn, and then with 200. */
export async function startDestination(
  statuses: number[] = [],
  onRequest?: (request: ReceivedRequest) => Promise<void>,
) {
  const requests: ReceivedRequest[] = []
  const respond = async (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const request = {
      method: req.method ?? '',
      url: req.url ?? '',
      headers: req.headers,
      body: Buffer.concat(chunks).toString(),
    }
    requests.push(request)
    const status = statuses.shift() ?? 200
    await onRequest?.(request)
    res.writeHead(status).end('answered')
  }
  const server = createServer((req, res) => void respond(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jobs/run?n=1` }
}
