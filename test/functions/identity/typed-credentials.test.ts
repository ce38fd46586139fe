import { expect, it } from 'vitest'
import { request, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { randomIpAddress } from '#test/support/public-requests.ts'
import {
  completeChallenge,
  enableTotp,
  readCode,
  register,
  startChallenge,
} from '#test/support/two-factor.ts'

const service = await sharedService()
const post = (path: string, body: object) =>
  request(service, 'POST', path, { body, headers: { 'cf-connecting-ip': randomIpAddress() } })

it('AUT-63 signs in with the address as it was registered, in either form of its domain', async () => {
  const name = crypto.randomUUID()
  const password = 'violet-tractor-81'
  expectStatus(
    await post('/auth/register', { email: `${name}@münchen.example`, password, full_name: 'Dana' }),
    201,
  )
  for (const email of [`${name}@münchen.example`, ` ${name}@xn--mnchen-3ya.example`])
    expectStatus(await post('/auth/login', { email, password }), 200)
})

it('AUT-64 accepts a password in each Unicode form that looks the same', async () => {
  const email = `${crypto.randomUUID()}@people.example`
  const password = 'Grüße-Tür-Öl-42 lang'
  expectStatus(
    await post('/auth/register', { email, password: password.normalize('NFC'), full_name: 'Dana' }),
    201,
  )
  for (const form of ['NFC', 'NFD', 'NFKC'] as const)
    expectStatus(await post('/auth/login', { email, password: password.normalize(form) }), 200)
  expectStatus(await post('/auth/login', { email, password: 'Grusse-Tur-Ol-42 lang' }), 401)
})

it('ACC-23 says that an invited address belongs to a removed member, who is activated again', async () => {
  const { admin, addColleague } = await createAccount(service)
  const colleague = await addColleague()
  const invite = () =>
    admin.call('POST', '/accounts/me/invites', { email: colleague.email, role: 'engineer' })
  expect((await invite()).body).toMatchObject({
    code: 'already_member',
    member_id: colleague.id,
    is_active: true,
  })
  expectStatus(await admin.call('DELETE', `/accounts/me/members/${colleague.id}`), 204)
  const { status, body } = await invite()
  expect([status, body]).toMatchObject([
    409,
    { code: 'already_member', member_id: colleague.id, is_active: false },
  ])
  expect(body.detail).toContain('activate them again')
  expectStatus(await admin.call('PATCH', `/accounts/me/members/${colleague.id}`, { is_active: true }), 200)
})

it('AUT-65 accepts a code with the spaces that apps and printed lists show', async () => {
  const person = await register(service)
  const { secret, recoveryCodes } = await enableTotp(service, person)
  const code = (await readCode(service, secret)).replace(/^.../, '$& ')
  const mfa_token = await startChallenge(service, person)
  expectStatus(await completeChallenge(service, { mfa_token, code }), 200)
  const recovery = ` ${recoveryCodes[0]?.slice(0, 4)} ${recoveryCodes[0]?.slice(4)} `
  expectStatus(
    await completeChallenge(service, { mfa_token: await startChallenge(service, person), code: recovery }),
    200,
  )
})
