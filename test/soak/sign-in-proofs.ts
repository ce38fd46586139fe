import { expect } from 'vitest'
import { randomToken, sha256Bytea } from '../../lib/auth/hash.ts'
import { type Answer, request, type Service } from '../support/app.ts'
import { callback, visitProvider } from '../support/oauth.ts'
import { newAccount, type Person } from '../support/people.ts'
import { callers, tally, together, visit } from './callers.ts'

// Each proof throws where it does not hold, and says in which round.

const password = 'Copper-Kettle-Harbour-93'
const someone = () => `race-${crypto.randomUUID()}@people.example`

/** A refresh token of somebody's own sign-in. */
async function firstToken(service: Service, { signInId }: Person): Promise<string> {
  const token = randomToken()
  await service.sql('insert into refresh_tokens (hash, sign_in_id) values ($1, $2)', [await sha256Bytea(token), signInId])
  return token
}

/** A token that was used is presented by half of all while the other half refresh on: whatever they got, none of it works afterwards. */
export async function replayEndsTheFamily(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const { admin } = await newAccount(service)
    const stolen = await firstToken(service, admin)
    const newest = (await visit(service, '/auth/refresh', { refresh_token: stolen })).body.refresh_token as string
    await service.sql(`update refresh_tokens set used_at = used_at - interval '6 seconds' where sign_in_id = $1`, [admin.signInId])
    // Some of those who refresh go on with what they got.
    const goOn = async (token: string): Promise<Answer[]> => {
      const answer = await visit(service, '/auth/refresh', { refresh_token: token })
      return answer.status === 200 ? [answer, ...(await goOn(answer.body.refresh_token))] : [answer]
    }
    const replay = () => visit(service, '/auth/refresh', { refresh_token: stolen }).then((answer) => [answer])
    const answers = (await together((caller) => (caller % 2 ? replay() : goOn(newest)))).flat()
    const replayed = answers.filter(({ body }) => body.code === 'refresh_token_reused')
    expect(replayed.length, `round ${round}`).toBeGreaterThanOrEqual(callers / 2)
    const alive = answers.filter(({ status }) => status === 200)
    for (const { body } of alive) {
      expect((await visit(service, '/auth/refresh', { refresh_token: body.refresh_token })).status, `round ${round}`).toBe(401)
      expect((await request(service, 'GET', '/auth/me', { token: body.access_token })).status, `round ${round}`).toBe(401)
    }
    expect((await admin.call('GET', '/auth/me')).status, `round ${round}`).toBe(401)
  }
}

/** Invites of an account, one per address, made by hand; their codes. */
async function invites(service: Service, { accountId, id }: Person, emails: readonly string[]): Promise<string[]> {
  const codes = emails.map(() => randomToken())
  for (const [n, email] of emails.entries()) {
    await service.sql(
      `with i as (insert into invites (account_id, email, role, invited_by) values ($1, $2, 'engineer', $3) returning id)
       insert into invite_codes (hash, invite_id) select $4, id from i`,
      [accountId, email, id, await sha256Bytea(codes[n] ?? '')],
    )
  }
  return codes
}

/** One invite, redeemed by all at once, half by password and half from a provider: one joins. */
export async function inviteHasOneWinner(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const { admin } = await newAccount(service)
    const email = someone()
    const [code = ''] = await invites(service, admin, [email])
    // One person each at the provider, who all have the same address.
    const flows = await together(async (caller) =>
      caller % 2 ? visitProvider(service, 'google', { email, sub: `${caller}-${email}` }) : null,
    )
    const answers = await together((caller) => joinBy(service, flows[caller] ?? null, email, code))
    expect(answers.filter(({ status }) => status < 300).length, `round ${round}`).toBe(1)
    expect(answers.filter(({ status }) => ![200, 201, 404, 409].includes(status)).map(({ text }) => text)).toEqual([])
    expect(await service.sql('select from users where account_id = $1', [admin.accountId]), `round ${round}`).toHaveLength(2)
    expect(await service.sql('select from users where email = $1', [email]), `round ${round}`).toHaveLength(1)
  }
}

function joinBy(service: Service, flow: { code: string; state: string } | null, email: string, code: string): Promise<Answer> {
  if (flow) return callback(service, 'google', { ...flow, account_invite_code: code })
  return visit(service, '/auth/register', { email, password, full_name: 'Race', account_invite_code: code })
}

/** More people join at once than there are seats: the seats are filled, and nobody sits on another's lap. */
export async function seatsAreNeverExceeded(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const { admin } = await newAccount(service)
    const emails = Array.from({ length: callers }, someone)
    const codes = await invites(service, admin, emails)
    await service.sql(`update accounts set plan = 'pro', subscription_status = 'active' where id = $1`, [admin.accountId])
    const flows = await together(async (caller) => (caller % 2 ? visitProvider(service, 'google', { email: emails[caller] ?? '' }) : null))
    const answers = await together((caller) => joinBy(service, flows[caller] ?? null, emails[caller] ?? '', codes[caller] ?? ''))
    const refused = answers.filter(({ body }) => body.code === 'seat_limit_reached')
    expect([answers.length - refused.length, refused.length], `round ${round}`).toEqual([9, callers - 9])
    expect(await service.sql('select from users where account_id = $1', [admin.accountId]), `round ${round}`).toHaveLength(10)
    const open = await service.sql('select from invites where account_id = $1 and accepted_at is null', [admin.accountId])
    expect(open, `round ${round}`).toHaveLength(callers - 9)
  }
}

/** One link to choose a new password, used by all at once with a password of their own: one is taken, and it is the winner's. */
export async function resetHasOneWinner(service: Service, rounds: number): Promise<void> {
  const { admin } = await newAccount(service)
  const passwordOf = (round: number, caller: number) => `${password}-${round}-${caller}`
  for (let round = 1; round <= rounds; round++) {
    const token = randomToken()
    await service.sql(
      "insert into one_time_tokens (hash, user_id, purpose, expires_at) values ($1, $2, 'reset_password', app.now() + interval '1 hour')",
      [await sha256Bytea(token), admin.id],
    )
    const answers = await together((caller) => visit(service, '/auth/reset-password', { token, new_password: passwordOf(round, caller) }))
    expect(tally(answers), `round ${round}`).toEqual({ 204: 1, 400: callers - 1 })
    const winner = answers.findIndex(({ status }) => status === 204)
    const login = (caller: number) => visit(service, '/auth/login', { email: admin.email, password: passwordOf(round, caller) })
    expect([(await login(winner)).status, (await login((winner + 1) % callers)).status], `round ${round}`).toEqual([200, 401])
  }
}

/** One way back from a provider, taken by all at once: one signs in. */
export async function stateHasOneWinner(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const flow = await visitProvider(service, 'google', { email: someone() })
    const answers = await together(() => callback(service, 'google', flow))
    expect(tally(answers), `round ${round}`).toEqual({ 200: 1, 400: callers - 1 })
  }
}
