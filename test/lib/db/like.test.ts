import { expect, it } from 'vitest'
import { toFoldedPattern, toWordPatterns } from '#db/like.ts'

it('escapes wildcards and backslashes of a search', () => {
  expect(toFoldedPattern('a')).toBe('%a%')
  expect(toFoldedPattern('100%_\\')).toBe('%100\\%\\_\\\\%')
})

it('returns one lower-case pattern per word of a search', () => {
  expect(toWordPatterns('  VPN 100% ')).toEqual(['%vpn%', '%100\\%%'])
})
