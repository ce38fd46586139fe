import type { Hono } from 'hono'
import type { Database } from '#db/database.ts'
import { type ConnectionSetting, requireRole, selectWritingRole } from '#db/require-connection.ts'
import { toAddressBlock } from '#rules/text/address-block.ts'
import type { AiPort, ModelStatus } from '#vendors/ai/ai.ts'
import type { ParsedRate } from '#vendors/cache/limiter.ts'
import { createLocalCounter } from '#vendors/cache/local-counter.ts'
import type { PingResult } from '#vendors/net/ping-result.ts'
import { withTimeout } from '#vendors/net/send-result.ts'
import type { DependencyChecks } from '#vendors/ports.ts'
import { type C, describe, type Env, respondProblem, type Services } from './app.ts'
import { hasToken } from './has-token.ts'
import { createRateLimitProblem } from './rate-limit.ts'
import { respondJson } from './respond.ts'

const pingTimeoutMs = 1500

interface PingAnswer extends PingResult {
  warnings: string[]
}
const shutdownWarningMs = 60 * 24 * 60 * 60_000
const publicRate: ParsedRate = { max: 120, windowMs: 60_000, unit: 'minute', perAddress: true }

// Without these the service breaks its contract: it has no data, or limits that no other process knows. Work
// for the others waits.
const requiredServices: ReadonlySet<string> = new Set(['database', 'redis'])

/**
 * Add `/health`, which only shows that the service runs, and `/ready`, which asks every dependency in
 * parallel. One that does not answer within 1.5 s fails, and the reason is logged. `/ready` is 503 only for a
 * required one: a load balancer must not take out every process because a vendor is away. A provider that is
 * not configured is not asked, and no check costs money. Only a caller with READY_TOKEN sees which dependency
 * fails. A staff role would need the database, which may be down. That caller also gets warnings, which do
 * not change the status. Other callers are limited in this process, because the shared limiter is a
 * dependency as well.
 */
export function mountHealth(app: Hono<Env>, services: Services): void {
  const { VERSION, READY_CACHE_MS, READY_TOKEN } = services.ports.config
  const pings = listPings(services)
  const logFailures = createFailureLog(services.log)
  const check = cacheResult(() => runPings(pings, logFailures), READY_CACHE_MS)
  services.ports.checkDependencies = check
  const count = createLocalCounter()
  app.get('/health', (c) => respondJson(c, JSON.stringify({ status: 'ok', version: VERSION }), 200))
  app.get('/ready', async (c) => {
    const maySeeDetails =
      READY_TOKEN !== undefined && (await hasToken(c.req.header('authorization'), READY_TOKEN))
    const limit = maySeeDetails
      ? undefined
      : count(toAddressBlock(c.get('ip')), publicRate.max, publicRate, Date.now())
    if (limit && !limit.allowed) return respondProblem(c as C, createRateLimitProblem(publicRate, limit))
    const { checks, warnings } = await check()
    const failed = Object.keys(checks).filter((name) => checks[name] === 'failed')
    const status =
      failed.length === 0
        ? 'ok'
        : failed.some((name) => requiredServices.has(name))
          ? 'unavailable'
          : 'degraded'
    const detail = failed.length === 0 ? {} : { detail: `Not responding: ${failed.join(', ')}` }
    const warning = warnings.length === 0 ? {} : { warnings }
    const body = maySeeDetails ? { status, ...detail, ...warning, checks } : { status }
    return respondJson(c, JSON.stringify(body), status === 'unavailable' ? 503 : 200)
  })
}

/** Return what asks each dependency of the service. The doctor of Node asks the same. */
export function listPings({
  ports,
  limiter,
  runtime,
  platform,
  inProcess,
}: Services): Record<string, (() => Promise<unknown>) | 'in_process'> {
  const { fallback } = ports.ai
  const pings = {
    database: () =>
      Promise.all([pingDatabase(runtime, 'DATABASE_URL'), pingDatabase(platform, 'DATABASE_PLATFORM_URL')]),
    redis: () => limiter.ping(),
    queue: () => ports.queue.ping(),
    ...(ports.mail.isConfigured ? { mail: () => ports.mail.ping() } : {}),
    ...(ports.ai.isConfigured ? { ai: () => pingModel(ports.ai, 'OPENAI_MODEL') } : {}),
    ...(fallback ? { ai_fallback: () => pingModel(fallback.ai, 'AI_FALLBACK_MODEL') } : {}),
    hub: () => ports.realtime.ping(),
    objects: () => ports.uploads.pingObjects(),
    images: () => ports.uploads.pingDecoder(),
  }
  return { ...pings, ...Object.fromEntries(inProcess.map((name) => [name, 'in_process' as const])) }
}

/** Ask a database for a write, and who connects: a role may have got more rights since the first call. */
async function pingDatabase(database: Database, setting: ConnectionSetting): Promise<void> {
  const [role] = await database.run([selectWritingRole], { readOnly: false })
  requireRole(setting, role?.rows[0])
}

/** Ask a provider for the status of its model, which the setting names. */
async function pingModel(ai: AiPort, setting: string): Promise<PingAnswer> {
  const { isLimited, missing = [], ...status } = await ai.ping()
  const warnings = listShutdownWarnings(ai.model, setting, status)
  if (missing.length > 0)
    warnings.push(`The AI model ${ai.model} does not take ${missing.join(', ')}, so requests leave it out`)
  if (ai.fallback?.circuit.isFailing)
    warnings.push(`Calls to the AI model ${ai.model} fail, so ${ai.fallback.ai.model} answers`)
  return { isLimited, warnings }
}

async function runPings(
  pings: ReturnType<typeof listPings>,
  logFailures: ReturnType<typeof createFailureLog>,
): Promise<DependencyChecks> {
  const warnings: string[] = []
  const checks = Object.entries(pings).map(async ([name, ping]) => {
    if (ping === 'in_process') return [name, ping] as const
    try {
      const answer = (await withTimeout(pingTimeoutMs, ping())) as Partial<PingAnswer> | undefined
      if (answer?.isLimited)
        warnings.push(`${name}: the provider answers 429, so it gets fewer calls for a while`)
      warnings.push(...(answer?.warnings ?? []))
      logFailures(name, null)
      return [name, 'ok'] as const
    } catch (error) {
      logFailures(name, error)
      return [name, 'failed'] as const
    }
  })
  return { checks: Object.fromEntries(await Promise.all(checks)), warnings }
}

/** Return a function that logs why a dependency fails, once per reason, and that it answers again. */
function createFailureLog(log: Services['log']): (dependency: string, error: unknown) => void {
  const reasons = new Map<string, string>()
  return (dependency, error) => {
    const failure: Record<string, unknown> | null = error
      ? { ...describe(error), status: (error as { status?: unknown }).status }
      : null
    const reason = failure ? JSON.stringify([failure.name, failure.code, failure.status]) : ''
    if ((reasons.get(dependency) ?? '') === reason) return
    reasons.set(dependency, reason)
    log({
      at: new Date().toISOString(),
      dependency,
      answers: !failure,
      ...(failure ? { error: failure } : {}),
    })
  }
}

/**
 * Return a warning if the provider switches the model off within 60 days, so that there is time to try
 * another one.
 */
export function listShutdownWarnings(
  model: string,
  setting: string,
  { shutdownAt }: Pick<ModelStatus, 'shutdownAt'>,
  now: number = Date.now(),
): string[] {
  if (!shutdownAt || shutdownAt.getTime() - now > shutdownWarningMs) return []
  return [
    `The AI model ${model} shuts down on ${shutdownAt.toISOString().slice(0, 10)}; set ${setting} to its successor`,
  ]
}

// Longer than a check takes. A check whose client has disconnected may never end.
const maxCheckMs = 2000

/**
 * Return a function that repeats its result for `cacheMs`, so that `/ready` cannot be used to call the
 * vendors often. Only values are shared: in workerd a request must not await the promise of another request.
 */
export function cacheResult<T>(
  work: () => Promise<T>,
  cacheMs: number,
  now: () => number = Date.now,
): () => Promise<T> {
  let cacheEntry: { value: T; until: number } | undefined
  let workingUntil = 0
  return async () => {
    while (cacheMs > 0 && now() < workingUntil) await new Promise((resolve) => setTimeout(resolve, 50))
    if (cacheEntry && now() < cacheEntry.until) return cacheEntry.value
    workingUntil = now() + maxCheckMs
    const value = await work()
    cacheEntry = { value, until: now() + cacheMs }
    workingUntil = 0
    return value
  }
}
