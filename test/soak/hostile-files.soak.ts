import { expect, it } from 'vitest'
import { findSlowPatterns } from '#test/support/find-slow-patterns.ts'
import { formats } from '#test/support/hostile-files.ts'
import {
  convertImageShapes,
  findOffenders,
  readHostileFamilies,
  readHostileFiles,
  readLongValues,
} from '#test/support/read-hostile-files.ts'
import { chooseSeed } from './random.ts'

const files = 20_000
const slice = 200

it.each(Object.keys(formats))(
  'WIR-30 WIR-47 the worst of 2,000 files takes half a second: %s',
  async (format) => {
    const first = chooseSeed()
    const count = files / Object.keys(formats).length
    const worst = { ms: 0, mb: 0, nsPerStep: 0 }
    for (let done = 0; done < count; done += slice) {
      const results = await readHostileFiles({ first: first + done, count: slice, most: 200_000, format })
      for (const { ms, mb, steps } of results) {
        worst.ms = Math.max(worst.ms, ms)
        worst.mb = Math.max(worst.mb, mb)
        if (ms > 50) worst.nsPerStep = Math.max(worst.nsPerStep, (ms * 1e6) / steps)
      }
      expect(findOffenders(results, { nsPerStep: 10, maxMs: 500 })).toEqual([])
    }
    console.log(format, { first, count, ...worst })
  },
)

it.each(Object.keys(formats))(
  'WIR-30 WIR-47 each part of a format alone, 200,000 times, takes half a second: %s',
  async (format) => {
    const results = await readHostileFamilies(200_000, format)
    console.log(format, { parts: results.length, ms: Math.max(...results.map(({ ms }) => ms)) })
    expect(findOffenders(results, { nsPerStep: 10, maxMs: 500 })).toEqual([])
  },
)

it('WIR-30 WIR-47 a long value that many parts name is not copied in files of every size', async () => {
  const results = await readLongValues(4)
  expect(results.length).toBeGreaterThanOrEqual(210)
  expect(findOffenders(results, { nsPerStep: 100, maxMs: 4000 })).toEqual([])
})

it('UPL-09 the largest picture of each shape that is accepted takes at most 256 MB', async () => {
  const costs = await convertImageShapes(12_000, 4166)
  expect(costs.filter(({ mb }) => mb > 256)).toEqual([])
})

it('WIR-30 no regular expression takes more than linear time for any of its texts', async () => {
  expect((await findSlowPatterns(20_000)).slow).toEqual([])
})
