import { ApiError } from './api-error.ts'
import type { RequestParts } from './build-request.ts'
import type { ServerEvent } from './call-types.ts'
import { parseEvents, type StreamState } from './parse-events.ts'
import type { Wait } from './wait.ts'

const firstRetryMs = 3000
const maxRetryMs = 60_000

type Load = (parts: RequestParts) => Promise<Response>

/** Yield the events of an answer that is written in parts. Throw an ApiError when it ends with an `error` event. */
export async function* streamAnswer(parts: RequestParts, load: Load): AsyncGenerator<ServerEvent, void, undefined> {
  const response = await load(acceptEvents(parts, ''))
  for await (const event of parseEvents(response, { lastEventId: '', retryMs: firstRetryMs })) {
    if (event.event === 'error') throw toApiError(event.data)
    yield event
  }
}

/**
 * Yield the events of a stream that never ends. After a lost connection, connect again from the last event. The iteration ends when the
 * service refuses the caller, when a newer stream replaces this one, or when the signal aborts.
 */
export async function* followEvents(parts: RequestParts, load: Load, wait: Wait): AsyncGenerator<ServerEvent, void, undefined> {
  const state: StreamState = { lastEventId: '', retryMs: firstRetryMs }
  let response: Response | null = await load(acceptEvents(parts, ''))
  for (let failures = 0; ; ) {
    if (response) {
      failures = 0
      try {
        for await (const event of parseEvents(response, state)) {
          yield event
          if (event.event === 'replaced') return
        }
      } catch {
        // The connection was lost.
      }
    }
    parts.signal?.throwIfAborted()
    await wait(Math.min(state.retryMs * 2 ** failures++, Math.max(state.retryMs, maxRetryMs)), parts.signal)
    response = await reconnect(acceptEvents(parts, state.lastEventId), load)
  }
}

/** Connect again. Return null when the service cannot be reached at the moment. */
async function reconnect(parts: RequestParts, load: Load): Promise<Response | null> {
  try {
    return await load(parts)
  } catch (error) {
    parts.signal?.throwIfAborted()
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error
    return null
  }
}

function acceptEvents(parts: RequestParts, lastEventId: string): RequestParts {
  const resume = lastEventId ? { 'last-event-id': lastEventId } : {}
  return { ...parts, headers: { ...parts.headers, accept: 'text/event-stream', ...resume } }
}

function toApiError(data: unknown): ApiError {
  const body = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
  return new ApiError(Number(body.status ?? 500), body)
}
