import { afterAll, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService, request } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = await ownService()
afterAll(() => service.close())
const { advance } = desk(service)
const password = 'violet-tractor-81'
const anywhere = () => ({ 'cf-connecting-ip': `198.51.100.${crypto.randomUUID()}` })
const post = (path: string, body: unknown, headers: Record<string, string> = anywhere()) =>
  request(service, 'POST', `/auth/${path}`, { body, headers })
const me = (token: string) => request(service, 'GET', '/auth/me', { token })

async function register() {
  const email = `p-${crypto.randomUUID()}@people.example`
  const { body, status } = await post('register', { email, password, full_name: 'Dana Reyes', account_name: 'Northwind IT' })
  expect(status).toBe(201)
  return { email, ...body } as { email: string; access_token: string; refresh_token: string; user: { id: string; account_id: string } }
}

it('ACC-16 registers somebody with an account on a trial of 14 days, a team of its name, and signs them in', async () => {
  const { email, user, access_token } = await register()
  expect(user).toMatchObject({
    email,
    full_name: 'Dana Reyes',
    account_name: 'Northwind IT',
    role: 'admin',
    team_role: 'admin',
    email_verified: false,
  })
  expect((await me(access_token)).body).toEqual({ ...user, guards: [] })
  const rows = await service.sql(
    `select a.plan, a.subscription_status, a.trial_ends_at - a.created_at = interval '14 days' as fortnight, t.name
       from accounts a join teams t on t.account_id = a.id where a.id = $1`,
    [user.account_id],
  )
  expect(rows).toEqual([{ plan: 'pro', subscription_status: 'trialing', fortnight: true, name: 'Northwind IT' }])
})

it('AUT-20 refuses an address already taken, in any case', async () => {
  const { email } = await register()
  const again = await post('register', { email: email.toUpperCase(), password, full_name: 'Else' })
  expect([again.status, again.body.code]).toEqual([409, 'email_taken'])
})

it('AUT-21 refuses passwords that are short, long, common or hold the address', async () => {
  const email = `dana.reyes-${crypto.randomUUID()}@people.example`
  for (const weak of ['short-123', 'x'.repeat(129), `is ${email}`, 'password123', 'QWERTYUIOP', '1234567890']) {
    const answer = await post('register', { email, password: weak, full_name: 'Dana' })
    expect([weak, answer.status]).toEqual([weak, 422])
    expect(answer.body.errors[0].loc).toEqual(['body', 'password'])
  }
})

it('AUT-23 answers a wrong password and an unknown address alike', async () => {
  const { email } = await register()
  const [wrong, unknown] = [await post('login', { email, password: 'nope' }), await post('login', { email: 'no@one.example', password })]
  expectStatus(wrong, 401)
  expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text])
  expect(wrong.body).toEqual({ detail: 'Incorrect email or password' })
  expectStatus(await post('login', { email: email.toUpperCase(), password }), 200)
})

it('AUT-24 locks an address for 15 minutes after ten failures in 15, even for the right password', async () => {
  const { email, user } = await register()
  for (let n = 0; n < 9; n++) expectStatus(await post('login', { email, password: `wrong ${n}` }), 401)
  expectStatus(await post('login', { email, password }), 200)
  for (let n = 0; n < 10; n++) expectStatus(await post('login', { email, password: `wrong ${n}` }), 401)
  const locked = await post('login', { email, password })
  expect([locked.status, locked.body.code]).toEqual([429, 'sign_in_locked'])
  expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(880)
  expect(await service.sql('select action from audit_logs where account_id = $1', [user.account_id])).toEqual([
    { action: 'sign_in.locked' },
  ])
  await advance(901)
  expectStatus(await post('login', { email, password }), 200)
})

it('AUT-04 refreshes once, for a new pair', async () => {
  const first = await register()
  const second = await post('refresh', { refresh_token: first.refresh_token })
  expectStatus(second, 200)
  expect(second.body.refresh_token).not.toBe(first.refresh_token)
  expect(second.body.access_token.split('.')).toHaveLength(3)
  expectStatus(await me(second.body.access_token), 200)
})

it('AUT-26 AUT-25 refuses a used refresh token alone within 5 seconds, and ends its family after that', async () => {
  const { refresh_token } = await register()
  const second = (await post('refresh', { refresh_token })).body
  const early = await post('refresh', { refresh_token })
  expect([early.status, early.body.code]).toEqual([401, undefined])
  const third = (await post('refresh', { refresh_token: second.refresh_token })).body
  expectStatus(await me(third.access_token), 200)
  await advance(6)
  const late = await post('refresh', { refresh_token })
  expect([late.status, late.body.code]).toEqual([401, 'refresh_token_reused'])
  expectStatus(await post('refresh', { refresh_token: third.refresh_token }), 401)
  expectStatus(await me(third.access_token), 401)
})

it('AUT-27 signs out: refresh and access tokens are refused from the next request on', async () => {
  const { access_token, refresh_token } = await register()
  expectStatus(await me(access_token), 200)
  expectStatus(await post('logout', { refresh_token }), 204)
  expectStatus(await me(access_token), 401)
  expectStatus(await post('refresh', { refresh_token }), 401)
  expectStatus(await post('logout', { refresh_token: 'never was one' }), 204)
})

it('AUT-35 ACC-15 holds a deactivation and a role change on the next request', async () => {
  const { admin, colleague } = await newAccount(service)
  const person = await colleague({ role: 'engineer', teamRole: 'admin' })
  expectStatus(await person.call('GET', '/notifications/configs'), 200)
  await service.sql(`update users set team_role = 'member' where id = $1`, [person.id])
  expectStatus(await person.call('GET', '/notifications/configs'), 403)
  await service.sql('update users set is_active = false where id = $1', [person.id])
  const gone = await person.call('GET', '/notifications')
  expect([gone.status, gone.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  expectStatus(await admin.call('GET', '/notifications'), 200)
})

it('AUT-31 AUT-11 blocks an unverified address 72 hours after registering, not before', async () => {
  const { access_token: token } = await register()
  await advance(72 * 3600 - 60)
  expectStatus(await request(service, 'GET', '/notifications', { token }), 200)
  await advance(61)
  const refused = await request(service, 'GET', '/notifications', { token })
  expect([refused.status, refused.body.code]).toEqual([403, 'email_not_verified'])
  expect((await me(token)).body.guards).toEqual(['email_not_verified'])
})

it('AUT-12 AUT-33 blocks a lapsed subscription: unpaid, canceled, or past due for more than 7 days', async () => {
  const { access_token: token, user } = await register()
  const status = async (subscription: string, pastDue = 'null') => {
    await service.sql(`update accounts set subscription_status = $2, past_due_since = ${pastDue} where id = $1`, [
      user.account_id,
      subscription,
    ])
    const { status, body } = await request(service, 'GET', '/notifications', { token })
    return status === 200 ? 200 : `${status} ${body.code}`
  }
  expect(await status('unpaid')).toBe('403 subscription_lapsed')
  expect(await status('canceled')).toBe('403 subscription_lapsed')
  expect(await status('past_due', `app.now() - interval '6 days 23 hours'`)).toBe(200)
  expect(await status('past_due', `app.now() - interval '7 days 1 minute'`)).toBe('403 subscription_lapsed')
  expect(await status('active')).toBe(200)
})

it('lets nobody through whose sign-in has ended, on any way to an answer', async () => {
  const { admin } = await newAccount(service)
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

it('WIR-11 refuses a role before it looks at what an address leads to', async () => {
  const { colleague } = await newAccount(service)
  const engineer = await colleague()
  const inside = await engineer.call('POST', '/notifications/configs', { channel: 'chat1_webhook', webhook_url: 'https://10.0.0.1/' })
  expectStatus(inside, 403)
})
