import { afterAll, expect, it } from 'vitest'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { advanceClock, waitForLink } = dashboard(service)
const randomEmail = () => `p-${crypto.randomUUID()}@people.example`
const waitForResetToken = (email: string) => waitForLink(email, /reset-password\?token=([\w-]+)/)
const password = 'violet-tractor-81'
const post = (path: string, body: unknown) => postWithoutToken(service, `/auth/${path}`, body)
const getMe = (token: string) => request(service, 'GET', '/auth/me', { token })

async function register() {
  const email = randomEmail()
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

it('changes a password, revokes the user’s other sign-ins and keeps the current one', async () => {
  const { email, access_token: token } = await register()
  const otherSignIn = (await post('login', { email, password })).body
  const changePassword = (current_password: string, new_password: string) =>
    request(service, 'POST', '/auth/change-password', { token, body: { current_password, new_password } })
  expect((await changePassword('wrong one', 'copper-lantern-27')).body.code).toBe('wrong_password')
  expectStatus(await changePassword(password, 'password123'), 422)
  expectStatus(await changePassword(password, 'copper-lantern-27'), 204)
  expect([(await getMe(token)).status, (await getMe(otherSignIn.access_token)).status]).toEqual([200, 401])
  expectStatus(await post('login', { email, password }), 401)
  expectStatus(await post('login', { email, password: 'copper-lantern-27' }), 200)
})

it('AUT-10 AUT-32 AUT-30 returns 403 while a password change is required, except for /auth/me and change-password', async () => {
  const { user, access_token: token, refresh_token } = await register()
  await service.sql('update users set must_change_password = true where id = $1', [user.id])
  const refused = await request(service, 'GET', '/notifications', { token })
  expect([refused.status, refused.body.code]).toEqual([403, 'password_change_required'])
  expectStatus(await request(service, 'POST', '/auth/resend-verification', { token }), 403)
  expect((await getMe(token)).body.guards).toEqual(['password_change_required'])
  const body = { current_password: password, new_password: 'copper-lantern-27' }
  expectStatus(await request(service, 'POST', '/auth/change-password', { token, body }), 204)
  expectStatus(await request(service, 'GET', '/notifications', { token }), 200)
  expectStatus(await post('logout', { refresh_token }), 204)
})

it('AUT-07 AUT-29 verifies an address by the e-mailed link, once, within 24 hours', async () => {
  const { email, access_token: token } = await register()
  const linkPattern = /verify-email\?token=([\w-]+)/
  const expiredToken = await waitForLink(email, linkPattern)
  await advanceClock(24 * 3600 + 1)
  expect((await post('verify-email', { token: expiredToken })).body.code).toBe('token_invalid_or_expired')
  expectStatus(await request(service, 'POST', '/auth/resend-verification', { token }), 202)
  const verificationToken = await waitForLink(email, linkPattern, expiredToken)
  expectStatus(await post('verify-email', { token: verificationToken }), 204)
  expectStatus(await post('verify-email', { token: verificationToken }), 400)
  expect((await getMe(token)).body.email_verified).toBe(true)
})

it('AUT-28 AUT-06 resets a password by the e-mailed link, once, and revokes every sign-in', async () => {
  const { email, access_token } = await register()
  const requestReset = (address: string) => post('forgot-password', { email: address })
  const [knownAddress, unknownAddress] = [
    await requestReset(email.toUpperCase()),
    await requestReset(randomEmail()),
  ]
  expect([knownAddress.status, knownAddress.text]).toEqual([202, ''])
  expect([unknownAddress.status, unknownAddress.text]).toEqual([202, ''])
  const token = await waitForResetToken(email)
  const resetPassword = (new_password: string) => post('reset-password', { token, new_password })
  expectStatus(await resetPassword('password123'), 422)
  const responses = await Promise.all(
    ['copper-lantern-27', 'copper-lantern-28', 'copper-lantern-29'].map(resetPassword),
  )
  expect(responses.map(({ status }) => status).sort()).toEqual([204, 400, 400])
  expectStatus(await getMe(access_token), 401)
  expectStatus(await post('login', { email, password }), 401)
})

it('AUT-29 refuses a password reset token after an hour', async () => {
  const { admin } = await createAccount(service)
  await post('forgot-password', { email: admin.email })
  const token = await waitForResetToken(admin.email)
  await advanceClock(3601)
  const lateReset = await post('reset-password', { token, new_password: 'copper-lantern-27' })
  expect([lateReset.status, lateReset.body.code]).toEqual([400, 'token_invalid_or_expired'])
})

it('lists my sign-ins, revokes one of them, and returns 404 for a colleague’s sign-in', async () => {
  const { admin, addColleague } = await createAccount(service)
  const colleague = await addColleague()
  const body = await admin.client.identity.signIns.list()
  expect(body).toMatchObject([{ id: admin.signInId, current: true }])
  await expectRefusal(admin.client.identity.signIns.revoke({ family_id: colleague.signInId }), 404)
  await colleague.client.notifications.list()
  await admin.client.identity.signIns.revoke({ family_id: admin.signInId })
  await expectRefusal(admin.client.notifications.list(), 401)
})
