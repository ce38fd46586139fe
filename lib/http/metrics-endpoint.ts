import type { Hono } from 'hono'
import { Problem } from '#problem.ts'
import { type C, type Env, respondProblem } from './app.ts'
import { hasToken } from './has-token.ts'
import { respond, setHeader } from './respond.ts'

/** Add `/metrics` in the text format of Prometheus, for callers with the token. */
export function mountMetrics(app: Hono<Env>, token: string, writeMetrics: () => Promise<string>): void {
  app.get('/metrics', async (c) => {
    if (!(await hasToken(c.req.header('authorization'), token)))
      return respondProblem(c as C, new Problem('unauthenticated', 'Send METRICS_TOKEN as the bearer token'))
    // https://prometheus.io/docs/instrumenting/exposition_formats/#basic-info
    setHeader(c, 'content-type', 'text/plain; version=0.0.4; charset=utf-8')
    return respond(c, await writeMetrics(), 200)
  })
}
