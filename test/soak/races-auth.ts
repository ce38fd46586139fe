import { expect } from 'vitest'
import { type ApiResponse, request, type Service } from '#test/support/app.ts'
import { concurrentCallers, countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { obtainProviderCode, postCallback } from '#test/support/oauth.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'

// Each function repeats one race `rounds` times. A failed expectation names the round.

const password = 'Copper-Kettle-Harbour-93'
const createEmail = () => `race-${crypto.randomUUID()}@people.example`

async function insertRefreshToken(service: Service, { signInId }: Person): Promise<string> {
  const token = randomToken()
  await service.sql('insert into refresh_tokens (hash, sign_in_id) values ($1, $2)', [
    await sha256Bytea(token),
    signInId,
  ])
  return token
}

async function insertOneTimeToken(
  service: Service,
  { id }: Person,
  purpose: 'verify_email' | 'reset_password',
): Promise<string> {
  const token = randomToken()
  await service.sql(
    `insert into one_time_tokens (hash, user_id, purpose, expires_at) values ($1, $2, $3, app.now() + interval '1 hour')`,
    [await sha256Bytea(token), id, purpose],
  )
  return token
}

/**
 * Refresh one token concurrently, and expect that one caller gets the next token, which the next round
 * refreshes.
 */
export async function expectOneRefreshWinner(service: Service, rounds: number): Promise<void> {
  const { admin } = await createAccount(service)
  let token = await insertRefreshToken(service, admin)
  for (let round = 1; round <= rounds; round++) {
    const responses = await runConcurrently(() =>
      postWithoutToken(service, '/auth/refresh', { refresh_token: token }),
    )
    expect(countByStatus(responses), `round ${round}`).toEqual({ 200: 1, 401: concurrentCallers - 1 })
    token = responses.find(({ status }) => status === 200)?.body.refresh_token
  }
  const issuedTokens = await service.sql('select from refresh_tokens where sign_in_id = $1', [admin.signInId])
  expect(issuedTokens).toHaveLength(rounds + 1)
}

/**
 * Replay a used refresh token while others refresh the newest one, and expect that no token of the family is
 * valid afterwards.
 */
export async function expectReplayRevokesFamily(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const { admin } = await createAccount(service)
    const stolenToken = await insertRefreshToken(service, admin)
    const newestToken = (await postWithoutToken(service, '/auth/refresh', { refresh_token: stolenToken }))
      .body.refresh_token as string
    // A replay within the grace of 5 seconds would be allowed.
    await service.sql(
      `update refresh_tokens set used_at = used_at - interval '6 seconds' where sign_in_id = $1`,
      [admin.signInId],
    )
    const refreshUntilRefused = async (token: string): Promise<ApiResponse[]> => {
      const response = await postWithoutToken(service, '/auth/refresh', { refresh_token: token })
      return response.status === 200
        ? [response, ...(await refreshUntilRefused(response.body.refresh_token))]
        : [response]
    }
    const replay = async () => [
      await postWithoutToken(service, '/auth/refresh', { refresh_token: stolenToken }),
    ]
    const responses = (
      await runConcurrently((caller) => (caller % 2 ? replay() : refreshUntilRefused(newestToken)))
    ).flat()
    const replays = responses.filter(({ body }) => body.code === 'refresh_token_reused')
    expect(replays.length, `round ${round}`).toBeGreaterThanOrEqual(concurrentCallers / 2)
    for (const { body } of responses.filter(({ status }) => status === 200)) {
      const refreshed = await postWithoutToken(service, '/auth/refresh', {
        refresh_token: body.refresh_token,
      })
      expect(refreshed.status, `round ${round}`).toBe(401)
      expect(
        (await request(service, 'GET', '/auth/me', { token: body.access_token })).status,
        `round ${round}`,
      ).toBe(401)
    }
    expect((await admin.call('GET', '/auth/me')).status, `round ${round}`).toBe(401)
  }
}

/** Follow one verification link concurrently, and expect that one caller verifies the address. */
export async function expectOneVerification(service: Service, rounds: number): Promise<void> {
  const { admin } = await createAccount(service)
  for (let round = 1; round <= rounds; round++) {
    await service.sql('update users set email_verified_at = null where id = $1', [admin.id])
    const token = await insertOneTimeToken(service, admin, 'verify_email')
    const responses = await runConcurrently(() => postWithoutToken(service, '/auth/verify-email', { token }))
    expect(countByStatus(responses), `round ${round}`).toEqual({ 204: 1, 400: concurrentCallers - 1 })
  }
}

/** Register one address concurrently, in upper and in lower case, and expect that one account is created. */
export async function expectOneRegistration(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const email = createEmail()
    const spelling = (caller: number) => (caller % 2 ? email : email.toUpperCase())
    const responses = await runConcurrently((caller) =>
      postWithoutToken(service, '/auth/register', { email: spelling(caller), password, full_name: 'Race' }),
    )
    expect(countByStatus(responses), `round ${round}`).toEqual({ 201: 1, 409: concurrentCallers - 1 })
    expect(await service.sql('select from users where lower(email) = $1', [email])).toHaveLength(1)
  }
}

/**
 * Send wrong passwords from many IP addresses at once, and expect that afterwards even the right password is
 * refused.
 */
export async function expectSignInLockHolds(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const email = `lock-${crypto.randomUUID()}@people.example`
    expectStatus(
      await postWithoutToken(service, '/auth/register', { email, password, full_name: 'Lock' }),
      201,
    )
    const wrongAttempts = await runConcurrently(() =>
      postWithoutToken(service, '/auth/login', { email, password: 'not-the-password' }),
    )
    const counts = countByStatus(wrongAttempts)
    expect(counts, `round ${round}`).toEqual({ 401: 10, 429: concurrentCallers - 10 })
    const rightAttempts = await runConcurrently(() =>
      postWithoutToken(service, '/auth/login', { email, password }),
    )
    expect(countByStatus(rightAttempts), `round ${round}`).toEqual({ 429: concurrentCallers })
    expect(rightAttempts[0]?.body.code).toBe('sign_in_locked')
  }
}

/** Insert one invite per e-mail address and return their codes. */
async function insertInvites(
  service: Service,
  { accountId, id }: Person,
  emails: readonly string[],
): Promise<string[]> {
  const codes = emails.map(() => randomToken())
  for (const [n, email] of emails.entries()) {
    await service.sql(
      `with inserted_invite as (
         insert into invites (account_id, email, role, invited_by) values ($1, $2, 'engineer', $3) returning id)
       insert into invite_codes (hash, invite_id) select $4, id from inserted_invite`,
      [accountId, email, id, await sha256Bytea(codes[n] ?? '')],
    )
  }
  return codes
}

/** Redeem an invite through a provider when `providerCode` is set, otherwise with a password. */
function redeemInvite(
  service: Service,
  providerCode: { code: string; state: string } | null,
  email: string,
  inviteCode: string,
): Promise<ApiResponse> {
  if (providerCode)
    return postCallback(service, 'google', { ...providerCode, account_invite_code: inviteCode })
  return postWithoutToken(service, '/auth/register', {
    email,
    password,
    full_name: 'Race',
    account_invite_code: inviteCode,
  })
}

/**
 * Redeem one invite concurrently, half by password and half through a provider, and expect that one person
 * joins.
 */
export async function expectOneInviteWinner(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const { admin } = await createAccount(service)
    const email = createEmail()
    const [inviteCode = ''] = await insertInvites(service, admin, [email])
    // Each caller signs in as another person at the provider. All of these have the same e-mail address.
    const providerCodes = await runConcurrently(async (caller) =>
      caller % 2 ? obtainProviderCode(service, 'google', { email, sub: `${caller}-${email}` }) : null,
    )
    const responses = await runConcurrently((caller) =>
      redeemInvite(service, providerCodes[caller] ?? null, email, inviteCode),
    )
    expect(responses.filter(({ status }) => status < 300).length, `round ${round}`).toBe(1)
    expect(
      responses.filter(({ status }) => ![200, 201, 404, 409].includes(status)).map(({ text }) => text),
    ).toEqual([])
    expect(
      await service.sql('select from users where account_id = $1', [admin.accountId]),
      `round ${round}`,
    ).toHaveLength(2)
    expect(await service.sql('select from users where email = $1', [email]), `round ${round}`).toHaveLength(1)
  }
}

/** Let more people join at once than there are seats, and expect that exactly the free seats are filled. */
export async function expectSeatLimitHolds(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const { admin } = await createAccount(service)
    const emails = Array.from({ length: concurrentCallers }, createEmail)
    const inviteCodes = await insertInvites(service, admin, emails)
    await service.sql(`update accounts set plan = 'pro', subscription_status = 'active' where id = $1`, [
      admin.accountId,
    ])
    const providerCodes = await runConcurrently(async (caller) =>
      caller % 2 ? obtainProviderCode(service, 'google', { email: emails[caller] ?? '' }) : null,
    )
    const responses = await runConcurrently((caller) =>
      redeemInvite(service, providerCodes[caller] ?? null, emails[caller] ?? '', inviteCodes[caller] ?? ''),
    )
    const refusals = responses.filter(({ body }) => body.code === 'seat_limit_reached')
    expect([responses.length - refusals.length, refusals.length], `round ${round}`).toEqual([
      9,
      concurrentCallers - 9,
    ])
    expect(
      await service.sql('select from users where account_id = $1', [admin.accountId]),
      `round ${round}`,
    ).toHaveLength(10)
    const openInvites = await service.sql(
      'select from invites where account_id = $1 and accepted_at is null',
      [admin.accountId],
    )
    expect(openInvites, `round ${round}`).toHaveLength(concurrentCallers - 9)
  }
}

/**
 * Use one reset link concurrently, each caller with another password, and expect that only the winner's
 * password is stored.
 */
export async function expectOnePasswordReset(service: Service, rounds: number): Promise<void> {
  const { admin } = await createAccount(service)
  const createPassword = (round: number, caller: number) => `${password}-${round}-${caller}`
  for (let round = 1; round <= rounds; round++) {
    const token = await insertOneTimeToken(service, admin, 'reset_password')
    const responses = await runConcurrently((caller) =>
      postWithoutToken(service, '/auth/reset-password', {
        token,
        new_password: createPassword(round, caller),
      }),
    )
    expect(countByStatus(responses), `round ${round}`).toEqual({ 204: 1, 400: concurrentCallers - 1 })
    const winner = responses.findIndex(({ status }) => status === 204)
    const signIn = (caller: number) =>
      postWithoutToken(service, '/auth/login', {
        email: admin.email,
        password: createPassword(round, caller),
      })
    expect(
      [(await signIn(winner)).status, (await signIn((winner + 1) % concurrentCallers)).status],
      `round ${round}`,
    ).toEqual([200, 401])
  }
}

/** Post one provider callback concurrently, and expect that one caller is signed in. */
export async function expectOneOauthSignIn(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const providerCode = await obtainProviderCode(service, 'google', { email: createEmail() })
    const responses = await runConcurrently(() => postCallback(service, 'google', providerCode))
    expect(countByStatus(responses), `round ${round}`).toEqual({ 200: 1, 400: concurrentCallers - 1 })
  }
}
