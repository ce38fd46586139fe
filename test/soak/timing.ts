import { randomToken } from '../../lib/auth/hash.ts'
import type { Service } from '../support/app.ts'
import { median } from '../support/measures.ts'
import { newAccount } from '../support/people.ts'
import { visit } from './callers.ts'

export interface Medians {
  known: number
  unknown: number
  /** A sign-in refused before any password is looked at. */
  locked: number
}

const password = 'Copper-Kettle-Harbour-93'

/** Addresses of people who have a password: all the same one, which costs what any other does. */
async function knownAddresses(service: Service, count: number): Promise<string[]> {
  const email = `timing-${crypto.randomUUID()}@people.example`
  const { body } = await visit(service, '/auth/register', { email, password, full_name: 'Timing' })
  const { id } = await newAccount(service)
  const rows = await service.sql<{ email: string }>(
    `with u as (insert into users (account_id, email, full_name, role)
                select $1, 'timing-' || n || '-' || $3::text || '@people.example', 'Timing', 'engineer' from generate_series(1, $2::int) n returning id, email),
          p as (insert into passwords (user_id, hash) select u.id, p.hash from u, passwords p where p.user_id = $4)
     select email from u`,
    [id, count, crypto.randomUUID(), body.user.id],
  )
  return rows.map((row) => row.email)
}

/** Milliseconds that a wrong password takes, for addresses that somebody has and that nobody has, in turns and each for the first time. */
export async function loginMedians(service: Service, samples: number): Promise<Medians> {
  const addresses = await knownAddresses(service, samples)
  const locked = `locked-${crypto.randomUUID()}@people.example`
  await service.sql(`insert into login_failures values ($1, '{}', app.now() + interval '1 hour')`, [locked])
  const took = { known: [] as number[], unknown: [] as number[], locked: [] as number[] }
  for (const [n, email] of addresses.entries()) {
    const unknown = `timing-${n}-${crypto.randomUUID()}@people.example`
    const turn = [['known', email] as const, ['unknown', unknown] as const, ['locked', locked] as const]
    // Whoever always comes second might always find something warm.
    for (const [kind, address] of n % 2 ? turn : turn.toReversed()) {
      const started = performance.now()
      await visit(service, '/auth/login', { email: address, password: randomToken() })
      // The first ones meet a cold isolate.
      if (n >= 5) took[kind].push(performance.now() - started)
    }
  }
  return { known: median(took.known), unknown: median(took.unknown), locked: median(took.locked) }
}
