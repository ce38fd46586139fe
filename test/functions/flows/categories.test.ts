import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

it('lists categories with the number of their flows that the caller can see', async () => {
  const account = await createAccount(service)
  const colleague = await account.addColleague()
  await createFlow(account.admin, { category: 'Printing' })
  await createFlow(account.admin, { category: 'Printing', visibility: 'private' })
  await account.admin.client.flows.categories.create({ name: 'Empty' })
  const listCounts = async (person: typeof colleague) =>
    (await person.client.flows.categories.list({ limit: 100 }))
      .filter(({ account_id }: { account_id: string }) => account_id === account.id)
      .map(({ name, flow_count }: Record<string, unknown>) => [name, flow_count])
  expect(await listCounts(account.admin)).toEqual([
    ['Empty', 0],
    ['Printing', 2],
  ])
  expect(await listCounts(colleague)).toEqual([
    ['Empty', 0],
    ['Printing', 1],
  ])
})

it('returns 409 for a category name that exists, ignoring case, on a rename and on 31 of 32 simultaneous requests', async () => {
  const { admin } = await createAccount(service)
  const requests = Array.from({ length: 32 }, (_, n) =>
    admin.call('POST', '/categories', { name: n % 2 ? 'Printing' : 'PRINTING' }),
  )
  const responses = await Promise.all(requests)
  expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(31).fill(409)])
  const other = await admin.client.flows.categories.create({ name: 'Network' })
  const duplicate = await admin.call('PUT', `/categories/${other.id}`, { name: 'printing' })
  expect([duplicate.status, duplicate.body.code]).toEqual([409, 'name_taken'])
  expect(await admin.client.flows.categories.rename({ category_id: other.id, name: 'NETWORK' })).toEqual({
    ...other,
    name: 'NETWORK',
  })
})

it('WIR-04 lets the creator and an account admin change a category, and returns 403 to a teammate', async () => {
  const account = await createAccount(service)
  const [creator, teammate] = [await account.addColleague(), await account.addColleague()]
  const body = await creator.client.flows.categories.create({ name: 'Mine' })
  await expectRefusal(teammate.client.flows.categories.rename({ category_id: body.id, name: 'Ours' }), 403)
  await expectRefusal(teammate.client.flows.categories.delete({ category_id: body.id }), 403)
  await account.admin.client.flows.categories.rename({ category_id: body.id, name: 'Ours' })
  await creator.client.flows.categories.delete({ category_id: body.id })
})

it('keeps a flow, without a category, when its category is deleted', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin, { category: 'Printing' })
  await admin.client.flows.categories.delete({ category_id: flow.category_id })
  expect(await admin.client.flows.trees.get({ tree_id: flow.id })).toMatchObject({
    category: null,
    category_id: null,
    version: 1,
  })
})

it('WIR-08 returns 422 when a flow is moved to a category of another account', async () => {
  const [ours, theirs] = [await createAccount(service), await createAccount(service)]
  const { category_id } = await createFlow(theirs.admin, { category: 'Printing' })
  const flow = await createFlow(ours.admin)
  await expectRefusal(ours.admin.client.flows.trees.update({ tree_id: flow.id, category_id }), 422)
})

it('counts each tag in the flows that the caller can see, ignoring case', async () => {
  const account = await createAccount(service)
  const colleague = await account.addColleague()
  const tag = `vpn-${crypto.randomUUID().slice(0, 8)}`
  await createFlow(account.admin, { tags: [tag, 'other'] })
  await createFlow(account.admin, { tags: [tag.toUpperCase()], visibility: 'private' })
  await createFlow(account.admin, { tags: [tag], status: 'draft' })
  const countTag = async (person: typeof colleague) =>
    (await person.client.flows.categories.listTags({ limit: 100 })).find((item) => item.tag === tag)?.count
  expect([await countTag(account.admin), await countTag(colleague)]).toEqual([3, 2])
})
