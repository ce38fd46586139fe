import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

it('FLO-07 FLO-08 records the parent, root, depth and reason of a fork, also of a fork of a fork', async () => {
  const account = await createAccount(service)
  const colleague = await account.addColleague()
  const first = await createFlow(account.admin, { category: 'Printing', tags: ['printer'], description: 'x' })
  const second = await colleague.call('POST', `/trees/${first.id}/fork`, { reason: 'Another print server' })
  expectStatus(second, 201)
  expect(second.body).toEqual({
    ...first,
    id: second.body.id,
    author_id: colleague.id,
    author_name: colleague.fullName,
    status: 'draft',
    parent_tree_id: first.id,
    root_tree_id: first.id,
    fork_depth: 1,
    fork_reason: 'Another print server',
    review: { ...first.review, owner: { id: colleague.id, name: colleague.fullName } },
    created_at: second.body.created_at,
    updated_at: second.body.updated_at,
    published_at: null,
  })
  const third = await account.admin.client.flows.forks.create({ tree_id: second.body.id, name: 'Third' })
  expect([third.name, third.parent_tree_id, third.root_tree_id, third.fork_depth, third.fork_reason]).toEqual(
    ['Third', second.body.id, first.id, 2, null],
  )
  const items = await account.admin.client.flows.trees.list({ sort_by: 'created_at' })
  expect(items.map(({ fork_info }: { fork_info: unknown }) => fork_info).slice(0, 3)).toEqual([
    { parent_id: second.body.id, parent_name: first.name, root_id: first.id, depth: 2, reason: null },
    {
      parent_id: first.id,
      parent_name: first.name,
      root_id: first.id,
      depth: 1,
      reason: 'Another print server',
    },
    null,
  ])
  expect((await account.admin.client.flows.forks.list({ tree_id: first.id })).map(({ id }) => id)).toEqual([
    second.body.id,
  ])
})

it('FLO-48 FLO-49 returns 404 to a fork of a flow that the caller cannot see, and omits forks that the caller cannot see', async () => {
  const [account, other] = [await createAccount(service), await createAccount(service)]
  const colleague = await account.addColleague()
  const flow = await createFlow(account.admin, { visibility: 'public' })
  const hidden = await createFlow(account.admin, { visibility: 'private' })
  await expectRefusal(other.admin.client.flows.forks.create({ tree_id: flow.id }), 404)
  await expectRefusal(colleague.client.flows.forks.create({ tree_id: hidden.id }), 404)
  const fork = await colleague.client.flows.forks.create({ tree_id: flow.id })
  await colleague.client.flows.trees.update({ tree_id: fork.id, visibility: 'private' })
  expect(await account.admin.client.flows.forks.list({ tree_id: flow.id })).toEqual([])
})

it('hides the name of a parent that the reader cannot see', async () => {
  const account = await createAccount(service)
  const colleague = await account.addColleague()
  const parent = await createFlow(account.admin)
  const fork = await account.admin.client.flows.forks.create({ tree_id: parent.id })
  await account.admin.client.flows.trees.update({ tree_id: parent.id, visibility: 'private' })
  const item = (await colleague.call('GET', '/trees?sort_by=created_at')).body.find(
    ({ id }: { id: string }) => id === fork.id,
  )
  expect(item.fork_info).toMatchObject({ parent_id: parent.id, parent_name: null })
})
