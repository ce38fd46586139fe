import { afterAll, expect, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await startOwnService({ SUPER_ADMIN_MFA: 'true' })
afterAll(() => service.close())

/** Add an authenticator app whose secret nobody knows, verified now in the open sign-in. */
async function insertTotp({ id }: Person): Promise<void> {
  await service.sql('update sign_ins set second_factor_at = app.now() where user_id = $1', [id])
  await service.sql(
    `insert into totp_factors (user_id, secret, confirmed_at) values ($1, 'sealed', app.now())`,
    [id],
  )
}

const hasSecondFactor = async ({ id }: Person) =>
  (
    await service.sql<{ has_second_factor: boolean }>('select has_second_factor from users where id = $1', [
      id,
    ])
  )[0]?.has_second_factor

it('AUT-60 refuses the operations of super admins without a second factor, and no others', async () => {
  const { addColleague } = await createAccount(service)
  const staff = await addColleague({ superAdmin: true })
  const refused = await staff.call('GET', '/admin/users')
  expect([refused.status, refused.body.code]).toEqual([403, 'mfa_setup_required'])
  await staff.client.notifications.list()
  expect((await staff.client.identity.mfa.get()).is_required).toBe(true)
  expect((await (await addColleague()).client.identity.mfa.get()).is_required).toBe(false)
  await insertTotp(staff)
  await staff.client.admin.users.list()
})

it('AUT-55 ACC-17 writes an audit row when an admin requires a second factor of the account', async () => {
  const { admin } = await createAccount(service)
  await admin.client.accounts.update({ name: 'Northwind IT', require_mfa: true })
  const rows = await service.sql('select action, changes from audit_logs where actor_id = $1', [admin.id])
  expect(rows).toEqual([
    {
      action: 'account.updated',
      changes: expect.objectContaining({ require_mfa: { from: false, to: true } }),
    },
  ])
})

it('AUT-61 lets an account admin remove the second factor of a member, with one audit row and without the sign-ins', async () => {
  const { admin, addColleague } = await createAccount(service)
  const member = await addColleague()
  await insertTotp(member)
  await admin.client.accounts.resetMemberMfa({ user_id: member.id })
  expect(await hasSecondFactor(member)).toBe(false)
  await expectRefusal(member.client.identity.auth.getMe(), 401)
  const rows = await service.sql('select action, actor_id from audit_logs where resource_id = $1', [
    member.id,
  ])
  expect(rows).toEqual([{ action: 'second_factor.reset', actor_id: admin.id }])
  expect((await admin.call('DELETE', `/accounts/me/members/${member.id}/mfa`)).body.code).toBe(
    'mfa_not_enabled',
  )
})

it('AUT-61 refuses to remove the second factor of a super admin to an account admin, and of a stranger to everybody', async () => {
  const [account, other] = [await createAccount(service), await createAccount(service)]
  const staff = await account.addColleague({ superAdmin: true })
  await insertTotp(staff)
  await insertTotp(other.admin)
  await expectRefusal(account.admin.client.accounts.resetMemberMfa({ user_id: staff.id }), 403)
  await expectRefusal(account.admin.client.accounts.resetMemberMfa({ user_id: other.admin.id }), 404)
  expect([await hasSecondFactor(staff), await hasSecondFactor(other.admin)]).toEqual([true, true])
  await staff.client.admin.users.resetMfa({ user_id: other.admin.id })
  expect(await hasSecondFactor(other.admin)).toBe(false)
})

it('AUT-54 refuses a step-up operation to an admin whose second factor was verified more than 10 minutes ago', async () => {
  const { admin, addColleague } = await createAccount(service)
  const member = await addColleague()
  await insertTotp(admin)
  await admin.client.accounts.updateMember({ user_id: member.id, role: 'viewer' })
  await service.sql(
    `update sign_ins set second_factor_at = app.now() - interval '601 seconds' where user_id = $1`,
    [admin.id],
  )
  const refused = await admin.call('PATCH', `/accounts/me/members/${member.id}`, { role: 'admin' })
  expect([refused.status, refused.body.code]).toEqual([403, 'step_up_required'])
  await admin.client.accounts.listMembers()
})
