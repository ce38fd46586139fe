import type { Hono } from 'hono'
import type * as z from 'zod'
import type { Outbox, OutboxEntry } from '#db/outbox-entry.ts'
import { openAccountScope, openPlatformDb, type PlatformDb, type Scope } from '#db/scope.ts'
import { record, recordWith } from '#metrics.ts'
import { Problem } from '#problem.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { parseJson } from '#rules/text/json.ts'
import { recordSpans, runInSpan } from '#trace.ts'
import { readAtMost } from '#vendors/net/read-at-most.ts'
import type { Ports } from '#vendors/ports.ts'
import { verifySignature } from '#vendors/queue/signature.ts'
import { publishEntries } from '#work/publish.ts'
import { callStoredRequest, type TaskRequest } from './ai-task.ts'
import { type C, describe, type Env, respondProblem, type Services, toProblem } from './app.ts'
import { respond } from './respond.ts'
import type { RenderedResponse } from './response.ts'

export interface JobContext extends Ports {
  platform: PlatformDb
  /** Open the scope of one account: queries see only its rows. */
  openAccountScope(accountId: string, actorId?: string | null): Scope
  /** Call the operation of a stored request, as its caller. */
  callStoredRequest(request: TaskRequest): Promise<RenderedResponse>
  /** Write a line to the log. It must not contain personal data. */
  log(line: Record<string, unknown>): void
}

export interface Job<B extends z.ZodType = z.ZodType> {
  id: `${string}.${string}`
  path: `/jobs/${string}`
  body: B
  /** Must be idempotent: the queue delivers at least once. */
  handle(input: { ctx: JobContext; body: z.output<B> }): Promise<void>
}

/** Log `line` with the error when a part of a job fails, and throw the error again. */
export function logFailure(
  { log }: Pick<JobContext, 'log'>,
  line: Record<string, string>,
  work: Promise<void>,
): Promise<void> {
  return work.catch((error: unknown) => {
    log({ ...line, error: describe(error) })
    throw error
  })
}

/** Declare a job that the queue calls: over HTTP on Cloudflare, in the process on Node. */
export function job<B extends z.ZodType>(definition: Job<B>): Job<B> {
  return definition
}

/**
 * Run `work` with the context of a job or of the cron trigger. Then publish the work that it has stored, even
 * if it failed. Metrics count it as `name`, the id of a job or `cron.*`, which also names its span.
 */
export function runJob(
  services: Services,
  name: string,
  work: (ctx: JobContext) => Promise<void>,
): Promise<void> {
  return recordWith(services.metrics, async () => {
    let outcome = 'failed'
    try {
      await recordSpans(services.tracer, () =>
        runInSpan(name, 'consumer', () => runAndPublish(services, work)),
      )
      outcome = 'succeeded'
    } finally {
      record('jobs', { job_id: name, outcome })
    }
  })
}

async function runAndPublish(services: Services, work: (ctx: JobContext) => Promise<void>): Promise<void> {
  const entries: OutboxEntry[] = []
  const ctx = createJobContext(services, (entry) => entries.push(entry))
  try {
    await runWithin(createBudget({ steps: jobSteps }), () => work(ctx))
  } finally {
    // The queue may be unreachable: the rows stay due, and the sweep publishes them.
    if (entries.length > 0) await publishEntries(ctx, entries).catch(() => {})
  }
}

function createJobContext(services: Services, outbox: Outbox): JobContext {
  const { ports, platform, log } = services
  const reason = 'jobs and the cron trigger process rows of every account'
  return {
    ...ports,
    platform: openPlatformDb(platform, reason, outbox),
    openAccountScope: (id, actor = null) => openAccountScope(platform, id, actor, outbox),
    callStoredRequest: (request) => callStoredRequest(services, request),
    log: (line) => log({ at: new Date().toISOString(), ...line }),
  }
}

/**
 * Run the job of a queue message. Throw a Problem when no job has this path, or when the body does not fit.
 */
export async function runJobMessage(
  services: Services,
  jobs: readonly Job[],
  path: string,
  message: unknown,
): Promise<void> {
  const job = jobs.find((candidate) => candidate.path === path)
  if (!job) throw new Problem('not_found')
  const { data, success } = job.body.safeParse(message)
  if (!success) throw new Problem('invalid')
  await runJob(services, job.id, (ctx) => job.handle({ ctx, body: data }))
}

/** Add the endpoints of the jobs. They are outside /api/v1 and accept only requests that the queue signed. */
export function mountJobs(
  app: Hono<Env>,
  jobs: readonly Job[],
  services: Services,
  signingKeys: readonly string[],
): void {
  for (const { id, path } of jobs) {
    app.post(path, async (c) => {
      c.set('operation', id)
      try {
        const raw = await readSignedBody(c, services.ports.config.PUBLIC_BASE_URL + path, signingKeys)
        await runJobMessage(services, jobs, path, parseJson(raw))
        return respond(c, null, 200)
      } catch (error) {
        return respondProblem(c, toProblem(error), error)
      }
    })
  }
}

// A job's body names rows. The largest is below 1 KB.
const maxBodyBytes = 64 * 1024

/** Read a body that the queue signed. A request without a signature is refused unread. Throw 401 and 413. */
async function readSignedBody(c: C, url: string, keys: readonly string[]): Promise<string> {
  const signature = c.req.header('upstash-signature')
  const tooLarge = () => new Problem('too_large')
  if (!signature) throw unsignedProblem()
  if (Number(c.req.header('content-length')) > maxBodyBytes) throw tooLarge()
  const raw = new TextDecoder().decode(await readAtMost(c.req.raw.body, maxBodyBytes, tooLarge))
  if (!(await verifySignature(signature, raw, url, keys))) throw unsignedProblem()
  return raw
}

function unsignedProblem(): Problem {
  return new Problem('unauthenticated', 'The signature is missing or wrong')
}
