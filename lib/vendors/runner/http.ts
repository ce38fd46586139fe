import type * as z from 'zod'
import { concatBytes } from '#rules/text/bytes.ts'
import { AnswerTooLongError, createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import type { OutboundGuard } from '#vendors/net/guard.ts'
import { parseAnswer, readAnswer } from '#vendors/net/read-answer.ts'
import { addSentence, readRefusal } from '#vendors/net/refusal.ts'
import { type RunnerConnection, RunnerError } from './runner.ts'

// A ping of a machine that is off takes Tactical RMM 7.5 s: three attempts of 2 s, with pauses.
// https://github.com/amidaware/tacticalrmm/blob/develop/api/tacticalrmm/agents/views.py
const callTimeoutMs = 10_000
const requestTimeoutMs = 20_000
const maxBytes = 8 * 1024 * 1024
/** The most that is read of a larger answer, of which the ends are kept. */
const maxSalvagedBytes = 64 * 1024 * 1024
const endBytes = 256 * 1024

interface RunnerRequest {
  method?: 'GET' | 'POST' | 'DELETE'
  /** Below the base URL. */
  path: string
  body?: unknown
  /** Make an answer of the ends of one that is larger than 8 MiB. Without it such an answer fails. */
  salvage?: (start: string, end: string) => unknown
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
  return async ({ method = 'GET', path, body, salvage }, shape) => {
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
    const answer = await send(`${baseUrl}${path}`, request, { timeoutMs, secrets: [apiKey], salvage })
    const { success, data } = shape.safeParse(answer)
    if (!success) throw new RunnerError('down', 'The runner did not answer as documented', 200)
    return data
  }
}

async function send(
  url: string,
  request: RequestInit,
  {
    timeoutMs,
    secrets,
    salvage,
  }: { timeoutMs: number; secrets: readonly string[] } & Pick<RunnerRequest, 'salvage'>,
): Promise<unknown> {
  try {
    const limits = { timeoutMs, maxBytes: salvage ? maxSalvagedBytes : maxBytes }
    const response = await createBoundedFetch('runner', limits)(url, request)
    if (response.ok) return salvage ? await readOrSalvage(response, salvage) : await readAnswer(response)
    throw toError(response.status, await readRefusal(response, secrets))
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

/** Read JSON, or make an answer of its first and last 256 KiB if it is too large to be read whole. */
async function readOrSalvage(
  response: Response,
  salvage: NonNullable<RunnerRequest['salvage']>,
): Promise<unknown> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let start: string | undefined
  let size = 0
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size <= maxBytes) continue
    start ??= decode(concatBytes(chunks).subarray(0, endBytes))
    let kept = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
    while (kept - (chunks[0]?.byteLength ?? kept) >= endBytes) kept -= chunks.shift()?.byteLength ?? 0
  }
  const rest = decode(concatBytes(chunks))
  return start === undefined ? parseAnswer(rest) : salvage(start, rest)
}

function toError(
  status: number,
  { sentence, retryAfterSeconds }: Awaited<ReturnType<typeof readRefusal>>,
): RunnerError {
  const fail = (kind: RunnerError['kind'], message: string) =>
    new RunnerError(kind, addSentence(message, sentence), status, retryAfterSeconds)
  if (status === 401) return fail('auth', 'The runner refused the API key')
  // The runner gives a reason. A page without one is of a proxy that lets only some addresses in.
  if (status === 403 && sentence === null)
    return fail('refused', 'The runner, or a proxy in front of it, does not let this service in (403)')
  if (status === 403) return fail('refused', 'The role of the API key does not permit this at the runner')
  if (status === 429) return fail('refused', 'The runner limits our calls; try again later')
  if (status === 404) return fail('missing', 'The runner has no such record')
  if (status >= 300 && status < 400)
    return fail('refused', 'The runner redirects to another address; enter that address')
  return fail(status < 500 && status !== 408 ? 'refused' : 'down', `The runner returned ${status}`)
}
