// @module-tag mechanism
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createHashPlaces } from '#vendors/auth/passwords.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('AUT-78 a pause follows each hash of a stranger, in which those who are known are hashed at once', async () => {
  const runInPlace = createHashPlaces(1, 40)
  const done: string[] = []
  const hash = (name: string, hashedFor: 'known' | 'stranger') =>
    void runInPlace(hashedFor, () => void done.push(name))
  for (const name of ['first', 'second', 'third']) hash(name, 'stranger')
  await vi.advanceTimersByTimeAsync(30)
  expect(done).toEqual(['first'])
  hash('colleague', 'known')
  hash('another colleague', 'known')
  await vi.advanceTimersByTimeAsync(5)
  expect(done).toEqual(['first', 'colleague', 'another colleague'])
  await vi.advanceTimersByTimeAsync(100)
  expect(done.slice(3)).toEqual(['second', 'third'])
})
