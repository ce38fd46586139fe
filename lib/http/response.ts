import { sha256Base64url } from '../auth/hash.ts'
import type { Page } from '../db/page.ts'
import type { C } from './app.ts'
import { type AnyOperation, Content, Existing, JsonText, Redirect } from './operation.ts'

/** A response before it is written: JSON text, a stream's content, a redirect or nothing. */
export interface RenderedResponse {
  status: number
  body: string
  hasMore?: boolean
  content?: Content
  location?: string
  /** The ETag of a body that any cache may store. */
  etag?: string
}

/** Add an ETag when the operation allows public caching. */
export async function withEtag(op: AnyOperation, answer: RenderedResponse): Promise<RenderedResponse> {
  if (!op.maxAgeSeconds) return answer
  return { ...answer, etag: `"${(await sha256Base64url(answer.body)).slice(0, 22)}"` }
}

/** Turn a handler's result into the declared response. `check` throws when the result does not match the declared schema. */
export function renderResult(op: AnyOperation, result: unknown, check: boolean): RenderedResponse {
  if (result instanceof Existing) return { ...renderResult(op, result.value, check), status: 200 }
  if (result instanceof Content) return { status: op.success, body: '', content: result }
  if (result instanceof Redirect) return { status: op.success, body: '', location: result.location }
  if (!op.returns) return { status: op.success, body: '' }
  const page = op.paged && !(result instanceof JsonText) ? (result as Page<unknown>) : null
  const body = result instanceof JsonText ? result.text : JSON.stringify(page ? page.items : result)
  if (check) requireShape(op, body)
  return { status: op.success, body, hasMore: result instanceof JsonText ? result.hasMore : (page?.hasMore ?? false) }
}

function requireShape(op: AnyOperation, body: string): void {
  const parsed = op.returns.safeParse(JSON.parse(body))
  if (parsed.success) return
  const where = parsed.error.issues.map((issue: { path: PropertyKey[]; message: string }) => `${issue.path.join('.')}: ${issue.message}`)
  throw new TypeError(`${op.id} answered a body that does not match its schema: ${where.join('; ')}`)
}

/** Write the response. */
export function toResponse(c: C, op: AnyOperation, { status, body, hasMore, content, location, etag }: RenderedResponse): Response {
  if (content) return sendContent(c, content, status)
  if (location) c.header('location', location)
  if (body === '') return c.body(null, status as 204)
  if (op.paged && hasMore) c.header('link', `<${buildNextPageUrl(new URL(c.req.url))}>; rel="next"`)
  if (etag) {
    c.header('etag', etag)
    c.header('cache-control', `public, max-age=${op.maxAgeSeconds}`)
    if (c.req.header('if-none-match')?.includes(etag)) return c.body(null, 304)
  }
  c.header('content-type', 'application/json; charset=utf-8')
  return c.body(body, status as 200)
}

function buildNextPageUrl(next: URL): string {
  const limit = Number(next.searchParams.get('limit') ?? 50)
  next.searchParams.set('skip', String(Number(next.searchParams.get('skip') ?? 0) + limit))
  next.searchParams.set('limit', String(limit))
  return next.href
}

function sendContent(c: C, { body, type, filename, etag }: Content, status: number): Response {
  if (etag) {
    c.header('etag', etag)
    // The browser asks each time, so that it shows nothing after a sign-out or a deletion.
    c.header('cache-control', 'private, no-cache')
    if (c.req.header('if-none-match')?.includes(etag)) {
      if (body instanceof ReadableStream) void body.cancel()
      return c.body(null, 304)
    }
  }
  c.header('content-type', type)
  // A browser that opens the content runs no script in it.
  c.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
  if (filename) c.header('content-disposition', `attachment; filename*=UTF-8''${percentEncode(filename)}`)
  return c.body(body as ReadableStream, status as 200)
}

// RFC 8187 requires four more characters to be encoded than encodeURIComponent does, and a lone surrogate would make that throw.
function percentEncode(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}
