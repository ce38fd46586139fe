import { afterAll, expect, it } from 'vitest'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { advanceClock } = dashboard(service)
const password = 'violet-tractor-81'
const post = (path: string, body: unknown) => postWithoutToken(service, `/auth/${path}`, body)
const getMe = (token: string) => request(service, 'GET', '/auth/me', { token })

async function register() {
  const email = `p-${crypto.randomUUID()}@people.example`
  const { body, status } = await post('register', {
    email,
    password,
    full_name: 'Dana Reyes',
    account_name: 'Northwind IT',
  })
  expect(status).toBe(201)
  return { email, ...body } as {
    email: string
    access_token: string
    refresh_token: string
    user: { id: string; account_id: string }
  }
}

it('ACC-16 creates an account with a trial of 14 days and a team of the same name, and signs the user in', async () => {
  const { email, user, access_token } = await register()
  expect(user).toMatchObject({
    email,
    full_name: 'Dana Reyes',
    account_name: 'Northwind IT',
    role: 'admin',
    team_role: 'admin',
    email_verified: false,
  })
  expect((await getMe(access_token)).body).toEqual({ ...user, guards: [] })
  const rows = await service.sql(
    `select a.plan, a.subscription_status, a.trial_ends_at - a.created_at = interval '14 days' as is_14_days, t.name
       from accounts a join teams t on t.account_id = a.id where a.id = $1`,
    [user.account_id],
  )
  expect(rows).toEqual([
    { plan: 'pro', subscription_status: 'trialing', is_14_days: true, name: 'Northwind IT' },
  ])
})

it('AUT-20 refuses to register an address that is already registered in another letter case', async () => {
  const { email } = await register()
  const secondRegistration = await post('register', {
    email: email.toUpperCase(),
    password,
    full_name: 'Other',
  })
  expect([secondRegistration.status, secondRegistration.body.code]).toEqual([409, 'email_taken'])
})

it('AUT-21 refuses a password that is too short, too long, common or contains the address', async () => {
  const email = `dana.reyes-${crypto.randomUUID()}@people.example`
  for (const weakPassword of [
    'short-123',
    'x'.repeat(129),
    `is ${email}`,
    'password123',
    'QWERTYUIOP',
    '1234567890',
  ]) {
    const response = await post('register', { email, password: weakPassword, full_name: 'Dana' })
    expect([weakPassword, response.status]).toEqual([weakPassword, 422])
    expect(response.body.errors[0].loc).toEqual(['body', 'password'])
  }
})

it('AUT-23 returns the same response for a wrong password and an unknown address', async () => {
  const { email } = await register()
  const wrongPassword = await post('login', { email, password: 'nope' })
  const unknownAddress = await post('login', { email: 'no@one.example', password })
  expectStatus(wrongPassword, 401)
  expect([unknownAddress.status, unknownAddress.text]).toEqual([wrongPassword.status, wrongPassword.text])
  expect(wrongPassword.body).toEqual({ detail: 'Incorrect email or password' })
  expectStatus(await post('login', { email: email.toUpperCase(), password }), 200)
})

it('AUT-24 locks the sign-in of an address for 15 minutes after ten failed attempts, even with the right password', async () => {
  const { email, user } = await register()
  for (let n = 0; n < 9; n++) expectStatus(await post('login', { email, password: `wrong ${n}` }), 401)
  expectStatus(await post('login', { email, password }), 200)
  for (let n = 0; n < 10; n++) expectStatus(await post('login', { email, password: `wrong ${n}` }), 401)
  const lockedLogin = await post('login', { email, password })
  expect([lockedLogin.status, lockedLogin.body.code]).toEqual([429, 'sign_in_locked'])
  expect(Number(lockedLogin.headers.get('retry-after'))).toBeGreaterThan(880)
  expect(await service.sql('select action from audit_logs where account_id = $1', [user.account_id])).toEqual(
    [{ action: 'sign_in.locked' }],
  )
  await advanceClock(901)
  expectStatus(await post('login', { email, password }), 200)
})

it('AUT-04 exchanges a refresh token for new tokens', async () => {
  const first = await register()
  const second = await post('refresh', { refresh_token: first.refresh_token })
  expectStatus(second, 200)
  expect(second.body.refresh_token).not.toBe(first.refresh_token)
  expect(second.body.access_token.split('.')).toHaveLength(3)
  expectStatus(await getMe(second.body.access_token), 200)
})

it('AUT-26 AUT-25 refuses a used refresh token, and revokes its sign-in if it was used more than 5 seconds ago', async () => {
  const { refresh_token } = await register()
  const second = (await post('refresh', { refresh_token })).body
  const earlyRefresh = await post('refresh', { refresh_token })
  expect([earlyRefresh.status, earlyRefresh.body.code]).toEqual([401, undefined])
  const third = (await post('refresh', { refresh_token: second.refresh_token })).body
  expectStatus(await getMe(third.access_token), 200)
  await advanceClock(6)
  const lateRefresh = await post('refresh', { refresh_token })
  expect([lateRefresh.status, lateRefresh.body.code]).toEqual([401, 'refresh_token_reused'])
  expectStatus(await post('refresh', { refresh_token: third.refresh_token }), 401)
  expectStatus(await getMe(third.access_token), 401)
})

it('AUT-27 refuses access and refresh tokens after logout', async () => {
  const { access_token, refresh_token } = await register()
  expectStatus(await getMe(access_token), 200)
  expectStatus(await post('logout', { refresh_token }), 204)
  expectStatus(await getMe(access_token), 401)
  expectStatus(await post('refresh', { refresh_token }), 401)
  expectStatus(await post('logout', { refresh_token: 'unknown-token' }), 204)
})

it('AUT-35 ACC-15 applies a deactivation and a role change to the next request', async () => {
  const { admin, addColleague } = await createAccount(service)
  const teamAdmin = await addColleague({ role: 'engineer', teamRole: 'admin' })
  expectStatus(await teamAdmin.call('GET', '/notifications/configs'), 200)
  await service.sql(`update users set team_role = 'member' where id = $1`, [teamAdmin.id])
  expectStatus(await teamAdmin.call('GET', '/notifications/configs'), 403)
  await service.sql('update users set is_active = false where id = $1', [teamAdmin.id])
  const refused = await teamAdmin.call('GET', '/notifications')
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  expectStatus(await admin.call('GET', '/notifications'), 200)
})

it('AUT-31 AUT-11 blocks a user with an unverified address 72 hours after registration, and not before', async () => {
  const { access_token: token } = await register()
  await advanceClock(72 * 3600 - 60)
  expectStatus(await request(service, 'GET', '/notifications', { token }), 200)
  await advanceClock(61)
  const refused = await request(service, 'GET', '/notifications', { token })
  expect([refused.status, refused.body.code]).toEqual([403, 'email_not_verified'])
  expect((await getMe(token)).body.guards).toEqual(['email_not_verified'])
})

it('AUT-12 AUT-33 blocks an account whose subscription is unpaid, canceled, or past due for more than 7 days', async () => {
  const { access_token: token, user } = await register()
  const requestWithSubscription = async (subscriptionStatus: string, pastDueSinceSql = 'null') => {
    await service.sql(
      `update accounts set subscription_status = $2, past_due_since = ${pastDueSinceSql} where id = $1`,
      [user.account_id, subscriptionStatus],
    )
    const { status, body } = await request(service, 'GET', '/notifications', { token })
    return status === 200 ? 200 : `${status} ${body.code}`
  }
  expect(await requestWithSubscription('unpaid')).toBe('403 subscription_lapsed')
  expect(await requestWithSubscription('canceled')).toBe('403 subscription_lapsed')
  expect(await requestWithSubscription('past_due', `app.now() - interval '6 days 23 hours'`)).toBe(200)
  expect(await requestWithSubscription('past_due', `app.now() - interval '7 days 1 minute'`)).toBe(
    '403 subscription_lapsed',
  )
  expect(await requestWithSubscription('active')).toBe(200)
})

it('returns 401 for a revoked sign-in on every kind of request, even an invalid one', async () => {
  const { admin } = await createAccount(service)
  await service.sql('update sign_ins set ended_at = now() where id = $1', [admin.signInId])
  for (const [method, path, body] of [
    ['GET', '/notifications/event-keys', undefined],
    ['POST', '/auth/resend-verification', undefined],
    ['POST', '/auth/change-password', { current_password: 'x', new_password: 'copper-lantern-27' }],
    ['POST', '/notifications/configs', { channel: 'chat1_webhook', webhook_url: 'https://10.0.0.1/' }],
    ['POST', '/notifications/configs', { nonsense: true }],
    ['PATCH', `/notifications/${crypto.randomUUID()}/read`, undefined],
    ['PATCH', '/notifications/not-an-id/read', undefined],
  ] as const) {
    expect([path, (await admin.call(method, path, body)).status]).toEqual([path, 401])
  }
})

it('WIR-11 returns 403 for a role without permission before it validates the webhook address', async () => {
  const { addColleague } = await createAccount(service)
  const engineer = await addColleague()
  const internalUrl = { channel: 'chat1_webhook', webhook_url: 'https://10.0.0.1/' }
  expectStatus(await engineer.call('POST', '/notifications/configs', internalUrl), 403)
})

it('changes the profile, and keeps it when a request has no fields', async () => {
  const { access_token: token } = await register()
  const change = async (body: object) =>
    expectStatus(await request(service, 'PATCH', '/auth/me', { token, body }), 200).body
  const changed = await change({ full_name: 'Dana R.', timezone: 'Europe/Berlin' })
  expect(changed).toMatchObject({ full_name: 'Dana R.', timezone: 'Europe/Berlin' })
  expect(await change({})).toEqual(changed)
  expect((await getMe(token)).body).toMatchObject({ full_name: 'Dana R.', timezone: 'Europe/Berlin' })
})
