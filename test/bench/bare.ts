import { Hono } from 'hono'

const app = new Hono()
const bodies = new Map<number, string>()

/** The floor of every route: an answer of so many bytes, from memory. */
app.get('/bare/:bytes', (c) => {
  const bytes = Number(c.req.param('bytes'))
  const body = bodies.get(bytes) ?? JSON.stringify('x'.repeat(bytes - 2))
  bodies.set(bytes, body)
  return c.body(body, 200, { 'content-type': 'application/json' })
})

// biome-ignore lint/style/noDefaultExport: workerd calls a Worker so
export default app
