import { afterAll, expect, it } from 'vitest'
import { expectNoLossDuringOutages } from '#test/soak/database-outages.ts'
import { measureLoginCpu } from '#test/soak/login-timing.ts'
import * as auth from '#test/soak/races-auth.ts'
import * as notifications from '#test/soak/races-notifications.ts'
import {
  expectExactLimit,
  expectSeparateLimits,
  expectSharedCountAcrossIsolates,
} from '#test/soak/rate-limits.ts'
import { startOwnService } from '#test/support/app.ts'
import { night } from '#test/support/night.ts'

// A few rounds of the checks that `npm run soak` runs hundreds of times. They use their own service, because
// hashing dozens of passwords would slow down the rate limit checks of other tests.
const service = await startOwnService({}, { databaseFaults: true })
afterAll(() => service.close())

it('AUT-05 gives the next token to one of 32 concurrent refreshes', () =>
  auth.expectOneRefreshWinner(service, 3))
it('AUT-07 verifies an address once when 32 requests use the link concurrently', () =>
  auth.expectOneVerification(service, 3))
it('AUT-25 revokes a sign-in and all its tokens when one of 32 concurrent requests reuses a token', () =>
  auth.expectReplayRevokesFamily(service, 3))
it('AUT-08 accepts an invite once when 32 registrations use it concurrently', () =>
  auth.expectOneInviteWinner(service, 2))
it('AUT-06 accepts one of 32 concurrent new passwords for a reset link', () =>
  auth.expectOnePasswordReset(service, 2))
it('ACC-18 never exceeds the seat limit when 32 users join concurrently', () =>
  auth.expectSeatLimitHolds(service, 2))
it('completes a provider sign-in once when 32 callbacks use the same state', () =>
  auth.expectOneOauthSignIn(service, 3))

it(
  'AUT-23 uses similar CPU time for unknown and known addresses, and hashes no password for a locked one',
  night,
  async () => {
    // A skipped hash makes a factor of 6. `npm run soak` compares the durations, with enough samples to detect
    // a difference of 5 %.
    const { known, unknown, locked } = await measureLoginCpu(service, 40)
    expect(Math.max(known, unknown) / Math.min(known, unknown)).toBeLessThan(1.3)
    expect(Math.min(known, unknown)).toBeGreaterThan(locked * 2)
  },
)

it('sends one message for 32 copies of a delivery’s queue message', () =>
  notifications.expectOneMessagePerDelivery(service, 3))
it('creates one config for 32 POSTs with one idempotency key', () =>
  notifications.expectOneRowPerKey(service, 3))
it('sends one test message for 32 POSTs with one idempotency key', () =>
  notifications.expectOneTestMessagePerKey(service, 2))
it('loses no notification while all are marked as read', () =>
  notifications.expectMarkAllReadLosesNothing(service, 2))
it('WIR-19 counts the calls of each user separately', () => expectSeparateLimits(service, 2))
it('NOT-18 allows exactly 30 config lists a minute', () => expectExactLimit(service, 'NOT-18', 1))
it('NOT-19 allows exactly 10 config creations a minute', () => expectExactLimit(service, 'NOT-19', 1))
it('NOT-20 allows exactly 20 config updates a minute', () => expectExactLimit(service, 'NOT-20', 1))
it('NOT-21 allows exactly 10 config deletions a minute', () => expectExactLimit(service, 'NOT-21', 1))
it('NOT-22 allows exactly 5 config tests a minute', () => expectExactLimit(service, 'NOT-22', 1))
it('NOT-23 allows exactly 60 notification lists a minute', () => expectExactLimit(service, 'NOT-23', 1))
it('NOT-24 allows exactly 120 unread counts a minute', () => expectExactLimit(service, 'NOT-24', 1))
it('NOT-25 allows exactly 60 calls a minute that mark one notification as read', () =>
  expectExactLimit(service, 'NOT-25', 1))
it('NOT-26 allows exactly 10 calls a minute that mark all notifications as read', () =>
  expectExactLimit(service, 'NOT-26', 1))

it('counts the calls of several isolates in one limit', () => expectSharedCountAcrossIsolates(service, 3))

it('registers an address once when 32 requests run concurrently', () =>
  auth.expectOneRegistration(service, 2))
it('AUT-24 keeps an address locked against 32 concurrent sign-ins', () =>
  auth.expectSignInLockHolds(service, 2))

it('loses no row and sends no e-mail twice during database outages', night, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  console.log(`Outage seed ${seed}`)
  await expectNoLossDuringOutages(service, 1, seed)
})
