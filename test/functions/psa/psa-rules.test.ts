import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

it('PSA-37 creates, orders, changes and deletes rules', async () => {
  const { admin } = await createAccount(service)
  const { id: tree_id } = await createFlow(admin)
  const { rules } = admin.client.psa
  const second = await rules.create({ name: 'B', tree_id, position: 2, keywords: ['vpn, "tunnel"', '{x}'] })
  const first = await rules.create({ name: 'A', tree_id, position: 1, variables: { site: 'company' } })
  expect(second).toMatchObject({
    user_id: admin.id,
    keywords: ['vpn, "tunnel"', '{x}'],
    is_enabled: true,
    board_id: null,
  })
  expect((await rules.list()).map(({ id }) => id)).toEqual([first.id, second.id])
  expect(await rules.update({ rule_id: first.id, position: 3, keywords: ['a'] })).toMatchObject({
    name: 'A',
    keywords: ['a'],
    variables: { site: 'company' },
  })
  expect((await rules.list()).map(({ id }) => id)).toEqual([second.id, first.id])
  await rules.delete({ rule_id: first.id })
  await expectRefusal(rules.delete({ rule_id: first.id }), 404)
})

it('PSA-37 refuses an unknown flow, a draft, and users who cannot run flows', async () => {
  const { admin, addColleague } = await createAccount(service)
  const other = await createAccount(service)
  const { id: tree_id } = await createFlow(admin)
  const viewer = await addColleague({ role: 'viewer' })
  const create = (input: object) => admin.client.psa.rules.create({ name: 'R', tree_id, ...input })
  await expectRefusal(create({ tree_id: (await createFlow(other.admin)).id }), 404)
  await expectRefusal(create({ user_id: other.admin.id }), 422)
  await expectRefusal(create({ user_id: viewer.id }), 422)
  await expectRefusal(create({ tree_id: (await createFlow(admin, { status: 'draft' })).id }), 400)
  expect(await admin.client.psa.rules.list()).toEqual([])
})

it('PSA-37 keeps at most 100 rules, also when 8 requests are sent at once', async () => {
  const { admin } = await createAccount(service)
  const { id: tree_id } = await createFlow(admin)
  await service.sql(
    `insert into psa_rules (account_id, name, tree_id, user_id) select $1, 'R', $2, $3 from generate_series(1, 97)`,
    [admin.accountId, tree_id, admin.id],
  )
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => admin.call('POST', '/integrations/psa/rules', { name: 'R', tree_id })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409])
})
