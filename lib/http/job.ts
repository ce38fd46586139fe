import type { Hono } from 'hono'
import type * as z from 'zod'
import { openAccountScope, openPlatformDb, type PlatformDb, type Scope } from '../db/scope.ts'
import type { Ports } from '../ports.ts'
import { Problem } from '../problem.ts'
import { verifySignature } from '../queue/signature.ts'
import { asProblem, type C, type Env, respondProblem, type Services } from './app.ts'

export interface JobContext extends Ports {
  platform: PlatformDb
  /** Open the scope of one account: queries see only its rows. */
  account(accountId: string, actorId?: string | null): Scope
}

export interface Job<B extends z.ZodType = z.ZodType> {
  id: `${string}.${string}`
  path: `/jobs/${string}`
  body: B
  /** Must be idempotent: the queue delivers at least once. */
  handle(input: { ctx: JobContext; body: z.output<B> }): Promise<void>
}

/** Declare a job that the queue calls over HTTP. */
export function job<B extends z.ZodType>(definition: Job<B>): Job<B> {
  return definition
}

/** Create the context of a job or of the cron trigger. */
export function jobContext({ ports, platform }: Services): JobContext {
  const reason = 'a job acts for the account in its database row'
  return { ...ports, platform: openPlatformDb(platform, reason), account: (id, actor = null) => openAccountScope(platform, id, actor) }
}

/** Add the endpoints of the jobs. They are outside /api/v1 and accept only requests that the queue signed. */
export function mountJobs(app: Hono<Env>, jobs: readonly Job[], services: Services): void {
  for (const { id, path, body, handle } of jobs) {
    app.post(path, async (c) => {
      c.set('operation', id)
      try {
        const raw = await readSignedBody(c, path, services)
        const parsed = body.safeParse(parseJson(raw))
        if (!parsed.success) throw new Problem('invalid')
        await handle({ ctx: jobContext(services), body: parsed.data })
        return c.body(null, 200)
      } catch (error) {
        return respondProblem(c, asProblem(error), error)
      }
    })
  }
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return undefined
  }
}

async function readSignedBody(c: C, path: string, { ports: { config } }: Services): Promise<string> {
  const raw = await c.req.text()
  const keys = [config.QSTASH_CURRENT_SIGNING_KEY, config.QSTASH_NEXT_SIGNING_KEY]
  const isGenuine = await verifySignature(c.req.header('upstash-signature'), raw, config.PUBLIC_BASE_URL + path, keys)
  if (!isGenuine) throw new Problem('unauthenticated', 'The signature is missing or wrong')
  return raw
}
