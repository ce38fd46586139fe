import { ApiError } from './api-error.ts'
import type { RequestParts } from './build-request.ts'
import type { ServerEvent } from './call-types.ts'
import { parseEvents, type StreamState } from './parse-events.ts'
import type { Wait } from './wait.ts'

const firstRetryMs = 3000
const maxRetryMs = 60_000

type Load = (parts: RequestParts) => Promise<Response>

/**
 * Yield the events of an answer that is written in parts. Throw an ApiError when it ends with an `error`
 * event.
 */
export async function* streamAnswer(
  parts: RequestParts,
  load: Load,
): AsyncGenerator<ServerEvent, void, undefined> {
  const response = await load(acceptEvents(parts, ''))
  for await (const event of parseEvents(response, { lastEventId: '', retryMs: firstRetryMs })) {
    if (event.event === 'error') throw toApiError(event.data)
    yield event
  }
}

/** How to connect to a stream that never ends. */
export interface Connections {
  load: Load
  wait: Wait
  /** Open a WebSocket. Null when none opens. Undefined to use none. */
  openSocket?: ((state: StreamState) => Promise<AsyncIterable<ServerEvent> | null>) | undefined
}

/**
 * Yield the events of a stream that never ends. After a lost connection, connect again from the last event.
 * The iteration ends when the service refuses the caller, when a newer stream replaces this one, or when the
 * signal aborts.
 */
export async function* followEvents(
  parts: RequestParts,
  connections: Connections,
): AsyncGenerator<ServerEvent, void, undefined> {
  const state: StreamState = { lastEventId: '', retryMs: firstRetryMs }
  const connect = createConnect(parts, connections, state)
  let events: AsyncIterable<ServerEvent> | null = await connect()
  for (let failures = 0; ; ) {
    if (events) {
      failures = 0
      try {
        for await (const event of events) {
          yield event
          if (event.event === 'replaced') return
        }
      } catch (error) {
        if (error instanceof ApiError) throw error
        // The connection was lost.
      }
    }
    parts.signal?.throwIfAborted()
    await connections.wait(
      Math.min(state.retryMs * 2 ** failures++, Math.max(state.retryMs, maxRetryMs)),
      parts.signal,
    )
    events = await reconnect(connect, parts.signal)
  }
}

type Connect = () => Promise<AsyncIterable<ServerEvent>>

/**
 * Return the function that connects from the last event: as a WebSocket or, if none opens, with a request.
 * Where the first WebSocket does not open, the platform has none, and no other is tried.
 */
function createConnect(parts: RequestParts, { load, openSocket }: Connections, state: StreamState): Connect {
  let hasOpened = false
  let triesSocket = true
  return async () => {
    const socketEvents = triesSocket ? await openSocket?.(state) : null
    parts.signal?.throwIfAborted()
    hasOpened ||= Boolean(socketEvents)
    triesSocket = hasOpened
    return socketEvents ?? parseEvents(await load(acceptEvents(parts, state.lastEventId)), state)
  }
}

/** Connect again. Return null when the service cannot be reached at the moment. */
async function reconnect(
  connect: Connect,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<ServerEvent> | null> {
  try {
    return await connect()
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error
    return null
  }
}

function acceptEvents(parts: RequestParts, lastEventId: string): RequestParts {
  const resume: Record<string, string> = lastEventId ? { 'last-event-id': lastEventId } : {}
  return { ...parts, headers: { ...parts.headers, accept: 'text/event-stream', ...resume } }
}

function toApiError(data: unknown): ApiError {
  const body = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
  return new ApiError(Number(body.status ?? 500), body)
}
