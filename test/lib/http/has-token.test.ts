import { expect, it } from 'vitest'
import { hasToken } from '#http/has-token.ts'

it.each([
  ['Bearer t', true],
  ['bearer t', false],
  ['Bearer x', false],
  ['t', false],
  [undefined, false],
])('hasToken compares %j: %s', async (header, expected) => expect(await hasToken(header, 't')).toBe(expected))
