import { expect, it } from 'vitest'
import { deviceCategories } from '#rules/diagrams/schema.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

it('lists at least 40 system device types in all seven categories to every user', async () => {
  const viewer = await (await createAccount(service)).addColleague({ role: 'viewer', teamId: null })
  const { body } = await viewer.call('GET', '/device-types?limit=100')
  expect(body.length).toBeGreaterThanOrEqual(40)
  expect(body.every(({ is_system, team_id }: Record<string, unknown>) => is_system && team_id === null)).toBe(
    true,
  )
  expect([...new Set(body.map(({ category }: { category: string }) => category))].sort()).toEqual(
    [...deviceCategories].sort(),
  )
})

it('DIA-10 returns 403 when a system device type is changed or deleted', async () => {
  const { admin } = await createAccount(service)
  const [type] = (await admin.call('GET', '/device-types?category=security&search=firewall')).body
  for (const [method, body] of [['PUT', { name: 'Mine' }], ['PUT', {}], ['DELETE']] as const)
    expectStatus(await admin.call(method, `/device-types/${type.id}`, body), 403)
  expect((await admin.call('GET', '/device-types?search=Firewall')).body).toEqual([type])
})

it('DIA-11 shows a custom device type only to its team, and lets its creator and the team admin change it', async () => {
  const account = await createAccount(service)
  const [creator, teammate, outsider] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague({ teamId: null }),
  ]
  const lead = await account.addColleague({ teamRole: 'admin' })
  const { status, body } = await creator.call('POST', '/device-types', {
    name: 'Label printer',
    category: 'endpoint',
  })
  expect([status, body.is_system, body.team_id, body.icon]).toEqual([201, false, account.teamId, null])
  const countVisible = async (person: typeof creator) =>
    (await person.call('GET', '/device-types?search=label')).body.length
  expect([await countVisible(creator), await countVisible(teammate), await countVisible(outsider)]).toEqual([
    1, 1, 0,
  ])
  expectStatus(await teammate.call('PUT', `/device-types/${body.id}`, { name: 'x' }), 403)
  expectStatus(await outsider.call('PUT', `/device-types/${body.id}`, { name: 'x' }), 404)
  expect((await lead.call('PUT', `/device-types/${body.id}`, { icon: 'printer' })).body).toEqual({
    ...body,
    icon: 'printer',
  })
  expectStatus(await creator.call('DELETE', `/device-types/${body.id}`), 204)
  expect(await countVisible(creator)).toBe(0)
})

it('DIA-12 accepts only the seven device categories, and rejects a duplicate name', async () => {
  const { admin } = await createAccount(service)
  for (const category of deviceCategories)
    expectStatus(await admin.call('POST', '/device-types', { name: `A ${category} thing`, category }), 201)
  expectStatus(await admin.call('POST', '/device-types', { name: 'Other', category: 'other' }), 422)
  const duplicate = await admin.call('POST', '/device-types', { name: 'A CLOUD thing', category: 'network' })
  expect([duplicate.status, duplicate.body.code]).toEqual([409, 'name_taken'])
})

it('AUT-34 returns 403 while the feature network_diagrams is off', async () => {
  const { admin, id } = await createAccount(service)
  await service.sql(
    `insert into feature_overrides (account_id, feature, enabled) values ($1, 'network_diagrams', false)`,
    [id],
  )
  for (const path of ['/device-types', '/network-diagrams']) {
    const { status, body } = await admin.call('GET', path)
    expect([path, status, body.code]).toEqual([path, 403, 'feature_disabled'])
  }
})
