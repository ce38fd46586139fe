import type { Hono } from 'hono'
import { withTimeout } from '../net/send-result.ts'
import type { Env, Services } from './app.ts'

/** Add `/health`, which only shows that the service runs, and `/ready`, which asks every dependency in parallel. One that does not answer within 1.5 s fails. */
export function mountHealth(app: Hono<Env>, { ports, limiter, runtime, platform }: Services): void {
  const dependencies: Record<string, () => Promise<unknown>> = {
    database: () =>
      Promise.all([runtime, platform].map((database) => database.run([{ sql: 'select 1', parameters: [] }], { readOnly: true }))),
    redis: () => limiter.ping(),
    queue: () => ports.queue.ping(),
    mail: () => ports.mail.ping(),
  }
  app.get('/health', (c) => c.json({ status: 'ok', version: ports.config.VERSION }))
  app.get('/ready', async (c) => {
    const answers = await Promise.all(
      Object.entries(dependencies).map(async ([name, ask]) => {
        const answered = await withTimeout(1500, ask()).then(
          () => true,
          () => false,
        )
        return [name, answered ? 'ok' : 'failed'] as const
      }),
    )
    const failed = answers.filter(([, state]) => state === 'failed').map(([name]) => name)
    const checks = Object.fromEntries(answers)
    if (failed.length === 0) return c.json({ status: 'ok', checks })
    return c.json({ status: 'unavailable', detail: `Not responding: ${failed.join(', ')}`, checks }, 503)
  })
}
