import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type LocalServerOptions, startLocalServer } from '../../lib/local/server.ts'

export const secrets = {
  redisToken: 'redis-token',
  qstashToken: 'qstash-token',
  qstashCurrentSigningKey: 'sig_current',
  qstashNextSigningKey: 'sig_next',
  resendKey: 're_local',
  analyticsKey: 'phc_local',
  identitySecret: 'identity-secret',
  stripeKey: 'sk_local',
  openaiKey: 'sk-local',
  stripeWebhookSecret: 'whsec_local',
}

/** A local server of the test's own, closed when the test ends. */
export async function stand(options: Partial<LocalServerOptions> = {}) {
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

export interface Hit {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** A destination that keeps what it got; answers with the next of the statuses, then 200. */
export async function destination(statuses: number[] = [], onHit?: (hit: Hit) => Promise<void>) {
  const hits: Hit[] = []
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const hit = { method: req.method ?? '', url: req.url ?? '', headers: req.headers, body: Buffer.concat(chunks).toString() }
    hits.push(hit)
    const status = statuses.shift() ?? 200
    await onHit?.(hit)
    res.writeHead(status).end('answered')
  }
  const server = createServer((req, res) => void answer(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { hits, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jobs/run?n=1` }
}
