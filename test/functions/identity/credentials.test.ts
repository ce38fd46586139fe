import { afterAll, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService, request } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = await ownService()
afterAll(() => service.close())
const { advance, linkIn } = desk(service)
const someone = () => `p-${crypto.randomUUID()}@people.example`
const resetTokenFor = (email: string) => linkIn(email, /reset-password\?token=([\w-]+)/)
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

it('changes a password, signs the other devices out and keeps this one', async () => {
  const { email, access_token: token } = await register()
  const other = (await post('login', { email, password })).body
  const change = (current_password: string, new_password: string) =>
    request(service, 'POST', '/auth/change-password', { token, body: { current_password, new_password } })
  expect((await change('wrong one', 'copper-lantern-27')).body.code).toBe('wrong_password')
  expectStatus(await change(password, 'password123'), 422)
  expectStatus(await change(password, 'copper-lantern-27'), 204)
  expect([(await me(token)).status, (await me(other.access_token)).status]).toEqual([200, 401])
  expectStatus(await post('login', { email, password }), 401)
  expectStatus(await post('login', { email, password: 'copper-lantern-27' }), 200)
})

it('AUT-10 AUT-32 AUT-30 lets only me, change-password and logout through while a password is due', async () => {
  const { user, access_token: token, refresh_token } = await register()
  await service.sql('update users set must_change_password = true where id = $1', [user.id])
  const refused = await request(service, 'GET', '/notifications', { token })
  expect([refused.status, refused.body.code]).toEqual([403, 'password_change_required'])
  expectStatus(await request(service, 'POST', '/auth/resend-verification', { token }), 403)
  expect((await me(token)).body.guards).toEqual(['password_change_required'])
  const body = { current_password: password, new_password: 'copper-lantern-27' }
  expectStatus(await request(service, 'POST', '/auth/change-password', { token, body }), 204)
  expectStatus(await request(service, 'GET', '/notifications', { token }), 200)
  expectStatus(await post('logout', { refresh_token }), 204)
})

it('AUT-07 AUT-29 verifies an address by the mail, once, within 24 hours', async () => {
  const { email, access_token: token } = await register()
  const pattern = /verify-email\?token=([\w-]+)/
  const first = await linkIn(email, pattern)
  await advance(24 * 3600 + 1)
  expect((await post('verify-email', { token: first })).body.code).toBe('token_invalid_or_expired')
  expectStatus(await request(service, 'POST', '/auth/resend-verification', { token }), 202)
  const second = await linkIn(email, pattern, first)
  expectStatus(await post('verify-email', { token: second }), 204)
  expectStatus(await post('verify-email', { token: second }), 400)
  expect((await me(token)).body.email_verified).toBe(true)
})

it('AUT-28 AUT-06 resets a password by the mail, once, and signs every device out', async () => {
  const email = someone()
  const { body: first } = await request(service, 'POST', '/auth/register', {
    body: { email, password, full_name: 'Dana' },
    headers: anywhere(),
  })
  const forgot = (address: string) => request(service, 'POST', '/auth/forgot-password', { body: { email: address }, headers: anywhere() })
  const [known, unknown] = [await forgot(email.toUpperCase()), await forgot(someone())]
  expect([known.status, known.text]).toEqual([202, ''])
  expect([unknown.status, unknown.text]).toEqual([202, ''])
  const token = await resetTokenFor(email)
  const reset = (new_password: string) =>
    request(service, 'POST', '/auth/reset-password', { body: { token, new_password }, headers: anywhere() })
  expectStatus(await reset('password123'), 422)
  const answers = await Promise.all(['copper-lantern-27', 'copper-lantern-28', 'copper-lantern-29'].map(reset))
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 400, 400])
  expectStatus(await request(service, 'GET', '/auth/me', { token: first.access_token }), 401)
  expectStatus(await request(service, 'POST', '/auth/login', { body: { email, password }, headers: anywhere() }), 401)
})

it('AUT-29 kills a reset token after an hour', async () => {
  const { admin } = await newAccount(service)
  await request(service, 'POST', '/auth/forgot-password', { body: { email: admin.email }, headers: anywhere() })
  const token = await resetTokenFor(admin.email)
  await advance(3601)
  const late = await request(service, 'POST', '/auth/reset-password', {
    body: { token, new_password: 'copper-lantern-27' },
    headers: anywhere(),
  })
  expect([late.status, late.body.code]).toEqual([400, 'token_invalid_or_expired'])
})

it('lists my signed-in devices and signs one out, but never a colleague’s', async () => {
  const { admin, colleague } = await newAccount(service)
  const other = await colleague()
  const { body } = await admin.call('GET', '/auth/me/sessions')
  expect(body).toMatchObject([{ id: admin.signInId, current: true }])
  expectStatus(await admin.call('DELETE', `/auth/me/sessions/${other.signInId}`), 404)
  expectStatus(await other.call('GET', '/notifications'), 200)
  expectStatus(await admin.call('DELETE', `/auth/me/sessions/${admin.signInId}`), 204)
  expectStatus(await admin.call('GET', '/notifications'), 401)
})
