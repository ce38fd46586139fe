import { expect, it } from 'vitest'
import { contains, containsWords } from '../../lib/db/like.ts'

it('takes wildcards and escapes of a search as they are', () => {
  expect(contains('a')).toBe('%a%')
  expect(contains('100%_\\')).toBe('%100\\%\\_\\\\%')
})

it('makes a pattern of every word of a search', () => {
  expect(containsWords('  VPN 100% ')).toEqual(['%vpn%', '%100\\%%'])
})
