import { expect, it } from 'vitest'
import { playFaultyTurns } from '#test/support/ai-ledger.ts'
import { sharedService } from '#test/support/app.ts'

it('AIM-15 the ledger counts what the providers report, with failures of both in every order', async () => {
  // Each fault comes in each way. The soak test plays 1,000 turns with other numbers.
  let state = 7
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const { ledger, reported, failedTurns, running, difference } = await playFaultyTurns(
    await sharedService(),
    60,
    random,
  )
  expect(ledger).toEqual(reported)
  expect([running, difference]).toEqual([0, 0])
  expect(failedTurns).toBeLessThan(30)
  expect(reported.calls).toBeGreaterThan(30)
})
