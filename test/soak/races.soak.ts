import { expect, it } from 'vitest'
import { ownService, shared } from '../support/app.ts'
import { allowsExactly, isolatesCountTogether, notificationLimits } from './limits.ts'
import { outagesLoseNothing } from './outage.ts'
import * as proofs from './proofs.ts'

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
