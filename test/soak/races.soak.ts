import { expect, it } from 'vitest'
import { ownService, shared } from '../support/app.ts'
import { planIsOne } from './admin-proofs.ts'
import { claimHasOneWinner } from './claim-proofs.ts'
import { allowsExactly, isolatesCountTogether, notificationLimits } from './limits.ts'
import { outagesLoseNothing } from './outage.ts'
import * as proofs from './proofs.ts'
import { changesLoseNothing, dueTimesRunOnce } from './schedule-proofs.ts'
import * as signIn from './sign-in-proofs.ts'
import { killedClientsLeaveNothing } from './stream-proofs.ts'
import { loginMedians } from './timing.ts'

const service = shared()
const rounds = Number(process.env.SOAK_ROUNDS ?? 200)
// A password takes the better part of a second's tenth, 32 times a round.
const slowRounds = Math.ceil(rounds / 10)
const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31))

it('AUT-05 gives one of many concurrent refreshes the next token, round after round', () => proofs.refreshHasOneWinner(service, rounds))
it('AUT-07 verifies an address once, however many follow the link at once', () => proofs.verificationHasOneWinner(service, rounds))
it('sends one message for many copies of a delivery', () => proofs.copiesSendOnce(service, rounds))
it('makes one config of many POSTs under one key', () => proofs.keyedCreateIsOne(service, rounds))
it('sends one test message for many POSTs under one key', () => proofs.keyedTestSendsOnce(service, rounds))
it('loses no notification while all are marked read', () => proofs.markAllReadLosesNothing(service, Math.ceil(rounds / 4)))
it('WIR-19 lets nobody stand in another one’s way', () => proofs.limitsAreOnesOwn(service, rounds))
it.each(notificationLimits)('$rule allows exactly $max calls of $what a minute', ({ rule }) =>
  allowsExactly(service, rule, Math.ceil(rounds / 10)),
)

it('counts the calls of several isolates together', () => isolatesCountTogether(service, rounds))

// 50 rounds of 32 when nothing else is said.
const signInRounds = Math.ceil(rounds / 4)
it('AUT-25 ends a family by a replay, and no descendant survives', () => signIn.replayEndsTheFamily(service, signInRounds))
it('AUT-08 lets one of many who redeem an invite join', () => signIn.inviteHasOneWinner(service, signInRounds))
it('AUT-06 takes one of many new passwords for a link', () => signIn.resetHasOneWinner(service, signInRounds))
it('ACC-18 never exceeds the seats, however many join at once', () => signIn.seatsAreNeverExceeded(service, signInRounds))
it('signs one of many in who come back from a provider by the same way', () => signIn.stateHasOneWinner(service, signInRounds))

it('ADM-07 leaves one plan, however many put it at once', () => planIsOne(service, signInRounds))

it('MNT-08 makes one batch per due time, however often both reminders come at once, and whatever is changed meanwhile', async () => {
  const own = await ownService()
  try {
    for (const each of [1, 2, 5]) await dueTimesRunOnce(own, signInRounds, each)
    await changesLoseNothing(own, signInRounds)
  } finally {
    await own.close()
  }
})

it('HND-11 lets exactly one of many claim an escalation, and tells the others who and when', () => claimHasOneWinner(service, rounds))

it('forgets every client of the escalation stream that is killed', async () => {
  const own = await ownService({ STREAM_HEARTBEAT_MS: '1000' })
  try {
    // 2,000 when nothing else is said.
    await killedClientsLeaveNothing(own, rounds * 10)
  } finally {
    await own.close()
  }
})

it('AUT-23 takes as long for an unknown address as for a known one, within 5 % of the median', async () => {
  const { known, unknown, locked } = await loginMedians(service, rounds * 2)
  console.log(`Median of a failed sign-in: known ${known.toFixed(2)} ms, unknown ${unknown.toFixed(2)} ms, locked ${locked.toFixed(2)} ms`)
  expect(Math.abs(known - unknown) / Math.max(known, unknown)).toBeLessThan(0.05)
})

it('registers an address once, however many try at once', () => proofs.registrationHasOneWinner(service, slowRounds))
it('AUT-24 keeps an address locked against many at once', () => proofs.lockHoldsAgainstMany(service, slowRounds))

it('loses nothing and mails nothing twice while the database comes and goes', async () => {
  console.log(`SOAK_SEED=${seed}`)
  const own = await ownService()
  try {
    await outagesLoseNothing(own, slowRounds, seed)
  } finally {
    await own.close()
  }
  expect(own.log.length).toBeGreaterThan(0)
})
