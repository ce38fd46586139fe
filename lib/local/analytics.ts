import { Hono } from 'hono'
import { z } from 'zod'
import type { Records } from './records.ts'

const Captured = z.object({
  api_key: z.string(),
  event: z.string().min(1),
  distinct_id: z.string().min(1),
  properties: z.record(z.string(), z.unknown()),
  timestamp: z.iso.datetime(),
})

/** PostHog's capture route; every hit lies on the desk, refused ones too. */
export function analyticsRoutes({ records, key }: { records: Records; key: string }): Hono {
  const app = new Hono()
  app.post('/capture/', async (c) => {
    const request = parsed(await c.req.text())
    const captured = Captured.safeParse(request)
    const status = !captured.success ? 400 : captured.data.api_key === key ? 200 : 401
    const response = status === 200 ? { status: 'Ok' } : { type: 'authentication_error', detail: 'The request was refused.' }
    records.add('analytics', { method: 'POST', path: c.req.path, request, status, response })
    return c.json(response, status)
  })
  return app
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
