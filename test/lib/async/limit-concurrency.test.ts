import { expect, it } from 'vitest'
import { limitConcurrency } from '#async/limit-concurrency.ts'

/** Work that starts when it gets a place, and ends when the test lets it. */
function createWork(order: number[], n: number) {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  return {
    run: () => {
      order.push(n)
      return promise
    },
    end: () => resolve(n),
    fail: () => reject(new Error(`work ${n}`)),
  }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

it('a limit runs as much work as there are places, and the rest in the order of the calls', async () => {
  const order: number[] = []
  const works = [0, 1, 2, 3].map((n) => createWork(order, n))
  const run = limitConcurrency({ running: 2, waiting: 2 })
  const results = works.map((work) => run(work.run))
  await settle()
  expect(order).toEqual([0, 1])
  works[1]?.end()
  await settle()
  expect(order).toEqual([0, 1, 2])
  for (const work of works) work.end()
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3])
})

it('a limit gives the place of ended work to one call alone', async () => {
  const order: number[] = []
  const works = [0, 1, 2].map((n) => createWork(order, n))
  const run = limitConcurrency({ running: 1, waiting: 5 })
  const results = works.slice(0, 2).map((work) => run(work.run))
  works[0]?.end()
  await settle()
  results.push(...works.slice(2).map((work) => run(work.run)))
  await settle()
  expect(order).toEqual([0, 1])
  for (const work of works) work.end()
  await Promise.all(results)
  expect(order).toEqual([0, 1, 2])
})

it('a limit rejects work at once when too much waits, and accepts it again later', async () => {
  const works = [0, 1, 2].map((n) => createWork([], n))
  const run = limitConcurrency({ running: 1, waiting: 1 })
  const results = works.slice(0, 2).map((work) => run(work.run))
  await expect(run(() => Promise.resolve())).rejects.toMatchObject({ kind: 'unavailable' })
  for (const work of works) work.end()
  await Promise.all(results)
  expect(await run(() => Promise.resolve('later'))).toBe('later')
})

it('a limit frees the place of work that fails', async () => {
  const run = limitConcurrency({ running: 1, waiting: 1 })
  const work = createWork([], 0)
  const [failing, waiting] = [run(work.run), run(() => Promise.resolve('next'))]
  work.fail()
  await expect(failing).rejects.toThrow('work 0')
  expect(await waiting).toBe('next')
  await expect(run(() => Promise.reject(new Error('again')))).rejects.toThrow('again')
  expect(await run(() => Promise.resolve('free'))).toBe('free')
})

it('works wait in the order of their calls, and are refused when too many wait', async () => {
  const run = limitConcurrency({ running: 1, waiting: 1 })
  const first = Promise.withResolvers<number>()
  const [one, two] = [run(() => first.promise), run(async () => 2)]
  await expect(run(async () => 3)).rejects.toMatchObject({ kind: 'unavailable' })
  first.resolve(1)
  expect([await one, await two, await run(async () => 4)]).toEqual([1, 2, 4])
})
