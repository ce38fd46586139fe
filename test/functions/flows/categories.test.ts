import { expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newFlow } from '../../support/flows.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()

it('lists categories with how many of their flows the caller sees', async () => {
  const account = await newAccount(service)
  const colleague = await account.colleague()
  await newFlow(account.admin, { category: 'Printing' })
  await newFlow(account.admin, { category: 'Printing', visibility: 'private' })
  await account.admin.call('POST', '/categories', { name: 'Empty' })
  const counts = async (who: typeof colleague) =>
    (await who.call('GET', '/categories?limit=100')).body
      .filter(({ account_id }: { account_id: string }) => account_id === account.id)
      .map(({ name, flow_count }: Record<string, unknown>) => [name, flow_count])
  expect(await counts(account.admin)).toEqual([
    ['Empty', 0],
    ['Printing', 2],
  ])
  expect(await counts(colleague)).toEqual([
    ['Empty', 0],
    ['Printing', 1],
  ])
})

it('takes a name once, whatever its case, also by renaming and with 32 at once', async () => {
  const { admin } = await newAccount(service)
  const tries = Array.from({ length: 32 }, (_, n) => admin.call('POST', '/categories', { name: n % 2 ? 'Printing' : 'PRINTING' }))
  const answers = await Promise.all(tries)
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(31).fill(409)])
  const { body: other } = await admin.call('POST', '/categories', { name: 'Network' })
  const refused = await admin.call('PUT', `/categories/${other.id}`, { name: 'printing' })
  expect([refused.status, refused.body.code]).toEqual([409, 'name_taken'])
  expect((await admin.call('PUT', `/categories/${other.id}`, { name: 'NETWORK' })).body).toEqual({ ...other, name: 'NETWORK' })
})

it('WIR-04 lets who made it, their team admin and an account admin change it', async () => {
  const account = await newAccount(service)
  const [maker, teammate] = [await account.colleague(), await account.colleague()]
  const { body } = await maker.call('POST', '/categories', { name: 'Mine' })
  expectStatus(await teammate.call('PUT', `/categories/${body.id}`, { name: 'Ours' }), 403)
  expectStatus(await teammate.call('DELETE', `/categories/${body.id}`), 403)
  expectStatus(await account.admin.call('PUT', `/categories/${body.id}`, { name: 'Ours' }), 200)
  expectStatus(await maker.call('DELETE', `/categories/${body.id}`), 204)
})

it('keeps flows working when their category goes', async () => {
  const { admin } = await newAccount(service)
  const flow = await newFlow(admin, { category: 'Printing' })
  expectStatus(await admin.call('DELETE', `/categories/${flow.category_id}`), 204)
  expect((await admin.call('GET', `/trees/${flow.id}`)).body).toMatchObject({ category: null, category_id: null, version: 1 })
})

it('WIR-08 takes no category of another account', async () => {
  const [ours, theirs] = [await newAccount(service), await newAccount(service)]
  const { category_id } = await newFlow(theirs.admin, { category: 'Printing' })
  const flow = await newFlow(ours.admin)
  expectStatus(await ours.admin.call('PUT', `/trees/${flow.id}`, { category_id }), 422)
})

it('counts tags over the flows the caller sees, whatever their case', async () => {
  const account = await newAccount(service)
  const colleague = await account.colleague()
  const tag = `vpn-${crypto.randomUUID().slice(0, 8)}`
  await newFlow(account.admin, { tags: [tag, 'other'] })
  await newFlow(account.admin, { tags: [tag.toUpperCase()], visibility: 'private' })
  await newFlow(account.admin, { tags: [tag], status: 'draft' })
  const count = async (who: typeof colleague) =>
    (await who.call('GET', '/tags?limit=100')).body.find((item: { tag: string }) => item.tag === tag)?.count
  expect([await count(account.admin), await count(colleague)]).toEqual([3, 2])
})
