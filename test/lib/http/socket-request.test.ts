import { describe, expect, it } from 'vitest'
import { isSocketRequest, readSocketAuthorization, selectProtocol } from '#http/socket-request.ts'

const request = (headers: Record<string, string>, method = 'GET') =>
  new Request('https://api.example.com/', { method, headers })

describe('a request for a WebSocket', () => {
  const upgrade = { upgrade: 'WebSocket' }
  it.each([
    [upgrade, 'GET', true],
    [upgrade, 'POST', false],
    [{ upgrade: 'h2c' }, 'GET', false],
    [{}, 'GET', false],
  ])('has the header and the method: %j %s', (headers, method, expected) => {
    expect(isSocketRequest(request(headers as Record<string, string>, method))).toBe(expected)
  })
  it.each([
    [
      { ...upgrade, 'sec-websocket-protocol': 'support-flow, bearer.t.u' },
      'Bearer t.u',
      { 'sec-websocket-protocol': 'support-flow' },
    ],
    [{ ...upgrade, 'sec-websocket-protocol': 'bearer.t' }, 'Bearer t', {}],
    [{ 'sec-websocket-protocol': 'bearer.t' }, undefined, {}],
    [{ ...upgrade, 'sec-websocket-protocol': 'bearer.' }, undefined, {}],
    [upgrade, undefined, {}],
  ])('with %j has the token %j and gets %j', (headers, authorization, selected) => {
    const socketRequest = request(headers as Record<string, string>)
    expect([readSocketAuthorization(socketRequest), selectProtocol(socketRequest)]).toEqual([
      authorization,
      selected,
    ])
  })
})
