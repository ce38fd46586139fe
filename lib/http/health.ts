import type { Hono } from 'hono'
import { within } from '../net/sent.ts'
import type { Env, Services } from './app.ts'

/** `/health` says that the Worker runs; `/ready` asks every dependency at once and names those that do not answer within 1.5 s. */
export function mountHealth(app: Hono<Env>, { ports, limiter, runtime, platform }: Services): void {
  const dependencies: Record<string, () => Promise<unknown>> = {
    database: () => Promise.all([runtime, platform].map((wire) => wire.run([{ sql: 'select 1', parameters: [] }], { readOnly: true }))),
    redis: () => limiter.ping(),
    queue: () => ports.queue.ping(),
    mail: () => ports.mail.ping(),
  }
  app.get('/health', (c) => c.json({ status: 'ok', version: ports.config.VERSION }))
  app.get('/ready', async (c) => {
    const answers = await Promise.all(
      Object.entries(dependencies).map(async ([name, ask]) => {
        const answered = await within(1500, ask()).then(
          () => true,
          () => false,
        )
        return [name, answered ? 'ok' : 'failed'] as const
      }),
    )
    const failed = answers.filter(([, state]) => state === 'failed').map(([name]) => name)
    const checks = Object.fromEntries(answers)
    if (failed.length === 0) return c.json({ status: 'ok', checks })
    return c.json({ status: 'unavailable', detail: `Not answering: ${failed.join(', ')}`, checks }, 503)
  })
}
