import { Hono } from 'hono'
import * as z from 'zod'
import { parseJsonOrText } from './parse-json.ts'
import type { Records } from './records.ts'

const CaptureRequest = z.object({
  api_key: z.string(),
  event: z.string().min(1),
  distinct_id: z.string().min(1),
  properties: z.record(z.string(), z.unknown()),
  timestamp: z.iso.datetime(),
})

/** Create the route of PostHog's capture API. It records every request, refused ones included. */
export function createAnalyticsRoutes({ records, key }: { records: Records; key: string }): Hono {
  const app = new Hono()
  app.post('/capture/', async (c) => {
    const request = parseJsonOrText(await c.req.text())
    const status = captureStatus(request, key)
    const response =
      status === 200 ? { status: 'Ok' } : { type: 'authentication_error', detail: 'The request was refused.' }
    records.add('analytics', { method: 'POST', path: c.req.path, request, status, response })
    return c.json(response, status)
  })
  return app
}

function captureStatus(request: unknown, key: string): 200 | 400 | 401 {
  const parsed = CaptureRequest.safeParse(request)
  if (!parsed.success) return 400
  return parsed.data.api_key === key ? 200 : 401
}
