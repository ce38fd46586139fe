import type { z } from 'zod'
import type { Limit } from '../cache/limiter.ts'
import type { Page, PageQuery } from '../db/page.ts'
import type { Access, Caller, Past, PlatformDb, ReadDb, StaffDb, WriteDb } from '../db/scope.ts'
import type { Feature } from '../features.ts'
import type { RawBody } from '../net/raw-body.ts'
import type { Ports } from '../ports.ts'
import type { ProblemKind } from '../problem.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
/** Who may call: somebody signed in, `public`, or `signed`: the sender of a body that a vendor's signature vouches for. */
export type Entry = Access | 'public' | 'signed'

export interface Base extends Ports {
  requestId: string
  /** The client's address. */
  ip: string
  userAgent: string
  /** Whether the caller asks for server-sent events instead of JSON. */
  wantsEvents: boolean
  /** The last event that the caller heard on an earlier stream, as it says. */
  lastEventId: string | null
  /** Aborted when the caller leaves. */
  signal: AbortSignal
  /** Runs once the answer's transaction has held, after the answer; what must not be lost is a row as well. */
  after(effect: () => Promise<unknown>): void
  /** A line in the log, beside the request's own; never what a caller sent. */
  log(line: Record<string, unknown>): void
}
type Tenant<M extends Method> = { caller: Caller; db: M extends 'get' ? ReadDb : WriteDb; entering: Entering }
/** Calls a SQL function that enters by itself, so that entering and answering are one statement; its row, or undefined. */
export type Entering = <Row>(name: `app.${string}`, ...rest: (string | number)[]) => Promise<Row | undefined>
type Door<F> = F extends string ? { platform: PlatformDb } : unknown
type Staff = { caller: Caller; platform: StaffDb }
/**
 * Public and signed operations get no tenant, GETs a database that cannot write, and the platform's door only who names a reason. A super
 * admin's operation that does has that door alone, entered as its caller: no account is its own.
 */
export type Context<M extends Method, A extends Entry, F> = Base &
  (A extends 'public' | 'signed' ? Door<F> : [A, F] extends ['super_admin', string] ? Staff : Tenant<M> & Door<F>)
export type Reader = Context<'get', 'user', undefined>
export type Writer = Context<'post', 'user', undefined>

/** An answer that the database already wrote as JSON. */
export class JsonText {
  readonly text: string
  readonly more: boolean
  constructor(text: string, more = false) {
    this.text = text
    this.more = more
  }
}

/** What a stream operation answers: events, a download. With an `etag` it never changes, and the caller's own cache may keep it. */
export class Content {
  readonly body: ReadableStream | Uint8Array | string
  readonly type: string
  readonly filename: string | undefined
  readonly etag: string | undefined
  constructor(body: ReadableStream | Uint8Array | string, type: string, filename?: string, etag?: string) {
    this.body = body
    this.type = type
    this.filename = filename
    this.etag = etag
  }
}

/** What was to be made and was there already: answered with 200 instead of 201. */
export class Existing<T> {
  readonly value: T
  constructor(value: T) {
    this.value = value
  }
}

/** Answers 307: the same request is meant for another place. */
export class Redirect {
  readonly location: string
  constructor(location: string) {
    this.location = location
  }
}

/** The `file` of a form: its bytes, and what its sender calls it, which proves nothing. */
export interface FormFile {
  bytes: Uint8Array<ArrayBuffer>
  name: string
  type: string
}
/** What an operation takes where a body is not JSON alone; a form's `file` may stand beside a JSON body of the same operation. */
export type Taken = 'file' | 'raw'

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined
type BodyOf<B, T> = T extends 'raw' ? RawBody : T extends 'file' ? FormFile | (B extends z.ZodType ? z.output<B> : never) : Parsed<B>
type Query<Q, Paged> = Paged extends true ? (Q extends z.ZodType ? z.output<Q> : unknown) & PageQuery : Parsed<Q>
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers nothing returns nothing
type Nothing = void
type Result<R, Paged> =
  R extends z.ZodArray<infer Item> ? (Paged extends true ? Page<z.input<Item>> : z.input<R>) : R extends z.ZodType ? z.input<R> : Nothing

export interface Operation<
  M extends Method = Method,
  A extends Entry = Entry,
  F extends string | undefined = string | undefined,
  P extends z.ZodObject | undefined = z.ZodObject | undefined,
  Q extends z.ZodObject | undefined = z.ZodObject | undefined,
  B extends z.ZodType | undefined = z.ZodType | undefined,
  R extends z.ZodType | undefined = z.ZodType | undefined,
  G extends true | undefined = true | undefined,
  T extends Taken | undefined = Taken | undefined,
> {
  /** `group.verb`: the OpenAPI operationId and the rate limit's key. */
  id: `${string}.${string}`
  method: M
  path: `/${string}`
  summary: string
  description?: string
  access: A
  limit: Limit
  /** Guards that do not stop it. */
  past?: Past
  /** 403 `feature_disabled` where it is switched off for the caller's account. */
  feature?: A extends 'public' ? undefined : Feature
  /** Why it needs the platform's door; without a reason it has none. */
  platform?: F
  params?: P
  query?: Q
  body?: B
  /** Says of a GET that it writes all the same, so that it waits for the limit's verdict. */
  writes?: true
  /** A body that is not JSON: a form with one `file`, or `raw` bytes that the operation checks itself. */
  takes?: T
  /** Bytes; 1 MiB when not said. */
  maxBody?: number
  /** Levels of a JSON body; 32 when not said. */
  maxDepth?: number
  /** The query has skip and limit, the answer a Link to the next page. */
  paged?: G
  success: 200 | 201 | 202 | 204 | 307
  returns?: R
  /** Beyond those that access, limit and the request's shape imply. */
  errors?: readonly ProblemKind[]
  /** A signed-in user's POST takes an `Idempotency-Key`, unless this says false; `leased` when it waits for somebody outside. */
  idempotent?: false | 'leased'
  /** A GET that asks somebody outside: unlike other reads it waits until the limit allows it. */
  outward?: true
  /** Media types of a stream's content. */
  produces?: readonly string[]
  /** Of a public answer that is the same for everybody: how long any cache may give it, in seconds. It carries an ETag. */
  freshSeconds?: number
  /** It makes what is not there yet: 200 with what was there already, besides 201. */
  getOrCreate?: true
  /** A stream whose content carries an ETag: the caller may hold it already. */
  cached?: true
  handle(input: {
    ctx: Context<M, A, F>
    params: Parsed<P>
    query: Query<Q, G>
    body: BodyOf<B, T>
  }): Promise<Result<R, G> | Existing<Result<R, G>> | JsonText | Content>
}

// Handlers are contravariant in their input, so a list of mixed operations needs `any`.
// biome-ignore lint/suspicious/noExplicitAny: the one place operation types are erased
export type AnyOperation = Operation<any, any, any, any, any, any, any, any, any>

export function operation<
  M extends Method,
  A extends Entry,
  const F extends string | undefined = undefined,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  R extends z.ZodType | undefined = undefined,
  const G extends true | undefined = undefined,
  const T extends Taken | undefined = undefined,
>(definition: Operation<M, A, F, P, Q, B, R, G, T>): Operation<M, A, F, P, Q, B, R, G, T> {
  return definition
}

type StreamDefinition<
  M extends Method,
  A extends Entry,
  F extends string | undefined,
  P extends z.ZodObject | undefined,
  Q extends z.ZodObject | undefined,
  B extends z.ZodType | undefined,
> = Omit<Operation<M, A, F, P, Q, B>, 'handle' | 'paged' | 'success' | 'idempotent' | 'produces'> & {
  produces: readonly [string, ...string[]]
  handle(input: { ctx: Context<M, A, F>; params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> }): Promise<Content>
}

/** An operation's sibling whose answer is no JSON value: server-sent events, a download. */
export function stream<
  M extends Method,
  A extends Entry,
  const F extends string | undefined = undefined,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(definition: StreamDefinition<M, A, F, P, Q, B>): AnyOperation {
  return { ...definition, success: 200, idempotent: false } as AnyOperation
}

/** An operation's sibling that answers where else to ask. What it is sent is not looked at. */
export function redirect(
  definition: Pick<AnyOperation, 'id' | 'method' | 'path' | 'summary' | 'description' | 'access' | 'limit'> & {
    handle(input: { ctx: Base }): Promise<Redirect>
  },
): AnyOperation {
  return { ...definition, success: 307, idempotent: false }
}

/** Whether its scope is the platform's door, entered by staff. */
export function isStaff(op: AnyOperation): boolean {
  return op.access === 'super_admin' && op.platform !== undefined
}

/** Whether an operation is for people who are signed in. */
export function needsToken(op: AnyOperation): boolean {
  return op.access !== 'public' && op.access !== 'signed'
}

/** Whether an operation keeps its first answer under the caller's key. */
export function takesIdempotencyKey(op: AnyOperation): boolean {
  return op.method === 'post' && needsToken(op) && op.idempotent !== false
}

/** All failures an operation may answer with: OpenAPI and the tests read the same list. */
export function failuresOf(op: AnyOperation): ProblemKind[] {
  const failures = new Set<ProblemKind>(op.errors ?? [])
  failures.add('internal').add('unavailable')
  if (op.limit !== 'none' || needsToken(op)) failures.add('rate_limited')
  if (op.access === 'signed') failures.add('invalid_signature')
  if (op.params) failures.add('not_found')
  if (op.method !== 'get') failures.add('too_large').add('unsupported_media')
  failures.add('invalid')
  if (needsToken(op)) {
    failures.add('unauthenticated')
    const past = op.past ?? 'none'
    if (op.access !== 'user') failures.add('forbidden')
    if (past !== 'password') failures.add('password_change_required')
    if (past === 'none') failures.add('email_not_verified').add('subscription_lapsed')
    if (op.feature) failures.add('feature_disabled')
  }
  if (takesIdempotencyKey(op)) failures.add('conflict')
  return [...failures]
}
