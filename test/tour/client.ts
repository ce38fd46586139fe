import { setTimeout as sleep } from 'node:timers/promises'
import type * as z from 'zod'
import { openEventStream, parseEvents } from './event-stream.ts'
import { checkResponse, type Expectation, type ReceivedResponse, TourError } from './expectations.ts'
import { formatRequest, hideSecrets } from './print.ts'

/** Origins of the service and of the local dashboard, without a path. */
export interface Addresses {
  api: string
  dashboard: string
}

export type Print = (line: string) => void

interface RequestContent {
  accessToken?: string
  /** Sent as JSON. */
  body?: unknown
  form?: FormData | URLSearchParams
  accept?: string
}

export interface RequestOptions<T> extends RequestContent, Expectation<T> {
  /** Repeat the request until the response is as expected, for at most the client's time limit. */
  poll?: boolean
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Send = <T = unknown>(method: Method, path: string, options?: RequestOptions<T>) => Promise<T>

export interface Subscription {
  waitFor<T>(event: z.ZodType<T>, description: string): Promise<T>
  close(): void
}

export interface Client {
  addresses: Addresses
  /** Unique per run. Part of every e-mail address and webhook path, so that runs do not affect each other. */
  run: string
  print: Print
  /** Send a request below /api/v1 and print it. */
  api: Send
  /** Send a request to the local dashboard and print it. */
  dashboard: Send
  /** Open an event stream below /api/v1. The caller closes it. */
  subscribe(path: string, accessToken: string): Promise<Subscription>
}

const pollMs = 250
const requestTimeoutMs = 60_000
const maxRateLimitWaits = 2

/** Create a client. `timeoutMs` limits the wait for each polled response and each event. */
export function createClient(addresses: Addresses, print: Print, timeoutMs = 15_000): Client {
  const root = `${addresses.api}/api/v1`
  return {
    addresses,
    run: `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`,
    print,
    api: (method, path, options) => send({ root, method, path, print, timeoutMs }, options),
    dashboard: (method, path, options) => send({ root: addresses.dashboard, method, path, print, timeoutMs }, options),
    async subscribe(path, accessToken) {
      const stream = await openEventStream(root + path, accessToken)
      print(formatRequest('GET', path, 200, undefined))
      const waitFor: Subscription['waitFor'] = async (event, description) => {
        const found = await stream.waitFor(event, description, timeoutMs)
        print(formatRequest('GET', path, 200, found))
        return found
      }
      return { waitFor, close: stream.close }
    },
  }
}

interface Target {
  root: string
  method: Method
  path: string
  print: Print
  timeoutMs: number
}

async function send<T>(target: Target, options: RequestOptions<T> = {}): Promise<T> {
  const { method, path, print, timeoutMs } = target
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const response = await requestWithinRateLimit(target, options)
    const result = checkResponse(response, options)
    if (result.ok) {
      print(formatRequest(method, path, response.status, result.value))
      return result.value
    }
    if (!options.poll || Date.now() >= deadline) {
      print(formatRequest(method, path, response.status, response.body))
      throw new TourError(`${method} ${hideSecrets(path)} ${result.problem}${options.poll ? ` (waited ${timeoutMs / 1000} s)` : ''}`)
    }
    await sleep(pollMs)
  }
}

/** Send the request, and repeat it after `Retry-After`. Several runs within a minute exceed the rate limit of registrations. */
async function requestWithinRateLimit(target: Target, content: RequestContent): Promise<ReceivedResponse> {
  for (let waits = 0; ; waits++) {
    const response = await request(target, content)
    if (response.status !== 429 || waits === maxRateLimitWaits) return response
    const seconds = Number(response.headers.get('retry-after') ?? 1)
    target.print(formatRequest(target.method, target.path, 429, `rate limit reached, next attempt in ${seconds} s`))
    await sleep(seconds * 1000)
  }
}

async function request({ root, method, path }: Target, { accessToken, body, form, accept }: RequestContent): Promise<ReceivedResponse> {
  const headers = {
    ...(accessToken ? { authorization: `Bearer ${accessToken}` } : {}),
    ...(accept ? { accept } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const content = form ?? (body === undefined ? null : JSON.stringify(body))
  const signal = AbortSignal.timeout(requestTimeoutMs)
  try {
    const response = await fetch(root + path, { method, headers, body: content, redirect: 'manual', signal })
    return { status: response.status, headers: response.headers, body: await readBody(response) }
  } catch (error) {
    throw new TourError(
      `${method} ${hideSecrets(path)} got no response from ${root} (${getErrorReason(error)}). Does the service still run?`,
    )
  }
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  const location = response.headers.get('location')
  if (location) return Object.fromEntries(new URL(location, response.url).searchParams)
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) return parseEvents(text)
  return type.includes('json') && text ? (JSON.parse(text) as unknown) : text || undefined
}

function getErrorReason(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : message
}
