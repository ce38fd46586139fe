import { expect, it } from 'vitest'
import { night } from '#test/support/night.ts'
import {
  findOffenders,
  readHostileFamilies,
  readHostileFiles,
  readLongValues,
} from '#test/support/read-hostile-files.ts'

// A step takes at most 10 ns, which test/soak/hostile-files.soak.ts checks with many more files. Here four times
// as long is fine, for a slow machine.
it('WIR-30 WIR-47 generated files of each format take less than 128 MB, and time by their counted steps', async () => {
  const results = await readHostileFiles({ first: 1, count: 4, most: 5000 })
  expect(results.length).toBeGreaterThanOrEqual(40)
  expect(findOffenders(results, { nsPerStep: 40, maxMs: 4000 })).toEqual([])
})

it(
  'WIR-30 WIR-47 each part that a reader knows, alone and in itself, takes time by its counted steps',
  night,
  async () => {
    const results = await readHostileFamilies(500)
    expect(results.length).toBeGreaterThanOrEqual(1500)
    expect(findOffenders(results, { nsPerStep: 40, maxMs: 4000 })).toEqual([])
  },
)

it(
  'WIR-30 WIR-47 a long value that many parts name is not copied, and one kind of part may fill a file',
  night,
  async () => {
    const results = await readLongValues(1)
    expect(results.length).toBeGreaterThanOrEqual(50)
    expect(findOffenders(results, { nsPerStep: 100, maxMs: 4000 })).toEqual([])
  },
)
