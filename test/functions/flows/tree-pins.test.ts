import { expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newFlow } from '../../support/flows.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()
const ids = (flows: { id: string }[]) => flows.map(({ id }) => id)

it('FLO-12 FLO-14 lists what I pinned in the order I pinned it, and nothing of a colleague', async () => {
  const account = await newAccount(service)
  const colleague = await account.colleague()
  const [first, second] = [await newFlow(account.admin), await newFlow(account.admin)]
  await account.admin.call('POST', `/trees/${first.id}/pin`)
  const { status, body } = await account.admin.call('POST', `/trees/${second.id}/pin`)
  expect([status, ids(body)]).toEqual([200, [first.id, second.id]])
  const again = await account.admin.call('POST', `/trees/${first.id}/pin`)
  expect(ids(again.body)).toEqual([first.id, second.id])
  expect((await account.admin.call('GET', '/trees/pinned')).body).toEqual(again.body)
  expect(again.body[0]).toMatchObject({ is_pinned: true, author_name: account.admin.fullName, fork_info: null })
  expect((await colleague.call('GET', '/trees/pinned')).body).toEqual([])
  expect((await colleague.call('GET', `/trees/${first.id}`)).body.is_pinned).toBe(false)
})

it('FLO-13 answers the new order and keeps it', async () => {
  const { admin } = await newAccount(service)
  const flows = [await newFlow(admin), await newFlow(admin), await newFlow(admin)]
  for (const { id } of flows) await admin.call('POST', `/trees/${id}/pin`)
  const wanted = [2, 0, 1].map((n) => flows[n].id)
  const { status, body } = await admin.call('PATCH', '/trees/pinned/reorder', { tree_ids: wanted })
  expect([status, ids(body)]).toEqual([200, wanted])
  expect(ids((await admin.call('GET', '/trees/pinned')).body)).toEqual(wanted)
})

it('refuses an order that leaves a pin out or names another flow', async () => {
  const { admin } = await newAccount(service)
  const [pinned, other] = [await newFlow(admin), await newFlow(admin)]
  await admin.call('POST', `/trees/${pinned.id}/pin`)
  for (const tree_ids of [[], [pinned.id, other.id], [other.id]])
    expectStatus(await admin.call('PATCH', '/trees/pinned/reorder', { tree_ids }), 422)
})

it('drops a pin whose flow is gone or out of sight, and unpins once', async () => {
  const account = await newAccount(service)
  const colleague = await account.colleague()
  const flow = await newFlow(account.admin)
  await colleague.call('POST', `/trees/${flow.id}/pin`)
  await account.admin.call('PUT', `/trees/${flow.id}`, { visibility: 'private' })
  expect((await colleague.call('GET', '/trees/pinned')).body).toEqual([])
  expectStatus(await colleague.call('POST', `/trees/${flow.id}/pin`), 404)
  expectStatus(await colleague.call('DELETE', `/trees/${flow.id}/pin`), 204)
  expectStatus(await colleague.call('DELETE', `/trees/${flow.id}/pin`), 404)
})
