import { getCookie } from 'hono/cookie'
import { type C, type Services, toProblem } from '#http/app.ts'
import { pageStyle } from '#http/page-style.ts'
import { redirect, respond, respondJson, setHeader } from '#http/respond.ts'
import { Problem } from '#problem.ts'
import { parseJson } from '#rules/text/json.ts'
import { sha256Base64url } from '#vendors/auth/hash.ts'
import { accessTokenSeconds } from '#vendors/auth/tokens.ts'
import { readAtMost } from '#vendors/net/read-at-most.ts'
import { writeSignIn, writeStatus } from './html.ts'
import { OperationsStatus, ReplayedOutbox } from './status.ts'

/** The handlers of the page, by route. */
export type PageHandlers = Record<
  'view' | 'style' | 'signIn' | 'signOut' | 'replay',
  (c: C) => Promise<Response>
>

export const pagePath = '/admin/operations'
const cookieName = 'operations_token'
const maxFormBytes = 8192
const maxAnswerBytes = 1024 * 1024

// No script at all, and nothing from elsewhere.
const policy =
  "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/**
 * Create the handlers of the page. Every answer about the service comes from its API, with the token of the
 * cookie.
 */
export function createPageHandlers(services: Services): PageHandlers {
  const { PUBLIC_BASE_URL, FRONTEND_URL, CORS_ORIGINS } = services.ports.config
  const origins = new Set(
    [PUBLIC_BASE_URL, FRONTEND_URL, ...CORS_ORIGINS.filter((url) => URL.canParse(url))].map(
      (url) => new URL(url).origin,
    ),
  )
  return {
    view: (c) => showStatus(c, services),
    style: async (c) => sendStyle(c),
    signIn: (c) => handleForm(c, origins, async (form) => signIn(c, PUBLIC_BASE_URL, form)),
    signOut: (c) =>
      handleForm(c, origins, async () => {
        setCookie(c, PUBLIC_BASE_URL, '', 0)
        return redirect(c, pagePath, 303)
      }),
    replay: (c) => handleForm(c, origins, (form) => replay(c, services, form)),
  }
}

async function showStatus(c: C, services: Services): Promise<Response> {
  const token = readToken(c)
  const wantsJson = /\bapplication\/json\b/i.test(c.req.header('accept') ?? '')
  if (!token && !wantsJson) return showSignIn(c, 200)
  const { status, text } = await callApi(c, services, { token, method: 'GET', path: '' })
  if (wantsJson) return respondJson(c, text, status)
  const { data } = OperationsStatus.safeParse(parseJson(text))
  if (status !== 200 || !data) return showSignIn(c, status, readDetail(text))
  const replayed = /^(\w{1,20}):(\d{1,5})$/.exec(c.req.query('replayed') ?? '')
  const message = replayed ? `${replayed[1]}: ${replayed[2]} rows are due now.` : undefined
  return respondHtml(c, writeStatus(data, { message, formToken: await createFormToken(token) }), 200)
}

function sendStyle(c: C): Response {
  setHeader(c, 'content-type', 'text/css; charset=utf-8')
  setHeader(c, 'cache-control', 'public, max-age=3600')
  return respond(c, pageStyle, 200)
}

function signIn(c: C, baseUrl: string, form: URLSearchParams): Response {
  const token = (form.get('access_token') ?? '').trim()
  if (!isToken(token)) return showSignIn(c, 422, 'This is not an access token.')
  setCookie(c, baseUrl, token, accessTokenSeconds)
  return redirect(c, pagePath, 303)
}

async function replay(c: C, services: Services, form: URLSearchParams): Promise<Response> {
  const token = readToken(c)
  if (!token || form.get('token') !== (await createFormToken(token)))
    return showSignIn(c, 403, 'The form has expired. Sign in again.')
  const { data: outbox } = ReplayedOutbox.safeParse(form.get('outbox'))
  if (!outbox) return showSignIn(c, 422, 'This outbox cannot be replayed.')
  const { status, text } = await callApi(c, services, {
    token,
    method: 'POST',
    path: '/replay',
    body: JSON.stringify({ outbox }),
  })
  if (status !== 200) return showSignIn(c, status, readDetail(text))
  const { rows = 0 } = (parseJson(text) ?? {}) as { rows?: number }
  return redirect(c, `${pagePath}?replayed=${outbox}:${rows}`, 303)
}

/**
 * Lax, because the frontend may be another site whose form signs in. Each change also needs the token of a
 * form of the page.
 */
function setCookie(c: C, baseUrl: string, token: string, seconds: number): void {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  setHeader(
    c,
    'set-cookie',
    `${cookieName}=${token}; Path=${pagePath}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`,
  )
}

const showSignIn = (c: C, status: number, message?: string) => respondHtml(c, writeSignIn(message), status)

/**
 * Read the form of a page of this service or of the frontend. Any other page is refused, and so is a form
 * without an origin.
 */
async function handleForm(
  c: C,
  origins: ReadonlySet<string>,
  handle: (form: URLSearchParams) => Promise<Response>,
): Promise<Response> {
  if (!origins.has(c.req.header('origin') ?? ''))
    return showSignIn(c, 403, 'The form comes from another site.')
  try {
    const bytes = await readAtMost(c.req.raw.body, maxFormBytes, () => new Problem('too_large'))
    return await handle(new URLSearchParams(new TextDecoder().decode(bytes)))
  } catch (error) {
    const { status, body } = toProblem(error)
    return showSignIn(c, status, String(body.detail))
  }
}

interface ApiCall {
  token: string
  method: 'GET' | 'POST'
  /** Below `/api/v1/admin/operations`. */
  path: string
  body?: string
}

/**
 * Call an operation of this group through the app, with its checks of the caller, its limits, its audit entry
 * and its log line.
 */
async function callApi(c: C, { dispatch, ports }: Services, { token, method, path, body }: ApiCall) {
  if (!dispatch) throw new Error('The app is not assembled')
  // What says who calls and from where.
  const headers = new Headers([...c.req.raw.headers].filter(([name]) => !notForwarded.has(name)))
  headers.set('accept', 'application/json')
  if (token) headers.set('authorization', `Bearer ${token}`)
  if (body) headers.set('content-type', 'application/json')
  const request = new Request(`${ports.config.PUBLIC_BASE_URL}/api/v1/admin/operations${path}`, {
    method,
    headers,
    body: body || undefined,
  })
  const response = await dispatch(request, c.env as object, c.executionCtx)
  const bytes = await readAtMost(response.body, maxAnswerBytes, () => new Problem('internal'))
  return { status: response.status, text: new TextDecoder().decode(bytes) }
}

const notForwarded = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'origin',
  'transfer-encoding',
  'upgrade',
])

/** Return the token of the cookie, or an empty text. */
function readToken(c: C): string {
  const token = getCookie(c, cookieName) ?? ''
  return isToken(token) ? token : ''
}

const isToken = (text: string) => text.length <= 4000 && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)

/** A page of another site cannot read the cookie, so it cannot know this text. */
const createFormToken = (token: string) => sha256Base64url(`form of the operations page ${token}`)

function readDetail(text: string): string {
  const { detail } = (parseJson(text) ?? {}) as { detail?: unknown }
  return typeof detail === 'string' ? detail : 'The service did not answer.'
}

function respondHtml(c: C, html: string, status: number): Response {
  setHeader(c, 'content-type', 'text/html; charset=utf-8')
  setHeader(c, 'content-security-policy', policy)
  // Without a referrer, a form of the page would send `Origin: null`:
  // https://fetch.spec.whatwg.org/#append-a-request-origin-header
  setHeader(c, 'referrer-policy', 'same-origin')
  return respond(c, html, status)
}
