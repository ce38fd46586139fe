import type * as z from 'zod'
import { AnswerTooLongError, createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import type { OutboundGuard } from '#vendors/net/guard.ts'
import { type RunnerConnection, RunnerError } from './runner.ts'

// A ping of a machine that is off takes Tactical RMM 7.5 s: three attempts of 2 s, with pauses.
// https://github.com/amidaware/tacticalrmm/blob/develop/api/tacticalrmm/agents/views.py
const callTimeoutMs = 10_000
const requestTimeoutMs = 20_000
const maxBytes = 8 * 1024 * 1024

interface RunnerRequest {
  method?: 'GET' | 'POST' | 'DELETE'
  /** Below the base URL. */
  path: string
  body?: unknown
}

/** Send one call and return its JSON in this shape. Throw a RunnerError. */
export type RunnerHttp = <S extends z.ZodType>(request: RunnerRequest, shape: S) => Promise<z.output<S>>

/**
 * Create a function that calls the runner during one request or attempt. No redirect is followed, since the
 * key would go to another address. Limits: 10 s a call, 20 s in total, 8 MiB an answer.
 */
export function createRunnerHttp({ baseUrl, apiKey }: RunnerConnection, guard: OutboundGuard): RunnerHttp {
  const deadline = Date.now() + requestTimeoutMs
  let refusal: Promise<string | null> | undefined
  return async ({ method = 'GET', path, body }, shape) => {
    refusal ??= guard.findRefusal(baseUrl, 'sending')
    if (await refusal)
      throw new RunnerError(
        'refused',
        'The address of the runner is not allowed; correct it in the connection',
      )
    const timeoutMs = Math.min(callTimeoutMs, deadline - Date.now())
    // Nothing was sent, so nothing was done.
    if (timeoutMs <= 0) throw new RunnerError('refused', 'The runner took too long')
    const headers = {
      accept: 'application/json',
      'x-api-key': apiKey,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const request = { method, headers, body: body === undefined ? null : JSON.stringify(body) }
    const { success, data } = shape.safeParse(await send(`${baseUrl}${path}`, request, timeoutMs))
    if (!success) throw new RunnerError('down', 'The runner did not answer as documented', 200)
    return data
  }
}

async function send(url: string, request: RequestInit, timeoutMs: number): Promise<unknown> {
  try {
    const response = await createBoundedFetch('runner', { timeoutMs, maxBytes })(url, request)
    if (response.ok) return await response.json()
    await response.body?.cancel().catch(() => undefined)
    throw toError(response.status)
  } catch (error) {
    if (error instanceof RunnerError) throw error
    if (error instanceof AnswerTooLongError)
      throw new RunnerError('down', 'The answer of the runner was too large')
    if (error instanceof SyntaxError)
      throw new RunnerError('down', 'The runner did not answer with JSON', 200)
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    throw new RunnerError(
      'down',
      isTimeout ? 'The runner did not answer in time' : 'The connection to the runner failed',
    )
  }
}

function toError(status: number): RunnerError {
  if (status === 401 || status === 403)
    return new RunnerError('auth', 'The runner refused the API key, or its role lacks a permission', status)
  if (status === 404) return new RunnerError('missing', 'The runner has no such record', status)
  if (status >= 300 && status < 400)
    return new RunnerError('refused', 'The runner redirects to another address; enter that address', status)
  return new RunnerError(
    status < 500 && status !== 408 ? 'refused' : 'down',
    `The runner returned ${status}`,
    status,
  )
}
