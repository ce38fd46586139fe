import { createServer } from 'node:http'
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '#platform/node/server.ts'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { outboundGuard } from '#vendors/net/guard.ts'
import { id } from '#vendors/net/wire.ts'
import { createPsaHttp, type PsaRequest } from '#vendors/psa/http.ts'
import { parseItems } from '#vendors/psa/wire.ts'

describe('a call of the ticketing system', async () => {
  const vendor = await startVendorServer()
  afterAll(vendor.close)
  beforeEach(() => {
    vendor.requests.length = 0
  })
  const guard = outboundGuard({ resolve: async () => [] }, { allowedOrigin: vendor.origin })
  const call = (request: Partial<PsaRequest> = {}) =>
    createPsaHttp([vendor.origin], guard)({ url: `${vendor.origin}/x`, ...request })

  it.each([
    [401, 'auth', 'The ticketing system refused the credentials'],
    [403, 'forbidden', 'The ticketing system does not permit this'],
    [404, 'missing', 'The ticketing system has no such record'],
    [429, 'rate_limit', 'The ticketing system limits our calls; try again later'],
    [302, 'down', 'The ticketing system returned 302'],
    [400, 'invalid', 'The ticketing system returned 400'],
    [499, 'invalid', 'The ticketing system returned 499'],
    [500, 'down', 'The ticketing system returned 500'],
  ])('that is answered with %i fails as %s', async (status, kind, message) => {
    vendor.answer = () => ({ status, headers: { 'retry-after': '5' } })
    await expect(call()).rejects.toMatchObject({
      kind,
      message,
      status,
      retryAfterSeconds: status === 429 || status === 500 ? 5 : undefined,
    })
  })
  it.each([
    ['', null],
    [' \n', null],
    ['{"a":1}', { a: 1 }],
  ])('returns the JSON of %j', async (body, json) => {
    vendor.answer = () => ({ body })
    expect(await call()).toEqual(json)
  })
  it('sends its method, its headers and its body', async () => {
    vendor.answer = () => ({})
    await call({ method: 'PATCH', headers: { clientid: 'i' }, body: '{}' })
    await call()
    expect(
      vendor.requests.map(({ method, headers, body }) => [method, headers.accept, headers.clientid, body]),
    ).toEqual([
      ['PATCH', 'application/json', 'i', '{}'],
      ['GET', 'application/json', undefined, ''],
    ])
  })
  it('fails for another answer than JSON, and without a connection', async () => {
    vendor.answer = () => ({ body: '<html>' })
    await expect(call()).rejects.toMatchObject({
      kind: 'down',
      message: 'The ticketing system did not answer with JSON',
    })
    vendor.answer = () => null
    await expect(call()).rejects.toMatchObject({
      kind: 'down',
      message: 'The connection to the ticketing system failed',
    })
  })
  it.each([
    [5000, 1],
    [9500, 0],
  ])('that starts %i ms after the client was created leads to %i requests', async (ms, calls) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    vendor.answer = () => null
    const callVendor = createPsaHttp([vendor.origin], guard)
    vi.setSystemTime(Date.now() + ms)
    await expect(callVendor({ url: `${vendor.origin}/x` })).rejects.toMatchObject({ kind: 'down' })
    expect(vendor.requests).toHaveLength(calls)
  })
  it('PSA-66 is one of four at once, and the last one when the ticketing system limits our calls', async () => {
    const answers = Promise.withResolvers<void>()
    const slow = createServer(async (_, response) => {
      received++
      await answers.promise
      response.writeHead(429).end()
    })
    let received = 0
    const origin = `http://127.0.0.1:${await listen(slow, 0, '127.0.0.1')}`
    onTestFinished(() => void slow.close())
    const callVendor = createPsaHttp(
      [origin],
      outboundGuard({ resolve: async () => [] }, { allowedOrigin: origin }),
    )
    const calls = Promise.allSettled(Array.from({ length: 200 }, () => callVendor({ url: `${origin}/x` })))
    await expect.poll(() => received).toBe(4)
    answers.resolve()
    const kinds = (await calls).map((call) => (call.status === 'rejected' ? call.reason.kind : 'answered'))
    expect([received, new Set(kinds)]).toEqual([4, new Set(['rate_limit'])])
  })
  it('WIR-53 is refused after 16 MiB of answers of one client', async () => {
    vendor.answer = () => ({ body: `"${'x'.repeat(6 * 1024 * 1024)}"` })
    const callVendor = createPsaHttp([vendor.origin], guard)
    const next = () => callVendor({ url: `${vendor.origin}/x` })
    for (let count = 0; count < 3; count++) await next()
    await expect(next()).rejects.toMatchObject({
      kind: 'down',
      message: 'The answer of the ticketing system was too large',
    })
    expect(vendor.requests).toHaveLength(3)
  })
  it('WIR-53 reads 2,000 items of a list', () => {
    expect(parseItems(id, Array(1_000_000).fill(1))).toHaveLength(2000)
  })
  it('is not made to an address that the guard refuses', async () => {
    const refused = createPsaHttp([vendor.origin, 'https://localhost'], guard)({ url: `${vendor.origin}/x` })
    await expect(refused).rejects.toMatchObject({ kind: 'invalid', status: null })
    expect(vendor.requests).toEqual([])
  })
})
