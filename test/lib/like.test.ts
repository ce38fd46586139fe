import { expect, it } from 'vitest'
import { containing } from '../../lib/db/like.ts'

it('takes wildcards and escapes of a search as they are', () => {
  expect(containing('a')).toBe('%a%')
  expect(containing('100%_\\')).toBe('%100\\%\\_\\\\%')
})
