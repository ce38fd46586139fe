import { beforeAll, expect, it } from 'vitest'
import { type Service, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { completeChallenge, enableTotp, login, readCode, register } from '#test/support/two-factor.ts'

let service: Service
beforeAll(async () => {
  service = await sharedService()
})

it('AUT-48 leaves the app off after a wrong first code', async () => {
  const person = await register(service)
  const { secret } = expectStatus(await person.call('POST', '/auth/mfa/totp'), 201).body
  const early = await readCode(service, secret, -9)
  const answer = await person.call('POST', '/auth/mfa/totp/verify', { code: early })
  expect([answer.status, answer.body.code]).toEqual([400, 'mfa_code_invalid'])
  expect((await person.call('GET', '/auth/mfa')).body).toMatchObject({
    totp_enabled: false,
    recovery_codes_left: 0,
  })
  expect((await login(service, person)).body).toHaveProperty('access_token')
})

it('AUT-55 names each reason why an operation on the app is refused', async () => {
  const person = await register(service)
  const refuse = async (method: string, path: string, body?: unknown) => {
    const answer = await person.call(method, `/auth/mfa${path}`, body)
    return [answer.status, answer.body.code, answer.body.detail]
  }
  const notEnabled = [409, 'mfa_not_enabled']
  expect(await refuse('POST', '/totp/verify', { code: '123456' })).toEqual([
    ...notEnabled,
    'Create a secret first',
  ])
  expect((await refuse('DELETE', '/totp')).slice(0, 2)).toEqual(notEnabled)
  expect((await refuse('POST', '/recovery-codes')).slice(0, 2)).toEqual(notEnabled)
  expect((await refuse('POST', '/step-up', { code: '123456' })).slice(0, 2)).toEqual(notEnabled)
  await enableTotp(service, person)
  const alreadyEnabled = [409, 'mfa_already_enabled']
  expect((await refuse('POST', '/totp')).slice(0, 2)).toEqual(alreadyEnabled)
  expect((await refuse('POST', '/totp/verify', { code: '123456' })).slice(0, 2)).toEqual(alreadyEnabled)
})

it('AUT-47 offers recovery codes only while some are left', async () => {
  const person = await register(service)
  await enableTotp(service, person)
  await service.sql('delete from recovery_codes where user_id = $1', [person.id])
  expect((await login(service, person)).body.methods).toEqual(['totp'])
})

it.each([
  ['neither a code nor a passkey', {}],
  [
    'both a code and a passkey',
    { code: '123456', passkey: { id: 'x', rawId: 'x', type: 'public-key', response: {} } },
  ],
])('AUT-47 refuses a second factor with %s', async (_, factor) => {
  const { status, body } = await completeChallenge(service, { mfa_token: 'x'.repeat(43), ...factor })
  expect([status, body.errors]).toEqual([
    422,
    expect.arrayContaining([
      expect.objectContaining({
        loc: ['body', 'code'],
        msg: 'must be given, or else `passkey`, but not both',
      }),
    ]),
  ])
})
