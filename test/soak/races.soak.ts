import { expect, it } from 'vitest'
import { sharedService, startOwnService } from '#test/support/app.ts'
import { expectNoLossDuringOutages } from './database-outages.ts'
import { measureLoginDurations } from './login-timing.ts'
import * as auth from './races-auth.ts'
import { expectOneClaimWinner } from './races-claims.ts'
import * as notifications from './races-notifications.ts'
import { expectOnePlan } from './races-plans.ts'
import { expectChangesLoseNoRun, expectOneBatchPerDueTime } from './races-schedules.ts'
import { expectChangesLoseNoMessage } from './races-webhooks.ts'
import { chooseSeed } from './random.ts'
import {
  expectExactLimit,
  expectSeparateLimits,
  expectSharedCountAcrossIsolates,
  notificationLimits,
} from './rate-limits.ts'
import { expectKilledClientsRemoved } from './stream-disconnects.ts'

const service = await sharedService()
const rounds = Number(process.env.SOAK_ROUNDS ?? 200)
const quarterRounds = Math.ceil(rounds / 4)
// The number of rounds for tests whose rounds take seconds: each hashes 32 passwords or waits for time-outs.
const tenthRounds = Math.ceil(rounds / 10)
const seed = chooseSeed()

it('AUT-05 returns the next token to one of many concurrent refreshes', () =>
  auth.expectOneRefreshWinner(service, rounds))
it('AUT-07 verifies an e-mail address once when many follow the link at once', () =>
  auth.expectOneVerification(service, rounds))
it('sends one message for many copies of a delivery', () =>
  notifications.expectOneMessagePerDelivery(service, rounds))
it('creates one configuration for many POSTs with one idempotency key', () =>
  notifications.expectOneRowPerKey(service, rounds))
it('sends one test message for many POSTs with one idempotency key', () =>
  notifications.expectOneTestMessagePerKey(service, rounds))
it('loses no notification that arrives while all are marked as read', () =>
  notifications.expectMarkAllReadLosesNothing(service, quarterRounds))
it('WIR-19 limits each user and each IP address separately', () => expectSeparateLimits(service, rounds))
it.each(notificationLimits)('$rule allows exactly $max calls of $operation a minute', ({ rule }) =>
  expectExactLimit(service, rule, tenthRounds),
)
it('counts the calls of several isolates together', () => expectSharedCountAcrossIsolates(service, rounds))

it('AUT-25 revokes the whole token family when a used token is presented', () =>
  auth.expectReplayRevokesFamily(service, quarterRounds))
it('AUT-08 exactly one of many concurrent redemptions of an invite succeeds', () =>
  auth.expectOneInviteWinner(service, quarterRounds))
it('AUT-06 stores only one password when many use a reset link at once', () =>
  auth.expectOnePasswordReset(service, quarterRounds))
it('ACC-18 never exceeds the seat limit when many join at once', () =>
  auth.expectSeatLimitHolds(service, quarterRounds))
it('signs in only one caller when many post one provider code at once', () =>
  auth.expectOneOauthSignIn(service, quarterRounds))

it('ADM-07 stores a plan once when many create it at once', () => expectOnePlan(service, quarterRounds))

it('MNT-08 creates one batch per due time when both triggers run at once and the schedule changes', async () => {
  const ownService = await startOwnService()
  try {
    for (const callsPerTrigger of [1, 2, 5])
      await expectOneBatchPerDueTime(ownService, quarterRounds, callsPerTrigger)
    await expectChangesLoseNoRun(ownService, quarterRounds)
  } finally {
    await ownService.close()
  }
})

it('WHK-15 loses no message of a webhook that is switched off and on, replayed and rotated while its receiver fails', async () => {
  const ownService = await startOwnService()
  try {
    await expectChangesLoseNoMessage(ownService, tenthRounds)
  } finally {
    await ownService.close()
  }
})

it('HND-11 exactly one of many concurrent claims succeeds, and the others receive the winner and the time', () =>
  expectOneClaimWinner(service, rounds))

it('removes every killed client from the escalation stream', async () => {
  const ownService = await startOwnService({ STREAM_HEARTBEAT_MS: '1000' })
  try {
    await expectKilledClientsRemoved(ownService, rounds * 10)
  } finally {
    await ownService.close()
  }
})

it('AUT-23 a failed sign-in takes as long for an unknown address as for a known address, within 5 % of the median', async () => {
  const { known, unknown, locked } = await measureLoginDurations(service, rounds * 2)
  console.log(
    `Median of a failed sign-in: known ${known.toFixed(2)} ms, unknown ${unknown.toFixed(2)} ms, locked ${locked.toFixed(2)} ms`,
  )
  expect(Math.abs(known - unknown) / Math.max(known, unknown)).toBeLessThan(0.05)
})

it('registers an e-mail address once when many try at once', () =>
  auth.expectOneRegistration(service, tenthRounds))
it('AUT-24 locks sign-in for an e-mail address after many concurrent wrong passwords, even with the right password', () =>
  auth.expectSignInLockHolds(service, tenthRounds))

it('loses no event and sends no e-mail twice while the database fails at random', async () => {
  console.log(`SOAK_SEED=${seed}`)
  const ownService = await startOwnService({}, { databaseFaults: true })
  try {
    await expectNoLossDuringOutages(ownService, tenthRounds, seed)
  } finally {
    await ownService.close()
  }
  expect(ownService.log.length).toBeGreaterThan(0)
})
