import { expect, it } from 'vitest'
import { sharedService } from '../../support/app.ts'
import { expectStatus } from '../../support/expect-status.ts'
import { createAccount } from '../../support/people.ts'

const service = await sharedService()
const targets = [{ label: 'SRV-DC-01', variables: { server: 'srv-dc-01', ring: 2 } }, { label: 'SRV-FS-01' }]

it('stores a target list unchanged, updates only the fields of the body, and deletes the list', async () => {
  const { admin, teamId } = await createAccount(service)
  const { status, body } = await admin.call('POST', '/target-lists/', { name: 'Servers', targets })
  expect([status, body.team_id, body.targets, body.description]).toEqual([201, teamId, targets, ''])
  expect((await admin.call('GET', `/target-lists/${body.id}`)).body).toEqual(body)
  expect((await admin.call('GET', '/target-lists')).body).toHaveLength(1)
  const updated = await admin.call('PUT', `/target-lists/${body.id}`, { name: 'All servers' })
  expect(updated.body).toEqual({ ...body, name: 'All servers', version: 2, updated_at: updated.body.updated_at })
  expect((await admin.call('GET', '/target-lists/')).body).toMatchObject([{ id: body.id, name: 'All servers', target_count: 2 }])
  expectStatus(await admin.call('DELETE', `/target-lists/${body.id}`), 204)
  expectStatus(await admin.call('GET', `/target-lists/${body.id}`), 404)
})

it('accepts a target list of 1 to 500 targets with a label each', async () => {
  const { admin } = await createAccount(service)
  const buildTargets = (count: number) => Array.from({ length: count }, (_, n) => ({ label: `PC-${n}` }))
  const postTargets = async (targets: unknown) => (await admin.call('POST', '/target-lists/', { name: 'X', targets })).status
  expect([await postTargets([]), await postTargets(buildTargets(500)), await postTargets(buildTargets(501))]).toEqual([422, 201, 422])
  expect([await postTargets([{ label: '' }]), await postTargets([{ label: 'x'.repeat(256) }]), await postTargets([{}])]).toEqual([
    422, 422, 422,
  ])
})

it('MNT-02 lets the team read a target list, and only its creator and admins change it', async () => {
  const account = await createAccount(service)
  const [creator, teammate, outsider] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague({ teamId: null }),
  ]
  const { body } = await creator.call('POST', '/target-lists/', { name: 'Ours', targets })
  expectStatus(await teammate.call('GET', `/target-lists/${body.id}`), 200)
  expectStatus(await outsider.call('GET', `/target-lists/${body.id}`), 404)
  expect((await outsider.call('GET', '/target-lists/')).body).toEqual([])
  expectStatus(await teammate.call('PUT', `/target-lists/${body.id}`, { name: 'x' }), 403)
  expect((await account.admin.call('PUT', `/target-lists/${body.id}`, { targets: [targets[0]] })).body.targets).toEqual([targets[0]])
})
