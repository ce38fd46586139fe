import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, flowBody, patchForm, patchProcedure, printerFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const procedural = { tree_type: 'procedural', tree_structure: patchProcedure(), intake_form: patchForm }
const listTitles = async (person: Person, query = '') =>
  (await person.call('GET', `/step-library${query}`)).body.map(({ title }: { title: string }) => title)

it('FLO-20 LIB-03 lists the steps of a published flow with the name of the flow, and none of a draft', async () => {
  const { admin, teamId } = await createAccount(service)
  const flow = await createFlow(admin)
  const { body } = await admin.call('GET', '/step-library')
  expect(
    body.map(({ source_node_id, step_type }: Record<string, string>) => [source_node_id, step_type]),
  ).toEqual([
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
  expect(await listTitles(admin)).toHaveLength(3)
})

it('LIB-02 LIB-04 updates, deactivates and reactivates library steps when their published flow is saved', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin)
  const stepsBefore = (await admin.call('GET', '/step-library')).body
  const structure = printerFlow()
  structure.children[1] = {
    id: 'dock',
    type: 'solution',
    title: 'Replace the dock',
    description: '',
  } as never
  structure.options[1] = { id: 'no', label: 'No', next_node_id: 'dock' }
  await admin.call('PUT', `/trees/${flow.id}`, { tree_structure: structure, name: 'Renamed' })
  const stepsAfter = (await admin.call('GET', '/step-library')).body
  expect(stepsAfter.map(({ source_node_id }: Record<string, string>) => source_node_id)).toEqual([
    'queue',
    'dock',
    'works',
  ])
  expect(stepsAfter[0]).toMatchObject({ id: stepsBefore[0].id, source_tree_name: 'Renamed' })
  const cable = await admin.call('GET', `/step-library/${stepsBefore[1].id}`)
  expect([cable.status, cable.body.is_active]).toEqual([200, false])
  expect(await listTitles(admin, '?active=false')).toEqual(['Reseat the network cable'])
  await admin.call('PUT', `/trees/${flow.id}`, { tree_structure: printerFlow() })
  expect((await admin.call('GET', '/step-library')).body[1]).toMatchObject({
    id: stepsBefore[1].id,
    is_active: true,
  })
})

it('LIB-02 creates no duplicate steps when 32 requests save a published flow at once', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin)
  await Promise.all(
    Array.from({ length: 32 }, (_, n) => admin.call('PUT', `/trees/${flow.id}`, { description: `${n}` })),
  )
  expect(await listTitles(admin)).toHaveLength(3)
})

it('FLO-21 FLO-46 omits the steps of a flow that is deleted or becomes a draft', async () => {
  const { admin } = await createAccount(service)
  const [first, second] = [await createFlow(admin), await createFlow(admin)]
  await admin.call('DELETE', `/trees/${first.id}`)
  expect(
    (await admin.call('GET', '/step-library')).body.every(
      ({ source_tree_id }: Record<string, string>) => source_tree_id === second.id,
    ),
  ).toBe(true)
  await admin.call('PUT', `/trees/${second.id}`, { status: 'draft' })
  expect(await listTitles(admin)).toEqual([])
  await admin.call('PUT', `/trees/${second.id}`, { status: 'published' })
  expect(await listTitles(admin)).toHaveLength(3)
})

it('LIB-05 lists a step to nobody, its team or its account, depending on its library visibility', async () => {
  const account = await createAccount(service)
  const [teammate, teamless] = [await account.addColleague(), await account.addColleague({ teamId: null })]
  const steps = patchProcedure()
  steps.steps[2] = { ...steps.steps[2], library_visibility: 'none' } as never
  steps.steps.splice(2, 0, {
    id: 'notify',
    type: 'procedure_step',
    title: 'Tell the client',
    description: 'By phone.',
  })
  await createFlow(account.admin, { ...procedural, tree_structure: steps })
  expect(await listTitles(teammate)).toEqual(['Take a snapshot of {{server}}', 'Tell the client'])
  expect(await listTitles(teamless)).toEqual(['Take a snapshot of {{server}}'])
  await createFlow(account.admin, { visibility: 'private' })
  expect(await listTitles(teammate)).toHaveLength(2)
  expect(await listTitles(account.admin)).toHaveLength(5)
})

it('LIB-01 returns 400 when a step that belongs to a flow is changed or deleted', async () => {
  const { admin } = await createAccount(service)
  await createFlow(admin)
  const [step] = (await admin.call('GET', '/step-library')).body
  for (const [method, body] of [['PUT', { title: 'Mine' }], ['PUT', {}], ['DELETE']] as const) {
    const response = await admin.call(method, `/step-library/${step.id}`, body)
    expect([response.status, response.body.code]).toEqual([400, 'managed_by_flow'])
  }
  expect((await admin.call('GET', `/step-library/${step.id}`)).body).toEqual(step)
})

it('lets engineers create and find steps outside a flow, and only the creator and admins change them', async () => {
  const account = await createAccount(service)
  const [creator, teammate] = [await account.addColleague(), await account.addColleague()]
  const { status, body } = await creator.call('POST', '/step-library', {
    title: 'Restart the spooler',
    description: '100% safe',
  })
  expect([status, body.is_flow_synced, body.step_type, body.visibility]).toEqual([
    201,
    false,
    'procedure_step',
    'team',
  ])
  expect(await listTitles(teammate, '?search=SAFE%20spooler&synced=false')).toEqual(['Restart the spooler'])
  expect(await listTitles(teammate, '?search=1%25%25')).toEqual([])
  expect(await listTitles(teammate, '?synced=true')).toEqual([])
  expectStatus(await teammate.call('PUT', `/step-library/${body.id}`, { title: 'x' }), 403)
  expect((await creator.call('PUT', `/step-library/${body.id}`, { title: 'Restart it' })).body).toMatchObject(
    {
      title: 'Restart it',
      description: '100% safe',
    },
  )
  expectStatus(await account.admin.call('DELETE', `/step-library/${body.id}`), 204)
  expectStatus(await creator.call('GET', `/step-library/${body.id}`), 404)
})
