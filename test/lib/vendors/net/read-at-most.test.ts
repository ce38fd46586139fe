import { describe, expect, it } from 'vitest'
import { readAtMost } from '#vendors/net/read-at-most.ts'

describe('readAtMost', () => {
  const read = async (sizes: number[], max: number) => {
    const body =
      sizes.length === 0 ? null : new Response(new Blob(sizes.map((size) => 'x'.repeat(size)))).body
    return (await readAtMost(body, max, () => new RangeError('too long'))).length
  }
  it.each([
    [[], 0, 0],
    [[3], 3, 3],
    [[2, 2], 4, 4],
  ])('reads parts of %j bytes', async (sizes, max, length) => expect(await read(sizes, max)).toBe(length))
  it('reads no byte more', () => expect(read([4], 3)).rejects.toThrow('too long'))
})
