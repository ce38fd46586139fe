import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const listIds = (flows: { id: string }[]) => flows.map(({ id }) => id)

it('FLO-12 FLO-14 lists the pinned flows of the caller in pinning order, without the pins of a colleague', async () => {
  const account = await createAccount(service)
  const colleague = await account.addColleague()
  const [first, second] = [await createFlow(account.admin), await createFlow(account.admin)]
  await account.admin.client.flows.pins.pin({ tree_id: first.id })
  const { status, body } = await account.admin.call('POST', `/trees/${second.id}/pin`)
  expect([status, listIds(body)]).toEqual([200, [first.id, second.id]])
  const repeated = await account.admin.client.flows.pins.pin({ tree_id: first.id })
  expect(listIds(repeated)).toEqual([first.id, second.id])
  expect(await account.admin.client.flows.pins.list()).toEqual(repeated)
  expect(repeated[0]).toMatchObject({ is_pinned: true, author_name: account.admin.fullName, fork_info: null })
  expect(await colleague.client.flows.pins.list()).toEqual([])
  expect((await colleague.client.flows.trees.get({ tree_id: first.id })).is_pinned).toBe(false)
})

it('FLO-13 returns and stores the new order of pins', async () => {
  const { admin } = await createAccount(service)
  const flows = [await createFlow(admin), await createFlow(admin), await createFlow(admin)]
  for (const { id } of flows) await admin.client.flows.pins.pin({ tree_id: id })
  const newOrder = [2, 0, 1].map((n) => flows[n].id)
  const { status, body } = await admin.call('PATCH', '/trees/pinned/reorder', { tree_ids: newOrder })
  expect([status, listIds(body)]).toEqual([200, newOrder])
  expect(listIds(await admin.client.flows.pins.list())).toEqual(newOrder)
})

it('rejects a pin order that lacks a pin or contains an unpinned flow', async () => {
  const { admin } = await createAccount(service)
  const [pinned, other] = [await createFlow(admin), await createFlow(admin)]
  await admin.client.flows.pins.pin({ tree_id: pinned.id })
  for (const tree_ids of [[], [pinned.id, other.id], [other.id]])
    await expectRefusal(admin.client.flows.pins.reorder({ tree_ids }), 422)
})

it('FLO-14 unpins a flow again without effect, and hides a pin whose flow is no longer visible', async () => {
  const account = await createAccount(service)
  const colleague = await account.addColleague()
  const flow = await createFlow(account.admin)
  await colleague.client.flows.pins.unpin({ tree_id: flow.id })
  await colleague.client.flows.pins.pin({ tree_id: flow.id })
  await account.admin.client.flows.trees.update({ tree_id: flow.id, visibility: 'private' })
  expect(await colleague.client.flows.pins.list()).toEqual([])
  await expectRefusal(colleague.client.flows.pins.pin({ tree_id: flow.id }), 404)
  await colleague.client.flows.pins.unpin({ tree_id: flow.id })
  await expectRefusal(colleague.client.flows.pins.unpin({ tree_id: flow.id }), 404)
})

it('pins 100 flows of a user', async () => {
  const { admin } = await createAccount(service)
  const [last, tooMany] = [await createFlow(admin), await createFlow(admin)]
  await service.sql(
    `with t as (
       insert into trees (account_id, author_id, team_id, tree_type, status, visibility, name)
       select account_id, author_id, team_id, tree_type, 'draft', visibility, name from trees, generate_series(1, 99) where id = $1 returning *)
     insert into tree_pins (account_id, user_id, tree_account_id, tree_id, position) select account_id, author_id, account_id, id, 0 from t`,
    [last.id],
  )
  await admin.client.flows.pins.pin({ tree_id: last.id })
  const refusal = await expectRefusal(admin.client.flows.pins.pin({ tree_id: tooMany.id }), 409)
  expect(refusal.body).toMatchObject({ code: 'limit_reached', resource: 'pins', limit: 100 })
})
