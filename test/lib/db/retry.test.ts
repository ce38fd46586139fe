import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { retryOnConflict, retryWhileUnavailable } from '#db/retry.ts'
import { Problem } from '#problem.ts'

const sqlError = (code: string, more: object = {}) => Object.assign(new Error('secret'), { code, ...more })

/** Run work with a clock that stands still, and return the milliseconds of each pause. */
async function listPauses(work: () => Promise<unknown>): Promise<number[]> {
  const pauses: number[] = []
  vi.stubGlobal('setTimeout', (resume: () => void, ms: number) => {
    pauses.push(ms)
    queueMicrotask(resume)
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  await work().catch(() => undefined)
  return pauses
}

describe('retryOnConflict', () => {
  it('repeats an attempt until it succeeds', async () => {
    let attempts = 0
    expect(await retryOnConflict('script', async () => (++attempts < 3 ? undefined : attempts))).toBe(3)
  })
  it('repeats an attempt whose required row was missing, and no other failed one', async () => {
    let attempts = 0
    const attempt = async () => {
      if (++attempts === 1) throw sqlError('SF409')
      throw sqlError('23505')
    }
    await expect(retryOnConflict('script', attempt)).rejects.toMatchObject({ code: '23505' })
    expect(attempts).toBe(2)
  })
  it('fails after eight attempts, as the caller says', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    onTestFinished(() => void vi.restoreAllMocks())
    let attempts = 0
    const attempt = async () => void attempts++
    await expect(retryOnConflict('script', attempt)).rejects.toMatchObject({
      kind: 'stale_version',
      message: expect.stringContaining('this script'),
    })
    expect(attempts).toBe(8)
    await expect(
      retryOnConflict('script', attempt, async () => new Problem('already_claimed')),
    ).rejects.toMatchObject({
      kind: 'already_claimed',
    })
  })
  it('pauses up to 10 ms longer after each attempt but the last', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    onTestFinished(() => void vi.restoreAllMocks())
    expect(await listPauses(() => retryOnConflict('script', async () => undefined))).toEqual([
      5, 10, 15, 20, 25, 30, 35,
    ])
  })
})

describe('retryWhileUnavailable', () => {
  const failing = (error: unknown, times: number) => {
    let calls = 0
    return { work: async () => (++calls <= times ? Promise.reject(error) : calls), countCalls: () => calls }
  }
  it('repeats the work after each pause', async () => {
    const { work } = failing(sqlError('57P01'), 2)
    expect(await retryWhileUnavailable(work, [0, 0])).toBe(3)
  })
  it('gives up after the last pause', async () => {
    const { work, countCalls } = failing(sqlError('57P01'), 9)
    await expect(retryWhileUnavailable(work, [0, 0])).rejects.toMatchObject({ code: '57P01' })
    expect(countCalls()).toBe(3)
  })
  it('repeats nothing after another failure', async () => {
    const { work, countCalls } = failing(sqlError('23505'), 9)
    await expect(retryWhileUnavailable(work, [0, 0])).rejects.toMatchObject({ code: '23505' })
    expect(countCalls()).toBe(1)
  })
  it('pauses for 200 ms, 1 s and 4 s', async () => {
    expect(await listPauses(() => retryWhileUnavailable(failing(sqlError('57P01'), 9).work))).toEqual([
      200, 1000, 4000,
    ])
  })
})
