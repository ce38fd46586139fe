import { afterAll, expect, it } from 'vitest'
import { startOwnService } from '../../support/app.ts'
import { expectStatus } from '../../support/expect-status.ts'
import { createAccount, type Person } from '../../support/people.ts'

const service = await startOwnService({ SUPER_ADMIN_MFA: 'true' })
afterAll(() => service.close())

/** Add an authenticator app whose secret nobody knows, verified now in the open sign-in. */
async function insertTotp({ id }: Person): Promise<void> {
  await service.sql('update sign_ins set second_factor_at = app.now() where user_id = $1', [id])
  await service.sql(`insert into totp_factors (user_id, secret, confirmed_at) values ($1, 'sealed', app.now())`, [id])
}

const hasSecondFactor = async ({ id }: Person) =>
  (await service.sql<{ has_second_factor: boolean }>('select has_second_factor from users where id = $1', [id]))[0]?.has_second_factor

it('AUT-60 refuses the operations of super admins without a second factor, and no others', async () => {
  const { addColleague } = await createAccount(service)
  const staff = await addColleague({ superAdmin: true })
  const refused = await staff.call('GET', '/admin/users')
  expect([refused.status, refused.body.code]).toEqual([403, 'mfa_setup_required'])
  expectStatus(await staff.call('GET', '/notifications'), 200)
  expect((await staff.call('GET', '/auth/mfa')).body.is_required).toBe(true)
  await insertTotp(staff)
  expectStatus(await staff.call('GET', '/admin/users'), 200)
})

it('AUT-55 ACC-17 writes an audit row when an admin requires a second factor of the account', async () => {
  const { admin } = await createAccount(service)
  expectStatus(await admin.call('PATCH', '/accounts/me', { name: 'Northwind IT', require_mfa: true }), 200)
  const rows = await service.sql('select action, changes from audit_logs where actor_id = $1', [admin.id])
  expect(rows).toEqual([{ action: 'account.updated', changes: expect.objectContaining({ require_mfa: { from: false, to: true } }) }])
})

it('AUT-61 lets an account admin remove the second factor of a member, with one audit row and without the sign-ins', async () => {
  const { admin, addColleague } = await createAccount(service)
  const member = await addColleague()
  await insertTotp(member)
  expectStatus(await admin.call('DELETE', `/accounts/me/members/${member.id}/mfa`), 204)
  expect(await hasSecondFactor(member)).toBe(false)
  expectStatus(await member.call('GET', '/auth/me'), 401)
  const rows = await service.sql('select action, actor_id from audit_logs where resource_id = $1', [member.id])
  expect(rows).toEqual([{ action: 'second_factor.reset', actor_id: admin.id }])
  expect((await admin.call('DELETE', `/accounts/me/members/${member.id}/mfa`)).body.code).toBe('mfa_not_enabled')
})

it('AUT-61 refuses to remove the second factor of a super admin to an account admin, and of a stranger to everybody', async () => {
  const [account, other] = [await createAccount(service), await createAccount(service)]
  const staff = await account.addColleague({ superAdmin: true })
  await insertTotp(staff)
  await insertTotp(other.admin)
  expectStatus(await account.admin.call('DELETE', `/accounts/me/members/${staff.id}/mfa`), 403)
  expectStatus(await account.admin.call('DELETE', `/accounts/me/members/${other.admin.id}/mfa`), 404)
  expect([await hasSecondFactor(staff), await hasSecondFactor(other.admin)]).toEqual([true, true])
  expectStatus(await staff.call('DELETE', `/admin/users/${other.admin.id}/mfa`), 204)
  expect(await hasSecondFactor(other.admin)).toBe(false)
})

it('AUT-54 refuses a step-up operation to an admin whose second factor was verified more than 10 minutes ago', async () => {
  const { admin, addColleague } = await createAccount(service)
  const member = await addColleague()
  await insertTotp(admin)
  expectStatus(await admin.call('PATCH', `/accounts/me/members/${member.id}`, { role: 'viewer' }), 200)
  await service.sql(`update sign_ins set second_factor_at = app.now() - interval '601 seconds' where user_id = $1`, [admin.id])
  const refused = await admin.call('PATCH', `/accounts/me/members/${member.id}`, { role: 'admin' })
  expect([refused.status, refused.body.code]).toEqual([403, 'step_up_required'])
  expectStatus(await admin.call('GET', '/accounts/me/members'), 200)
})
