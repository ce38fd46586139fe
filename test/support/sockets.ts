import type { IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { Service } from './app.ts'
import type { Person } from './people.ts'

interface SocketMessage {
  id: number
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of the data it expects
  data: any
}

export interface TestSocket {
  /** 101, or the status of the refusal. */
  status: number
  headers: IncomingMessage['headers']
  /** The body of a refusal. */
  body: string
  /** The protocol that the server has selected. */
  protocol: string
  /** The messages received so far, except the first and the answers to pings. */
  events(): SocketMessage[]
  /** The numbers of the events of `insertStreamEvents`. */
  numbers(): number[]
  /** The first message. */
  connected(): SocketMessage | undefined
  countPongs(): number
  /** Undefined while the socket is open. */
  closeCode(): number | undefined
  send(text: string): void
  close(code?: number): void
}

interface SocketOptions {
  lastEventId?: number | string
  /** What the client offers as protocols. */
  protocols?: string[]
  headers?: Record<string, string>
  query?: string
  /**
   * How long the client waits after a close, 20 ms by default. A local workerd leaves the connection open after both
   * sides have closed the WebSocket; one whose answer to a close is expected is given more time.
   */
  closeTimeoutMs?: number
}

/** Open the escalation stream of a person as a WebSocket, by default with an `Authorization` header. */
export async function openSocket(
  { api }: Pick<Service, 'api'>,
  { token }: Pick<Person, 'token'>,
  {
    lastEventId,
    protocols = [],
    headers = { authorization: `Bearer ${token}` },
    query = lastEventId === undefined ? '' : `?last_event_id=${lastEventId}`,
    closeTimeoutMs = 20,
  }: SocketOptions = {},
): Promise<TestSocket> {
  const url = `${api.replace('http', 'ws')}/api/v1/ai-sessions/escalations/stream${query}`
  const options = { headers, closeTimeout: closeTimeoutMs }
  const socket = new WebSocket(url, protocols, options)
  onTestFinished(() => socket.terminate())
  const texts: string[] = []
  let closeCode: number | undefined
  socket.on('message', (data) => void texts.push(String(data)))
  socket.on('close', (code) => {
    closeCode = code
  })
  const { response, body } = await waitForAnswer(socket)
  const messages = () =>
    texts.filter((text) => text !== 'pong').map((text) => JSON.parse(text) as SocketMessage)
  const events = () => messages().filter(({ event }) => event !== 'connected')
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body,
    protocol: socket.protocol,
    events,
    numbers: () => events().flatMap(({ event, data }) => (event === 'handoff_created' ? [data.n] : [])),
    connected: () => messages().find(({ event }) => event === 'connected'),
    countPongs: () => texts.filter((text) => text === 'pong').length,
    closeCode: () => closeCode,
    send: (text) => socket.send(text),
    close: (code) => socket.close(code),
  }
}

function waitForAnswer(socket: WebSocket): Promise<{ response: IncomingMessage; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ response: IncomingMessage; body: string }>()
  let upgrade: IncomingMessage
  socket.on('upgrade', (response) => {
    upgrade = response
  })
  socket.on('open', () => resolve({ response: upgrade, body: '' }))
  socket.on('error', reject)
  socket.on('unexpected-response', async (_, response) => {
    let body = ''
    for await (const chunk of response.setEncoding('utf8')) body += chunk
    resolve({ response, body })
  })
  return promise
}
