import { Hono } from 'hono'

interface Bindings {
  NEON_HTTP_ENDPOINT: string
  DATABASE_URL: string
  UPSTASH_REDIS_REST_URL: string
  UPSTASH_REDIS_REST_TOKEN: string
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
