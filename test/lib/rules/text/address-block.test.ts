import { describe, expect, it } from 'vitest'
import { toAddressBlock, toAddressRange, unmapAddress } from '#rules/text/address-block.ts'

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
    ['a:b', 'a:b'],
    ['unknown', 'unknown'],
  ])('%s is counted as %s', (address, block) => expect(toAddressBlock(address)).toBe(block))
  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['x', 'x'],
  ])('%s is unmapped to %s', (address, plain) => expect(unmapAddress(address)).toBe(plain))
  it.each([
    ['10.1.2.3', '10.1.2.3/32'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['2001:db8::1/32', '2001:db8::/32'],
    ['::ffff:10.1.2.3', '10.1.2.3/32'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['::ffff:10.1.2.3/96', '0.0.0.0/0'],
    ['10.1', null],
    ['010.0.0.1', null],
    ['10.1.2.3/33', null],
    ['fe80::1%eth0', null],
    ['', null],
  ])('%s is the range %s', (text, range) => expect(toAddressRange(text)).toBe(range))
})
