import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { NodeEnv } from './client-address.ts'
import { compressResponse } from './compress.ts'

/** The part of Hono's app that the server calls. */
interface App {
  fetch(request: Request, env: unknown, execution: ExecutionContext): Response | Promise<Response>
}
interface ExecutionContext {
  waitUntil(promise: Promise<unknown>): void
  passThroughOnException(): void
  props: unknown
}

export interface HttpServer {
  port: number
  /** Answer a request without HTTP, as if it came from this machine. */
  fetch(request: Request): Promise<Response>
  /** Wait for what earlier requests have left to do. */
  finishEffects(): Promise<void>
  /**
   * Accept no new connection, and wait for the open requests and their effects. After `timeoutMs`, cut what
   * is left.
   */
  close(timeoutMs: number): Promise<void>
}

const localEnv: NodeEnv = { incoming: { socket: { remoteAddress: '127.0.0.1' } } }

/** Serve the app over HTTP. Effects that a request leaves behind are finished before `close` returns. */
export async function serveHttp(
  app: App,
  { port, host }: { port: number; host: string },
): Promise<HttpServer> {
  const effects = new Set<Promise<unknown>>()
  const execution: ExecutionContext = {
    waitUntil(promise) {
      const settled: Promise<unknown> = promise.catch(() => {}).finally(() => effects.delete(settled))
      effects.add(settled)
    },
    passThroughOnException() {},
    props: {},
  }
  const listener = getRequestListener(async (request, env) =>
    compressResponse(request, await app.fetch(request, env, execution)),
  )
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    declareEmptyBody(request)
    void listener(request, response)
  })
  // Longer than the idle time-out of common load balancers (60 s), which must close a connection first.
  server.keepAliveTimeout = 75_000
  const finishEffects = async () => {
    while (effects.size > 0) await Promise.all(effects)
  }
  return {
    port: await listen(server, port, host),
    fetch: async (request) => app.fetch(request, localEnv, execution),
    finishEffects,
    async close(timeoutMs) {
      const closing = new Promise<void>((resolve) => server.close(() => resolve()))
      const cutTimer = setTimeout(() => server.closeAllConnections(), timeoutMs)
      // A connection stays open after its last response, for a next request that must not come.
      const sweep = setInterval(() => server.closeIdleConnections(), 50)
      await closing
      clearTimeout(cutTimer)
      clearInterval(sweep)
      await Promise.race([finishEffects(), new Promise((resolve) => setTimeout(resolve, timeoutMs).unref())])
    },
  }
}

/**
 * Declare the body of a request without a length and without chunks as empty, so that nobody opens a stream
 * to read it:
 * https://www.rfc-editor.org/rfc/rfc9112#section-6.3
 */
function declareEmptyBody({ headers }: IncomingMessage): void {
  if (headers['transfer-encoding'] === undefined) headers['content-length'] ??= '0'
}

/** Listen on a port, or on any free one for 0. Return the port. Throw the remedy if it is taken. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`The port ${port} of ${host} is in use: stop what uses it, or set another PORT`, {
              cause: error,
            })
          : error,
      ),
    )
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}
