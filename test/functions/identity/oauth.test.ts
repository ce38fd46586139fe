import { afterAll, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService, request } from '../../support/app.ts'
import { authorize, callback, say, signInWith, visitProvider } from '../../support/oauth.ts'

const service = await ownService()
afterAll(() => service.close())
const { advance, linkIn } = desk(service)
const providers = ['google', 'microsoft'] as const
const someone = () => `p-${crypto.randomUUID()}@people.example`
const anywhere = () => ({ 'cf-connecting-ip': `198.51.100.${crypto.randomUUID()}` })
const post = (path: string, body: unknown) => request(service, 'POST', `/auth/${path}`, { body, headers: anywhere() })
const usersOf = (email: string) => service.sql('select id from users where lower(email) = lower($1)', [email])

it.each(providers)('sends the browser to %s with PKCE, state and nonce, and back to the frontend alone', async (provider) => {
  const { status, body } = await authorize(service, provider)
  expect([status, Object.keys(body).sort()]).toEqual([200, ['authorization_url', 'state']])
  const asked = Object.fromEntries(new URL(body.authorization_url).searchParams)
  expect(asked).toMatchObject({ response_type: 'code', scope: 'openid email profile', state: body.state, code_challenge_method: 'S256' })
  expect(asked.redirect_uri).toBe(`${service.local}/oauth/${provider}/callback`)
  expect([asked.code_challenge?.length, asked.nonce?.length, body.state.length]).toEqual([43, 43, 43])
  const rows = await service.sql<{ kept: string }>(`select o::text as kept from oauth_states o where provider = $1`, [provider])
  expect(rows.filter(({ kept }) => kept.includes(body.state))).toEqual([])
})

it.each([
  ['google', true],
  ['microsoft', false],
] as const)('gives a newcomer from %s an account of their own on trial, its address verified: %s', async (provider, verified) => {
  const email = someone()
  const { status, body } = await signInWith(service, provider, { email, name: 'Noa Lindqvist' })
  expect(status).toBe(200)
  expect(body.user).toMatchObject({
    ...{ email, full_name: 'Noa Lindqvist', account_name: "Noa Lindqvist's team", role: 'admin', team_role: 'admin' },
    email_verified: verified,
  })
  const [account] = await service.sql('select plan, subscription_status from accounts where id = $1', [body.user.account_id])
  expect(account).toEqual({ plan: 'pro', subscription_status: 'trialing' })
  expect((await request(service, 'GET', '/auth/me', { token: body.access_token })).body).toEqual({ ...body.user, guards: [] })
  expectStatus(await post('refresh', { refresh_token: body.refresh_token }), 200)
  if (verified) expect(await service.sql('select id from deliveries where account_id = $1', [body.user.account_id])).toEqual([])
  else expectStatus(await post('verify-email', { token: await linkIn(email, /verify-email\?token=([\w-]+)/) }), 204)
})

it.each(providers)('knows somebody from %s again by who they are there, under another address and name', async (provider) => {
  const who = { sub: `sub-${crypto.randomUUID()}`, oid: crypto.randomUUID() }
  const first = await signInWith(service, provider, { ...who, email: someone(), name: 'Before' })
  const again = await signInWith(service, provider, { ...who, email: someone(), name: 'After' })
  expect([again.status, again.body.user.id]).toEqual([200, first.body.user.id])
  expect(again.body.user).toMatchObject({ email: first.body.user.email, full_name: 'Before' })
})

it('takes the same object of another microsoft tenant for somebody else', async () => {
  const oid = crypto.randomUUID()
  const [tid, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const first = await signInWith(service, 'microsoft', { oid, tid, email: someone(), sub: 'the same' })
  const second = await signInWith(service, 'microsoft', { oid, tid: other, email: someone(), sub: 'the same' })
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.body.user.account_id).not.toBe(first.body.user.account_id)
})

it.each(providers)('never links an address of %s to the user who has it: 409, and that user stays as they are', async (provider) => {
  const email = someone()
  await post('register', { email, password: 'violet-tractor-81', full_name: 'Dana' })
  const answer = await signInWith(service, provider, { email: email.toUpperCase() })
  expect([answer.status, answer.body.code]).toEqual([409, 'email_taken'])
  expect(await service.sql('select from identities i join users u on u.id = i.user_id where u.email = $1', [email])).toEqual([])
  expectStatus(await post('login', { email, password: 'violet-tractor-81' }), 200)
})

it('refuses an address that google has not verified, and a person without one', async () => {
  const email = someone()
  const unverified = await signInWith(service, 'google', { email, email_verified: 'false' })
  expect([unverified.status, unverified.body.code]).toEqual([400, 'oauth_email_unverified'])
  for (const nobody of ['', 'not an address']) {
    const answer = await signInWith(service, 'microsoft', { email: nobody, name: 'No Address' })
    expect([answer.status, answer.body.code]).toEqual([400, 'oauth_email_missing'])
  }
  expect(await usersOf(email)).toEqual([])
})

it('uses a state once, at its own provider, within 10 minutes', async () => {
  const dead = [400, 'oauth_state_invalid']
  const mine = await visitProvider(service, 'google', { email: someone() })
  const elsewhere = await callback(service, 'microsoft', mine)
  expect([elsewhere.status, elsewhere.body.code]).toEqual(dead)
  const many = await Promise.all(Array.from({ length: 8 }, () => callback(service, 'google', mine)))
  // By the state already, and not only because the provider takes a code once.
  expect(many.map(({ status, body }) => body.code ?? status).sort()).toEqual([200, ...Array(7).fill('oauth_state_invalid')])
  const unknown = await callback(service, 'google', { ...mine, state: 'never-was-a-state' })
  expect([unknown.status, unknown.body.code]).toEqual(dead)
  const late = await visitProvider(service, 'google', { email: someone() })
  await advance(601)
  const answer = await callback(service, 'google', late)
  expect([answer.status, answer.body.code]).toEqual(dead)
})

it('refuses a code of another flow, which PKCE and the nonce tie to its own', async () => {
  const email = someone()
  const [victim, mine] = [await visitProvider(service, 'google', { email }), await visitProvider(service, 'google', { email: someone() })]
  const answer = await callback(service, 'google', { code: victim.code, state: mine.state })
  expect([answer.status, answer.body.code]).toEqual([400, 'oauth_refused'])
  expect(await usersOf(email)).toEqual([])
})

it('makes one user of one person who comes back many times at once', async () => {
  const who = { email: someone(), sub: `sub-${crypto.randomUUID()}` }
  const flows = await Promise.all(Array.from({ length: 8 }, () => visitProvider(service, 'google', who)))
  const answers = await Promise.all(flows.map((flow) => callback(service, 'google', flow)))
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1)
  expect(await usersOf(who.email)).toHaveLength(1)
})

it('AUT-35 refuses somebody known who was deactivated, and lets nobody be locked out by guessed passwords', async () => {
  const who = { email: someone(), sub: `sub-${crypto.randomUUID()}` }
  const { body } = await signInWith(service, 'google', who)
  for (let n = 0; n < 10; n++) await post('login', { email: who.email, password: `guess ${n}` })
  expectStatus(await post('login', { email: who.email, password: 'one more' }), 429)
  expectStatus(await signInWith(service, 'google', who), 200)
  await service.sql(`insert into users (account_id, email, full_name, role) values ($1, $2, 'Other admin', 'admin')`, [
    body.user.account_id,
    someone(),
  ])
  await service.sql('update users set is_active = false where id = $1', [body.user.id])
  const refused = await signInWith(service, 'google', who)
  expect([refused.status, refused.body.code]).toEqual([401, 'user_deactivated'])
})

it('lets somebody without a password choose one by mail, not by change-password', async () => {
  const who = { email: someone(), sub: `sub-${crypto.randomUUID()}` }
  const { body } = await signInWith(service, 'google', who)
  const change = { current_password: 'anything at all', new_password: 'copper-lantern-27' }
  const refused = await request(service, 'POST', '/auth/change-password', { token: body.access_token, body: change })
  expect([refused.status, refused.body.code]).toEqual([400, 'no_password'])
  expectStatus(await post('login', { email: who.email, password: 'copper-lantern-27' }), 401)
  expectStatus(await post('forgot-password', { email: who.email }), 202)
  const token = await linkIn(who.email, /reset-password\?token=([\w-]+)/)
  expectStatus(await post('reset-password', { token, new_password: 'copper-lantern-27' }), 204)
  expectStatus(await post('login', { email: who.email, password: 'copper-lantern-27' }), 200)
  expect((await signInWith(service, 'google', who)).body.user.id).toBe(body.user.id)
})

it('gives an address back to its owner: a reset by mail drops the identity of whoever claimed it unproved', async () => {
  const claimed = { email: someone(), oid: crypto.randomUUID() }
  const { body } = await signInWith(service, 'microsoft', claimed)
  await post('forgot-password', { email: claimed.email })
  const token = await linkIn(claimed.email, /reset-password\?token=([\w-]+)/)
  expectStatus(await post('reset-password', { token, new_password: 'copper-lantern-27' }), 204)
  expectStatus(await post('refresh', { refresh_token: body.refresh_token }), 401)
  const again = await signInWith(service, 'microsoft', claimed)
  expect([again.status, again.body.code]).toEqual([409, 'email_taken'])
  expect((await post('login', { email: claimed.email, password: 'copper-lantern-27' })).body.user.id).toBe(body.user.id)
})

it('takes a long or strange name as far as it goes, and the address where there is none', async () => {
  const email = someone()
  const named = async (name: string) => (await signInWith(service, 'google', { email: someone(), name })).body.user
  expect((await named('😀'.repeat(200))).full_name).toBe('😀'.repeat(200))
  expect((await named('x'.repeat(400))).account_name).toBe(`${'x'.repeat(190)}'s team`)
  expect((await named('  Noa\u0000\u202e\n Lindqvist  ')).full_name).toBe('Noa Lindqvist')
  expect((await signInWith(service, 'microsoft', { email, name: '' })).body.user.full_name).toBe(email)
})

it('brings a refusal of the person back to the frontend without a code', async () => {
  const { body } = await authorize(service, 'google')
  expect(await say(body.authorization_url, { deny: 'true' })).toEqual({ error: 'access_denied', state: body.state })
})
