import { expect, it } from 'vitest'
import { playFaultyTurns } from '#test/support/ai-ledger.ts'
import { sharedService } from '#test/support/app.ts'
import { chooseSeed, createRandom } from './random.ts'

it('AIM-15 the ledger counts what the providers report in 1,000 turns with faults', async () => {
  const seed = chooseSeed()
  console.log(`SOAK_SEED=${seed}`)
  const { ledger, reported, failedTurns, running, difference } = await playFaultyTurns(
    await sharedService(),
    1000,
    createRandom(seed),
  )
  console.log(JSON.stringify({ ...reported, failedTurns }))
  expect(ledger).toEqual(reported)
  expect([running, difference]).toEqual([0, 0])
})
