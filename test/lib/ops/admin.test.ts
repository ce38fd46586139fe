import { expect, it } from 'vitest'
import { makeSuperAdmin, type NewFactor } from '#ops/admin.ts'
import { request, sharedService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'
import { completeChallenge, readCode, register, startChallenge } from '#test/support/two-factor.ts'

const service = await sharedService()
const keys = JSON.parse(service.settings.CREDENTIALS_KEY ?? '')
const make = (email: string) => makeSuperAdmin(service.ownerUrl, keys, email)
const readOperations = (token: string) => request(service, 'GET', '/admin/operations', { token })

it('INS-05 admin makes a registered user a super admin, who signs in with the new second factor or a recovery code', async () => {
  const person = await register(service)
  expect((await readOperations(person.token)).status).toBe(403)
  const { otpauthUrl, recoveryCodes } = (await make(person.email.toUpperCase())) as NewFactor
  const secret = new URL(otpauthUrl).searchParams.get('secret') ?? ''
  for (const code of [await readCode(service, secret), recoveryCodes[0]]) {
    const { status, body } = await completeChallenge(service, {
      mfa_token: await startChallenge(service, person),
      code,
    })
    expect(status).toBe(200)
    expect((await readOperations(body.access_token)).status).toBe(200)
  }
  const actions = await service.sql<{ action: string }>(
    'select action from audit_logs where resource_id = $1',
    [person.id],
  )
  expect(actions.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['totp.enabled', 'member.updated']),
  )
})

it('INS-05 admin leaves the second factor of a user who has one, when it is repeated', async () => {
  const person = await register(service)
  const { otpauthUrl } = (await make(person.email)) as NewFactor
  expect(await make(person.email)).toBeNull()
  const code = await readCode(service, new URL(otpauthUrl).searchParams.get('secret') ?? '')
  expect(
    (await completeChallenge(service, { mfa_token: await startChallenge(service, person), code })).status,
  ).toBe(200)
})

it('INS-05 admin refuses an address that nobody has, and one whose user is not active', async () => {
  await expect(make('nobody@people.example')).rejects.toThrow(
    'No active user has the address nobody@people.example',
  )
  const engineer = await (await createAccount(service)).addColleague()
  await service.sql('update users set is_active = false where id = $1', [engineer.id])
  await expect(make(engineer.email)).rejects.toThrow('No active user')
  expect(await service.sql('select from users where id = $1 and is_super_admin', [engineer.id])).toEqual([])
})
