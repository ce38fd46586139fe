import { SignJWT } from 'jose'
import { afterAll, expect, it } from 'vitest'
import { parseConfig } from '#config.ts'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { advanceClock, listRecords, setFault, waitForLink } = dashboard(service)
const password = 'violet-tractor-81'
const newPassword = 'copper-lantern-27'
const post = (path: string, body: unknown) => postWithoutToken(service, `/auth/${path}`, body)
const randomEmail = () => `p-${crypto.randomUUID()}@people.example`

async function register() {
  const email = randomEmail()
  const { body } = expectStatus(await post('register', { email, password, full_name: 'Dana Reyes' }), 201)
  return { email, ...body } as {
    email: string
    access_token: string
    refresh_token: string
    user: { id: string }
  }
}

async function requestResetToken(email: string): Promise<string> {
  expectStatus(await post('forgot-password', { email }), 202)
  return waitForLink(email, /reset-password\?token=([\w-]+)/)
}

it('AUT-42 ends a reset link when the password is changed', async () => {
  const { email, access_token: token } = await register()
  const resetToken = await requestResetToken(email)
  const change = { current_password: password, new_password: newPassword }
  expectStatus(await request(service, 'POST', '/auth/change-password', { token, body: change }), 204)
  const reset = await post('reset-password', { token: resetToken, new_password: 'marble-compass-55' })
  expect([reset.status, reset.body.code]).toEqual([400, 'token_invalid_or_expired'])
  expectStatus(await post('login', { email, password: newPassword }), 200)
})

it('AUT-42 withdraws a reset mail that was not sent before the password changed', async () => {
  const { email, user, access_token: token } = await register()
  await setFault({ service: 'resend', mode: 'down' })
  expectStatus(await post('forgot-password', { email }), 202)
  const selectMails = () =>
    service.sql(
      `select state, attempts > 0 as is_tried from deliveries where user_id = $1 and purpose = 'reset_password'`,
      [user.id],
    )
  await expect.poll(selectMails).toEqual([{ state: 'retrying', is_tried: true }])
  const change = { current_password: password, new_password: newPassword }
  expectStatus(await request(service, 'POST', '/auth/change-password', { token, body: change }), 204)
  expect(await selectMails()).toEqual([])
})

it('AUT-42 ends a reset link whichever statement replaces the password', async () => {
  const [{ email, user }, other] = [await register(), await register()]
  const resetToken = await requestResetToken(email)
  await service.sql(
    'update passwords set hash = (select hash from passwords where user_id = $2) where user_id = $1',
    [user.id, other.user.id],
  )
  expectStatus(await post('reset-password', { token: resetToken, new_password: newPassword }), 400)
})

it('AUT-42 ends the sign-ins of a user whichever statement replaces the password', async () => {
  const [{ user, access_token: token }, other] = [await register(), await register()]
  await service.sql(
    'update passwords set hash = (select hash from passwords where user_id = $2) where user_id = $1',
    [user.id, other.user.id],
  )
  expectStatus(await request(service, 'GET', '/auth/me', { token }), 401)
})

it('AUT-42 leaves no sign-in with the old password when 12 of them race the password change', async () => {
  for (let round = 0; round < 3; round++) {
    const { email, access_token: token } = await register()
    const change = { current_password: password, new_password: newPassword }
    const [changed, ...logins] = await Promise.all([
      request(service, 'POST', '/auth/change-password', { token, body: change }),
      ...Array.from({ length: 12 }, () => post('login', { email, password })),
    ])
    expectStatus(changed, 204)
    for (const { body, status } of logins.filter((login) => login.status === 200)) {
      const me = await request(service, 'GET', '/auth/me', { token: body.access_token })
      expect([round, status, me.status]).toEqual([round, 200, 401])
    }
  }
})

/** Sign a token with the service's own key. */
async function sign(claims: Record<string, unknown>): Promise<string> {
  const [key] = parseConfig(service.settings).JWT_KEYS
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: key?.kid ?? '', typ: 'JWT' })
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(key?.secret))
}

it('AUT-44 refuses a signed token without a sign-in or an account, and one for another issuer or audience, with 401', async () => {
  const { admin } = await createAccount(service)
  const valid = {
    sub: admin.id,
    acc: admin.accountId,
    sid: admin.signInId,
    iss: service.api,
    aud: `${service.api}/api/v1`,
  }
  const send = async (claims: Record<string, unknown>) =>
    (await request(service, 'GET', '/auth/me', { token: await sign(claims) })).status
  expect(await send(valid)).toBe(200)
  for (const name of ['sub', 'acc', 'sid', 'iss', 'aud'] as const) {
    const { [name]: _, ...missing } = valid
    expect([name, await send(missing)]).toEqual([name, 401])
    expect([name, await send({ ...valid, [name]: 'other' })]).toEqual([name, 401])
  }
  expect(await send({ ...valid, sid: { nested: true } })).toBe(401)
})

it('AUT-45 hashes a password again at the next sign-in when the cost of hashing has changed', async () => {
  const { email, user } = await register()
  const { hash } = await import('@node-rs/argon2')
  const readHash = async () =>
    (await service.sql<{ hash: string }>('select hash from passwords where user_id = $1', [user.id]))[0]
      ?.hash ?? ''
  await service.sql('update passwords set hash = $2 where user_id = $1', [
    user.id,
    await hash(password, { memoryCost: 8 * 1024, timeCost: 1, parallelism: 1 }),
  ])
  const { device_token } = expectStatus(await post('login', { email, password }), 200).body
  await expect.poll(readHash, { timeout: 5000 }).toContain('$m=19456,t=2,p=1$')
  const current = await readHash()
  expectStatus(await post('login', { email, password }), 200)
  expect(await readHash()).toBe(current)
  // Another hash of the same password is no password change: the device token stays valid.
  for (let n = 0; n < 10; n++) expectStatus(await post('login', { email, password: `wrong ${n}` }), 401)
  expectStatus(await post('login', { email, password, device_token }), 200)
})

it('AUT-46 sends at most 3 reset links to an address in 15 minutes, from however many clients', async () => {
  const { email } = await register()
  const answers = await Promise.all(Array.from({ length: 25 }, () => post('forgot-password', { email })))
  expect(new Set(answers.map(({ status, text }) => `${status}${text}`))).toEqual(new Set(['202']))
  const countMails = async () =>
    (await listRecords('mail')).filter((mail) => mail.to.includes(email) && mail.subject.startsWith('Reset'))
      .length
  await expect.poll(countMails, { timeout: 30_000 }).toBe(3)
  const rows = await service.sql(
    `select from deliveries where recipient = $1 and purpose = 'reset_password'`,
    [email],
  )
  expect(rows).toHaveLength(3)
  await advanceClock(901)
  expectStatus(await post('forgot-password', { email }), 202)
  await expect.poll(countMails, { timeout: 30_000 }).toBe(4)
})

it('AUT-43 ends a sign-in 90 days after it began, however often it was refreshed', async () => {
  let { refresh_token } = await register()
  // An account in which nobody proves an address ends after 14 days.
  await service.sql('update users set email_verified_at = now() where email_verified_at is null')
  let access_token = ''
  for (const days of [29, 29, 29]) {
    await advanceClock(days * 86_400)
    const { body } = expectStatus(await post('refresh', { refresh_token }), 200)
    ;({ refresh_token, access_token } = body)
  }
  await advanceClock(3 * 86_400 + 1)
  expectStatus(await post('refresh', { refresh_token }), 401)
  expectStatus(await request(service, 'GET', '/auth/me', { token: access_token }), 401)
})
