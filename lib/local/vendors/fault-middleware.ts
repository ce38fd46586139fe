import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, MiddlewareHandler } from 'hono'
import type { Fault, Faults, Service } from './faults.ts'

type LocalContext = Context<{ Bindings: HttpBindings }>
type FaultResponse = {
  status: 400 | 410 | 429 | 503
  body: string | object
  headers?: Record<string, string>
}

// Bytes that are neither valid UTF-8 nor JSON.
const garbage = new Uint8Array([
  0x3c, 0x21, 0x00, 0xff, 0xfe, 0x7b, 0x22, 0x6e, 0x6f, 0x74, 0x20, 0x6a, 0x73, 0x6f, 0x6e,
])

/**
 * Create middleware that applies a service's fault before its emulator handles the request. `onFaultyRequest`
 * is called for every request that reaches the vendor and fails. It is not called for `down`, where nothing
 * arrives, nor for `slow`, where the request proceeds.
 */
export function faultMiddleware(
  faults: Faults,
  service: Service,
  onFaultyRequest?: (c: LocalContext, fault: Fault) => void | Promise<void>,
): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (c, next) => {
    const fault = faults.take(service)
    if (!fault) return next()
    if (fault.mode === 'slow') {
      await sleep(fault.delay_ms ?? 2000)
      return next()
    }
    if (fault.mode === 'down') return closeConnection(c)
    await onFaultyRequest?.(c, fault)
    if (fault.mode === 'hang') {
      await waitForRelease(c, faults, service)
      return closeConnection(c)
    }
    return sendFaultResponse(c, service, fault)
  }
}

function closeConnection(c: LocalContext): Response {
  c.env.incoming.socket.destroy()
  return RESPONSE_ALREADY_SENT
}

/**
 * Resolve when the client disconnects, when the service's fault is replaced, or when all faults are cleared.
 */
function waitForRelease(c: LocalContext, faults: Faults, service: Service): Promise<void> {
  return new Promise((resolve) => {
    const stop = faults.onChange((change) => {
      // A fault that is used up does not release the requests that it already holds.
      if (change.kind === 'cleared' || (change.kind === 'set' && change.service === service)) end()
    })
    const end = () => {
      stop()
      resolve()
    }
    if (c.env.outgoing.destroyed) end()
    c.env.outgoing.once('close', end)
  })
}

function sendFaultResponse(c: LocalContext, service: Service, fault: Fault): Response {
  if (fault.mode === 'garbage') return c.body(garbage, 200, { 'content-type': 'text/html' })
  if (fault.mode === 'redirect') return c.redirect(`/redirected/${service}`, 302)
  const response = createFaultResponse(service, fault)
  const headers = response.headers ?? {}
  return typeof response.body === 'string'
    ? c.text(response.body, response.status, headers)
    : c.json(response.body, response.status, headers)
}

function createFaultResponse(service: Service, { mode, retry_after_s }: Fault): FaultResponse {
  if (mode === 'client_error')
    return { status: 400, body: errorBody(service, 400, 'The request was refused by a local fault.') }
  if (mode === 'gone') return { status: 410, body: errorBody(service, 410, 'Gone, by a local fault.') }
  if (mode === 'rate_limit')
    return {
      status: 429,
      body: errorBody(service, 429, 'Too many requests, by a local fault.'),
      headers: { 'retry-after': String(retry_after_s ?? 120) },
    }
  const headers = retry_after_s === undefined ? undefined : { 'retry-after': String(retry_after_s) }
  return { status: 503, body: errorBody(service, 503, 'Service unavailable, by a local fault.'), headers }
}

/** Return an error body in the vendor's own format. */
function errorBody(service: Service, status: number, message: string): string | object {
  switch (service) {
    case 'chat1':
      return status === 400 ? 'invalid_payload' : status === 429 ? 'rate_limited' : 'rollup_error'
    case 'resend':
      return { statusCode: status, message, name: resendErrorName(status) }
    case 'openai':
    case 'stripe':
      return {
        error: {
          message,
          type: status === 400 ? 'invalid_request_error' : status === 429 ? 'rate_limit_error' : 'api_error',
          code: null,
        },
      }
    case 'psa':
      return { code: status === 400 ? 'InvalidObject' : 'Unavailable', message, errors: [] }
    case 'chat2':
    case 'microsoft':
      return {
        error: {
          code: status === 400 ? 'BadRequest' : status === 429 ? 'TooManyRequests' : 'ServiceUnavailable',
          message,
        },
      }
    case 'phone':
      // https://www.twilio.com/docs/api/errors/20429
      return { code: status === 429 ? 20429 : status === 400 ? 20001 : 20500, message, status }
    case 'postgres':
    case 'redis':
    case 'qstash':
    case 'hooks':
    case 'push':
    case 'images':
    case 'articles':
    case 'runner':
    case 'mcp':
    case 'google':
    case 'analytics':
      return { error: message }
  }
}

function resendErrorName(status: number): string {
  if (status === 400) return 'validation_error'
  return status === 429 ? 'rate_limit_exceeded' : 'internal_server_error'
}
