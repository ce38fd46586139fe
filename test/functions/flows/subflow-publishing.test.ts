import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { printerFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createChildFlow, createParentFlow, procedureWithSubflow } from '#test/support/subflows.ts'

const service = await sharedService()

const publish = (person: Person, id: string, treeId: string) =>
  person.call('PUT', `/trees/${id}`, { tree_structure: procedureWithSubflow(treeId), status: 'published' })
const create = (person: Person, treeId: string, fields: Record<string, unknown> = {}) =>
  person.call('POST', '/trees', {
    tree_type: 'procedural',
    name: 'Parent',
    tree_structure: procedureWithSubflow(treeId),
    ...fields,
  })

it('SUB-20 publishes only sub-flows that the author sees and that are published', async () => {
  const [{ admin }, { admin: stranger }] = [await createAccount(service), await createAccount(service)]
  const [foreign, draft] = [
    await createChildFlow(stranger, { name: 'Secret plan' }),
    await createChildFlow(admin, { status: 'draft' }),
  ]
  for (const id of [foreign.id, crypto.randomUUID(), draft.id]) {
    const response = await create(admin, id)
    expect(response).toMatchObject({
      status: 400,
      body: { code: 'flow_invalid', errors: [{ node_id: 'run' }] },
    })
    expect(response.text).not.toContain('Secret plan')
    expect((await create(admin, id, { status: 'draft' })).status).toBe(201)
  }
})

it('SUB-21 refuses a flow that runs itself, directly or through others, when it is published', async () => {
  const { admin } = await createAccount(service)
  const first = await createChildFlow(admin)
  const second = await createParentFlow(admin, first.id)
  const third = await createParentFlow(admin, second.id)
  for (const id of [first.id, second.id, third.id])
    expect(await publish(admin, first.id, id)).toMatchObject({
      status: 400,
      body: { code: 'flow_invalid', errors: [{ node_id: 'run' }] },
    })
})

it('SUB-21 counts flows that the author does not see', async () => {
  const { admin, addColleague } = await createAccount(service)
  const author = await addColleague()
  const shared = await createChildFlow(author, { visibility: 'account' })
  const hidden = await createParentFlow(admin, shared.id, {}, { visibility: 'private' })
  const outer = await createParentFlow(admin, hidden.id, {}, { visibility: 'account' })
  const response = await publish(author, shared.id, outer.id)
  expect(response).toMatchObject({ status: 400, body: { code: 'flow_invalid' } })
})

it('SUB-21 lets 32 authors who publish at once never close a cycle', async () => {
  const { admin } = await createAccount(service)
  const flows = await runConcurrently(() => createChildFlow(admin))
  const responses = await runConcurrently((n) => publish(admin, flows[n]?.id, flows[(n + 1) % 32]?.id))
  expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  for (const response of responses) expect([200, 400]).toContain(response.status)
  const [row] = await service.sql<{ cycles: boolean; deepest: number }>(`
    with recursive edges as (select tree_id, child_tree_id from tree_subflows where account_id = '${flows[0]?.account_id}'),
    walk (start, id, depth) as (
      select tree_id, child_tree_id, 1 from edges union all
      select w.start, e.child_tree_id, w.depth + 1 from walk w join edges e on e.tree_id = w.id where w.depth < 40)
    select bool_or(start = id) as cycles, max(depth) as deepest from walk`)
  expect(row).toMatchObject({ cycles: false })
  expect(row?.deepest).toBeLessThanOrEqual(5)
})

it('SUB-22 allows five levels of sub-flows, counted from both ends', async () => {
  const { admin } = await createAccount(service)
  const bottom = await createChildFlow(admin)
  let top = bottom
  for (let level = 0; level < 5; level++) top = await createParentFlow(admin, top.id)
  expect(await create(admin, top.id)).toMatchObject({ status: 400, body: { errors: [{ node_id: null }] } })
  const below = await createChildFlow(admin)
  expect(await publish(admin, bottom.id, below.id)).toMatchObject({
    status: 400,
    body: { errors: [{ node_id: null }] },
  })
})

it('SUB-21 allows a flow again that stopped running the other', async () => {
  const { admin } = await createAccount(service)
  const first = await createChildFlow(admin)
  const second = await createParentFlow(admin, first.id)
  expect((await admin.call('PUT', `/trees/${second.id}`, { status: 'draft' })).status).toBe(200)
  expect((await publish(admin, first.id, (await createChildFlow(admin)).id)).status).toBe(200)
  expect((await admin.call('PUT', `/trees/${second.id}`, { status: 'published' })).status).toBe(200)
})

it('SUB-23 lists the problems of sub-flows before publishing, and warns of one with fewer readers', async () => {
  const { admin } = await createAccount(service)
  const child = await createChildFlow(admin, { visibility: 'private' })
  const flow = await createParentFlow(admin, child.id, {}, { visibility: 'account' })
  const check = () => admin.client.flows.trees.validatePublish({ tree_id: flow.id })
  expect(await check()).toMatchObject({
    can_publish: true,
    warnings: expect.arrayContaining([
      { node_id: 'run', path: expect.any(String), message: expect.stringContaining('fewer people') },
    ]),
  })
  await admin.call('DELETE', `/trees/${child.id}`)
  expect(await check()).toMatchObject({ can_publish: false, errors: [{ node_id: 'run' }] })
})

it.each([
  ['a decision without the option', { options: { resolved: 'maybe' } }, 'subflow.options.resolved'],
  [
    'an output into a secret field',
    { outputs: { printer_password: 'x' } },
    'subflow.outputs.printer_password',
  ],
])('SUB-24 refuses %s', async (_, subflow, path) => {
  const { admin } = await createAccount(service)
  const child = await createChildFlow(admin)
  const tree_structure = { ...printerFlow(), subflow: { tree_id: child.id, ...subflow } }
  const intake_form = [{ key: 'printer_password', label: 'Password', type: 'text', secret: true }]
  const response = await admin.call('POST', '/trees', {
    tree_type: 'troubleshooting',
    name: 'Parent',
    tree_structure,
    intake_form,
  })
  expect(response).toMatchObject({
    status: 400,
    body: { errors: [{ node_id: 'ping', path: `tree_structure.${path}` }] },
  })
})

it('SUB-24 refuses a sub-flow of a heading and of the end', async () => {
  const { admin } = await createAccount(service)
  const subflow = { tree_id: (await createChildFlow(admin)).id }
  const { steps } = procedureWithSubflow(subflow.tree_id)
  const tree_structure = { steps: steps.map((step) => (step.id === 'end' ? { ...step, subflow } : step)) }
  const response = await admin.call('POST', '/trees', {
    tree_type: 'procedural',
    name: 'Parent',
    tree_structure,
  })
  expect(response).toMatchObject({ status: 400, body: { errors: [{ node_id: 'end' }] } })
})

it('SUB-25 imports a flow without sub-flows that the caller does not see, with a warning for each', async () => {
  const [{ admin }, { admin: stranger }] = [await createAccount(service), await createAccount(service)]
  const inputs = { server: '{{host}}', note: 'Line 1\nSay "hi"' }
  const flow = await createParentFlow(admin, (await createChildFlow(admin)).id, {
    inputs,
    outputs: { fault: 'location' },
  })
  const { text: markdown } = await admin.call('GET', `/trees/${flow.id}/export/markdown`)
  const own = await admin.call('POST', '/trees/import/markdown', { markdown })
  expect(own.status).toBe(201)
  expect(own.text).not.toContain('runs no flow')
  expect((await admin.client.flows.trees.get({ tree_id: own.body.tree_id })).tree_structure).toEqual(
    flow.tree_structure,
  )
  const copied = await stranger.call('POST', '/trees/import/markdown', { markdown })
  expect(copied).toMatchObject({
    status: 201,
    body: {
      warnings: expect.arrayContaining([
        expect.objectContaining({ node_id: 'run', message: expect.stringContaining('was removed') }),
      ]),
    },
  })
  const { tree_structure } = await stranger.client.flows.trees.get({ tree_id: copied.body.tree_id })
  expect(JSON.stringify(tree_structure)).not.toContain('subflow')
})

it('SUB-25 forks a flow with its sub-flows', async () => {
  const { admin } = await createAccount(service)
  const flow = await createParentFlow(admin, (await createChildFlow(admin)).id)
  const fork = await admin.client.flows.forks.create({ tree_id: flow.id })
  expect(fork.tree_structure).toEqual(flow.tree_structure)
})
