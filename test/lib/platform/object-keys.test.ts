import { describe, expect, it } from 'vitest'
import { requireObjectKey, requireObjectSize } from '#platform/node/object-keys.ts'

describe('the key of an object', () => {
  it.each(['a', 'uploads/a-1_b.jpg', `${'a'.repeat(100)}/b`, Array(3).fill('a'.repeat(99)).join('/')])(
    'is safe: %s',
    (key) => {
      expect(() => requireObjectKey(key)).not.toThrow()
    },
  )
  it.each([
    '',
    '..',
    'a/../b',
    '/a',
    'a/',
    'A',
    '.a',
    'a//b',
    'ä',
    'a'.repeat(101),
    Array(4).fill('a'.repeat(75)).join('/'),
  ])('is not safe: %s', (key) => {
    expect(() => requireObjectKey(key)).toThrow('unsafe form')
  })
  it('is of at most 16 MiB', () => {
    expect(() => requireObjectSize(16 * 1024 * 1024)).not.toThrow()
    expect(() => requireObjectSize(16 * 1024 * 1024 + 1)).toThrow(RangeError)
  })
})
