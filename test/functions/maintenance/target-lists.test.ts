import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const targets = [{ label: 'SRV-DC-01', variables: { server: 'srv-dc-01', ring: 2 } }, { label: 'SRV-FS-01' }]

it('stores a target list unchanged, updates only the fields of the body, and deletes the list', async () => {
  const { admin, teamId } = await createAccount(service)
  const { status, body } = await admin.call('POST', '/target-lists/', { name: 'Servers', targets })
  expect([status, body.team_id, body.targets, body.description]).toEqual([201, teamId, targets, ''])
  expect(await admin.client.maintenance.targetLists.get({ list_id: body.id })).toEqual(body)
  expect(await admin.client.maintenance.targetLists.list()).toHaveLength(1)
  const updated = await admin.client.maintenance.targetLists.update({ list_id: body.id, name: 'All servers' })
  expect(updated).toEqual({ ...body, name: 'All servers', version: 2, updated_at: updated.updated_at })
  expect(await admin.client.maintenance.targetLists.list()).toMatchObject([
    { id: body.id, name: 'All servers', target_count: 2 },
  ])
  await admin.client.maintenance.targetLists.delete({ list_id: body.id })
  await expectRefusal(admin.client.maintenance.targetLists.get({ list_id: body.id }), 404)
})

it('accepts a target list of 1 to 500 targets with a label each', async () => {
  const { admin } = await createAccount(service)
  const buildTargets = (count: number) => Array.from({ length: count }, (_, n) => ({ label: `PC-${n}` }))
  const postTargets = async (targets: unknown) =>
    (await admin.call('POST', '/target-lists/', { name: 'X', targets })).status
  expect([
    await postTargets([]),
    await postTargets(buildTargets(500)),
    await postTargets(buildTargets(501)),
  ]).toEqual([422, 201, 422])
  expect([
    await postTargets([{ label: '' }]),
    await postTargets([{ label: 'x'.repeat(256) }]),
    await postTargets([{}]),
  ]).toEqual([422, 422, 422])
})

it('MNT-02 lets the team read a target list, and only its creator and admins change it', async () => {
  const account = await createAccount(service)
  const [creator, teammate, outsider] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague({ teamId: null }),
  ]
  const body = await creator.client.maintenance.targetLists.create({ name: 'Ours', targets })
  await teammate.client.maintenance.targetLists.get({ list_id: body.id })
  await expectRefusal(outsider.client.maintenance.targetLists.get({ list_id: body.id }), 404)
  expect(await outsider.client.maintenance.targetLists.list()).toEqual([])
  await expectRefusal(teammate.client.maintenance.targetLists.update({ list_id: body.id, name: 'x' }), 403)
  expect(
    (await account.admin.call('PUT', `/target-lists/${body.id}`, { targets: [targets[0]] })).body.targets,
  ).toEqual([targets[0]])
})
