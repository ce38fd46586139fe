import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { compareWalks, walk } from '#test/support/dry-runs.ts'

const seed = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000)
const walks = Number(process.env.SOAK_WALKS ?? 1000)
const batchSize = 20

it(`DRY-01 DRY-02 DRY-03 ${walks} dry runs are what sessions are and change nothing, with the seed ${seed}`, async () => {
  const service = await startOwnService()
  let compared = 0
  await fc.assert(
    fc.asyncProperty(fc.array(walk, { minLength: batchSize, maxLength: batchSize }), async (batch) => {
      await compareWalks(service, batch)
      compared += batch.length
    }),
    { seed, numRuns: Math.ceil(walks / batchSize), endOnFailure: true },
  )
  expect(compared).toBeGreaterThanOrEqual(walks)
  await service.close()
})
