import { expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { flowBody, newFlow, patchForm, patchSteps, printerFlow } from '../../support/flows.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()
const procedural = { tree_type: 'procedural', tree_structure: patchSteps(), intake_form: patchForm }
const titles = async (who: Person, query = '') =>
  (await who.call('GET', `/step-library${query}`)).body.map(({ title }: { title: string }) => title)

it('FLO-20 LIB-03 fills with what a published flow does, and says which flow', async () => {
  const { admin, teamId } = await newAccount(service)
  const flow = await newFlow(admin)
  const { body } = await admin.call('GET', '/step-library')
  expect(body.map(({ source_node_id, step_type }: Record<string, string>) => [source_node_id, step_type])).toEqual([
    ['queue', 'action'],
    ['cable', 'solution'],
    ['works', 'solution'],
  ])
  expect(body[0]).toEqual({
    id: body[0].id,
    title: 'Clear the print queue',
    description: 'Stop the spooler, empty the folder, start it again.',
    step_type: 'action',
    visibility: 'team',
    is_flow_synced: true,
    is_active: true,
    source_tree_id: flow.id,
    source_node_id: 'queue',
    source_tree_name: flow.name,
    team_id: teamId,
    created_by: admin.id,
    created_at: body[0].created_at,
    updated_at: body[0].updated_at,
  })
  await admin.call('POST', '/trees', flowBody({ status: 'draft' }))
  expect(await titles(admin)).toHaveLength(3)
})

it('LIB-02 LIB-04 follows the flow when it is published again: changed, gone, back', async () => {
  const { admin } = await newAccount(service)
  const flow = await newFlow(admin)
  const before = (await admin.call('GET', '/step-library')).body
  const changed = printerFlow()
  changed.children[1] = { id: 'dock', type: 'solution', title: 'Replace the dock', description: '' } as never
  changed.options[1] = { id: 'no', label: 'No', next_node_id: 'dock' }
  await admin.call('PUT', `/trees/${flow.id}`, { tree_structure: changed, name: 'Renamed' })
  const after = (await admin.call('GET', '/step-library')).body
  expect(after.map(({ source_node_id }: Record<string, string>) => source_node_id)).toEqual(['queue', 'dock', 'works'])
  expect(after[0]).toMatchObject({ id: before[0].id, source_tree_name: 'Renamed' })
  const cable = await admin.call('GET', `/step-library/${before[1].id}`)
  expect([cable.status, cable.body.is_active]).toEqual([200, false])
  expect(await titles(admin, '?active=false')).toEqual(['Reseat the network cable'])
  await admin.call('PUT', `/trees/${flow.id}`, { tree_structure: printerFlow() })
  expect((await admin.call('GET', '/step-library')).body[1]).toMatchObject({ id: before[1].id, is_active: true })
})

it('LIB-02 makes no duplicates when 32 publish at once', async () => {
  const { admin } = await newAccount(service)
  const flow = await newFlow(admin)
  await Promise.all(Array.from({ length: 32 }, (_, n) => admin.call('PUT', `/trees/${flow.id}`, { description: `${n}` })))
  expect(await titles(admin)).toHaveLength(3)
})

it('FLO-21 FLO-46 lets a deleted flow and one taken back to draft leave the library', async () => {
  const { admin } = await newAccount(service)
  const [first, second] = [await newFlow(admin), await newFlow(admin)]
  await admin.call('DELETE', `/trees/${first.id}`)
  expect(
    (await admin.call('GET', '/step-library')).body.every(({ source_tree_id }: Record<string, string>) => source_tree_id === second.id),
  ).toBe(true)
  await admin.call('PUT', `/trees/${second.id}`, { status: 'draft' })
  expect(await titles(admin)).toEqual([])
  await admin.call('PUT', `/trees/${second.id}`, { status: 'published' })
  expect(await titles(admin)).toHaveLength(3)
})

it('LIB-05 shows a step as far as it says: none, the team, the account', async () => {
  const account = await newAccount(service)
  const [teammate, stranger] = [await account.colleague(), await account.colleague({ teamId: null })]
  const steps = patchSteps()
  steps.steps[2] = { ...steps.steps[2], library_visibility: 'none' } as never
  steps.steps.splice(2, 0, { id: 'notify', type: 'procedure_step', title: 'Tell the client', description: 'By phone.' })
  await newFlow(account.admin, { ...procedural, tree_structure: steps })
  expect(await titles(teammate)).toEqual(['Take a snapshot of {{server}}', 'Tell the client'])
  expect(await titles(stranger)).toEqual(['Take a snapshot of {{server}}'])
  await newFlow(account.admin, { visibility: 'private' })
  expect(await titles(teammate)).toHaveLength(2)
  expect(await titles(account.admin)).toHaveLength(5)
})

it('LIB-01 refuses to change or delete a step that comes from a flow', async () => {
  const { admin } = await newAccount(service)
  await newFlow(admin)
  const [step] = (await admin.call('GET', '/step-library')).body
  for (const [method, body] of [['PUT', { title: 'Mine' }], ['PUT', {}], ['DELETE']] as const) {
    const answer = await admin.call(method, `/step-library/${step.id}`, body)
    expect([answer.status, answer.body.code]).toEqual([400, 'flow_synced'])
  }
  expect((await admin.call('GET', `/step-library/${step.id}`)).body).toEqual(step)
})

it('keeps own steps: made, found, changed and deleted by who may', async () => {
  const account = await newAccount(service)
  const [maker, teammate] = [await account.colleague(), await account.colleague()]
  const { status, body } = await maker.call('POST', '/step-library', { title: 'Restart the spooler', description: '100% safe' })
  expect([status, body.is_flow_synced, body.step_type, body.visibility]).toEqual([201, false, 'procedure_step', 'team'])
  expect(await titles(teammate, '?search=SAFE%20spooler&synced=false')).toEqual(['Restart the spooler'])
  expect(await titles(teammate, '?search=1%25%25')).toEqual([])
  expect(await titles(teammate, '?synced=true')).toEqual([])
  expectStatus(await teammate.call('PUT', `/step-library/${body.id}`, { title: 'x' }), 403)
  expect((await maker.call('PUT', `/step-library/${body.id}`, { title: 'Restart it' })).body).toMatchObject({
    title: 'Restart it',
    description: '100% safe',
  })
  expectStatus(await account.admin.call('DELETE', `/step-library/${body.id}`), 204)
  expectStatus(await maker.call('GET', `/step-library/${body.id}`), 404)
})
