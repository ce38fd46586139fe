import { afterAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { dnsOverHttps } from '#vendors/net/dns.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})
const a = (data: string, TTL?: number) => ({ type: 1, data, ...(TTL === undefined ? {} : { TTL }) })
const aaaa = (data: string) => ({ type: 28, data, TTL: 60 })
const found = (...Answer: object[]) => ({ body: { Status: 0, Answer } })
const missing = { body: { Status: 3 } }
const failed = { body: { Status: 2 } }
const isForIpv4 = (path: string) => path.endsWith('type=A')

it.each([
  [
    'both kinds of addresses',
    found(a('192.0.2.1', 60)),
    found(aaaa('2001:db8::1')),
    ['192.0.2.1', '2001:db8::1'],
  ],
  [
    'the addresses of the asked kind alone',
    found(a('192.0.2.1'), aaaa('2001:db8::1')),
    found(),
    ['192.0.2.1'],
  ],
  ['none for a name that does not exist', missing, missing, []],
  ['those of one kind when the other fails', found(a('192.0.2.1')), failed, ['192.0.2.1']],
  ['those of one kind when the other is refused', found(a('192.0.2.1')), { status: 500 }, ['192.0.2.1']],
  ['nothing when no server answers', failed, { status: 500 }, null],
  [
    '100 addresses',
    found(...Array.from({ length: 100 }, (_, n) => a(`192.0.2.${n}`))),
    found(),
    expect.objectContaining({ length: 100 }),
  ],
  [
    'nothing for 101 addresses',
    found(...Array.from({ length: 101 }, (_, n) => a(`192.0.2.${n}`))),
    failed,
    null,
  ],
])('returns %s', async (_, ipv4, ipv6, addresses) => {
  vendor.answer = ({ path }) => (isForIpv4(path) ? ipv4 : ipv6)
  expect(await dnsOverHttps(vendor.origin).resolve('a b.example')).toEqual(addresses)
  expect(vendor.requests.map(({ path, headers }) => [path, headers.accept]).toSorted()).toEqual([
    ['/?name=a%20b.example&type=A', 'application/dns-json'],
    ['/?name=a%20b.example&type=AAAA', 'application/dns-json'],
  ])
})

it.each([
  [
    'the strings of a text as one',
    found({ type: 16, data: '"v=spf1 include:a.example" " -all"' }),
    ['v=spf1 include:a.example -all'],
  ],
  ['the asked type alone', found({ type: 5, data: 'b.example.' }, { type: 16, data: '"x"' }), ['x']],
  ['none for a name that does not exist', missing, []],
  ['nothing when no server answers', failed, null],
])('TOL-06 lists of the texts of a name %s', async (_, answer, texts) => {
  vendor.answer = () => answer
  expect(await dnsOverHttps(vendor.origin).listRecords('a.example', 'TXT')).toEqual(texts)
})

it.each([
  ['as long as both kinds allow', found(a('192.0.2.1', 20)), found(aaaa('2001:db8::1')), 20],
  ['a minute at most', found(a('192.0.2.1', 600)), found(), 60],
  ['never without a TTL', found(a('192.0.2.1')), found(), 0],
  ['never when one kind failed', found(a('192.0.2.1', 600)), failed, 0],
  ['five seconds for a name without an address', found(), found(), 5],
])('repeats an answer %s', async (_, ipv4, ipv6, seconds) => {
  vendor.answer = ({ path }) => (isForIpv4(path) ? ipv4 : ipv6)
  let now = 0
  const resolver = dnsOverHttps(vendor.origin, () => now)
  await resolver.resolve('a.example')
  now = Math.max(0, seconds * 1000 - 1)
  await resolver.resolve('a.example')
  expect(vendor.requests).toHaveLength(seconds === 0 ? 4 : 2)
  now = seconds * 1000
  await resolver.resolve('a.example')
  expect(vendor.requests).toHaveLength(seconds === 0 ? 6 : 4)
})

it('the answer for the name that was asked first is forgotten after 1,000 names', async () => {
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url)
    return Response.json(found(a('192.0.2.1', 60)).body)
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const asked: string[] = []
  const resolver = dnsOverHttps('https://dns.example', () => 0)
  const countAsked = async (n: number) => {
    const before = asked.length
    await resolver.resolve(`host-${n}.example`)
    return asked.length - before
  }
  for (let n = 0; n < 1000; n++) await resolver.resolve(`host-${n}.example`)
  expect([await countAsked(0), await countAsked(999)]).toEqual([0, 0])
  expect([await countAsked(1000), await countAsked(1), await countAsked(0)]).toEqual([2, 0, 2])
})
