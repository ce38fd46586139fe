import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKeyMemory } from '#http/key-memory.ts'
import { toAddressRange } from '#rules/text/address-block.ts'
import { createApiKey, isApiKey, parseApiKey } from '#vendors/auth/api-keys.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const decode = (digits: string) =>
  [...digits].reduce((number, digit) => number * 62 + alphabet.indexOf(digit), 0)

it('KEY-01 a key contains the ids of its account and of itself, whatever they are', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (accountId, keyId) => {
      expect(parseApiKey(createApiKey({ accountId, keyId }))).toEqual({ accountId, keyId })
    }),
  )
})

it('KEY-01 a key ends with the CRC-32 of the text before it, which scanners compute as zlib does', () => {
  const key = createApiKey({ accountId: crypto.randomUUID(), keyId: crypto.randomUUID() })
  expect(decode(key.slice(-6))).toBe(crc32(key.slice(0, -6)))
})

it('KEY-05 a key with any changed, removed or added character is no key', () => {
  const key = createApiKey({ accountId: crypto.randomUUID(), keyId: crypto.randomUUID() })
  for (let n = 4; n < key.length; n++) {
    const other = alphabet[(alphabet.indexOf(key[n] ?? '') + 1) % 62]
    expect(parseApiKey(key.slice(0, n) + other + key.slice(n + 1)), `character ${n}`).toBeNull()
    expect(parseApiKey(key.slice(0, n) + key.slice(n + 1)), `character ${n}`).toBeNull()
  }
  for (const text of [`${key}0`, ` ${key}`, `${key}\n`, 'sfk_', '', 'eyJ.a.b'])
    expect(parseApiKey(text)).toBeNull()
  expect([isApiKey(key), isApiKey('eyJ.a.b')]).toEqual([true, false])
})

it('KEY-05 ids that are larger than a UUID are no key, although the checksum is right', () => {
  const body = `sfk_${'z'.repeat(22 + 22 + 43)}`
  let [rest, checksum] = [crc32(body), '']
  for (; checksum.length < 6; rest = Math.floor(rest / 62)) checksum = alphabet[rest % 62] + checksum
  expect(parseApiKey(body + checksum)).toBeNull()
})

it('KEY-09 records the use of a key again after a minute, and forgets a key that was refused', () => {
  let now = 0
  const memory = createKeyMemory(() => now)
  expect([memory.isKnown('a'), memory.admit('a'), memory.isKnown('a'), memory.admit('a')]).toEqual([
    false,
    true,
    true,
    false,
  ])
  now = 60_000
  expect([memory.admit('a'), memory.admit('a')]).toEqual([true, false])
  memory.forget('a')
  expect(memory.isKnown('a')).toBe(false)
})

it.each([
  ['203.0.113.7', '203.0.113.7/32'],
  ['203.0.113.7/24', '203.0.113.0/24'],
  ['2001:db8::1', '2001:db8::1/128'],
  ['2001:db8:1:2:3::/48', '2001:db8:1::/48'],
  ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['010.0.0.1', null],
  ['10.1', null],
  ['10.0.0.0/33', null],
  ['10.0.0.0/', null],
  ['10.0.0.0/8/8', null],
  ['fe80::1%eth0', null],
  ['example.com', null],
  ['', null],
])('KEY-06 reads the range %s as %s', (text, range) => {
  expect(toAddressRange(text)).toBe(range)
})

describe('the memory of API keys', () => {
  it('records a use at most once a minute', () => {
    let now = 0
    const keys = createKeyMemory(() => now)
    expect([keys.isKnown('a'), keys.admit('a'), keys.isKnown('a')]).toEqual([false, true, true])
    now = 59_999
    expect(keys.admit('a')).toBe(false)
    now = 60_000
    expect([keys.admit('a'), keys.admit('a')]).toEqual([true, false])
    keys.forget('a')
    expect([keys.isKnown('a'), keys.admit('a')]).toEqual([false, true])
  })
  it('holds 2,000 keys', () => {
    const keys = createKeyMemory(() => 0)
    for (let n = 0; n < 2000; n++) keys.admit(String(n))
    expect([keys.isKnown('0'), keys.isKnown('1999')]).toEqual([true, true])
    keys.admit('2000')
    expect([keys.isKnown('1999'), keys.isKnown('2000')]).toEqual([false, true])
  })
})
