import { expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()
const targets = [{ label: 'SRV-DC-01', variables: { server: 'srv-dc-01', ring: 2 } }, { label: 'SRV-FS-01' }]

it('keeps a list of targets as it is given', async () => {
  const { admin, teamId } = await newAccount(service)
  const { status, body } = await admin.call('POST', '/target-lists/', { name: 'Servers', targets })
  expect([status, body.team_id, body.targets, body.description]).toEqual([201, teamId, targets, ''])
  expect((await admin.call('GET', `/target-lists/${body.id}`)).body).toEqual(body)
  expect((await admin.call('GET', '/target-lists')).body).toHaveLength(1)
  const changed = await admin.call('PUT', `/target-lists/${body.id}`, { name: 'All servers' })
  expect(changed.body).toEqual({ ...body, name: 'All servers', updated_at: changed.body.updated_at })
  expect((await admin.call('GET', '/target-lists/')).body).toMatchObject([{ id: body.id, name: 'All servers', target_count: 2 }])
  expectStatus(await admin.call('DELETE', `/target-lists/${body.id}`), 204)
  expectStatus(await admin.call('GET', `/target-lists/${body.id}`), 404)
})

it('takes 1 to 500 targets with a label each', async () => {
  const { admin } = await newAccount(service)
  const many = (count: number) => Array.from({ length: count }, (_, n) => ({ label: `PC-${n}` }))
  const status = async (list: unknown) => (await admin.call('POST', '/target-lists/', { name: 'X', targets: list })).status
  expect([await status([]), await status(many(500)), await status(many(501))]).toEqual([422, 201, 422])
  expect([await status([{ label: '' }]), await status([{ label: 'x'.repeat(256) }]), await status([{}])]).toEqual([422, 422, 422])
})

it('MNT-02 is seen by its team and changed by who may', async () => {
  const account = await newAccount(service)
  const [maker, teammate, stranger] = [await account.colleague(), await account.colleague(), await account.colleague({ teamId: null })]
  const { body } = await maker.call('POST', '/target-lists/', { name: 'Ours', targets })
  expectStatus(await teammate.call('GET', `/target-lists/${body.id}`), 200)
  expectStatus(await stranger.call('GET', `/target-lists/${body.id}`), 404)
  expect((await stranger.call('GET', '/target-lists/')).body).toEqual([])
  expectStatus(await teammate.call('PUT', `/target-lists/${body.id}`, { name: 'x' }), 403)
  expect((await account.admin.call('PUT', `/target-lists/${body.id}`, { targets: [targets[0]] })).body.targets).toEqual([targets[0]])
})
