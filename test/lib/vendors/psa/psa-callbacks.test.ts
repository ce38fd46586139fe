import { createHash, createHmac } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { outboundGuard } from '#vendors/net/guard.ts'
import {
  haloUserName,
  parseBasicPassword,
  parseHaloTickets,
  readConnectWiseTickets,
} from '#vendors/psa/callbacks.ts'
import type { PsaError } from '#vendors/psa/psa.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)
const key = 'k'.repeat(16)
let lastAccount = 0
beforeEach(() => {
  vendor.requests.length = 0
  vendor.answer = () => ({ body: { signing_key: key } })
  lastAccount++
})
const guard = outboundGuard({ resolve: async () => [] }, { allowedOrigin: vendor.origin })

interface CallbackChanges {
  body?: object
  signature?: string | null
  signedWith?: string
  keyPath?: string
}
/** Read a callback of ConnectWise for an account that no other test uses. */
function read({ body = {}, signature, signedWith = key, keyPath = '/key' }: CallbackChanges = {}) {
  const value = {
    ID: 7,
    Type: 'Ticket',
    CompanyId: 'Demo',
    Metadata: { key_url: `${vendor.origin}${keyPath}` },
    ...body,
  }
  const bytes = new TextEncoder().encode(JSON.stringify(value)) as Uint8Array<ArrayBuffer>
  const signed = createHmac('sha256', createHash('sha256').update(signedWith).digest())
    .update(bytes)
    .digest('base64')
  const sender = { accountId: `account ${lastAccount}`, baseUrl: vendor.origin, companyId: 'dEMO' }
  return readConnectWiseTickets(
    { bytes, body: value, signature: signature === undefined ? signed : signature },
    sender,
    guard,
  )
}

describe('a callback of ConnectWise', () => {
  it.each<[CallbackChanges, string[] | null]>([
    [{}, ['7']],
    [{ body: { ID: '15', Type: 'TICKET' } }, ['15']],
    [{ body: { Type: 'company' } }, []],
    [{ body: { ID: 'T-1' } }, null],
    [{ body: { ID: 1.5 } }, null],
    [{ body: { CompanyId: 'other' } }, null],
    [{ body: { Metadata: { key_url: 'http://169.254.169.254/key' } } }, null],
    [{ body: { Metadata: { key_url: 'no address' } } }, null],
    [{ body: { Metadata: undefined } }, null],
    [{ signature: null }, null],
    [{ signature: 'x' }, null],
    [{ signature: `${'A'.repeat(43)}=` }, null],
    [{ signedWith: 'another key of 16+' }, null],
  ])('with %j names the tickets %j', async (changes, tickets) => expect(await read(changes)).toEqual(tickets))

  it('reads the key once, and again for another address or another key', async () => {
    expect([await read(), await read(), vendor.requests.length]).toEqual([['7'], ['7'], 1])
    expect([await read({ keyPath: '/other' }), vendor.requests.length]).toEqual([['7'], 2])
    expect([await read({ keyPath: '/other', signedWith: 'x'.repeat(16) }), vendor.requests.length]).toEqual([
      null,
      3,
    ])
    expect([await read({ keyPath: '/other' }), vendor.requests.length]).toEqual([['7'], 3])
  })
  it.each([
    [404, {}, null],
    [401, {}, null],
    [403, {}, null],
    [500, {}, 'down'],
    [429, {}, 'rate_limit'],
    [200, { signing_key: 'k'.repeat(15) }, 'down'],
    [200, {}, 'down'],
  ])('whose key is answered with %i %j is %j', async (status, body, expected) => {
    vendor.answer = () => ({ status, body })
    expect(await read().catch((error: PsaError) => error.kind)).toBe(expected)
  })
  it('reads at most 40 keys per minute and account', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    for (let n = 0; n < 40; n++) expect(await read({ signedWith: 'x'.repeat(16) })).toBeNull()
    await expect(read({ signedWith: 'x'.repeat(16) })).rejects.toMatchObject({
      kind: 'rate_limit',
      retryAfterSeconds: 60,
    })
    vi.setSystemTime(Date.now() + 59_999)
    await expect(read()).rejects.toMatchObject({ kind: 'rate_limit' })
    vi.setSystemTime(Date.now() + 1)
    expect(await read()).toEqual(['7'])
  })
})

describe('a webhook of HaloPSA', () => {
  it.each([
    [{ ticket: { id: 7 } }, ['7']],
    [{ object_id: '8' }, ['8']],
    [
      [{ ticket: { id: 7 } }, { object_id: 7 }, { object_id: 9 }, { other: 1 }, null],
      ['7', '9'],
    ],
    [{ ticket: { id: 'x' } }, []],
    [null, []],
    [
      Array.from({ length: 101 }, (_, n) => ({ object_id: n + 1 })),
      Array.from({ length: 100 }, (_, n) => String(n + 1)),
    ],
  ])('names the tickets of %j', (body, tickets) => expect(parseHaloTickets(body)).toEqual(tickets))
  it.each([
    [`Basic ${btoa(`${haloUserName}:p:w`)}`, 'p:w'],
    [`basic ${btoa(`${haloUserName}:`)}`, ''],
    [`Basic ${btoa('other:p')}`, null],
    ['Basic ====', null],
    ['Basic abcde', null],
    ['Bearer abc', null],
    [null, null],
  ])('has the password of %j', (header, password) => expect(parseBasicPassword(header)).toBe(password))
})
