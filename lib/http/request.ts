import type { Hono } from 'hono'
import { type ParsedRate, parseRate, type Verdict } from '../cache/limiter.ts'
import { asPlatform, type Caller, openScope, type Scope, type ScopeOf, type WriteDb } from '../db/scope.ts'
import { Problem } from '../problem.ts'
import { type Answer, named, respond, serialise } from './answer.ts'
import { asProblem, type C, type Env, respondProblem, type Services } from './app.ts'
import { fingerprint, idempotencyKey, once, onceLeased } from './idempotency.ts'
import { type AnyOperation, isStaff, needsToken, takesIdempotencyKey } from './operation.ts'
import { type Input, type Reading, readInput } from './validate.ts'

const prefix = '/api/v1'
const floodRate: ParsedRate = { max: 300, windowMs: 60_000, unit: 'minute', perAddress: true }

/** One request on its way through an operation. */
interface Call {
  c: C
  op: AnyOperation
  services: Services
  url: URL
  caller: Caller | null
  scope: Scope | null
  effects: (() => Promise<unknown>)[]
}

/** Adds every operation to the app, at its path below /api/v1. */
export function mountOperations(app: Hono<Env>, operations: readonly AnyOperation[], services: Services): void {
  for (const op of operations) {
    const rate = op.limit === 'none' ? null : parseRate(op.limit)
    const path = prefix + op.path.replace(/\{(\w+)\}/g, ':$1')
    // One that is declared with a slash at its end is found without it too.
    const paths = path.endsWith('/') ? [path, path.slice(0, -1)] : [path]
    app.on(op.method.toUpperCase(), paths, (c) => handle(c, op, rate, services))
  }
}

async function handle(c: C, op: AnyOperation, rate: ParsedRate | null, services: Services): Promise<Response> {
  c.set('operation', op.id)
  try {
    const caller = needsToken(op) ? await authenticate(c, services) : null
    const scope = caller ? openScope(isStaff(op) ? services.platform : services.runtime, scopeOf(op, caller, c)) : null
    const call: Call = { c, op, services, url: new URL(c.req.url), caller, scope, effects: [] }
    const limited = rate ? services.limiter.take(rateKey(op, rate, caller, c), rate, isStrict(op)) : Promise.resolve(null)
    const answer = await perform(call, limited, rate)
    if (call.effects.length > 0) c.executionCtx.waitUntil(runEffects(call))
    return respond(c, op, call.url, await named(op, answer))
  } catch (error) {
    return respondProblem(c, asProblem(error), error)
  }
}

async function perform(call: Call, limited: Promise<Verdict | null>, rate: ParsedRate | null): Promise<Answer> {
  const { c, op } = call
  const reading = await readInput(op, c.req.raw, c.req.param() as Record<string, string>, call.url)
  if (op.method === 'get' && !op.writes && !op.outward && reading.input) {
    // A read runs beside the limiter's call, and its answer is dropped when over; a write waits for the verdict.
    const [verdict, result] = await Promise.all([limited, settle(invoke(call, reading.input))])
    // Not being signed in any more goes before the limit, everything else after it.
    if (!result.ok && asProblem(result.error).status === 401) throw result.error
    enforce(c, rate, verdict)
    if (!result.ok) throw result.error
    return result.value
  }
  enforce(c, rate, await limited)
  return reading.input ? invokeOnce(call, reading.input) : refuse(call, reading)
}

type Settled<T> = { ok: true; value: T } | { ok: false; error: unknown }
function settle<T>(promise: Promise<T>): Promise<Settled<T>> {
  return promise.then(
    (value) => ({ ok: true as const, value }),
    (error: unknown) => ({ ok: false as const, error }),
  )
}

async function authenticate(c: C, { ports: { tokens }, limiter }: Services): Promise<Caller> {
  const [, token] = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(c.req.header('authorization') ?? '') ?? []
  const caller = token ? await tokens.verify(token) : null
  if (caller) {
    c.set('caller', caller)
    return caller
  }
  const flood = await limiter.take(`unauthenticated:${c.get('ip')}`, floodRate, false)
  if (!flood.allowed) throw overLimit(floodRate, flood)
  throw new Problem('unauthenticated')
}

function scopeOf(op: AnyOperation, caller: Caller, c: C): ScopeOf {
  return { caller, access: op.access, past: op.past ?? 'none', ip: c.get('ip'), readOnly: op.method === 'get', feature: op.feature }
}

function rateKey(op: AnyOperation, rate: ParsedRate, caller: Caller | null, c: C): string {
  return `${op.id}:${rate.perAddress || !caller ? c.get('ip') : caller.userId}`
}

/** Sign-in, public and paid routes are held to a tighter local count while Redis is away. */
function isStrict(op: AnyOperation): boolean {
  return op.access === 'public' || op.limit === 'ai' || op.id.startsWith('auth.')
}

function overLimit(rate: ParsedRate, verdict: Verdict): Problem {
  const headers = { 'retry-after': String(verdict.resetSeconds) }
  return new Problem('rate_limited', `Rate limit exceeded: ${rate.max} per ${rate.unit}`, { headers })
}

function enforce(c: C, rate: ParsedRate | null, verdict: Verdict | null): void {
  if (!rate || !verdict) return
  c.header('ratelimit-limit', String(verdict.limit))
  c.header('ratelimit-remaining', String(verdict.remaining))
  c.header('ratelimit-reset', String(verdict.resetSeconds))
  if (!verdict.allowed) throw overLimit(rate, verdict)
}

/** A wrong request of someone who may not call at all is refused for that first: role and guards come before its shape. */
async function refuse({ c, op, scope, url }: Call, { problem, rawBody }: Reading): Promise<Answer> {
  await scope?.check()
  const key = takesIdempotencyKey(op) && problem?.status === 422 ? idempotencyKey(c.req.raw) : null
  if (!key || !scope) throw problem
  return once(scope, op.id, key, await fingerprint(url, rawBody), () => Promise.reject(problem))
}

async function invokeOnce(call: Call, input: Input): Promise<Answer> {
  const { c, op, scope, url } = call
  const key = takesIdempotencyKey(op) && !(op.produces && wantsEvents(c)) ? idempotencyKey(c.req.raw) : null
  if (!key || !scope) return invoke(call, input)
  const request = await fingerprint(url, input.rawBody)
  if (op.idempotent === 'leased') return onceLeased(scope, op.id, key, request, () => invoke(call, input))
  return once(scope, op.id, key, request, (db) => invoke(call, input, db))
}

function wantsEvents(c: C): boolean {
  return /\btext\/event-stream\b/i.test(c.req.header('accept') ?? '')
}

async function invoke(call: Call, input: Input, db: WriteDb | undefined = call.scope?.db): Promise<Answer> {
  const { c, op, services, caller, scope } = call
  const ctx = {
    ...services.ports,
    requestId: c.get('requestId'),
    ip: c.get('ip'),
    userAgent: (c.req.header('user-agent') ?? '').slice(0, 300),
    wantsEvents: wantsEvents(c),
    lastEventId: c.req.header('last-event-id') ?? null,
    signal: c.req.raw.signal,
    after: (effect: () => Promise<unknown>) => void call.effects.push(effect),
    log: (line: Record<string, unknown>) => services.log({ at: new Date().toISOString(), request_id: c.get('requestId'), ...line }),
    ...(scope ? { caller } : {}),
    ...doorsOf(call, db),
  }
  // The platform's door asks nobody who they are, so the caller's own is tried first; staff are asked at every statement.
  if (op.platform && !isStaff(op)) await scope?.check()
  const result = await settle(op.handle({ ctx, params: input.params, query: input.query, body: input.body }))
  // Nobody hears anything, not even a refusal of our own, whom the database has not let in.
  if (scope && !scope.entered && (result.ok || result.error instanceof Problem)) await scope.check()
  if (!result.ok) throw result.error
  return serialise(op, result.value, services.ports.config.CHECK_RESPONSES)
}

function doorsOf({ op, services, scope }: Call, db: WriteDb | undefined) {
  if (isStaff(op)) return { platform: db }
  return {
    ...(scope ? { db, entering: (name: `app.${string}`, ...rest: (string | number)[]) => scope.call(name, rest) } : {}),
    ...(op.platform ? { platform: asPlatform(services.platform, op.platform) } : {}),
  }
}

/** What was promised in rows is swept when it fails here, so a failure is a line in the log and no more. */
async function runEffects({ c, effects, services }: Call): Promise<void> {
  for (const effect of effects) {
    await effect().catch((error: unknown) =>
      services.log({
        at: new Date().toISOString(),
        request_id: c.get('requestId'),
        effect_failed: String(error instanceof Error ? error.name : error),
      }),
    )
  }
}
