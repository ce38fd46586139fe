import type * as z from 'zod'
import type { EnteringCall } from '#db/call-function.ts'
import type { NextPage, Page, PageQuery } from '#db/page.ts'
import type { Access, Caller, PlatformDb, ReadDb, SkippedGuards, StaffDb, WriteDb } from '#db/scope.ts'
import type { ProblemKind } from '#problem.ts'
import { jobSteps, requestSteps } from '#rules/budget.ts'
import type { Feature } from '#rules/features.ts'
import type { ModelCalls } from '#vendors/ai/ask.ts'
import type { Limit } from '#vendors/cache/limiter.ts'
import type { RawBody } from '#vendors/net/raw-body.ts'
import type { Ports } from '#vendors/ports.ts'
import type { CallAs } from './call-as.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
/**
 * Who may call: a signed-in user with this access, anyone (`public`), or a vendor whose signature is checked
 * (`signed`).
 */
export type OperationAccess = Access | 'public' | 'signed'

/** What every operation gets, signed in or not. */
export interface BaseContext extends Ports {
  requestId: string
  /**
   * The id of this work: of the row that a leased operation stores, and of the task that stores a
   * `background` request if it takes long or its client disconnects. A call that repeats the work has the
   * same.
   */
  workId: string
  /** Whether an earlier call with this `workId` may have stored a part of the work. */
  isRepeat: boolean
  /** Of a `background` operation: counts the calls to the model, which are the progress of its task. */
  modelCalls?: ModelCalls
  /** The client's address. */
  ip: string
  userAgent: string
  /** Whether the client asks for server-sent events instead of JSON. */
  wantsEvents: boolean
  /** Whether the client asks for a WebSocket, and the operation accepts them. */
  wantsSocket: boolean
  /** The `Last-Event-ID` header: the last event that the client received on an earlier stream. */
  lastEventId: string | null
  /** Of a stream that a ticket opens: the secret that the id of every event must end with, after a dot. */
  reconnectSecret: string | undefined
  /** Aborted when the client disconnects. */
  signal: AbortSignal
  /**
   * Run an effect after the commit and the response. A crash can lose it, so store anything that must not be
   * lost as a row too.
   */
  afterCommit(effect: () => Promise<unknown>): void
  /** Write a log line beside the request's own. Never pass what the client sent. */
  log(line: Record<string, unknown>): void
}

/**
 * Call a SQL function that runs `app.enter` itself, so that one statement does both. Return its row, or
 * undefined.
 */
export type CallFunction = <Row>(...call: EnteringCall) => Promise<Row | undefined>

type TenantContext<M extends Method> = {
  caller: Caller
  db: M extends 'get' ? ReadDb : WriteDb
  callFunction: CallFunction
}
type PlatformAccess<F> = F extends string ? { platform: PlatformDb } : unknown
type StaffContext = { caller: Caller; platform: StaffDb }
/**
 * The context of an operation, by its method, access and `platform` reason. Public and signed operations get
 * no tenant. A GET gets a database that cannot write. Only an operation that states a reason gets the
 * `platform` connection. A super admin's operation with a reason gets that connection alone: it acts on every
 * account, so none is its own.
 */
export type Context<M extends Method, A extends OperationAccess, F> = BaseContext &
  (A extends 'public' | 'signed'
    ? PlatformAccess<F> & (A extends 'signed' ? { callAs: CallAs } : unknown)
    : [A, F] extends ['super_admin', string]
      ? StaffContext
      : TenantContext<M> & PlatformAccess<F>)
export type ReadContext = Context<'get', 'user', undefined>
export type WriteContext = Context<'post', 'user', undefined>

/** A result that the database has already written as JSON. */
export class JsonText {
  readonly text: string
  readonly next: NextPage | null
  constructor(text: string, next: NextPage | null = null) {
    this.text = text
    this.next = next
  }
}

/**
 * The result of a stream operation: events or a download. Content with an `etag` never changes, so the client
 * may cache it.
 */
export class Content {
  readonly body: ReadableStream | Uint8Array | string
  readonly type: string
  readonly filename: string | undefined
  readonly etag: string | undefined
  /** Whether a browser may submit the forms of the content, to this service only. */
  readonly allowsForms: boolean
  /**
   * Resolves when the last event of a stream was sent, to the answer that a client without a stream would
   * get.
   */
  completed: Promise<unknown> | undefined
  constructor(
    body: ReadableStream | Uint8Array | string,
    type: string,
    filename?: string,
    etag?: string,
    allowsForms = false,
  ) {
    this.body = body
    this.type = type
    this.filename = filename
    this.etag = etag
    this.allowsForms = allowsForms
  }

  /** Create the page that a link of a message opens. */
  static page(html: string): Content {
    return new Content(html, 'text/html; charset=utf-8', undefined, undefined, true)
  }
}

/** Answers 101: the connection becomes a WebSocket. */
export class SocketUpgrade {
  /** Create the platform's response with these headers. */
  readonly createResponse: (headers: Record<string, string>) => Response
  constructor(createResponse: SocketUpgrade['createResponse']) {
    this.createResponse = createResponse
  }
}

/** Wraps a row that already existed and was not created: the status is 200 instead of 201. */
export class Existing<T> {
  readonly value: T
  constructor(value: T) {
    this.value = value
  }
}

/** Answers 307: the client repeats its request at `location`. */
export class Redirect {
  readonly location: string
  constructor(location: string) {
    this.location = location
  }
}

/** The `file` of a form. `name` and `type` are the sender's claims and prove nothing. */
export interface FormFile {
  bytes: Uint8Array<ArrayBuffer>
  name: string
  type: string
}
/** Why the limit of an operation is halved while Redis does not answer. */
export type StrictLimit = 'sign_in' | 'mail' | 'payment' | 'ai' | 'public'
/** A body that is not JSON alone. An operation that takes a form's `file` may accept a JSON body as well. */
export type BodyFormat = 'file' | 'raw'

/** The data of server-sent events, by the event's name. */
export type EventSchemas = Readonly<Record<string, z.ZodType>>
/** What a handler sends as the data of each event. */
export type EventData<Schemas extends EventSchemas> = { [Name in keyof Schemas]: z.input<Schemas[Name]> }

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined
type BodyOf<B, T> = T extends 'raw'
  ? RawBody
  : T extends 'file'
    ? FormFile | (B extends z.ZodType ? z.output<B> : never)
    : Parsed<B>
type Query<Q, Paged> = Paged extends true
  ? (Q extends z.ZodType ? z.output<Q> : unknown) & PageQuery
  : Parsed<Q>
// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a result returns nothing
type NoResult = void
type Result<R, Paged> =
  R extends z.ZodArray<infer Item>
    ? Paged extends true
      ? Page<z.input<Item>>
      : z.input<R>
    : R extends z.ZodType
      ? z.input<R>
      : NoResult

/** The status of a success, unless the declaration says another. */
type ImpliedSuccess<M extends Method> = M extends 'post' ? 201 : M extends 'delete' ? 204 : 200
const impliedSuccess: { [M in Method]: ImpliedSuccess<M> } = {
  get: 200,
  post: 201,
  put: 200,
  patch: 200,
  delete: 204,
}
type SuccessStatus = 200 | 201 | 202 | 204 | 307

/** What only a few operations need of HTTP. */
export interface TransportOptions {
  /** A second limit by address: per /48 network of IPv6, of which one customer may have 65,536 smaller ones. */
  siteLimit?: Limit
  /**
   * Counts only failures against the limit, so that an office behind one address can sign in at 8:00. All calls
   * of an address together have the limit `public`.
   */
  countsFailures?: true
  /** Marks a GET that writes, so that it waits for the rate limiter. */
  writes?: true
  /** Nesting levels of a JSON body; 32 by default. */
  maxDepth?: number
  /** Marks a GET that also accepts a WebSocket, whose token may be in `Sec-WebSocket-Protocol`. */
  acceptsSocket?: true
  /** Marks a GET of server-sent events that an EventSource may open with the `ticket` in its query. */
  acceptsTicket?: true
  /** Seconds for which any cache may serve this public answer. It carries an ETag. */
  maxAgeSeconds?: number
  /** A stream whose content carries an ETag. */
  hasEtag?: true
  /** Marks a document that also answers HEAD, with which programs look whether it is there. */
  answersHead?: true
}

/** What a declaration says of an operation besides its route and its success. */
interface OperationOptions<
  M extends Method,
  A extends OperationAccess,
  F extends string | undefined,
  P extends z.ZodObject | undefined,
  Q extends z.ZodObject | undefined,
  B extends z.ZodType | undefined,
  R extends z.ZodType | undefined,
  G extends true | undefined,
  T extends BodyFormat | undefined,
> {
  /**
   * The folder path in dots and a verb, as in `flows.versions.list`. It is the OpenAPI operationId and the
   * rate limit's key.
   */
  id: `${string}.${string}`
  /** Imperative, at most 8 words. */
  summary: string
  description?: string
  access: A
  limit: Limit
  /**
   * What a caller without a limit could abuse: signing in, sending mail, spending money at a vendor, or work
   * without a sign-in. While Redis does not answer, each process counts the calls of such an operation
   * against half its limit, and those of the others against the whole.
   */
  strictLimit?: StrictLimit
  /** Guards that do not stop this operation. */
  skipGuards?: SkippedGuards
  /**
   * Answers 403 `step_up_required` to a caller with a second factor that was not verified in the last 10
   * minutes.
   */
  stepUp?: A extends 'public' ? undefined : true
  /**
   * Answers 403 `closed_to_keys` to every API key. Without it, `getKeyScope` derives whether keys may call,
   * and with which scope.
   */
  closedToKeys?: true
  /**
   * Scopes that a program needs besides, because the operation reads or writes resources of other subjects.
   */
  alsoNeeds?: readonly string[]
  /** Answers 403 `feature_disabled` where this feature is switched off for the caller's account. */
  feature?: A extends 'public' ? undefined : Feature
  /** Why the operation needs the `platform` connection. Without a reason, the operation does not get it. */
  platform?: F
  params?: P
  query?: Q
  body?: B
  /** A body that is not JSON: a form with one `file`, or `raw` bytes that the operation checks itself. */
  bodyFormat?: T
  /** In bytes; 1 MiB by default, and 16 KiB for a public operation, which anybody can call. */
  maxBody?: number
  /**
   * Steps of work that the operation may cause; 0.25 s by default, 1 s in the background and with the answers of
   * an external service.
   */
  maxSteps?: number
  /** Takes skip and limit, and answers with a Link to the next page. */
  paged?: G
  returns?: R
  /** Failures beyond those that access, limit and the request's shape imply. */
  errors?: readonly ProblemKind[]
  /**
   * A signed-in user's POST takes an `Idempotency-Key` unless this is false. `leased`: it waits for an
   * external service, so no transaction stays open. A second call with the same `ctx.workId` must store
   * nothing twice.
   */
  idempotent?: false | 'leased'
  /**
   * Marks a POST that may take long. It becomes a task for `Prefer: respond-async`, after two seconds, and
   * when the client disconnects.
   */
  background?: true
  /**
   * Marks an operation that calls an external service, or another operation: it takes no place of its account.
   * A GET also waits for the rate limiter, unlike other reads.
   */
  callsExternalService?: true
  /** Media types of a stream's content. */
  produces?: readonly string[]
  /** The data of its server-sent events, by the event's name. */
  events?: EventSchemas
  /** Creates a row unless it exists; answers 200 with an existing one besides 201. */
  getOrCreate?: true
  transport?: TransportOptions
  handle(input: {
    ctx: Context<M, A, F>
    params: Parsed<P>
    query: Query<Q, G>
    body: BodyOf<B, T>
  }): Promise<Result<R, G> | Existing<Result<R, G>> | JsonText | Content | SocketUpgrade>
}

/** An operation as routing, validation, limits, the OpenAPI document and the contract tests read it. */
export interface Operation<
  M extends Method = Method,
  A extends OperationAccess = OperationAccess,
  F extends string | undefined = string | undefined,
  P extends z.ZodObject | undefined = z.ZodObject | undefined,
  Q extends z.ZodObject | undefined = z.ZodObject | undefined,
  B extends z.ZodType | undefined = z.ZodType | undefined,
  R extends z.ZodType | undefined = z.ZodType | undefined,
  G extends true | undefined = true | undefined,
  T extends BodyFormat | undefined = BodyFormat | undefined,
> extends OperationOptions<M, A, F, P, Q, B, R, G, T> {
  method: M
  path: `/${string}`
  success: SuccessStatus
}

// Handlers are contravariant in their input, so a list of mixed operations needs `any`.
// biome-ignore lint/suspicious/noExplicitAny: the one place operation types are erased
export type AnyOperation = Operation<any, any, any, any, any, any, any, any, any>

/** The method of an operation and its path below /api/v1, as in `GET /trees/{tree_id}`. */
export type Route = `${Uppercase<Method>} /${string}`
type MethodOf<S extends Route> = S extends `${infer M} ${string}` ? Lowercase<M> & Method : never

/** What a group writes of an operation. Everything else is derived. */
interface Declaration<
  S extends Route,
  A extends OperationAccess,
  F extends string | undefined,
  P extends z.ZodObject | undefined,
  Q extends z.ZodObject | undefined,
  B extends z.ZodType | undefined,
  R extends z.ZodType | undefined,
  G extends true | undefined,
  T extends BodyFormat | undefined,
> extends OperationOptions<MethodOf<S>, A, F, P, Q, B, R, G, T> {
  route: S
  /** The status of a success, where it is not what the method implies: 201 of POST, 204 of DELETE, else 200. */
  success?: Exclude<SuccessStatus, ImpliedSuccess<MethodOf<S>>>
}

/** Declare an operation whose answer is JSON. */
export function operation<
  const S extends Route,
  A extends OperationAccess,
  const F extends string | undefined = undefined,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  R extends z.ZodType | undefined = undefined,
  const G extends true | undefined = undefined,
  const T extends BodyFormat | undefined = undefined,
>({
  route,
  success,
  ...options
}: Declaration<S, A, F, P, Q, B, R, G, T>): Operation<MethodOf<S>, A, F, P, Q, B, R, G, T> {
  const { method, path } = parseRoute(route)
  return { ...options, method, path, success: success ?? impliedSuccess[method] }
}

function parseRoute<S extends Route>(route: S): { method: MethodOf<S>; path: `/${string}` } {
  const space = route.indexOf(' ')
  return {
    method: route.slice(0, space).toLowerCase() as MethodOf<S>,
    path: route.slice(space + 1) as `/${string}`,
  }
}

type StreamDeclaration<
  S extends Route,
  A extends OperationAccess,
  F extends string | undefined,
  P extends z.ZodObject | undefined,
  Q extends z.ZodObject | undefined,
  B extends z.ZodType | undefined,
> = Omit<
  Declaration<S, A, F, P, Q, B, z.ZodType | undefined, undefined, undefined>,
  'handle' | 'paged' | 'success' | 'idempotent' | 'produces'
> & {
  produces: readonly [string, ...string[]]
  handle(input: {
    ctx: Context<MethodOf<S>, A, F>
    params: Parsed<P>
    query: Parsed<Q>
    body: Parsed<B>
  }): Promise<Content | SocketUpgrade>
}

/** Declare an operation whose answer is not JSON: server-sent events or a download. */
export function stream<
  const S extends Route,
  A extends OperationAccess,
  const F extends string | undefined = undefined,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>({ route, ...options }: StreamDeclaration<S, A, F, P, Q, B>): AnyOperation {
  return { ...options, ...parseRoute(route), success: 200, idempotent: false } as AnyOperation
}

/** Declare an operation that redirects to another address. Its request is not validated. */
export function redirect({
  route,
  ...options
}: Pick<AnyOperation, 'id' | 'summary' | 'description' | 'access' | 'limit' | 'strictLimit'> & {
  route: Route
  handle(input: { ctx: BaseContext }): Promise<Redirect>
}): AnyOperation {
  return { ...options, ...parseRoute(route), success: 307, idempotent: false }
}

/** Return whether the operation runs on the `platform` connection, in the scope of a super admin. */
export function isStaffOperation(op: AnyOperation): boolean {
  return op.access === 'super_admin' && op.platform !== undefined
}

/**
 * The groups whose writes spend money at the AI provider, or prepare it. A handoff asks no model itself, and
 * may be urgent.
 */
const aiGroups = /^(ai\.(turns|fixes|triage|outputs|sessions)|authoring|scripts\.builder|diagrams\.drafts)\./

/**
 * Return whether the caller must have verified their address, because accounts cost nothing and each call to
 * the model does.
 */
export function needsVerifiedAddress(op: AnyOperation): boolean {
  return op.strictLimit === 'ai' || (op.method !== 'get' && aiGroups.test(op.id))
}

/** Return whether the operation needs an access token. */
export function requiresToken(op: AnyOperation): boolean {
  return op.access !== 'public' && op.access !== 'signed'
}

const megabyte = 1024 * 1024
const maxPublicBody = 16 * 1024

/** Return the bytes that a body of the operation may have. */
export function getMaxBody(op: AnyOperation): number {
  return op.maxBody ?? (op.access === 'public' ? maxPublicBody : megabyte)
}

/** Return the steps of work that a call of the operation may cause. */
export function getMaxSteps(op: AnyOperation): number {
  return op.maxSteps ?? (op.background || op.callsExternalService ? jobSteps : requestSteps)
}

/** Return whether the operation stores its first response under the caller's Idempotency-Key. */
export function takesIdempotencyKey(op: AnyOperation): boolean {
  return op.method === 'post' && requiresToken(op) && op.idempotent !== false
}

/**
 * Return the failure of an operation whose provider is missing. It is answered before the operation stores
 * anything.
 */
export function findMissingProvider(
  { errors = [] }: AnyOperation,
  { ai, mail, webPush }: Pick<Ports, 'ai' | 'mail' | 'webPush'>,
): ProblemKind | undefined {
  if (errors.includes('ai_provider_error') && !ai.isConfigured) return 'ai_not_configured'
  if (errors.includes('web_push_not_configured') && !webPush.isConfigured) return 'web_push_not_configured'
  return errors.includes('mail_not_configured') && !mail.isConfigured ? 'mail_not_configured' : undefined
}

/** Return every failure the operation may answer with. The OpenAPI document and the tests read this list. */
export function listFailures(op: AnyOperation): ProblemKind[] {
  const failures = new Set<ProblemKind>(op.errors)
  failures.add('internal').add('unavailable')
  if (op.limit !== 'none' || requiresToken(op)) failures.add('rate_limited')
  if (op.access === 'signed') failures.add('invalid_signature')
  if (op.params) failures.add('not_found')
  if (op.method !== 'get') failures.add('too_large').add('unsupported_media')
  failures.add('invalid')
  if (requiresToken(op)) {
    failures.add('unauthenticated')
    const skippedGuards = op.skipGuards ?? 'none'
    if (op.access !== 'user') failures.add('forbidden')
    if (skippedGuards !== 'all') failures.add('password_change_required')
    if (skippedGuards === 'none') failures.add('email_not_verified').add('subscription_lapsed')
    if (skippedGuards === 'none' || skippedGuards === 'account') failures.add('mfa_setup_required')
    if (op.stepUp) failures.add('step_up_required')
    if (op.feature) failures.add('feature_disabled')
  }
  if (failures.has('ai_provider_error')) failures.add('ai_not_configured')
  if (op.background) failures.add('limit_reached')
  if (takesIdempotencyKey(op)) failures.add('idempotency_key_in_use')
  return [...failures]
}
