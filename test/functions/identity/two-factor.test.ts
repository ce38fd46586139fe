import { afterAll, expect, it } from 'vitest'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { signInThroughProvider } from '#test/support/oauth.ts'
import { createAccount } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'
import {
  callWith,
  completeChallenge,
  enableTotp,
  login,
  readCode,
  register,
  startChallenge,
} from '#test/support/two-factor.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { advanceClock, listRecords, waitForLink } = dashboard(service)
const newPassword = 'copper-lantern-27'
const readActions = async (userId: string) =>
  (
    await service.sql<{ action: string }>(
      'select action from audit_logs where resource_id = $1 order by id',
      [userId],
    )
  ).map(({ action }) => action)

it('AUT-47 asks for the second factor instead of returning tokens, and signs in with the code', async () => {
  const person = await register(service)
  const { secret, recoveryCodes } = await enableTotp(service, person)
  expect(recoveryCodes).toHaveLength(10)
  const { body } = expectStatus(await login(service, person), 200)
  expect(body).toEqual({
    mfa_required: true,
    mfa_token: expect.any(String),
    methods: ['totp', 'recovery_code'],
  })
  const completed = expectStatus(
    await completeChallenge(service, { mfa_token: body.mfa_token, code: await readCode(service, secret) }),
    200,
  )
  expect(completed.body).toMatchObject({
    token_type: 'bearer',
    device_token: expect.any(String),
    user: { email: person.email },
  })
  expectStatus(await request(service, 'GET', '/auth/me', { token: completed.body.access_token }), 200)
})

it('AUT-47 revokes the other sign-ins when the first second factor is added, and keeps the current one', async () => {
  const person = await register(service)
  const other = (await login(service, person)).body.access_token
  await enableTotp(service, person)
  expectStatus(await request(service, 'GET', '/auth/me', { token: other }), 401)
  expectStatus(await person.call('GET', '/auth/me'), 200)
})

it('AUT-48 accepts a code once, also from 32 concurrent sign-ins', async () => {
  const person = await register(service)
  const { secret } = await enableTotp(service, person)
  const code = await readCode(service, secret)
  const tokens = await runConcurrently(() => startChallenge(service, person), 8)
  const answers = await runConcurrently((n) => completeChallenge(service, { mfa_token: tokens[n % 8], code }))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const replay = await completeChallenge(service, { mfa_token: await startChallenge(service, person), code })
  // Of so many wrong codes, those that came late have locked the sign-in.
  expect(replay.body.code).toBeOneOf(['mfa_code_invalid', 'sign_in_locked'])
})

it('AUT-48 refuses the code that switched the app on, and the code of another user', async () => {
  const [person, other] = [await register(service), await register(service)]
  const { secret, code: used } = await enableTotp(service, person)
  const { secret: otherSecret } = await enableTotp(service, other)
  const mfa_token = await startChallenge(service, person)
  for (const code of [used, await readCode(service, otherSecret), await readCode(service, secret, -3)])
    expect((await completeChallenge(service, { mfa_token, code })).body.code).toBe('mfa_code_invalid')
})

it('AUT-49 verifies at most 10 of 32 concurrent wrong codes, over several challenges, and then refuses the right one', async () => {
  const person = await register(service)
  const { secret } = await enableTotp(service, person)
  const tokens = await runConcurrently(() => startChallenge(service, person), 4)
  const answers = await runConcurrently((n) =>
    completeChallenge(service, { mfa_token: tokens[n % 4], code: `00${n}`.padStart(6, '9') }),
  )
  expect(countByStatus(answers)).toEqual({ 400: 10, 429: 22 })
  const mfa_token = await startChallenge(service, person)
  expectStatus(await completeChallenge(service, { mfa_token, code: await readCode(service, secret) }), 429)
  expect(await readActions(person.id)).toContain('second_factor.locked')
  await advanceClock(901)
  const later = await startChallenge(service, person)
  expectStatus(
    await completeChallenge(service, { mfa_token: later, code: await readCode(service, secret) }),
    200,
  )
})

it('AUT-50 accepts an mfa_token once, within 5 minutes, and never as an access or refresh token', async () => {
  const person = await register(service)
  const { secret, recoveryCodes } = await enableTotp(service, person)
  const mfa_token = await startChallenge(service, person)
  expectStatus(await request(service, 'GET', '/auth/me', { token: mfa_token }), 401)
  expectStatus(await postWithoutToken(service, '/auth/refresh', { refresh_token: mfa_token }), 401)
  expectStatus(await completeChallenge(service, { mfa_token, code: await readCode(service, secret) }), 200)
  const again = await completeChallenge(service, { mfa_token, code: recoveryCodes[0] })
  expect([again.status, again.body.code]).toEqual([401, 'mfa_token_invalid'])
  const late = await startChallenge(service, person)
  await advanceClock(301)
  expectStatus(await completeChallenge(service, { mfa_token: late, code: recoveryCodes[0] }), 401)
})

it('AUT-50 ends an mfa_token with a password change, a reset and a deactivation', async () => {
  const person = await register(service)
  const { recoveryCodes } = await enableTotp(service, person)
  const beforeChange = await startChallenge(service, person)
  const change = { current_password: 'violet-tractor-81', new_password: newPassword }
  expectStatus(await person.call('POST', '/auth/change-password', change), 204)
  expectStatus(await completeChallenge(service, { mfa_token: beforeChange, code: recoveryCodes[0] }), 401)
  // An account keeps an active admin.
  await service.sql(
    `insert into users (account_id, email, full_name, role) values ($1, $2, 'Other', 'admin')`,
    [person.accountId, `other-${person.email}`],
  )
  const beforeDeactivation = (await login(service, person, { password: newPassword })).body.mfa_token
  await service.sql('update users set is_active = false where id = $1', [person.id])
  expectStatus(
    await completeChallenge(service, { mfa_token: beforeDeactivation, code: recoveryCodes[1] }),
    401,
  )
})

it('AUT-51 accepts a recovery code once from 32 concurrent sign-ins, in any spelling', async () => {
  const person = await register(service)
  const { recoveryCodes } = await enableTotp(service, person)
  const code = ` ${recoveryCodes[0]?.toUpperCase().replaceAll('-', ' ')}`
  const tokens = await runConcurrently(() => startChallenge(service, person), 8)
  const answers = await runConcurrently((n) => completeChallenge(service, { mfa_token: tokens[n % 8], code }))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const stored = await service.sql<{ row: string }>(
    'select row_to_json(r)::text as row from recovery_codes r where user_id = $1',
    [person.id],
  )
  expect(stored.map(({ row }) => row).join()).not.toContain(recoveryCodes[0])
  expect((await readActions(person.id)).filter((action) => action === 'recovery_code.used')).toHaveLength(1)
})

it('AUT-51 replaces the recovery codes, so that the old ones end', async () => {
  const person = await register(service)
  const { recoveryCodes } = await enableTotp(service, person)
  const replaced = expectStatus(await person.call('POST', '/auth/mfa/recovery-codes'), 200).body
    .recovery_codes
  const mfa_token = await startChallenge(service, person)
  expectStatus(await completeChallenge(service, { mfa_token, code: recoveryCodes[0] }), 400)
  expectStatus(await completeChallenge(service, { mfa_token, code: replaced[0] }), 200)
  expect((await person.call('GET', '/auth/mfa')).body).toMatchObject({
    totp_enabled: true,
    passkeys: 0,
    recovery_codes_left: 9,
  })
})

it('AUT-52 asks for the second factor after a sign-in at a provider, and after a password reset', async () => {
  const email = `oauth-${crypto.randomUUID()}@people.example`
  const persona = { email, sub: crypto.randomUUID() }
  const first = expectStatus(await signInThroughProvider(service, 'google', persona), 200).body
  const person = { email, call: callWith(service, first.access_token) }
  await enableTotp(service, person as never)
  const again = expectStatus(await signInThroughProvider(service, 'google', persona), 200).body
  expect(again).toMatchObject({ mfa_required: true, methods: ['totp', 'recovery_code'] })
  expectStatus(await postWithoutToken(service, '/auth/forgot-password', { email }), 202)
  const token = await waitForLink(email, /reset-password\?token=([\w-]+)/)
  expectStatus(
    await postWithoutToken(service, '/auth/reset-password', { token, new_password: newPassword }),
    204,
  )
  expect((await login(service, { email }, { password: newPassword })).body.mfa_required).toBe(true)
})

it('AUT-52 ends the refresh tokens of sign-ins without a second factor, and keeps those with one', async () => {
  const person = await register(service)
  const other = (await login(service, person)).body.refresh_token
  const { secret } = await enableTotp(service, person)
  expectStatus(await postWithoutToken(service, '/auth/refresh', { refresh_token: other }), 401)
  const mfa_token = await startChallenge(service, person)
  const { refresh_token } = (
    await completeChallenge(service, { mfa_token, code: await readCode(service, secret) })
  ).body
  expectStatus(await postWithoutToken(service, '/auth/refresh', { refresh_token }), 200)
})

it('AUT-52 leaves no sign-in without a second factor when 8 of them race the first one', async () => {
  for (let round = 0; round < 3; round++) {
    const person = await register(service)
    await Promise.all([
      enableTotp(service, person),
      ...Array.from({ length: 8 }, () => login(service, person)),
    ])
    const open = await service.sql(
      'select from sign_ins where user_id = $1 and ended_at is null and second_factor_at is null',
      [person.id],
    )
    expect(open, `round ${round}`).toEqual([])
  }
})

it('AUT-52 lets no statement insert a sign-in without the second factor of its user', async () => {
  const person = await register(service)
  await enableTotp(service, person)
  const insertion = service.sql(
    `insert into sign_ins (account_id, user_id, expires_at) values ($1, $2, now() + interval '1 day')`,
    [person.accountId, person.id],
  )
  await expect(insertion).rejects.toMatchObject({ code: 'SF401' })
})

it('AUT-53 does not say before the password is right whether a user has a second factor', async () => {
  const [person, plain] = [await register(service), await register(service)]
  await enableTotp(service, person)
  const [withFactor, without] = [
    await login(service, person, { password: 'wrong' }),
    await login(service, plain, { password: 'wrong' }),
  ]
  expect([withFactor.status, withFactor.text]).toEqual([without.status, without.text])
})

it('AUT-54 needs a step-up 10 minutes after the second factor, for what a stolen token must not do', async () => {
  const person = await register(service)
  await service.sql('update users set email_verified_at = now() where id = $1', [person.id])
  const { secret } = await enableTotp(service, person)
  const config = { channel: 'email', email_addresses: [person.email], events_enabled: ['session.escalated'] }
  expectStatus(await person.call('POST', '/notifications/configs', config), 201)
  await advanceClock(601)
  const refused = [
    await person.call('POST', '/notifications/configs', config),
    await person.call('POST', '/auth/change-password', {
      current_password: 'violet-tractor-81',
      new_password: newPassword,
    }),
    await person.call('PATCH', `/accounts/me/members/${person.id}`, { role: 'engineer' }),
    await person.call('DELETE', '/integrations/psa/connection'),
    await person.call('GET', '/billing/portal-session'),
    await person.call('DELETE', '/auth/mfa/totp'),
    await person.call('POST', '/auth/mfa/recovery-codes'),
    await person.call('POST', '/auth/passkeys/register/options'),
  ]
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
    refused.map(() => [403, 'step_up_required']),
  )
  expectStatus(await person.call('GET', '/notifications'), 200)
  expect((await person.call('POST', '/auth/mfa/step-up', { code: '000000' })).body.code).toBe(
    'mfa_code_invalid',
  )
  expectStatus(await person.call('POST', '/auth/mfa/step-up', { code: await readCode(service, secret) }), 204)
  expectStatus(await person.call('POST', '/notifications/configs', config), 201)
})

it('AUT-54 verifies at most 10 wrong codes of a step-up, and a stranger’s attempts at the challenge do not lock it', async () => {
  const person = await register(service)
  const { secret } = await enableTotp(service, person)
  const mfa_token = await startChallenge(service, person)
  await runConcurrently(() => completeChallenge(service, { mfa_token, code: '000000' }), 12)
  expectStatus(await person.call('POST', '/auth/mfa/step-up', { code: await readCode(service, secret) }), 204)
  const guesses = await runConcurrently(
    () => person.call('POST', '/auth/mfa/step-up', { code: '000000' }),
    16,
  )
  expect(guesses.filter(({ status }) => status === 400).length).toBeLessThanOrEqual(10)
})

it('AUT-55 refuses what needs an authenticator app, or a second factor, to a user without one', async () => {
  const person = await register(service)
  const refusals = [
    await person.call('POST', '/auth/mfa/totp/verify', { code: '123456' }),
    await person.call('DELETE', '/auth/mfa/totp'),
    await person.call('POST', '/auth/mfa/recovery-codes'),
    await person.call('POST', '/auth/mfa/step-up', { code: '123456' }),
  ]
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(
    Array(4).fill([409, 'mfa_not_enabled']),
  )
})

it('AUT-55 refuses to set up a second authenticator app, and to verify one again', async () => {
  const person = await register(service)
  const { secret } = await enableTotp(service, person)
  const refusals = [
    await person.call('POST', '/auth/mfa/totp'),
    await person.call('POST', '/auth/mfa/totp/verify', { code: await readCode(service, secret) }),
  ]
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(
    Array(2).fill([409, 'mfa_already_enabled']),
  )
})

it('AUT-55 confirms an authenticator app once for 8 requests at once', async () => {
  const person = await register(service)
  const { secret } = expectStatus(await person.call('POST', '/auth/mfa/totp'), 201).body
  const code = await readCode(service, secret)
  const answers = await runConcurrently(() => person.call('POST', '/auth/mfa/totp/verify', { code }), 8)
  const codes = answers.filter(({ status }) => status !== 200).map(({ body }) => body.code)
  expect(codes).toEqual(Array(7).fill('mfa_already_enabled'))
})

it('AUT-50 completes a challenge once for 8 recovery codes at once', async () => {
  const person = await register(service)
  const { recoveryCodes } = await enableTotp(service, person)
  const mfa_token = await startChallenge(service, person)
  const answers = await runConcurrently(
    (n) => completeChallenge(service, { mfa_token, code: recoveryCodes[n] }),
    8,
  )
  const codes = answers.filter(({ status }) => status !== 200).map(({ status, body }) => [status, body.code])
  expect(codes).toEqual(Array(7).fill([401, 'mfa_token_invalid']))
})

it('AUT-55 removes the app and with it the recovery codes, and e-mails the user about both changes', async () => {
  const person = await register(service)
  await enableTotp(service, person)
  expectStatus(await person.call('DELETE', '/auth/mfa/totp'), 204)
  expect(await service.sql('select from recovery_codes where user_id = $1', [person.id])).toEqual([])
  expect((await login(service, person)).body).toHaveProperty('access_token')
  expect(await readActions(person.id)).toEqual(['totp.enabled', 'totp.removed'])
  const subjects = async () =>
    (await listRecords('mail')).filter(({ to }) => to.includes(person.email)).map(({ subject }) => subject)
  await expect
    .poll(subjects, { timeout: 30_000 })
    .toEqual(expect.arrayContaining(['A second factor was added', 'A second factor was removed']))
})

it('AUT-55 stores the secret encrypted, and shows it only until it is confirmed', async () => {
  const person = await register(service)
  const { secret } = await enableTotp(service, person)
  const [row] = await service.sql<{ secret: string }>('select secret from totp_factors where user_id = $1', [
    person.id,
  ])
  expect(row?.secret).not.toContain(secret)
  expect((await person.call('POST', '/auth/mfa/totp')).body.code).toBe('mfa_already_enabled')
  expect((await person.call('GET', '/auth/mfa')).text).not.toContain(secret)
})

it('shows the current code of an authenticator app on the local dashboard', async () => {
  const person = await register(service)
  const { secret } = await enableTotp(service, person)
  const codes = (await (await fetch(`${service.localOrigin}/desk/totp`)).json()) as {
    email: string
    code: string
  }[]
  expect(codes.find(({ email }) => email === person.email)?.code).toBe(await readCode(service, secret))
})

it('AUT-60 requires no second factor of a super admin where the setting is off', async () => {
  const staff = await (await createAccount(service)).addColleague({ superAdmin: true })
  expect((await staff.client.identity.mfa.get()).is_required).toBe(false)
})

it('AUT-56 gives members of an account that requires it only the operations to set it up', async () => {
  const admin = await register(service)
  expectStatus(await admin.call('PATCH', '/accounts/me', { require_mfa: true }), 200).body
  const refused = await admin.call('GET', '/notifications')
  expect([refused.status, refused.body.code]).toEqual([403, 'mfa_setup_required'])
  expect((await admin.call('GET', '/auth/me')).body.guards).toEqual(['mfa_setup_required'])
  expect((await admin.call('GET', '/auth/mfa')).body).toMatchObject({
    is_required: true,
    totp_enabled: false,
  })
  await enableTotp(service, admin)
  expectStatus(await admin.call('GET', '/notifications'), 200)
  expect((await admin.call('GET', '/accounts/me')).body.require_mfa).toBe(true)
})
