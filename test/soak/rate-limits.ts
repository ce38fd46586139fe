import { expect } from 'vitest'
import { secrets } from '#local/settings.ts'
import { openRestRedis } from '#platform/cloudflare/redis.ts'
import type { ApiResponse, Service } from '#test/support/app.ts'
import { concurrentCallers, countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { postWithoutToken, randomIpAddress } from '#test/support/public-requests.ts'
import { randomToken } from '#vendors/auth/hash.ts'
import { parseRate } from '#vendors/cache/limiter.ts'
import { createRedisLimiter } from '#vendors/cache/redis-limiter.ts'

/**
 * A rate-limited operation and a sample request. The request may return any status below 500, but only 429
 * counts as limited.
 */
export interface LimitedOperation {
  rule: string
  operation: string
  max: number
  call(person: Person): Promise<ApiResponse>
}

const unknownId = () => crypto.randomUUID()
const mailConfig = { channel: 'email', email_addresses: ['oncall@people.example'], events_enabled: [] }

/** The limits of the notification operations, in calls per minute. */
export const notificationLimits: readonly LimitedOperation[] = [
  {
    rule: 'NOT-18',
    operation: 'config list',
    max: 30,
    call: (person) => person.call('GET', '/notifications/configs'),
  },
  {
    rule: 'NOT-19',
    operation: 'config create',
    max: 10,
    call: (person) => person.call('POST', '/notifications/configs', mailConfig),
  },
  {
    rule: 'NOT-20',
    operation: 'config update',
    max: 20,
    call: (person) => person.call('PATCH', `/notifications/configs/${unknownId()}`, {}),
  },
  {
    rule: 'NOT-21',
    operation: 'config delete',
    max: 10,
    call: (person) => person.call('DELETE', `/notifications/configs/${unknownId()}`),
  },
  {
    rule: 'NOT-22',
    operation: 'config test',
    max: 5,
    call: (person) => person.call('POST', '/notifications/configs/test', { config_id: unknownId() }),
  },
  {
    rule: 'NOT-23',
    operation: 'notification list',
    max: 60,
    call: (person) => person.call('GET', '/notifications'),
  },
  {
    rule: 'NOT-24',
    operation: 'unread count',
    max: 120,
    call: (person) => person.call('GET', '/notifications/unread-count'),
  },
  {
    rule: 'NOT-25',
    operation: 'mark read',
    max: 60,
    call: (person) => person.call('PATCH', `/notifications/${unknownId()}/read`),
  },
  {
    rule: 'NOT-26',
    operation: 'mark all read',
    max: 10,
    call: (person) => person.call('POST', '/notifications/mark-all-read'),
  },
]

/** Send more calls than the limit, concurrently and within one minute. Expect exactly `max` to be allowed. */
export async function expectExactLimit(service: Service, rule: string, rounds: number): Promise<void> {
  const { max, call } = notificationLimits.find((limited) => limited.rule === rule) as LimitedOperation
  for (let round = 1; round <= rounds; round++) {
    const { admin } = await createAccount(service)
    const calls = max + concurrentCallers
    const responses: ApiResponse[] = []
    let startedCalls = 0
    await runConcurrently(async () => {
      while (startedCalls++ < calls) responses.push(await call(admin))
    })
    const refusals = responses.filter(({ status }) => status === 429)
    expect([responses.length, responses.length - refusals.length], `round ${round}`).toEqual([calls, max])
    for (const { headers, body } of refusals) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(body.detail).toBe(`Rate limit exceeded: ${max} per minute`)
    }
    expect(responses.every(({ status }) => status < 500)).toBe(true)
  }
}

/**
 * Use four limiters that share only Redis, like four Worker isolates, and expect that together they allow as
 * many calls as one.
 */
export async function expectSharedCountAcrossIsolates(service: Service, rounds: number): Promise<void> {
  const rate = parseRate('20/minute')
  for (let round = 1; round <= rounds; round++) {
    const createIsolate = () =>
      createRedisLimiter(openRestRedis(`${service.localOrigin}/redis`, secrets.redisToken, 10_000), 10_000)
    const limiters = Array.from({ length: 4 }, createIsolate)
    const key = `isolates:${crypto.randomUUID()}`
    const verdicts = await runConcurrently(async (caller) =>
      limiters[caller % limiters.length]?.count(key, rate, false),
    )
    expect(verdicts.filter((verdict) => verdict?.allowed).length, `round ${round}`).toBe(rate.max)
  }
}

/**
 * Exceed the limits of one user and of one IP address, and expect that another user and another address are
 * still allowed.
 */
export async function expectSeparateLimits(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const { admin, addColleague } = await createAccount(service)
    const colleague = await addColleague()
    const counts = countByStatus(
      await runConcurrently(() => admin.call('POST', '/notifications/mark-all-read')),
    )
    expect(counts, `round ${round}`).toEqual({ 200: 10, 429: concurrentCallers - 10 })
    expectStatus(await colleague.call('POST', '/notifications/mark-all-read'), 200)
    const [address, otherAddress] = [randomIpAddress(), randomIpAddress()]
    const verifyEmail = (from: string) =>
      postWithoutToken(service, '/auth/verify-email', { token: randomToken() }, from)
    const responses = await runConcurrently(() => verifyEmail(address))
    expect(countByStatus(responses), `round ${round}`).toEqual({ 400: 10, 429: concurrentCallers - 10 })
    expectStatus(await verifyEmail(otherAddress), 400)
  }
}
