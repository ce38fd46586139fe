import type { NextPage, Page } from '#db/page.ts'
import { fold } from '#rules/text/fold.ts'
import { createEtag } from '#vendors/auth/hash.ts'
import type { C } from './app.ts'
import { type AnyOperation, Content, Existing, JsonText, Redirect, SocketUpgrade } from './operation.ts'
import { type ResponseBody, respond, respondJson, setHeader } from './respond.ts'
import { selectProtocol } from './socket-request.ts'

/** A response before it is written: JSON text, a stream's content, a WebSocket, a redirect or nothing. */
export interface RenderedResponse {
  status: number
  body: string
  next?: NextPage | null
  content?: Content
  socket?: SocketUpgrade
  location?: string
  /** Whether it was stored for an earlier request with the same Idempotency-Key. */
  isReplay?: boolean
  /** The answer that a client without a stream would get, once the stream has ended. */
  completed?: Promise<RenderedResponse>
  /** The ETag of a body that any cache may store. */
  etag?: string
}

/** Add an ETag when the operation allows public caching. */
export async function withEtag(op: AnyOperation, answer: RenderedResponse): Promise<RenderedResponse> {
  if (!op.transport?.maxAgeSeconds) return answer
  return { ...answer, etag: await createEtag(answer.body) }
}

/**
 * Turn a handler's result into the declared response. `check` throws when the result does not match the
 * declared schema.
 */
export function renderResult(op: AnyOperation, result: unknown, check: boolean): RenderedResponse {
  if (result instanceof Existing) return { ...renderResult(op, result.value, check), status: 200 }
  if (result instanceof Content) return { status: op.success, body: '', content: result }
  if (result instanceof SocketUpgrade) return { status: 101, body: '', socket: result }
  if (result instanceof Redirect) return { status: op.success, body: '', location: result.location }
  if (!op.returns) return { status: op.success, body: '' }
  const page = op.paged && !(result instanceof JsonText) ? (result as Page<unknown>) : null
  const body = result instanceof JsonText ? result.text : JSON.stringify(page ? page.items : result)
  if (check) requireShape(op, body)
  return { status: op.success, body, next: result instanceof JsonText ? result.next : (page?.next ?? null) }
}

function requireShape(op: AnyOperation, body: string): void {
  const parsed = op.returns.safeParse(JSON.parse(body))
  if (parsed.success) return
  const where = parsed.error.issues.map(
    (issue: { path: PropertyKey[]; message: string }) => `${issue.path.join('.')}: ${issue.message}`,
  )
  throw new TypeError(`${op.id} answered a body that does not match its schema: ${where.join('; ')}`)
}

export function toResponse(
  c: C,
  op: AnyOperation,
  { status, body, next, isReplay, content, socket, location, etag }: RenderedResponse,
  publicUrl: string,
): Response {
  if (socket) return socket.createResponse({ ...c.get('headers'), ...selectProtocol(c.req.raw) })
  if (isReplay) setHeader(c, 'idempotent-replayed', 'true')
  if (content) return sendContent(c, content, status)
  if (location) setHeader(c, 'location', location)
  if (body === '') return respond(c, null, status)
  if (op.paged && next)
    setHeader(c, 'link', `<${buildNextPageUrl(new URL(c.req.url), next, publicUrl)}>; rel="next"`)
  if (etag) {
    setHeader(c, 'etag', etag)
    setHeader(c, 'cache-control', `public, max-age=${op.transport?.maxAgeSeconds}`)
    if (isCached(c, etag)) return respond(c, null, 304)
  }
  return respondJson(c, body, status)
}

/** A proxy changes host and scheme on the way, so the address is built on the public one. */
function buildNextPageUrl({ pathname, searchParams }: URL, next: NextPage, publicUrl: string): string {
  searchParams.delete('skip')
  searchParams.set('limit', searchParams.get('limit') ?? '50')
  for (const [name, value] of Object.entries(next)) searchParams.set(name, String(value))
  return `${publicUrl}${pathname}?${searchParams}`
}

/** Return whether the client has the answer: `*` stands for any (RFC 9110, section 13.1.2). */
function isCached(c: C, etag: string): boolean {
  const known = c.req.header('if-none-match')
  return known !== undefined && (known.trim() === '*' || known.includes(etag))
}

function sendContent(c: C, { body, type, filename, etag, allowsForms }: Content, status: number): Response {
  if (etag) {
    setHeader(c, 'etag', etag)
    // The browser asks each time, so that it shows nothing after a sign-out or a deletion.
    setHeader(c, 'cache-control', 'private, no-cache')
    if (isCached(c, etag)) {
      if (body instanceof ReadableStream) void body.cancel()
      return respond(c, null, 304)
    }
  }
  setHeader(c, 'content-type', type)
  // nginx would collect events until a buffer is full:
  // https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering
  if (type === 'text/event-stream') setHeader(c, 'x-accel-buffering', 'no')
  // A browser that opens the content runs no script in it.
  const sandbox = allowsForms ? "form-action 'self'; sandbox allow-forms" : 'sandbox'
  setHeader(c, 'content-security-policy', `default-src 'none'; style-src 'unsafe-inline'; ${sandbox}`)
  if (filename) setHeader(c, 'content-disposition', writeDisposition(filename))
  return respond(c, body as ResponseBody, status)
}

/**
 * Offer a file under its name, and under one of ASCII for programs that do not read `filename*`: RFC 6266,
 * appendix D.
 */
function writeDisposition(name: string): string {
  const [, stem = '', ending = ''] = /^(.*?)((?:\.[a-z\d]{1,20}){0,8})$/is.exec(name) ?? []
  const asciiStem = fold(stem)
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
  return `attachment; filename="${asciiStem || 'download'}${ending}"; filename*=UTF-8''${percentEncode(name)}`
}

// RFC 8187 requires four more characters to be encoded than encodeURIComponent does, and a lone surrogate
// would make that throw.
function percentEncode(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
