import { type ApiError, readApiError } from './api-error.ts'
import type { RequestParts } from './build-request.ts'
import type { SignIn } from './sign-in.ts'
import type { Wait } from './wait.ts'

export interface Transport {
  fetch: (request: Request) => Promise<Response>
  wait: Wait
  /** Attempts after the first, for 429, 503 and a key that is in use. */
  maxRetries: number
  /** The longest wait between two attempts, in milliseconds. A longer Retry-After is an error at once. */
  maxRetryWaitMs: number
}

/**
 * Send a request, and again after 429, 503 or while its key is in use, when the service says how soon. Throw
 * an ApiError for any other failure.
 */
export async function send(transport: Transport, parts: RequestParts): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    // An injected `fetch` may ignore the signal.
    parts.signal?.throwIfAborted()
    const response = await transport.fetch(toRequest(parts))
    if (response.ok) {
      parts.onHeaders?.(response.headers)
      return response
    }
    const error = await readApiError(response)
    const delay = attempt < transport.maxRetries && canRepeat(parts, error) ? error.retryAfterMs : null
    if (delay === null || delay > transport.maxRetryWaitMs) throw error
    await transport.wait(delay, parts.signal)
  }
}

/** Send a request with the caller's token. After 401, refresh the tokens and send it again once. */
export async function sendSignedIn(
  transport: Transport,
  signIn: SignIn,
  parts: RequestParts,
): Promise<Response> {
  const tokens = signIn.get()
  try {
    return await send(transport, authorize(parts, tokens?.access_token))
  } catch (error) {
    if (!tokens || (error as ApiError).status !== 401 || !(await signIn.refresh(tokens))) throw error
    parts.signal?.throwIfAborted()
    return send(transport, authorize(parts, signIn.get()?.access_token))
  }
}

/** Add a token or an API key to a request. */
export function authorize(parts: RequestParts, token: string | undefined): RequestParts {
  return token ? { ...parts, headers: { ...parts.headers, authorization: `Bearer ${token}` } } : parts
}

/**
 * Return whether repeating is safe. After a 503 the service may have done the work, unless a key makes the
 * repetition harmless.
 */
function canRepeat({ method, headers }: RequestParts, { status, code }: ApiError): boolean {
  if (status === 429 || code === 'idempotency_key_in_use') return true
  return status === 503 && ((method !== 'POST' && method !== 'PATCH') || 'idempotency-key' in headers)
}

function toRequest({ method, url, headers, body, signal }: RequestParts): Request {
  return new Request(url, { method, headers, body, ...(signal ? { signal } : {}) })
}
