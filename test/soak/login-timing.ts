import type { Service } from '#test/support/app.ts'
import { median } from '#test/support/measure.ts'
import { createAccount } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'
import { randomToken } from '#vendors/auth/hash.ts'

/** The cost of a failed sign-in for each kind of e-mail address. The unit depends on the measurement. */
export interface LoginCosts {
  known: number
  unknown: number
  /** A sign-in that is refused before a password is hashed. */
  locked: number
}

const password = 'Copper-Kettle-Harbour-93'

/**
 * Measure the processor time of this process, which runs the service, per failed sign-in. Unlike a duration,
 * it does not contain the waits for other processes, but it grows while they use the same caches and memory.
 * Return medians in microseconds.
 */
export function measureLoginCpu(service: Service, samples: number): Promise<LoginCosts> {
  return measureLogins(service, samples, async (attempt) => {
    const before = process.cpuUsage()
    await attempt()
    const { user, system } = process.cpuUsage(before)
    return user + system
  })
}

/** Measure the duration of failed sign-ins. Return medians in milliseconds. */
export function measureLoginDurations(service: Service, samples: number): Promise<LoginCosts> {
  return measureLogins(service, samples, async (attempt) => {
    const startedAt = performance.now()
    await attempt()
    return performance.now() - startedAt
  })
}

/**
 * Measure sign-ins with a wrong password and return the median cost of each kind of address. The kinds take
 * turns, so that all of them meet the same load of the machine. Each unlocked address is used once.
 */
async function measureLogins(
  service: Service,
  samples: number,
  measure: (attempt: () => Promise<unknown>) => Promise<number>,
): Promise<LoginCosts> {
  const knownAddresses = await insertUsersWithPassword(service, samples)
  const locked = await insertLockedAddress(service)
  const costs = { known: [] as number[], unknown: [] as number[], locked: [] as number[] }
  for (const [n, known] of knownAddresses.entries()) {
    const unknown = `timing-${n}-${crypto.randomUUID()}@people.example`
    const attempts = [['known', known] as const, ['unknown', unknown] as const, ['locked', locked] as const]
    // The order alternates, because a later attempt might profit from caches.
    for (const [kind, email] of n % 2 ? attempts : attempts.toReversed()) {
      const cost = await measure(() =>
        postWithoutToken(service, '/auth/login', { email, password: randomToken() }),
      )
      // The first attempts are not counted: the isolate is still cold.
      if (n >= 5) costs[kind].push(cost)
    }
  }
  return { known: median(costs.known), unknown: median(costs.unknown), locked: median(costs.locked) }
}

async function insertLockedAddress(service: Service): Promise<string> {
  const email = `locked-${crypto.randomUUID()}@people.example`
  await service.sql(
    `insert into sign_in_attempts (key, attempted_at, locked_until, expires_at)
     values (app.attempt_key('address', $1), '{}', app.now() + interval '1 hour', app.now() + interval '1 hour')`,
    [email],
  )
  return email
}

/**
 * Insert users with a password and return their e-mail addresses. The users share one password hash, which
 * does not affect the timing.
 */
async function insertUsersWithPassword(service: Service, count: number): Promise<string[]> {
  const email = `timing-${crypto.randomUUID()}@people.example`
  const { body } = await postWithoutToken(service, '/auth/register', { email, password, full_name: 'Timing' })
  const { id } = await createAccount(service)
  const rows = await service.sql<{ email: string }>(
    `with inserted_users as (
            insert into users (account_id, email, full_name, role)
            select $1, 'timing-' || n || '-' || $3::text || '@people.example', 'Timing', 'engineer' from generate_series(1, $2::int) n
            returning id, email),
          inserted_passwords as (
            insert into passwords (user_id, hash) select u.id, p.hash from inserted_users u, passwords p where p.user_id = $4)
     select email from inserted_users`,
    [id, count, crypto.randomUUID(), body.user.id],
  )
  return rows.map((row) => row.email)
}
