import { afterAll, expect, it } from 'vitest'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import {
  obtainProviderCode,
  postCallback,
  requestAuthorization,
  signInAtProvider,
  signInThroughProvider,
} from '#test/support/oauth.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { advanceClock, waitForLink } = dashboard(service)
const providers = ['google', 'microsoft'] as const
const randomEmail = () => `p-${crypto.randomUUID()}@people.example`
const randomPersona = () => ({ email: randomEmail(), sub: `sub-${crypto.randomUUID()}` })
const post = (path: string, body: unknown) => postWithoutToken(service, `/auth/${path}`, body)
const selectUsers = (email: string) =>
  service.sql('select id from users where lower(email) = lower($1)', [email])

it.each(providers)(
  'sends the browser to %s with PKCE, state and nonce, and redirects to the frontend',
  async (provider) => {
    const { status, body } = await requestAuthorization(service, provider)
    expect([status, Object.keys(body).sort()]).toEqual([200, ['authorization_url', 'state']])
    const parameters = Object.fromEntries(new URL(body.authorization_url).searchParams)
    expect(parameters).toMatchObject({
      response_type: 'code',
      scope: 'openid email profile',
      state: body.state,
      code_challenge_method: 'S256',
    })
    expect(parameters.redirect_uri).toBe(`${service.localOrigin}/oauth/${provider}/callback`)
    expect([parameters.code_challenge?.length, parameters.nonce?.length, body.state.length]).toEqual([
      43, 43, 43,
    ])
    // Only a hash of the state is stored.
    const rows = await service.sql<{ row_text: string }>(
      `select o::text as row_text from oauth_states o where provider = $1`,
      [provider],
    )
    expect(rows.filter(({ row_text }) => row_text.includes(body.state))).toEqual([])
  },
)

it.each([
  ['google', true],
  ['microsoft', false],
] as const)(
  'creates an account on trial for a new user from %s, with email_verified %s',
  async (provider, isVerified) => {
    const email = randomEmail()
    const { status, body } = await signInThroughProvider(service, provider, { email, name: 'Noa Lindqvist' })
    expect(status).toBe(200)
    expect(body.user).toMatchObject({
      email,
      full_name: 'Noa Lindqvist',
      account_name: "Noa Lindqvist's team",
      role: 'admin',
      team_role: 'admin',
      email_verified: isVerified,
    })
    const [account] = await service.sql('select plan, subscription_status from accounts where id = $1', [
      body.user.account_id,
    ])
    expect(account).toEqual({ plan: 'pro', subscription_status: 'trialing' })
    expect((await request(service, 'GET', '/auth/me', { token: body.access_token })).body).toEqual({
      ...body.user,
      guards: [],
    })
    expectStatus(await post('refresh', { refresh_token: body.refresh_token }), 200)
    if (isVerified)
      expect(
        await service.sql('select id from deliveries where account_id = $1', [body.user.account_id]),
      ).toEqual([])
    else
      expectStatus(
        await post('verify-email', { token: await waitForLink(email, /verify-email\?token=([\w-]+)/) }),
        204,
      )
  },
)

it.each(providers)(
  'recognises a user of %s by the subject, even after the address and name changed',
  async (provider) => {
    const subject = { sub: `sub-${crypto.randomUUID()}`, oid: crypto.randomUUID() }
    const first = await signInThroughProvider(service, provider, {
      ...subject,
      email: randomEmail(),
      name: 'Before',
    })
    const secondSignIn = await signInThroughProvider(service, provider, {
      ...subject,
      email: randomEmail(),
      name: 'After',
    })
    expect([secondSignIn.status, secondSignIn.body.user.id]).toEqual([200, first.body.user.id])
    expect(secondSignIn.body.user).toMatchObject({ email: first.body.user.email, full_name: 'Before' })
  },
)

it('treats the same object id in another Microsoft tenant as another user', async () => {
  const persona = { oid: crypto.randomUUID(), sub: 'the same' }
  const first = await signInThroughProvider(service, 'microsoft', {
    ...persona,
    tid: crypto.randomUUID(),
    email: randomEmail(),
  })
  const second = await signInThroughProvider(service, 'microsoft', {
    ...persona,
    tid: crypto.randomUUID(),
    email: randomEmail(),
  })
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.body.user.account_id).not.toBe(first.body.user.account_id)
})

it.each(providers)(
  'returns 409 for an address of %s that another user has, and never links the identity to that user',
  async (provider) => {
    const email = randomEmail()
    await post('register', { email, password: 'violet-tractor-81', full_name: 'Dana' })
    await service.sql('update users set email_verified_at = app.now() where email = $1', [email])
    const response = await signInThroughProvider(service, provider, { email: email.toUpperCase() })
    expect([response.status, response.body.code]).toEqual([409, 'email_taken'])
    expect(
      await service.sql('select from identities i join users u on u.id = i.user_id where u.email = $1', [
        email,
      ]),
    ).toEqual([])
    expectStatus(await post('login', { email, password: 'violet-tractor-81' }), 200)
  },
)

it('refuses an address that Google has not verified, and an identity without an address', async () => {
  const email = randomEmail()
  const unverified = await signInThroughProvider(service, 'google', { email, email_verified: 'false' })
  expect([unverified.status, unverified.body.code]).toEqual([400, 'oauth_email_unverified'])
  for (const invalidEmail of ['', 'not an address']) {
    const response = await signInThroughProvider(service, 'microsoft', {
      email: invalidEmail,
      name: 'No Address',
    })
    expect([response.status, response.body.code]).toEqual([400, 'oauth_email_missing'])
  }
  expect(await selectUsers(email)).toEqual([])
})

it('accepts a state once, for its own provider, within 10 minutes', async () => {
  const stateInvalid = [400, 'oauth_state_invalid']
  const flow = await obtainProviderCode(service, 'google', { email: randomEmail() })
  const otherProvider = await postCallback(service, 'microsoft', flow)
  expect([otherProvider.status, otherProvider.body.code]).toEqual(stateInvalid)
  const responses = await Promise.all(Array.from({ length: 8 }, () => postCallback(service, 'google', flow)))
  // The state is checked before the code: a code that the provider refuses would return `oauth_refused`.
  expect(responses.map(({ status, body }) => body.code ?? status).sort()).toEqual([
    200,
    ...Array(7).fill('oauth_state_invalid'),
  ])
  const unknown = await postCallback(service, 'google', { ...flow, state: 'unknown-state' })
  expect([unknown.status, unknown.body.code]).toEqual(stateInvalid)
  const lateFlow = await obtainProviderCode(service, 'google', { email: randomEmail() })
  await advanceClock(601)
  const lateCallback = await postCallback(service, 'google', lateFlow)
  expect([lateCallback.status, lateCallback.body.code]).toEqual(stateInvalid)
})

it('refuses the code of another flow, because PKCE and the nonce bind a code to its flow', async () => {
  const email = randomEmail()
  const victim = await obtainProviderCode(service, 'google', { email })
  const attacker = await obtainProviderCode(service, 'google', { email: randomEmail() })
  const response = await postCallback(service, 'google', { code: victim.code, state: attacker.state })
  expect([response.status, response.body.code]).toEqual([400, 'oauth_refused'])
  expect(await selectUsers(email)).toEqual([])
})

it('creates one user when one person completes several flows concurrently', async () => {
  const persona = randomPersona()
  const flows = await Promise.all(
    Array.from({ length: 8 }, () => obtainProviderCode(service, 'google', persona)),
  )
  const responses = await Promise.all(flows.map((flow) => postCallback(service, 'google', flow)))
  expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(new Set(responses.map(({ body }) => body.user.id)).size).toBe(1)
  expect(await selectUsers(persona.email)).toHaveLength(1)
})

it('AUT-35 refuses a deactivated user, but not a user whose address is locked for password sign-in', async () => {
  const persona = randomPersona()
  const { body } = await signInThroughProvider(service, 'google', persona)
  for (let n = 0; n < 10; n++) await post('login', { email: persona.email, password: `guess ${n}` })
  expectStatus(await post('login', { email: persona.email, password: 'one more' }), 429)
  expectStatus(await signInThroughProvider(service, 'google', persona), 200)
  await service.sql(
    `insert into users (account_id, email, full_name, role) values ($1, $2, 'Other admin', 'admin')`,
    [body.user.account_id, randomEmail()],
  )
  await service.sql('update users set is_active = false where id = $1', [body.user.id])
  const refused = await signInThroughProvider(service, 'google', persona)
  expect([refused.status, refused.body.code]).toEqual([401, 'user_deactivated'])
})

it('lets a user without a password set one by e-mail, not by change-password', async () => {
  const persona = randomPersona()
  const { body } = await signInThroughProvider(service, 'google', persona)
  const change = { current_password: 'anything at all', new_password: 'copper-lantern-27' }
  const refused = await request(service, 'POST', '/auth/change-password', {
    token: body.access_token,
    body: change,
  })
  expect([refused.status, refused.body.code]).toEqual([400, 'no_password'])
  expectStatus(await post('login', { email: persona.email, password: 'copper-lantern-27' }), 401)
  expectStatus(await post('forgot-password', { email: persona.email }), 202)
  const token = await waitForLink(persona.email, /reset-password\?token=([\w-]+)/)
  expectStatus(await post('reset-password', { token, new_password: 'copper-lantern-27' }), 204)
  expectStatus(await post('login', { email: persona.email, password: 'copper-lantern-27' }), 200)
  expect((await signInThroughProvider(service, 'google', persona)).body.user.id).toBe(body.user.id)
})

it('deletes an identity that was linked before the address was verified when the password is reset', async () => {
  const persona = { email: randomEmail(), oid: crypto.randomUUID() }
  const { body } = await signInThroughProvider(service, 'microsoft', persona)
  await post('forgot-password', { email: persona.email })
  const token = await waitForLink(persona.email, /reset-password\?token=([\w-]+)/)
  expectStatus(await post('reset-password', { token, new_password: 'copper-lantern-27' }), 204)
  expectStatus(await post('refresh', { refresh_token: body.refresh_token }), 401)
  const secondSignIn = await signInThroughProvider(service, 'microsoft', persona)
  expect([secondSignIn.status, secondSignIn.body.code]).toEqual([409, 'email_taken'])
  expect((await post('login', { email: persona.email, password: 'copper-lantern-27' })).body.user.id).toBe(
    body.user.id,
  )
})

it('cleans and truncates the name from the provider, and uses the address if there is no name', async () => {
  const email = randomEmail()
  const createUserNamed = async (name: string) =>
    (await signInThroughProvider(service, 'google', { email: randomEmail(), name })).body.user
  expect((await createUserNamed('😀'.repeat(200))).full_name).toBe('😀'.repeat(200))
  expect((await createUserNamed('x'.repeat(400))).account_name).toBe(`${'x'.repeat(190)}'s team`)
  expect((await createUserNamed('  Noa\u0000\u202e\n Lindqvist  ')).full_name).toBe('Noa Lindqvist')
  expect((await signInThroughProvider(service, 'microsoft', { email, name: '' })).body.user.full_name).toBe(
    email,
  )
})

it('redirects to the frontend without a code when the user denies consent', async () => {
  const { body } = await requestAuthorization(service, 'google')
  expect(await signInAtProvider(body.authorization_url, { deny: 'true' })).toEqual({
    error: 'access_denied',
    state: body.state,
  })
})
