import { expect, it } from 'vitest'
import { createAddressReader } from '#platform/node/client-address.ts'

const read = (
  peer: string | undefined,
  forwarded: string | null,
  proxies = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8'],
) => {
  const headers = forwarded === null ? undefined : { 'x-forwarded-for': forwarded }
  const request = new Request('http://service.test', { headers })
  return createAddressReader(proxies, 'x-forwarded-for')(request, {
    incoming: { socket: { remoteAddress: peer } },
  })
}

it.each([
  ['the peer, without a proxy', '203.0.113.5', null, '203.0.113.5'],
  ['the peer, when a client that is no proxy sends the header', '203.0.113.5', '198.51.100.1', '203.0.113.5'],
  ['the address that the proxy appended', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
  [
    'the last address that is no proxy, not what the client wrote to its left',
    '10.1.2.3',
    '1.1.1.1, 198.51.100.1, 10.9.9.9',
    '198.51.100.1',
  ],
  ['the address in front of two proxies', '192.0.2.7', '198.51.100.1, 10.0.0.1', '198.51.100.1'],
  ['the first proxy, when all are proxies', '10.1.2.3', '10.7.7.7, 10.8.8.8', '10.7.7.7'],
  ['the peer, when the header is empty', '10.1.2.3', '', '10.1.2.3'],
  [
    'the last valid address, when the client wrote something else',
    '10.1.2.3',
    '"; drop table, 198.51.100.1',
    '198.51.100.1',
  ],
  ['the proxy, when its own entry is invalid', '10.1.2.3', '198.51.100.1, unknown', '10.1.2.3'],
  ['an IPv4 address that the socket shows as IPv6', '::ffff:203.0.113.5', null, '203.0.113.5'],
  ['the header of a proxy that the socket shows as IPv6', '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
  ['an IPv6 client behind an IPv6 proxy', 'fd00::1', '2001:db8::5', '2001:db8::5'],
  ['an address with the port of the client', '10.1.2.3', '203.0.113.7:51234', '203.0.113.7'],
  ['addresses with ports before a proxy', '10.1.2.3', '203.0.113.7:51234, 10.0.0.9:443', '203.0.113.7'],
  ['an IPv6 address with a port', '10.1.2.3', '[2001:db8::5]:51234', '2001:db8::5'],
  ['an IPv6 address in brackets', '10.1.2.3', '[2001:DB8::5]', '2001:db8::5'],
  ['IPv4 inside IPv6 in capitals', '::FFFF:10.1.2.3', '::FFFF:198.51.100.1', '198.51.100.1'],
  ['IPv4 inside IPv6 in hexadecimal', '::ffff:a01:203', '::ffff:c633:6401', '198.51.100.1'],
  [
    'the proxy, when its entry has something else after the address',
    '10.1.2.3',
    '203.0.113.7:port',
    '10.1.2.3',
  ],
  ['a fixed word, without a socket', undefined, null, 'unknown'],
])('WIR-58 reads %s', (_, peer, forwarded, expected) => {
  expect(read(peer, forwarded)).toBe(expected)
})

it('believes no header when no proxy is trusted', () => {
  expect(read('127.0.0.1', '198.51.100.1', [])).toBe('127.0.0.1')
})

it.each([
  ['fd00::7', 'fd00::7', '2001:db8::5'],
  ['fd00::7', 'fd00::8', 'fd00::8'],
  ['192.0.2.7', '192.0.2.7', '2001:db8::5'],
  ['192.0.2.7', '192.0.2.6', '192.0.2.6'],
])('an entry without a range (%s) trusts one address: from %s it reads %s', (proxy, peer, expected) => {
  expect(read(peer, '2001:db8::5', [proxy])).toBe(expected)
})
