import { generateKeyPairSync } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { type Authenticator, createAuthenticator } from '#test/support/authenticator.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'
import {
  completeChallenge,
  enableTotp,
  login,
  type Registered,
  register,
  startChallenge,
} from '#test/support/two-factor.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { advanceClock } = dashboard(service)

async function startPasskeySignIn(): Promise<{ challenge: string }> {
  return expectStatus(await postWithoutToken(service, '/auth/passkeys/sign-in/options', undefined), 200).body
}
const finishPasskeySignIn = (passkey: unknown) =>
  postWithoutToken(service, '/auth/passkeys/sign-in/verify', { passkey })

async function addPasskey(person: Registered, name = 'Laptop') {
  const authenticator = createAuthenticator()
  const options = expectStatus(await person.call('POST', '/auth/passkeys/register/options'), 200).body
  const credential = authenticator.create(options)
  const { body } = expectStatus(
    await person.call('POST', '/auth/passkeys/register/verify', { name, credential }),
    201,
  )
  return { authenticator, id: body.passkey.id as string, recoveryCodes: body.recovery_codes as string[] }
}

const signInWith = async (authenticator: Authenticator, claims?: Parameters<Authenticator['get']>[1]) =>
  finishPasskeySignIn(authenticator.get(await startPasskeySignIn(), claims))

it('AUT-57 adds a passkey and signs in with it alone', async () => {
  const person = await register(service)
  const { authenticator, recoveryCodes } = await addPasskey(person)
  expect(recoveryCodes).toHaveLength(10)
  const { body } = expectStatus(await signInWith(authenticator), 200)
  expect(body.user.email).toBe(person.email)
  expectStatus(await request(service, 'GET', '/auth/me', { token: body.access_token }), 200)
  expect((await person.call('GET', '/auth/passkeys')).body).toMatchObject([
    { name: 'Laptop', last_used_at: expect.any(String) },
  ])
})

it('AUT-57 asks for a passkey after the password, and completes the challenge and a step-up with it', async () => {
  const person = await register(service)
  const { authenticator } = await addPasskey(person)
  const { body } = expectStatus(await login(service, person), 200)
  expect(body.methods).toEqual(['recovery_code', 'passkey'])
  const passkey = authenticator.get(await startPasskeySignIn())
  expectStatus(await completeChallenge(service, { mfa_token: body.mfa_token, passkey }), 200)
  await advanceClock(601)
  expect((await person.call('POST', '/auth/mfa/recovery-codes')).body.code).toBe('step_up_required')
  expectStatus(
    await person.call('POST', '/auth/mfa/step-up', {
      passkey: authenticator.get(await startPasskeySignIn()),
    }),
    204,
  )
  expectStatus(await person.call('POST', '/auth/mfa/recovery-codes'), 200)
})

it('AUT-58 refuses an answer for another origin or domain, without the PIN, with another key or another user', async () => {
  const [person, other] = [await register(service), await register(service)]
  const { authenticator } = await addPasskey(person)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const attacks = {
    origin: { origin: 'https://app.supportflow.example.evil.example' },
    rpId: { rpId: 'evil.example' },
    pin: { isUserVerified: false },
    key: { privateKey },
    user: { userHandle: other.id },
  }
  for (const [name, claims] of Object.entries(attacks)) {
    const answer = await signInWith(authenticator, claims)
    expect([name, answer.status, answer.body.code]).toEqual([name, 400, 'passkey_invalid'])
  }
  expectStatus(await signInWith(authenticator), 200)
})

it('AUT-58 refuses a counter that does not grow, which a copied authenticator sends', async () => {
  const { authenticator } = await addPasskey(await register(service))
  expectStatus(await signInWith(authenticator, { counter: 50 }), 200)
  for (const counter of [50, 49, 0]) expectStatus(await signInWith(authenticator, { counter }), 400)
  expectStatus(await signInWith(authenticator, { counter: 51 }), 200)
})

it('AUT-58 accepts an answer once from 32 concurrent requests, within 5 minutes, and none to a challenge of its own', async () => {
  const { authenticator } = await addPasskey(await register(service))
  const answer = authenticator.get(await startPasskeySignIn())
  expect(countByStatus(await runConcurrently(() => finishPasskeySignIn(answer)))).toEqual({ 200: 1, 400: 31 })
  expectStatus(await finishPasskeySignIn(authenticator.get({ challenge: 'c2VsZi1tYWRl' })), 400)
  const late = authenticator.get(await startPasskeySignIn())
  await advanceClock(301)
  expectStatus(await finishPasskeySignIn(late), 400)
})

it('AUT-58 refuses the passkey of another user at a challenge and a step-up', async () => {
  const [person, other] = [await register(service), await register(service)]
  await enableTotp(service, person)
  const { authenticator } = await addPasskey(other)
  const mfa_token = await startChallenge(service, person)
  const answer = async () => authenticator.get(await startPasskeySignIn(), { userHandle: null })
  expectStatus(await completeChallenge(service, { mfa_token, passkey: await answer() }), 400)
  expectStatus(await person.call('POST', '/auth/mfa/step-up', { passkey: await answer() }), 400)
})

it('AUT-58 refuses a registration for another user’s challenge, a sign-in challenge and a registered credential', async () => {
  const [person, other] = [await register(service), await register(service)]
  const options = expectStatus(await person.call('POST', '/auth/passkeys/register/options'), 200).body
  const authenticator = createAuthenticator()
  const add = (caller: Registered, credential: unknown) =>
    caller.call('POST', '/auth/passkeys/register/verify', { name: 'Key', credential })
  expectStatus(await add(other, authenticator.create(options)), 400)
  expectStatus(await add(person, authenticator.create({ ...options, ...(await startPasskeySignIn()) })), 400)
  expectStatus(await add(person, authenticator.create(options, { origin: 'https://evil.example' })), 400)
  const again = expectStatus(await person.call('POST', '/auth/passkeys/register/options'), 200).body
  expectStatus(await add(person, authenticator.create(again)), 201)
  const otherOptions = expectStatus(await other.call('POST', '/auth/passkeys/register/options'), 200).body
  const registered = await add(other, authenticator.create(otherOptions))
  expect([registered.status, registered.body.code]).toEqual([400, 'passkey_invalid'])
})

it('AUT-57 keeps the recovery codes of a user who adds an authenticator app to a passkey', async () => {
  const person = await register(service)
  const { recoveryCodes } = await addPasskey(person)
  const app = await enableTotp(service, person)
  expect([recoveryCodes.length, app.recoveryCodes]).toEqual([10, []])
  expect((await addPasskey(person, 'Phone')).recoveryCodes).toEqual([])
})

it('AUT-57 refuses a wrong authenticator code to a user who has a passkey alone', async () => {
  const person = await register(service)
  await addPasskey(person)
  const mfa_token = await startChallenge(service, person)
  const { status, body } = await completeChallenge(service, { mfa_token, code: '123456' })
  expect([status, body.code]).toEqual([400, 'mfa_code_invalid'])
})

it('AUT-57 accepts 20 passkeys of a user', async () => {
  const person = await register(service)
  await addPasskey(person)
  await service.sql(
    `insert into passkeys (user_id, name, credential_id, public_key, counter)
     select $1::uuid, 'Key ' || n, $1::uuid || '-' || n, 'key', 0 from generate_series(2, 19) n`,
    [person.id],
  )
  await addPasskey(person, 'Key 20')
  const { status, body } = await person.call('POST', '/auth/passkeys/register/options')
  expect([status, body.code, body.resource, body.limit]).toEqual([409, 'limit_reached', 'passkeys', 20])
})

it('AUT-59 answers the sign-in options alike for everybody, without any id', async () => {
  const options = expectStatus(
    await postWithoutToken(service, '/auth/passkeys/sign-in/options', undefined),
    200,
  ).body
  expect(Object.keys(options).toSorted()).not.toContain('allowCredentials')
  expect(options.rpId).toBe('app.supportflow.example')
})

it('AUT-57 renames and deletes a passkey, and returns 404 for that of another user', async () => {
  const [person, other] = [await register(service), await register(service)]
  const { authenticator, id } = await addPasskey(person)
  expect((await person.call('PATCH', `/auth/passkeys/${id}`, { name: 'Phone' })).body.name).toBe('Phone')
  expectStatus(await other.call('PATCH', `/auth/passkeys/${id}`, { name: 'Mine' }), 404)
  expectStatus(await other.call('DELETE', `/auth/passkeys/${id}`), 404)
  expectStatus(await person.call('DELETE', `/auth/passkeys/${id}`), 204)
  expectStatus(await signInWith(authenticator), 400)
  expect((await login(service, person)).body).toHaveProperty('access_token')
  const actions = await service.sql('select action from audit_logs where resource_id = $1 order by id', [
    person.id,
  ])
  expect(actions).toEqual([
    { action: 'passkey.added' },
    { action: 'passkey.renamed' },
    { action: 'passkey.removed' },
  ])
})

it('AUT-57 keeps the second factor while one of two is left, also when both are removed at once', async () => {
  const person = await register(service)
  await enableTotp(service, person)
  const { id } = await addPasskey(person)
  expect((await person.call('DELETE', '/auth/mfa/totp')).status).toBe(204)
  expect((await login(service, person)).body.methods).toContain('passkey')
  const { id: secondId } = await addPasskey(person, 'Phone')
  const removals = [
    person.call('DELETE', `/auth/passkeys/${id}`),
    person.call('DELETE', `/auth/passkeys/${secondId}`),
  ]
  expect(countByStatus(await Promise.all(removals))).toEqual({ 204: 2 })
  const [user] = await service.sql('select has_second_factor from users where id = $1', [person.id])
  expect(user).toEqual({ has_second_factor: false })
})

it('AUT-57 refuses malformed answers with 400', async () => {
  const { authenticator } = await addPasskey(await register(service))
  const answer = authenticator.get(await startPasskeySignIn())
  for (const response of [
    { ...answer.response, clientDataJSON: 'AAAA' },
    { ...answer.response, authenticatorData: 'AAAA' },
    { ...answer.response, signature: 'A' },
    { ...answer.response, userHandle: 'A' },
  ]) {
    expectStatus(
      await finishPasskeySignIn({ ...authenticator.get(await startPasskeySignIn()), response }),
      400,
    )
  }
})

it('AUT-57 refuses a malformed registration with 400', async () => {
  const person = await register(service)
  const { status, body } = await person.call('POST', '/auth/passkeys/register/verify', {
    name: 'Key',
    credential: {},
  })
  expect([status, body.code]).toEqual([400, 'passkey_invalid'])
})
