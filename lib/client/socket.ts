import { ApiError } from './api-error.ts'
import type { ServerEvent } from './call-types.ts'
import type { StreamState } from './parse-events.ts'

/** The service closes a socket that has received 64 events without a ping. It answers each ping. */
const pingMs = 25_000
/** The close codes of the service, see lib/vendors/realtime/README.md. */
const signInEnded = 4401
const replacedCode = 4409
/** What a browser reports for a connection that broke. */
const connectionLost = 1006

interface SocketRequest {
  /** URL of the stream. */
  url: string
  token: string
  signal: AbortSignal | undefined
}

/**
 * Open a stream as a WebSocket, from the last event. Return its events, or null when no socket opens: the
 * platform may have none, and a browser does not tell why.
 */
export async function openSocket(
  { url, token, signal }: SocketRequest,
  state: StreamState,
): Promise<AsyncIterable<ServerEvent> | null> {
  signal?.throwIfAborted()
  const address = new URL(url)
  address.protocol = address.protocol.replace('http', 'ws')
  if (state.lastEventId) address.searchParams.set('last_event_id', state.lastEventId)
  const socket = createSocket(address, ['support-flow', `bearer.${token}`])
  if (!socket) return null
  const { received, opened } = receive(socket, signal)
  // Clients that lose their sockets together return one by one.
  state.retryMs = 2000 + Math.floor(Math.random() * 3001)
  return (await opened) ? readSocket(socket, received, state) : null
}

/**
 * Collect what a socket receives, until it closes or the signal aborts. `opened` is false if it closes before
 * it opens.
 */
function receive(
  socket: WebSocket,
  signal: AbortSignal | undefined,
): { received: Received; opened: Promise<boolean> } {
  const received: Received = { texts: [], isAlive: true, closeCode: undefined, wake: () => {} }
  const close = () => socket.close()
  signal?.addEventListener('abort', close)
  const opened = new Promise<boolean>((resolve) => {
    socket.onopen = () => resolve(true)
    socket.onclose = ({ code }) => {
      received.closeCode = code
      signal?.removeEventListener('abort', close)
      resolve(false)
      received.wake()
    }
  })
  socket.onmessage = ({ data }) => {
    received.texts.push(data)
    received.isAlive = true
    received.wake()
  }
  return { received, opened }
}

/** Create a WebSocket, or return undefined where the runtime has none or the page may not open it. */
function createSocket(address: URL, protocols: string[]): WebSocket | undefined {
  try {
    return new WebSocket(address, protocols)
  } catch {
    return undefined
  }
}

interface Received {
  texts: string[]
  /** Whether anything came since the last ping. */
  isAlive: boolean
  closeCode: number | undefined
  /** Called after each change. */
  wake: () => void
}

/** Yield the events of a socket until it closes. Throw an ApiError when the sign-in has ended. */
async function* readSocket(
  socket: WebSocket,
  received: Received,
  state: StreamState,
): AsyncGenerator<ServerEvent, void, undefined> {
  const timer = setInterval(() => {
    // A network that was lost without a trace closes no socket for minutes.
    if (!received.isAlive) {
      received.closeCode ??= connectionLost
      received.wake()
      return
    }
    received.isAlive = false
    socket.send('ping')
  }, pingMs)
  try {
    for (;;) {
      for (let text = received.texts.shift(); text !== undefined; text = received.texts.shift()) {
        if (text === 'pong') continue
        const { id, event, data } = JSON.parse(text)
        state.lastEventId = String(id)
        if (event !== 'connected') yield { id: state.lastEventId, event, data }
      }
      if (received.closeCode !== undefined) break
      await new Promise<void>((resolve) => {
        received.wake = resolve
      })
    }
    if (received.closeCode === signInEnded) throw new ApiError(401, { detail: 'The sign-in has ended' })
    if (received.closeCode === replacedCode) yield { id: state.lastEventId, event: 'replaced', data: {} }
  } finally {
    clearInterval(timer)
    socket.close()
  }
}
