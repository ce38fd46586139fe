import { sha256Base64url } from '../auth/hash.ts'
import type { Page } from '../db/page.ts'
import type { C } from './app.ts'
import { type AnyOperation, Content, Existing, JsonText, Redirect } from './operation.ts'

/** What goes out: JSON text, a stream's content, another place to ask, or nothing. */
export interface Answer {
  status: number
  body: string
  more?: boolean
  content?: Content
  location?: string
  /** Names this body, where any cache may keep it. */
  etag?: string
}

/** The answer with its body's name, if its operation lets caches keep it. */
export async function named(op: AnyOperation, answer: Answer): Promise<Answer> {
  if (!op.freshSeconds) return answer
  return { ...answer, etag: `"${(await sha256Base64url(answer.body)).slice(0, 22)}"` }
}

/** Writes a handler's result as its operation says; `check` holds it against the declared shape first and throws where it differs. */
export function serialise(op: AnyOperation, result: unknown, check: boolean): Answer {
  if (result instanceof Existing) return { ...serialise(op, result.value, check), status: 200 }
  if (result instanceof Content) return { status: op.success, body: '', content: result }
  if (result instanceof Redirect) return { status: op.success, body: '', location: result.location }
  if (!op.returns) return { status: op.success, body: '' }
  const page = op.paged && !(result instanceof JsonText) ? (result as Page<unknown>) : null
  const body = result instanceof JsonText ? result.text : JSON.stringify(page ? page.items : result)
  if (check) requireShape(op, body)
  return { status: op.success, body, more: result instanceof JsonText ? result.more : (page?.more ?? false) }
}

function requireShape(op: AnyOperation, body: string): void {
  const parsed = op.returns.safeParse(JSON.parse(body))
  if (parsed.success) return
  const where = parsed.error.issues.map((issue: { path: PropertyKey[]; message: string }) => `${issue.path.join('.')}: ${issue.message}`)
  throw new TypeError(`${op.id} answered another shape than it declares: ${where.join('; ')}`)
}

export function respond(c: C, op: AnyOperation, url: URL, { status, body, more, content, location, etag }: Answer): Response {
  if (content) return respondContent(c, content, status)
  if (location) c.header('location', location)
  if (body === '') return c.body(null, status as 204)
  if (op.paged && more) c.header('link', `<${nextPage(url)}>; rel="next"`)
  if (etag) {
    c.header('etag', etag)
    c.header('cache-control', `public, max-age=${op.freshSeconds}`)
    if (c.req.header('if-none-match')?.includes(etag)) return c.body(null, 304)
  }
  c.header('content-type', 'application/json; charset=utf-8')
  return c.body(body, status as 200)
}

function nextPage(url: URL): string {
  const next = new URL(url)
  const limit = Number(url.searchParams.get('limit') ?? 50)
  next.searchParams.set('skip', String(Number(url.searchParams.get('skip') ?? 0) + limit))
  next.searchParams.set('limit', String(limit))
  return next.href
}

function respondContent(c: C, { body, type, filename, etag }: Content, status: number): Response {
  if (etag) {
    c.header('etag', etag)
    c.header('cache-control', 'private, max-age=86400, immutable')
    if (c.req.header('if-none-match')?.includes(etag)) {
      if (body instanceof ReadableStream) void body.cancel()
      return c.body(null, 304)
    }
  }
  c.header('content-type', type)
  // Whoever opens it in a browser after all runs nothing of it.
  c.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
  if (filename) c.header('content-disposition', `attachment; filename*=UTF-8''${percentEncoded(filename)}`)
  return c.body(body as ReadableStream, status as 200)
}

// RFC 8187 leaves four characters to be encoded that encodeURIComponent keeps; half a surrogate pair would make it throw.
function percentEncoded(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}
