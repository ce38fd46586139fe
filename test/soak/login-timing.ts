import { randomToken } from '../../lib/auth/hash.ts'
import type { Service } from '../support/app.ts'
import { median } from '../support/measure.ts'
import { createAccount } from '../support/people.ts'
import { postWithoutToken } from '../support/public-requests.ts'

/** The cost of a failed sign-in for each kind of e-mail address. The unit depends on the measurement. */
export interface LoginCosts {
  known: number
  unknown: number
  /** A sign-in that is refused before a password is hashed. */
  locked: number
}

const password = 'Copper-Kettle-Harbour-93'

/**
 * Measure the processor time of this process, which runs the service, per failed sign-in. Unlike a duration, it does not depend on other processes.
 * Return medians in microseconds, because jobs of other tests may run in between.
 */
export async function measureLoginCpu(service: Service, samples: number): Promise<LoginCosts> {
  const knownAddresses = await insertUsersWithPassword(service, samples)
  const unknownAddresses = knownAddresses.map((_, n) => `timing-${n}-${crypto.randomUUID()}@people.example`)
  const locked = await insertLockedAddress(service)
  const measure = async (emails: readonly string[]) => {
    const costs: number[] = []
    for (const email of emails) {
      const before = process.cpuUsage()
      await postWithoutToken(service, '/auth/login', { email, password: randomToken() })
      const { user, system } = process.cpuUsage(before)
      costs.push(user + system)
    }
    return median(costs)
  }
  await measure(unknownAddresses.slice(0, 5).map((email) => `warm-up-${email}`))
  const [known, unknown] = [await measure(knownAddresses), await measure(unknownAddresses)]
  return { known, unknown, locked: await measure(knownAddresses.map(() => locked)) }
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

/** Insert users with a password and return their e-mail addresses. The users share one password hash, which does not affect the timing. */
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

/**
 * Measure sign-ins with a wrong password. Known, unknown and locked addresses take turns, and each unlocked address is used once. Return
 * medians in milliseconds.
 */
export async function measureLoginDurations(service: Service, samples: number): Promise<LoginCosts> {
  const knownAddresses = await insertUsersWithPassword(service, samples)
  const locked = await insertLockedAddress(service)
  const durations = { known: [] as number[], unknown: [] as number[], locked: [] as number[] }
  for (const [n, known] of knownAddresses.entries()) {
    const unknown = `timing-${n}-${crypto.randomUUID()}@people.example`
    const attempts = [['known', known] as const, ['unknown', unknown] as const, ['locked', locked] as const]
    // The order alternates, because a later attempt might profit from caches.
    for (const [kind, email] of n % 2 ? attempts : attempts.toReversed()) {
      const startedAt = performance.now()
      await postWithoutToken(service, '/auth/login', { email, password: randomToken() })
      // The first attempts are not counted: the isolate is still cold.
      if (n >= 5) durations[kind].push(performance.now() - startedAt)
    }
  }
  return { known: median(durations.known), unknown: median(durations.unknown), locked: median(durations.locked) }
}
