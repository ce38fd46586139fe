import { describe, expect, it } from 'vitest'
import { settleAll, settleInTurn } from '#async/settle-all.ts'

describe('works that are settled', () => {
  it('all end before the first failure is thrown', async () => {
    const ended: number[] = []
    const work = async (n: number) => {
      await new Promise((resolve) => setImmediate(resolve))
      ended.push(n)
      if (n > 1) throw new Error(`failed ${n}`)
    }
    await expect(settleAll([work(1), work(2), work(3)])).rejects.toThrow('failed 2')
    await expect(settleInTurn([1, 2, 3], work)).rejects.toThrow('failed 2')
    await settleAll([work(1)])
    await settleInTurn([1], work)
    expect(ended).toEqual([1, 2, 3, 1, 2, 3, 1, 1])
  })
})
