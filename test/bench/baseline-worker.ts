import { Hono } from 'hono'
import { EscalationHub } from '#platform/cloudflare/hub.ts'
import type { HubNamespace } from '#platform/cloudflare/realtime.ts'
import { notes } from './session-notes.ts'
import { buildSession, writeExport } from './write-export.ts'

interface Bindings {
  NEON_HTTP_ENDPOINT: string
  DATABASE_URL: string
  UPSTASH_REDIS_REST_URL: string
  UPSTASH_REDIS_REST_TOKEN: string
  HUB: HubNamespace
  ECHO: HubNamespace
}

// Baselines for the service's routes. Each route does only one part of the work that a route of the service
// does.

const app = new Hono<{ Bindings: Bindings }>()
const bodies = new Map<number, string>()
const documents = new Map<number, object>()

/** Baseline of every route: a response of a given size, from memory. */
app.get('/bytes/:bytes', (c) => {
  const bytes = Number(c.req.param('bytes'))
  const body = bodies.get(bytes) ?? JSON.stringify('x'.repeat(bytes - 2))
  bodies.set(bytes, body)
  return c.body(body, 200, { 'content-type': 'application/json' })
})

/** Baseline of a JSON document: about as many bytes of session steps, serialised for each response. */
app.get('/json/:bytes', (c) => {
  const bytes = Number(c.req.param('bytes'))
  const document = documents.get(bytes) ?? createDocument(bytes)
  documents.set(bytes, document)
  return c.json(document)
})

const session = buildSession(notes)

/** Baseline of an export: it writes a session that is in memory, without authorization and queries. */
app.get('/export/:format/:masked', async (c) =>
  c.text(await writeExport(session, c.req.param('format'), c.req.param('masked') === 'true')),
)

function createDocument(bytes: number): object {
  const step = {
    number: 1,
    title: 'Look at the panel',
    description: 'Does it show an error?',
    answer: 'Done',
    note: 'The panel is dark and its queue is full',
  }
  const count = Math.floor(bytes / (JSON.stringify(step).length + 1))
  return { steps: Array.from({ length: count }, (_, n) => ({ ...step, number: n })) }
}

/**
 * Baseline of a signed-in route: the statement and the Redis command that the bench sends, in parallel and
 * without any other work.
 */
app.post('/calls', async ({ env, req, body }) => {
  const { statement, command } = await req.json<{ statement: object; command: string[] }>()
  const [rows] = await Promise.all([
    postJson(env.NEON_HTTP_ENDPOINT, { 'neon-connection-string': env.DATABASE_URL }, statement),
    postJson(
      env.UPSTASH_REDIS_REST_URL,
      { authorization: `Bearer ${env.UPSTASH_REDIS_REST_TOKEN}` },
      command,
    ),
  ])
  const [[text]] = (rows as { rows: [[string]] }).rows
  return body(text, 200, { 'content-type': 'application/json' })
})

const encoder = new TextEncoder()

/** Baseline of the escalation stream: it forwards events, without storage, limits and authorization. */
export class Echo {
  readonly #controllers: ReadableStreamDefaultController<Uint8Array>[] = []

  async fetch(request: Request): Promise<Response> {
    if (!request.url.endsWith('/publish')) {
      const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        this.#controllers.push(controller)
        controller.enqueue(encoder.encode(': connected\n\n'))
      }
      return new Response(new ReadableStream<Uint8Array>({ start }))
    }
    const chunk = encoder.encode(`data: ${await request.text()}\n\n`)
    for (const controller of this.#controllers) controller.enqueue(chunk)
    return new Response(null, { status: 204 })
  }
}
export { EscalationHub }

/** Forward to a Durable Object: `HUB` is the service's own class, `ECHO` the baseline. */
app.post('/streams/:name/:round/:action', async (c) => {
  const hubs = c.env[c.req.param('name') as 'HUB' | 'ECHO']
  const { body, status } = await hubs
    .get(hubs.idFromName(c.req.param('round')))
    .fetch(`https://hub/${c.req.param('action')}`, {
      method: 'POST',
      body: await c.req.text(),
      signal: c.req.raw.signal,
    })
  return new Response(body, { status, headers: { 'content-type': 'text/event-stream' } })
})

async function postJson(url: string, headers: Record<string, string>, body: unknown): Promise<object> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return response.json()
}

// biome-ignore lint/style/noDefaultExport: workerd expects a default export
export default app
