import type { OutboundGuard } from '../net/guard.ts'
import { retryAfter } from '../net/sent.ts'
import { PsaError } from './psa.ts'

const callMs = 8000
const totalMs = 9500
const maxBytes = 8 * 1024 * 1024
// A Worker may hold six connections for a request; two are left for the database and Redis.
const mostAtOnce = 4

export interface PsaRequest {
  method?: 'GET' | 'POST'
  /** Joined to the root by the caller. */
  url: string
  headers?: Record<string, string>
  body?: string
}

/** Sends one call and answers its JSON; null for an answer without content. Throws PsaError. */
export type PsaHttp = (request: PsaRequest) => Promise<unknown>

/**
 * Calls to one provider's address for one request: only where the guard lets them lead, without following redirects, 8 s each and 9.5 s in
 * all, 8 MiB an answer, four at once.
 */
export function psaHttp(baseUrl: string, guard: OutboundGuard): PsaHttp {
  const deadline = Date.now() + totalMs
  const queue = slots(mostAtOnce)
  let allowed: Promise<string | null> | undefined
  return async (request) => {
    allowed ??= guard.refusal(baseUrl, 'sending')
    if (await allowed) throw new PsaError('invalid', 'The address of the ticketing system is refused')
    return queue(async () => {
      const left = Math.min(callMs, deadline - Date.now())
      if (left <= 0) throw late()
      return send(request, AbortSignal.timeout(left))
    })
  }
}

async function send({ method = 'GET', url, headers = {}, body }: PsaRequest, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: 'application/json', ...headers },
      body: body ?? null,
      redirect: 'manual',
      signal,
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw refusal(response)
    }
    return parsed(await textOf(response))
  } catch (error) {
    if (error instanceof PsaError) throw error
    throw signal.aborted ? late() : new PsaError('down', 'The connection to the ticketing system failed')
  }
}

function refusal({ status, headers }: Response): PsaError {
  if (status === 401 || status === 403) return new PsaError('auth', 'The ticketing system refused the credentials', { status })
  if (status === 404) return new PsaError('missing', 'The ticketing system knows no such thing', { status })
  if (status === 429) {
    const retryAfterSeconds = retryAfter(headers.get('retry-after'))
    return new PsaError('rate_limit', 'The ticketing system takes no more calls at the moment', { status, retryAfterSeconds })
  }
  const kind = status >= 400 && status < 500 ? 'invalid' : 'down'
  return new PsaError(kind, `The ticketing system answered ${status}`, { status })
}

function parsed(text: string): unknown {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text)
  } catch {
    throw new PsaError('down', 'The ticketing system answered something other than JSON')
  }
}

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > maxBytes) throw new PsaError('down', 'The answer of the ticketing system was too large')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

const late = () => new PsaError('down', 'The ticketing system did not answer in time')

/** Lets so many run at once; the rest wait in line. */
function slots(most: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
