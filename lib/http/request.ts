import type { Hono } from 'hono'
import { sharePlaces } from '#async/share-places.ts'
import type { EnteringCall } from '#db/call-function.ts'
import type { OutboxEntry } from '#db/outbox-entry.ts'
import {
  type Caller,
  openPlatformDb,
  openScope,
  type Scope,
  type ScopeOptions,
  type WriteDb,
} from '#db/scope.ts'
import { uuidv7 } from '#db/uuid.ts'
import { record } from '#metrics.ts'
import { Problem } from '#problem.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { prefersType } from '#rules/text/accept.ts'
import { toAddressBlock, toSite } from '#rules/text/address-block.ts'
import type { ParsedRate } from '#vendors/cache/limiter.ts'
import { acceptTask, prefersAsync, storeUnlessAnswered } from './ai-task.ts'
import { type C, type Env, respondProblem, type Services, toProblem } from './app.ts'
import { authenticate, getCallerRateKey, recordKeyUse } from './authenticate.ts'
import { type BodyBytes, receiveBody } from './body.ts'
import { createCallAs } from './call-as.ts'
import { type DelegatedCaller, readDelegatedCaller } from './delegated-caller.ts'
import { requireGranted } from './granted-scopes.ts'
import {
  hashRequest,
  type LeasedWork,
  readIdempotencyKey,
  runIdempotent,
  runIdempotentWithLease,
} from './idempotency.ts'
import { createKeyMemory } from './key-memory.ts'
import { keyFailures, requireScope } from './key-scopes.ts'
import {
  type AnyOperation,
  Content,
  findMissingProvider,
  getMaxSteps,
  isStaffOperation,
  listFailures,
  needsVerifiedAddress,
  requiresToken,
  takesIdempotencyKey,
} from './operation.ts'
import { createOperationFinder, type FindOperation, type PreparedOperation } from './prepared-operation.ts'
import { publishStored } from './publish-stored.ts'
import { type CountedCall, countCall, createRateLimitProblem, watchFailures } from './rate-limit.ts'
import { setHeader } from './respond.ts'
import { type RenderedResponse, renderResult, toResponse, withEtag } from './response.ts'
import type { RouteGroup } from './routes.ts'
import { type RunningTask, readRunningTask } from './running-task.ts'
import { selectFields, takeSelectedFields } from './selected-fields.ts'
import { isSocketRequest } from './socket-request.ts'
import { readLastEventId } from './stream-ticket.ts'
import { trackTaskProgress } from './task-progress.ts'
import type { ReadResult, RequestInput } from './validate.ts'

const prefix = '/api/v1'

/**
 * The places of an account in this process: a burst of it waits here, before it takes a connection, memory or
 * processor time, so that the requests of other accounts come between. A call that takes longer than two
 * seconds holds its place no longer.
 */
const takePlace = sharePlaces({ running: 32, runningBesideOthers: 2, maxWaitMs: 10_000, maxHoldMs: 2000 })
/** Calls with a large body have two, one beside others, because each keeps the processor busy for tens of milliseconds. */
const takeLargePlace = sharePlaces({ running: 2, runningBesideOthers: 1, maxWaitMs: 30_000, maxHoldMs: 2000 })
/** A sign-in holds one for what comes before the password hasher, where it may wait for seconds. */
const takeSignInPlace = sharePlaces({ running: 8, maxWaitMs: 10_000, maxHoldMs: 30 })

interface OperationCall {
  c: C
  op: AnyOperation
  services: Services
  caller: Caller | null
  scope: Scope | null
  effects: (() => Promise<unknown>)[]
  /** The work that the request has stored. It is published after the response. */
  entries: OutboxEntry[]
  /** The stored request that a job runs with this call. */
  task: RunningTask | undefined
}

/** Add the routes of operations to the app, under /api/v1. */
export function mountOperations(
  app: Hono<Env>,
  groups: readonly RouteGroup[],
  services: Services,
  keys = createKeyMemory(),
): void {
  for (const group of groups) {
    const findOperation = createOperationFinder(group, keys)
    for (const [id, route] of Object.entries(group.routes)) {
      const [method = '', path = ''] = route.split(' ')
      app.on(method, toHonoPath(path), (c) => handleRequest(c, id, findOperation, services))
    }
  }
}

/** Return the path of an operation in Hono's form. A slash at its end does not count. */
const toHonoPath = (path: string): string => prefix + path.replace(/\{(\w+)\}/g, ':$1').replace(/\/$/, '')

async function handleRequest(
  c: C,
  id: string,
  findOperation: FindOperation,
  services: Services,
): Promise<Response> {
  c.set('operation', id)
  try {
    const prepared = await findOperation(id)
    const { op, keyScopes, keys } = prepared
    // Hono answers HEAD by the handler of GET, whose work would be for nobody.
    if (c.req.method === 'HEAD' && (op.produces || op.transport?.writes) && !op.transport?.answersHead)
      throw new Problem('method_not_allowed', undefined, { headers: { allow: 'GET' } })
    c.set('wantsPage', op.produces?.includes('text/html') === true && acceptsType(c, 'text/html'))
    const task = readRunningTask(c.env)
    const delegated = readDelegatedCaller(c.env)
    if (delegated?.scopes) requireScope(keyScopes, delegated.scopes)
    const knownCaller = task?.caller ?? (delegated && toKnownCaller(delegated))
    const caller = knownCaller ?? (requiresToken(op) ? await authenticate(c, op, keys, services) : null)
    if (knownCaller) c.set('caller', knownCaller)
    const entries: OutboxEntry[] = []
    const database = isStaffOperation(op) ? services.platform : services.runtime
    const options = caller && { ...buildScopeOptions(op, caller, c, services), keyScopes }
    const scope = options && openScope(database, options, (entry) => entries.push(entry))
    const budget = createBudget({ steps: getMaxSteps(op) })
    c.set('budget', budget)
    // Anybody can write a key with the ids of another one, so a key is checked before it counts for its
    // account. The check costs a round trip, once per process.
    if (!knownCaller && caller?.key && !keys.isKnown(caller.key.hash))
      await scope?.checkAccess().finally(() => recordKeyUse(c, caller, scope, keys, services))
    const call: OperationCall = { c, op, services, caller, scope, effects: [], entries, task }
    // A client that sends slowly holds no place. What is wrong with its body is answered in its turn.
    const receiving = op.method === 'get' || isLarge(c.req.raw) ? undefined : receiveBody(op, c.req.raw)
    await receiving?.catch(() => {})
    const leave = await takePlaceFor(call)
    return await runWithin(budget, () => answerCall(call, prepared, receiving)).finally(leave)
  } catch (error) {
    return respondProblem(c, toProblem(error), error)
  }
}

const toKnownCaller = ({ caller, scopes }: DelegatedCaller): Caller =>
  scopes ? { ...caller, scopes } : caller

/**
 * Take a place of the call's account, or of everybody without a sign-in. Streams, which stay open for hours,
 * take none, nor do tasks, which have a job each, and calls that wait for another service.
 */
async function takePlaceFor({ c, op, caller, task }: OperationCall): Promise<(() => void) | undefined> {
  const { acceptsSocket, acceptsTicket } = op.transport ?? {}
  const waitsForOthers = op.background || op.callsExternalService || op.strictLimit === 'ai'
  if (task || acceptsSocket || acceptsTicket || waitsForOthers) return undefined
  if (caller === null && op.strictLimit === 'sign_in') return takeSignInPlace('sign_in')
  const take = isLarge(c.req.raw) ? takeLargePlace : takePlace
  return take(caller?.accountId ?? 'public')
}

/** Read, limit and perform a call, within its budget. */
async function answerCall(
  call: OperationCall,
  { rate, siteRate, failureRate, readInput, keys }: PreparedOperation,
  receiving: Promise<BodyBytes> | undefined,
): Promise<Response> {
  const { c, op, services, caller, scope, entries, task } = call
  if (services.takeTurn && isLarge(c.req.raw)) await services.takeTurn()
  const reading = await readInput(c, receiving)
  const isValid = reading.input !== undefined
  const isStrict = op.strictLimit !== undefined
  // A task was counted when it was accepted.
  const limiting =
    rate && !task
      ? countCall(services.limiter, getRateKey(op, rate, caller, c), rate, { isValid, isStrict })
      : null
  if (siteRate) {
    const siteCall = await countCall(services.limiter, `${op.id}:site:${toSite(c.get('ip'))}`, siteRate, {
      isValid,
      isStrict,
    })
    if (!siteCall.result.allowed) throw createRateLimitProblem(siteCall.rate, siteCall.result)
  }
  const failures =
    failureRate &&
    (await watchFailures(services.limiter, getRateKey(op, failureRate, caller, c), failureRate))
  const response = await performCall(call, reading, limiting)
    .catch(
      (error: unknown) => failures?.countFailure(error, toProblem(error).status) ?? Promise.reject(error),
    )
    .finally(() => recordKeyUse(c, caller, scope, keys, services))
  // A guess that was right among too many wrong ones of the same moment tells nothing.
  await failures?.requireRoom()
  if (call.effects.length + entries.length > 0) c.executionCtx.waitUntil(runEffects(call))
  return toResponse(
    c,
    op,
    await withEtag(op, toEvents(c, op, response)),
    services.ports.config.PUBLIC_BASE_URL,
  )
}

// Parsing a body of this size takes a few milliseconds.
const largeBytes = 32 * 1024

/** Return whether a request has a large body, or one whose size it does not say. */
function isLarge({ headers }: Request): boolean {
  return Number(headers.get('content-length')) > largeBytes || headers.has('transfer-encoding')
}

async function performCall(
  call: OperationCall,
  reading: ReadResult,
  limiting: Promise<CountedCall> | null,
): Promise<RenderedResponse> {
  const { c, op } = call
  if (op.method === 'get' && !op.transport?.writes && !op.callsExternalService && reading.input) {
    // A read runs in parallel with the limiter's call, and its result is dropped when over the limit. A write
    // waits for the limiter.
    const [limit, result] = await Promise.all([limiting, toOutcome(callHandler(call, reading.input))])
    // An ended sign-in (401) is answered before the limit, every other failure after it.
    if (!result.ok && toProblem(result.error).status === 401) throw result.error
    enforceLimit(c, limit)
    if (!result.ok) throw result.error
    return result.value
  }
  enforceLimit(c, await limiting)
  const missing = findMissingProvider(op, call.services.ports)
  if (missing) {
    await call.scope?.checkAccess()
    throw new Problem(missing)
  }
  return reading.input ? invokeIdempotent(call, reading.input) : rejectInvalidRequest(call, reading)
}

type Outcome<T> = { ok: true; value: T } | { ok: false; error: unknown }
function toOutcome<T>(promise: Promise<T>): Promise<Outcome<T>> {
  return promise.then(
    (value) => ({ ok: true as const, value }),
    (error: unknown) => ({ ok: false as const, error }),
  )
}

function buildScopeOptions(op: AnyOperation, caller: Caller, c: C, { ports }: Services): ScopeOptions {
  return {
    caller,
    access: op.access,
    skipGuards: op.skipGuards ?? 'none',
    needsVerified: needsVerifiedAddress(op),
    ip: c.get('ip'),
    readOnly: op.method === 'get',
    feature: op.feature,
    stepUp: op.stepUp,
    superAdminMfa: ports.config.SUPER_ADMIN_MFA,
  }
}

function getRateKey(op: AnyOperation, rate: ParsedRate, caller: Caller | null, c: C): string {
  if (rate.perAddress || !caller) return `${op.id}:${toAddressBlock(c.get('ip'))}`
  return `${op.id}:${getCallerRateKey(caller)}`
}

function enforceLimit(c: C, counted: CountedCall | null): void {
  if (!counted) return
  const { rate, result } = counted
  setHeader(c, 'ratelimit-limit', String(result.limit))
  setHeader(c, 'ratelimit-remaining', String(result.remaining))
  setHeader(c, 'ratelimit-reset', String(result.resetSeconds))
  if (result.allowed) return
  record('rateLimited', { operation: c.get('operation') })
  throw createRateLimitProblem(rate, result)
}

/**
 * Reject an invalid request. Role and guards are checked first, so a caller without access learns nothing
 * about the shape.
 */
async function rejectInvalidRequest(
  { c, op, scope, services }: OperationCall,
  { problem, rawBody }: ReadResult,
): Promise<RenderedResponse> {
  await scope?.checkAccess()
  const key = takesIdempotencyKey(op) && problem?.status === 422 ? readIdempotencyKey(c.req.raw) : null
  if (!key || !scope) throw problem
  const requestKey = { operation: op.id, key, request: await hashRequest(c.req.url, rawBody) }
  return runIdempotent({ scope, vault: services.ports.vault }, requestKey, () => Promise.reject(problem))
}

async function invokeIdempotent(call: OperationCall, input: RequestInput): Promise<RenderedResponse> {
  const { c, op, scope } = call
  const key = takesIdempotencyKey(op) ? readIdempotencyKey(c.req.raw) : null
  const accept = op.background && !call.task && prefersAsync(c.req.raw)
  if (!key || !scope)
    return accept && scope
      ? scope.transaction((db) => acceptTask(db, toStoredRequest(call, input)))
      : callHandler(call, input)
  const requestKey = { operation: op.id, key, request: await hashRequest(c.req.url, input.rawBody) }
  const idempotency = { scope, vault: call.services.ports.vault }
  if (accept)
    return runIdempotent(idempotency, requestKey, (db) => acceptTask(db, toStoredRequest(call, input)))
  if (op.idempotent === 'leased')
    return runIdempotentWithLease(idempotency, requestKey, c, (work) => callHandler(call, input, { work }))
  return runIdempotent(idempotency, requestKey, (db) => callHandler(call, input, { db }))
}

function toStoredRequest({ c, op, caller }: OperationCall, { rawBody }: RequestInput) {
  return { c, op, caller: caller as Caller, rawBody: String(rawBody) }
}

const acceptsType = (c: C, type: string) => prefersType(c.req.header('accept') ?? '', type)
const wantsEvents = (c: C) => acceptsType(c, 'text/event-stream')

/**
 * Turn an answer that was stored before into the last event of its stream, for a client that asks for events.
 */
function toEvents(c: C, op: AnyOperation, rendered: RenderedResponse): RenderedResponse {
  const isStored = op.events !== undefined && rendered.status === op.success && rendered.body !== ''
  if (!isStored || !wantsEvents(c)) return rendered
  return {
    ...rendered,
    content: new Content(`event: message\ndata: ${rendered.body}\n\n`, 'text/event-stream'),
  }
}

async function callHandler(
  call: OperationCall,
  input: RequestInput,
  { db, work }: { db?: WriteDb; work?: LeasedWork } = {},
): Promise<RenderedResponse> {
  const { c, op, services, caller, scope } = call
  const workId = call.task?.id ?? work?.id ?? uuidv7()
  const progress = op.background && caller ? trackTaskProgress(call, caller, workId) : undefined
  if (call.task) progress?.show()
  const ctx = {
    ...services.ports,
    requestId: c.get('requestId'),
    workId,
    isRepeat: call.task !== undefined || work?.isRepeat === true,
    ip: c.get('ip'),
    userAgent: (c.req.header('user-agent') ?? '').slice(0, 300),
    wantsEvents: wantsEvents(c),
    wantsSocket: op.transport?.acceptsSocket === true && isSocketRequest(c.req.raw),
    lastEventId: readLastEventId(c.req.raw).id,
    reconnectSecret: c.get('reconnectSecret'),
    signal: c.req.raw.signal,
    afterCommit: (effect: () => Promise<unknown>) => void call.effects.push(effect),
    log: (line: Record<string, unknown>) =>
      services.log({ at: new Date().toISOString(), request_id: c.get('requestId'), ...line }),
    ...(scope ? { caller } : {}),
    ...(scope && !isStaffOperation(op) ? { db: db ?? scope.db } : {}),
    ...(op.access === 'signed' ? { callAs: createCallAs(c, services) } : {}),
    ...(progress ? { modelCalls: progress } : {}),
    ...openPlatform(call, db),
  }
  // The platform connection does not check the caller, so app.enter runs first. For staff it runs with every
  // statement.
  if (op.platform && !isStaffOperation(op)) await scope?.checkAccess()
  if (op.alsoNeeds && caller && scope) await requireGranted({ caller, db: db ?? scope.db }, op.alsoNeeds)
  const { selected, query } = takeSelectedFields(input.query)
  const handling = op.handle({ ctx, params: input.params, query, body: input.body })
  if (progress && scope && !call.task)
    storeUnlessAnswered(toStoredRequest(call, input), { scope, id: workId, progress }, toAnswer(op, handling))
  const result = await toOutcome(handling)
  // A handler that ran no statement has not checked the caller yet. Nothing is answered before app.enter
  // admits them.
  if (scope && !scope.isAdmitted && (result.ok || result.error instanceof Problem)) await scope.checkAccess()
  if (!result.ok) {
    if (services.ports.config.CHECK_RESPONSES) requireDeclared(op, toProblem(result.error))
    throw result.error
  }
  const whole = renderResult(op, result.value, services.ports.config.CHECK_RESPONSES)
  const rendered = selected ? { ...whole, body: selectFields(whole.body, selected) } : whole
  const isStream =
    work !== undefined && result.value instanceof Content && result.value.completed !== undefined
  return isStream ? { ...rendered, completed: toAnswer(op, handling) } : rendered
}

/** Return the answer of a handler. For a stream, wait until its last event was sent. */
async function toAnswer(op: AnyOperation, handled: Promise<unknown>): Promise<RenderedResponse> {
  const result = await handled
  return renderResult(
    op,
    result instanceof Content && result.completed ? await result.completed : result,
    false,
  )
}

/**
 * Throw when an error is not declared, because it is missing from the API document. Used in development and
 * tests.
 */
function requireDeclared(op: AnyOperation, { kind }: Problem): void {
  if (kind !== 'internal' && !listFailures(op).includes(kind) && !keyFailures.includes(kind))
    throw new TypeError(`${op.id} does not declare the error ${kind}`)
}

function openPlatform({ op, services, scope, entries }: OperationCall, db: WriteDb | undefined) {
  if (isStaffOperation(op)) return { platform: db ?? scope?.db }
  return {
    callFunction: scope ? (...call: EnteringCall) => scope.callFunction(...call) : undefined,
    platform: op.platform
      ? openPlatformDb(services.platform, op.platform, (entry) => entries.push(entry))
      : undefined,
  }
}

/**
 * Publish the stored work and run the effects after the commit. A failure is only logged: the sweep finds the
 * stored work.
 */
async function runEffects({ c, effects, entries, services }: OperationCall): Promise<void> {
  // An effect may store work too, which is published after it.
  const publish = async () => {
    if (entries.length === 0) return
    await publishStored(services, entries.splice(0))
  }
  for (const effect of [publish, ...effects.flatMap((run) => [run, publish])]) {
    await effect().catch((error: unknown) =>
      services.log({
        at: new Date().toISOString(),
        request_id: c.get('requestId'),
        effect_failed: String(error instanceof Error ? error.name : error),
      }),
    )
  }
}
