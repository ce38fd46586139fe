import { afterAll, expect, it } from 'vitest'
import { expectNoLossDuringOutages } from '../../soak/database-outages.ts'
import { measureLoginMedians } from '../../soak/login-timing.ts'
import * as auth from '../../soak/races-auth.ts'
import * as notifications from '../../soak/races-notifications.ts'
import { expectExactLimit, expectSeparateLimits, expectSharedCountAcrossIsolates } from '../../soak/rate-limits.ts'
import { startOwnService } from '../../support/app.ts'

// A few rounds of what `npm run soak` does by the hundred, beside nobody: passwords by the dozen would slow the others' limits.
const service = await startOwnService()
afterAll(() => service.close())

it('AUT-05 gives one of 32 concurrent refreshes the next token', () => auth.expectOneRefreshWinner(service, 3))
it('AUT-07 verifies an address once when 32 follow the link at once', () => auth.expectOneVerification(service, 3))
it('AUT-25 ends a family by a replay among 32, and no descendant survives', () => auth.expectReplayRevokesFamily(service, 3))
it('AUT-08 lets one of 32 who redeem an invite join', () => auth.expectOneInviteWinner(service, 2))
it('AUT-06 takes one of 32 new passwords for a link', () => auth.expectOnePasswordReset(service, 2))
it('ACC-18 never exceeds the seats when 32 join at once', () => auth.expectSeatLimitHolds(service, 2))
it('signs one of 32 in who come back from a provider by the same way', () => auth.expectOneOauthSignIn(service, 3))

it('AUT-23 checks one password for an unknown address as for a known one: both take as long, and much longer than none', async () => {
  // `npm run soak` holds the two to 5 % of each other, by enough samples to tell.
  const { known, unknown, locked } = await measureLoginMedians(service, 40)
  expect(Math.max(known, unknown) / Math.min(known, unknown)).toBeLessThan(1.4)
  expect(Math.min(known, unknown)).toBeGreaterThan(locked * 1.7)
})

it('sends one message for 32 copies of a delivery', () => notifications.expectOneMessagePerDelivery(service, 3))
it('makes one config of 32 POSTs under one key', () => notifications.expectOneRowPerKey(service, 3))
it('sends one test message for 32 POSTs under one key', () => notifications.expectOneTestMessagePerKey(service, 2))
it('loses no notification while all are marked read', () => notifications.expectMarkAllReadLosesNothing(service, 2))
it('WIR-19 lets nobody beyond a limit stand in the way of others', () => expectSeparateLimits(service, 2))
it('NOT-18 allows exactly 30 config lists a minute', () => expectExactLimit(service, 'NOT-18', 1))
it('NOT-19 allows exactly 10 config creations a minute', () => expectExactLimit(service, 'NOT-19', 1))
it('NOT-20 allows exactly 20 config updates a minute', () => expectExactLimit(service, 'NOT-20', 1))
it('NOT-21 allows exactly 10 config deletions a minute', () => expectExactLimit(service, 'NOT-21', 1))
it('NOT-22 allows exactly 5 config tests a minute', () => expectExactLimit(service, 'NOT-22', 1))
it('NOT-23 allows exactly 60 notification lists a minute', () => expectExactLimit(service, 'NOT-23', 1))
it('NOT-24 allows exactly 120 unread counts a minute', () => expectExactLimit(service, 'NOT-24', 1))
it('NOT-25 allows exactly 60 marks of one as read a minute', () => expectExactLimit(service, 'NOT-25', 1))
it('NOT-26 allows exactly 10 marks of all as read a minute', () => expectExactLimit(service, 'NOT-26', 1))

it('counts the calls of several isolates together', () => expectSharedCountAcrossIsolates(service, 3))

it('registers an address once when 32 try at once', () => auth.expectOneRegistration(service, 2))
it('AUT-24 keeps an address locked against 32 at once', () => auth.expectSignInLockHolds(service, 2))

it('loses nothing and mails nothing twice while the database comes and goes', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  console.log(`Outage seed ${seed}`)
  await expectNoLossDuringOutages(service, 1, seed)
})
