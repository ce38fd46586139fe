import { setTimeout as sleep } from 'node:timers/promises'
import type * as z from 'zod'
import { type Client, createClient, isApiError, type ServerEvent } from '#client/client.ts'
import {
  checkResponse,
  type Expectation,
  listWithItem,
  type ReceivedResponse,
  TourError,
} from './expectations.ts'
import { formatRequest, hideSecrets } from './print.ts'

/** Origins of the service and of the local dashboard, without a path. */
export interface Addresses {
  api: string
  dashboard: string
}

export type Print = (line: string) => void

interface PollOptions {
  /** Repeat the request until the response is as expected, for at most the tour's time limit. */
  poll?: boolean
}
interface DashboardContent {
  /** Sent as JSON. */
  body?: unknown
  form?: URLSearchParams
}

type Method = 'GET' | 'POST' | 'DELETE'

export interface Subscription {
  waitFor<T>(event: z.ZodType<T>, description: string): Promise<T>
  close(): void
}

export interface Tour {
  addresses: Addresses
  /** Unique per run. Part of every e-mail address and webhook path, so that runs do not affect each other. */
  run: string
  print: Print
  /** Create a client of the service. Signing in through it sets its tokens. */
  createClient(): Client
  /**
   * Call the service with a client of this tour and print the request. `status` is that of an expected
   * refusal.
   */
  call<T = unknown>(send: () => PromiseLike<unknown>, options?: Expectation<T> & PollOptions): Promise<T>
  /** Send a request to the local dashboard and print it. */
  dashboard<T = unknown>(
    method: Method,
    path: string,
    options?: Expectation<T> & PollOptions & DashboardContent,
  ): Promise<T>
  /** Open a client's stream of escalations. The caller closes it. */
  followEscalations(client: Client): Promise<Subscription>
}

const pollMs = 250
const requestTimeoutMs = 60_000
const maxRateLimitWaits = 2
const escalationStream = '/ai-sessions/escalations/stream'

/** Create a tour. `timeoutMs` limits the wait for each polled response and each event. */
export function createTour(addresses: Addresses, print: Print, timeoutMs = 15_000): Tour {
  // The calls of a tour follow one another.
  let last = { method: '', path: '', status: 0 }
  const fetchRecorded = async (request: Request) => {
    const { pathname, search } = new URL(request.url)
    last = { method: request.method, path: pathname.replace('/api/v1', '') + search, status: 0 }
    const response = await fetchWithin(request, last)
    last.status = response.status
    return response
  }
  const target = { print, timeoutMs }
  return {
    addresses,
    run: `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`,
    print,
    createClient: () => createClient({ baseUrl: addresses.api, fetch: fetchRecorded, maxRetries: 0 }),
    call: (send, options) =>
      callUntilExpected({ ...target, send: () => callService(send, () => last, print) }, options),
    dashboard: (method, path, options = {}) =>
      callUntilExpected(
        { ...target, send: () => callDashboard(addresses.dashboard, { method, path }, options) },
        { status: 200, ...options },
      ),
    followEscalations: (client) => followEscalations(addresses.api, client, target),
  }
}

interface SentRequest {
  method: string
  path: string
}

interface Target {
  print: Print
  timeoutMs: number
}

async function callUntilExpected<T>(
  { send, print, timeoutMs }: Target & { send: () => Promise<SentRequest & ReceivedResponse> },
  options: Expectation<T> & PollOptions = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const response = await send()
    const { method, path, status, body } = response
    const result = checkResponse(response, options)
    if (result.ok) {
      print(formatRequest(method, path, status, result.value))
      return result.value
    }
    if (!options.poll || Date.now() >= deadline) {
      print(formatRequest(method, path, status, body))
      throw new TourError(
        `${method} ${hideSecrets(path)} ${result.problem}${options.poll ? ` (waited ${timeoutMs / 1000} s)` : ''}`,
      )
    }
    await sleep(pollMs)
  }
}

/**
 * Call the service, and again after `Retry-After`. Several runs within a minute exceed the rate limit of
 * registrations.
 */
async function callService(
  send: () => PromiseLike<unknown>,
  readLast: () => SentRequest & { status: number },
  print: Print,
) {
  for (let waits = 0; ; waits++) {
    try {
      const body = await send()
      return { ...readLast(), body: body instanceof Blob ? await body.text() : body }
    } catch (error) {
      if (!isApiError(error)) throw error
      const { body, retryAfterMs } = error
      if (error.status !== 429 || waits === maxRateLimitWaits) return { ...readLast(), body }
      const { method, path } = readLast()
      print(
        formatRequest(
          method,
          path,
          429,
          `rate limit reached, next attempt in ${(retryAfterMs ?? 1000) / 1000} s`,
        ),
      )
      await sleep(retryAfterMs ?? 1000)
    }
  }
}

async function callDashboard(origin: string, sent: SentRequest, { body, form }: DashboardContent) {
  const init = {
    method: sent.method,
    headers: body === undefined ? undefined : { 'content-type': 'application/json' },
    body: form ?? (body === undefined ? null : JSON.stringify(body)),
    redirect: 'manual' as const,
  }
  const response = await fetchWithin(new Request(origin + sent.path, init), sent)
  return { ...sent, status: response.status, body: await readBody(response) }
}

async function fetchWithin(request: Request, { method, path }: SentRequest): Promise<Response> {
  try {
    return await fetch(request, { signal: AbortSignal.timeout(requestTimeoutMs) })
  } catch (error) {
    const { origin } = new URL(request.url)
    throw new TourError(
      `${method} ${hideSecrets(path)} got no response from ${origin} (${getErrorReason(error)}). Does the service still run?`,
    )
  }
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  const location = response.headers.get('location')
  if (location) return Object.fromEntries(new URL(location, response.url).searchParams)
  return response.headers.get('content-type')?.includes('json') && text
    ? (JSON.parse(text) as unknown)
    : text || undefined
}

function getErrorReason(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : message
}

async function followEscalations(
  baseUrl: string,
  client: Client,
  { print, timeoutMs }: Target,
): Promise<Subscription> {
  const leaving = new AbortController()
  const opened = Promise.withResolvers<void>()
  const fetchStream = (request: Request) => fetch(request).finally(opened.resolve)
  const follower = createClient({ baseUrl, tokens: client.getTokens(), fetch: fetchStream })
  const events: ServerEvent[] = []
  const collect = async () => {
    for await (const event of follower.ai.escalations.stream({}, { signal: leaving.signal }))
      events.push(event)
  }
  // A stream that is refused has no events, which `waitFor` reports.
  collect().catch(() => {})
  await opened.promise
  const waitFor: Subscription['waitFor'] = async (event, description) => {
    const send = async () => ({ method: 'GET', path: escalationStream, status: 200, body: [...events] })
    return callUntilExpected(
      { print, timeoutMs, send },
      { poll: true, returns: listWithItem(event, description) },
    )
  }
  return { waitFor, close: () => leaving.abort() }
}
