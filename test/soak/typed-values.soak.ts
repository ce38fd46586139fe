import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findChangedValues, placeNames, typedValue } from '#test/support/typed-values.ts'

const seed = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000)
const runs = Number(process.env.SOAK_VALUES ?? 10_000)
/** A PDF takes as long as all other formats together. */
const pdfShare = 10

it.each(placeNames)(`SES-60 a value is shown as it was typed, with the seed ${seed}: %s`, async (place) => {
  const tryValues = (pdf: boolean, numRuns: number) =>
    fc.assert(
      fc.asyncProperty(typedValue, async (value) => {
        expect(await findChangedValues(value, place, { pdf })).toEqual([])
      }),
      { seed, numRuns, interruptAfterTimeLimit: 600_000 },
    )
  await tryValues(false, Math.ceil(runs / placeNames.length))
  await tryValues(true, Math.ceil(runs / placeNames.length / pdfShare))
})
