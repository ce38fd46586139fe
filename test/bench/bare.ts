import { Hono } from 'hono'
import type { HubNamespace } from '../../lib/realtime/durable.ts'
import { EscalationHub } from '../../lib/realtime/hub.ts'
import { notes } from './notes.ts'
import { sessionOf, writeExport } from './writing.ts'

interface Bindings {
  NEON_HTTP_ENDPOINT: string
  DATABASE_URL: string
  UPSTASH_REDIS_REST_URL: string
  UPSTASH_REDIS_REST_TOKEN: string
  HUB: HubNamespace
  ECHO: HubNamespace
}

const app = new Hono<{ Bindings: Bindings }>()
const bodies = new Map<number, string>()
const documents = new Map<number, object>()

/** The floor of every route: an answer of so many bytes, from memory. */
app.get('/bare/:bytes', (c) => {
  const bytes = Number(c.req.param('bytes'))
  const body = bodies.get(bytes) ?? JSON.stringify('x'.repeat(bytes - 2))
  bodies.set(bytes, body)
  return c.body(body, 200, { 'content-type': 'application/json' })
})

/** The floor of a document: steps of a session, so many bytes of them, written anew for each answer. */
app.get('/json/:bytes', (c) => {
  const bytes = Number(c.req.param('bytes'))
  const document = documents.get(bytes) ?? documentOf(bytes)
  documents.set(bytes, document)
  return c.json(document)
})

const session = sessionOf(notes)

/** An export from rows in memory: the writing of it alone, without whom it is for and where it was read. */
app.get('/export/:format/:masked', (c) => c.text(writeExport(session, c.req.param('format'), c.req.param('masked') === 'true')))

function documentOf(bytes: number): object {
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

/** The floor of every signed-in route: one call to the database and one to Redis, side by side, that ask for nothing. */
app.get('/calls', async ({ env, json }) => {
  const [rows] = await Promise.all([
    call(env.NEON_HTTP_ENDPOINT, { 'neon-connection-string': env.DATABASE_URL }, { query: 'select 1', params: [] }),
    call(env.UPSTASH_REDIS_REST_URL, { authorization: `Bearer ${env.UPSTASH_REDIS_REST_TOKEN}` }, ['PING']),
  ])
  return json(rows)
})

const encoder = new TextEncoder()

/** The floor of the escalation stream: it keeps nothing, counts nothing and asks nobody. */
export class Echo {
  readonly #open: ReadableStreamDefaultController<Uint8Array>[] = []

  async fetch(request: Request): Promise<Response> {
    if (!request.url.endsWith('/publish')) {
      const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        this.#open.push(controller)
        controller.enqueue(encoder.encode(': connected\n\n'))
      }
      return new Response(new ReadableStream<Uint8Array>({ start }))
    }
    const chunk = encoder.encode(`data: ${await request.text()}\n\n`)
    for (const controller of this.#open) controller.enqueue(chunk)
    return new Response(null, { status: 204 })
  }
}
export { EscalationHub }

/** Both, behind the same few lines: `HUB` is the real one. */
app.post('/streams/:name/:round/:what', async (c) => {
  const hubs = c.env[c.req.param('name') as 'HUB' | 'ECHO']
  const { body, status } = await hubs
    .get(hubs.idFromName(c.req.param('round')))
    .fetch(`https://hub/${c.req.param('what')}`, { method: 'POST', body: await c.req.text(), signal: c.req.raw.signal })
  return new Response(body, { status, headers: { 'content-type': 'text/event-stream' } })
})

async function call(url: string, headers: Record<string, string>, body: unknown): Promise<object> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return answer.json()
}

// biome-ignore lint/style/noDefaultExport: workerd calls a Worker so
export default app
