import { expect, it } from 'vitest'
import { deviceCategories } from '../../../lib/diagrams/shapes.ts'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()

it('ships at least 40 types over all seven categories, which everyone sees', async () => {
  const viewer = await (await newAccount(service)).colleague({ role: 'viewer', teamId: null })
  const { body } = await viewer.call('GET', '/device-types?limit=100')
  expect(body.length).toBeGreaterThanOrEqual(40)
  expect(body.every(({ is_system, team_id }: Record<string, unknown>) => is_system && team_id === null)).toBe(true)
  expect([...new Set(body.map(({ category }: { category: string }) => category))].sort()).toEqual([...deviceCategories].sort())
})

it('DIA-10 lets nobody change or delete a system type', async () => {
  const { admin } = await newAccount(service)
  const [type] = (await admin.call('GET', '/device-types?category=security&search=firewall')).body
  for (const [method, body] of [['PUT', { name: 'Mine' }], ['PUT', {}], ['DELETE']] as const)
    expectStatus(await admin.call(method, `/device-types/${type.id}`, body), 403)
  expect((await admin.call('GET', '/device-types?search=Firewall')).body).toEqual([type])
})

it('DIA-11 shows a custom type to its team alone, and lets its team admin change it', async () => {
  const account = await newAccount(service)
  const [maker, teammate, stranger] = [await account.colleague(), await account.colleague(), await account.colleague({ teamId: null })]
  const lead = await account.colleague({ teamRole: 'admin' })
  const { status, body } = await maker.call('POST', '/device-types', { name: 'Label printer', category: 'endpoint' })
  expect([status, body.is_system, body.team_id, body.icon]).toEqual([201, false, account.teamId, null])
  const seen = async (who: typeof maker) => (await who.call('GET', '/device-types?search=label')).body.length
  expect([await seen(maker), await seen(teammate), await seen(stranger)]).toEqual([1, 1, 0])
  expectStatus(await teammate.call('PUT', `/device-types/${body.id}`, { name: 'x' }), 403)
  expectStatus(await stranger.call('PUT', `/device-types/${body.id}`, { name: 'x' }), 404)
  expect((await lead.call('PUT', `/device-types/${body.id}`, { icon: 'printer' })).body).toEqual({ ...body, icon: 'printer' })
  expectStatus(await maker.call('DELETE', `/device-types/${body.id}`), 204)
  expect(await seen(maker)).toBe(0)
})

it('DIA-12 knows seven categories and no other', async () => {
  const { admin } = await newAccount(service)
  for (const category of deviceCategories)
    expectStatus(await admin.call('POST', '/device-types', { name: `A ${category} thing`, category }), 201)
  expectStatus(await admin.call('POST', '/device-types', { name: 'Other', category: 'other' }), 422)
  const again = await admin.call('POST', '/device-types', { name: 'A CLOUD thing', category: 'network' })
  expect([again.status, again.body.code]).toEqual([409, 'name_taken'])
})

it('AUT-34 is closed while network diagrams are switched off', async () => {
  const { admin, id } = await newAccount(service)
  await service.sql(`insert into feature_overrides (account_id, feature, enabled) values ($1, 'network_diagrams', false)`, [id])
  for (const path of ['/device-types', '/network-diagrams']) {
    const { status, body } = await admin.call('GET', path)
    expect([path, status, body.code]).toEqual([path, 403, 'feature_disabled'])
  }
})
