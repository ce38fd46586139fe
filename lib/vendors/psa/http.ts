import { limitConcurrency } from '#async/limit-concurrency.ts'
import { AnswerTooLongError, createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import type { OutboundGuard } from '#vendors/net/guard.ts'
import { parseAnswer } from '#vendors/net/read-answer.ts'
import { addSentence, readRefusal } from '#vendors/net/refusal.ts'
import { PsaError, type PsaErrorKind } from './psa.ts'

const callTimeoutMs = 8000
const requestTimeoutMs = 9500
const maxBytes = 8 * 1024 * 1024
/** The texts of the calls that run at once are in memory together. */
const maxRequestBytes = 2 * maxBytes
// A Worker may open six connections per request; two stay free for the database and Redis.
const maxParallelCalls = 4

export interface PsaRequest {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Absolute. */
  url: string
  headers?: Record<string, string>
  body?: string
}

/** Send one call and return its JSON, or null for an empty answer. Throw PsaError. */
export type PsaHttp = (request: PsaRequest) => Promise<unknown>

/**
 * Create a function that calls one provider during one request. The guard checks `addresses`, and the caller
 * builds every URL from them. Limits: no redirects, 8 s per call, 9.5 s in total, 8 MiB per response and 16
 * MiB in total, four calls at once. After an answer of 429 it makes no further call.
 */
export function createPsaHttp(
  addresses: readonly string[],
  guard: OutboundGuard,
  secrets: readonly string[] = [],
): PsaHttp {
  const deadline = Date.now() + requestTimeoutMs
  const limit = limitConcurrency({ running: maxParallelCalls })
  let refusals: Promise<(string | null)[]> | undefined
  let receivedBytes = 0
  let refusal: PsaError | undefined
  return async (request) => {
    refusals ??= Promise.all(addresses.map((address) => guard.findRefusal(address, 'sending')))
    if ((await refusals).some(Boolean))
      throw new PsaError(
        'invalid',
        'The address of the ticketing system is not allowed; correct it in the connection',
      )
    return limit(async () => {
      if (refusal) throw refusal
      const remainingMs = Math.min(callTimeoutMs, deadline - Date.now())
      if (remainingMs <= 0) throw timeoutError()
      if (receivedBytes > maxRequestBytes) throw tooLargeError()
      const text = await send(request, remainingMs, secrets).catch((error: PsaError) => {
        if (error.kind === 'rate_limit') refusal = error
        throw error
      })
      receivedBytes += text.length
      return readJson(text)
    })
  }
}

async function send(
  { method = 'GET', url, headers = {}, body }: PsaRequest,
  timeoutMs: number,
  secrets: readonly string[],
): Promise<string> {
  try {
    const response = await createBoundedFetch('psa', { timeoutMs, maxBytes })(url, {
      method,
      headers: { accept: 'application/json', ...headers },
      body: body ?? null,
    })
    if (!response.ok) {
      const sent = headers.authorization?.split(' ').at(-1) ?? ''
      throw toPsaError(response.status, await readRefusal(response, [...secrets, sent]))
    }
    return await response.text()
  } catch (error) {
    if (error instanceof PsaError) throw error
    if (error instanceof AnswerTooLongError) throw tooLargeError()
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    throw isTimeout ? timeoutError() : new PsaError('down', 'The connection to the ticketing system failed')
  }
}

function toPsaError(
  status: number,
  { sentence, retryAfterSeconds }: Awaited<ReturnType<typeof readRefusal>>,
): PsaError {
  const fail = (kind: PsaErrorKind, message: string) =>
    new PsaError(kind, addSentence(message, sentence), {
      status,
      retryAfterSeconds: status === 429 || status >= 500 ? retryAfterSeconds : undefined,
    })
  if (status === 401) return fail('auth', 'The ticketing system refused the credentials')
  // The credentials are good, and their role lacks a permission.
  if (status === 403) return fail('forbidden', 'The ticketing system does not permit this')
  if (status === 404) return fail('missing', 'The ticketing system has no such record')
  if (status === 429) return fail('rate_limit', 'The ticketing system limits our calls; try again later')
  return fail(
    status >= 400 && status < 500 && status !== 408 ? 'invalid' : 'down',
    `The ticketing system returned ${status}`,
  )
}

function readJson(text: string): unknown {
  if (text.trim() === '') return null
  try {
    return parseAnswer(text)
  } catch (error) {
    if (error instanceof AnswerTooLongError) throw tooLargeError()
    throw new PsaError('down', 'The ticketing system did not answer with JSON')
  }
}

const timeoutError = () => new PsaError('down', 'The ticketing system did not answer in time')
const tooLargeError = () => new PsaError('down', 'The answer of the ticketing system was too large')
