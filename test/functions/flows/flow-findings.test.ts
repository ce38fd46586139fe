import { applyPatch, type Operation } from 'rfc6902'
import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { insertPlatformFlow } from '#test/support/sessions.ts'

const service = await sharedService()

/** A procedure that wipes a laptop without a way back. */
const wipe = { id: 'wipe', type: 'procedure_step', title: 'Wipe the laptop', description: '' }
const procedure = (...steps: object[]) => ({
  steps: [...steps, { id: 'end', type: 'procedure_end', title: 'Done', description: '' }],
})
const wipeFlow = { tree_type: 'procedural', intake_form: [], tree_structure: procedure(wipe) }

const getHealth = (person: Person, id: string) => person.client.flows.health.get({ tree_id: id })
const reasonsOf = async (person: Person, id: string) => {
  const { findings, dismissed_findings } = await getHealth(person, id)
  return [findings, dismissed_findings].map((list) => list.map(({ reason }) => reason))
}
const warningsOf = async (person: Person, id: string) =>
  (await person.client.flows.trees.validatePublish({ tree_id: id })).warnings.map(({ message }) => message)
const findingIdOf = async (person: Person, id: string) =>
  (await getHealth(person, id)).findings.find(({ reason }) => reason === 'destructive_step')?.id ?? ''
const warning = expect.stringContaining('“Wipe the laptop” has neither an approval nor a way back')

it('HEA-19 a flow names its flaws in its health and as warnings, and they do not prevent publishing', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin, wipeFlow)
  expect(await getHealth(admin, flow.id)).toMatchObject({
    findings: [
      { reason: 'destructive_step', step_id: 'wipe', message: warning },
      { reason: 'not_enough_sessions' },
    ],
    dismissed_findings: [],
  })
  expect(await admin.client.flows.trees.validatePublish({ tree_id: flow.id })).toMatchObject({
    can_publish: true,
    warnings: [
      { message: 'This step has no description' },
      { node_id: 'wipe', path: 'tree_structure.steps[0]', message: warning },
    ],
  })
})

it('HEA-16 the edit of a finding can be applied to the flow and saved', async () => {
  const { admin } = await createAccount(service)
  const ask = (id: string, below: object[]) => ({
    ...{ id, type: 'decision', title: 'Is the lamp on?', description: '', children: below },
    options: ['Yes', 'No'].map((label, n) => ({ label, next_node_id: (below[n] as { id: string }).id })),
  })
  const end = (id: string) => ({ id, type: 'solution', title: `Solution ${id}`, description: '' })
  const tree_structure = ask('first', [ask('again', [end('a'), end('b')]), end('c')])
  const intake_form = [{ key: 'tag', label: 'Tag', type: 'text', required: true, pattern: 'ab', min: 3 }]
  const { id } = await createFlow(admin, { tree_structure, intake_form })
  const open = async () =>
    (await getHealth(admin, id)).findings.filter(({ reason }) => reason !== 'not_enough_sessions')
  expect((await open()).map(({ reason }) => reason)).toEqual(['unanswerable_field', 'repeated_question'])
  for (let [finding] = await open(); finding; [finding] = await open()) {
    const flow = await admin.client.flows.trees.get({ tree_id: id })
    expect(applyPatch(flow, finding.patch as Operation[]).filter(Boolean)).toEqual([])
    const body = { tree_structure: flow.tree_structure, intake_form: flow.intake_form }
    expectStatus(await admin.call('PUT', `/trees/${id}`, { ...body, expected_version: flow.version }), 200)
  }
  expect((await admin.client.flows.trees.get({ tree_id: id })).tree_structure).toMatchObject({
    options: [{ next_node_id: 'a' }, { next_node_id: 'c' }],
    children: [{ id: 'a' }, { id: 'c' }],
  })
})

it('HEA-20 a finding that is not for this flow stays dismissed over versions until its step changes', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createFlow(admin, wipeFlow)
  const finding_id = await findingIdOf(admin, id)
  const health = await admin.client.flows.health.dismiss({ tree_id: id, finding_id })
  expect(health.dismissed_findings).toMatchObject([{ id: finding_id, reason: 'destructive_step' }])
  await admin.client.flows.health.dismiss({ tree_id: id, finding_id })
  const dismissed = [['not_enough_sessions'], ['destructive_step']]
  const save = async (body: object) => expectStatus(await admin.call('PUT', `/trees/${id}`, body), 200)
  const first = { id: 'pack', type: 'procedure_step', title: 'Unpack it', description: '' }
  await save({ tree_structure: procedure(first, wipe), name: 'Another name' })
  expect(await reasonsOf(admin, id)).toEqual(dismissed)
  expect(await warningsOf(admin, id)).not.toContainEqual(warning)
  await save({ tree_structure: procedure(first, { ...wipe, description: 'All of it.' }) })
  expect(await reasonsOf(admin, id)).toEqual([['destructive_step', 'not_enough_sessions'], []])
  expect(await warningsOf(admin, id)).toContainEqual(warning)
  await save({ tree_structure: procedure(wipe) })
  expect(await reasonsOf(admin, id)).toEqual(dismissed)
  await admin.client.flows.health.undismiss({ tree_id: id, finding_id })
  expect(await reasonsOf(admin, id)).toEqual([['destructive_step', 'not_enough_sessions'], []])
})

it('HEA-20 the newest 200 are remembered', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createFlow(admin, wipeFlow)
  await service.sql(
    `update trees set dismissed_findings = array(select uuidv7() from generate_series(1, 200)) where id = $1`,
    [id],
  )
  const read = async () =>
    (await service.sql('select dismissed_findings as ids from trees where id = $1', [id]))[0]?.ids as string[]
  const before = await read()
  const finding_id = await findingIdOf(admin, id)
  await admin.client.flows.health.dismiss({ tree_id: id, finding_id })
  expect(await read()).toEqual([...before.slice(1), finding_id])
})

it('HEA-20 is for those who may change the flow, and for findings that it has', async () => {
  const [{ admin, addColleague }, { admin: stranger }] = [
    await createAccount(service),
    await createAccount(service),
  ]
  const { id } = await createFlow(admin, { ...wipeFlow, visibility: 'account' })
  const [engineer, viewer] = [await addColleague(), await addColleague({ role: 'viewer' })]
  const finding_id = await findingIdOf(admin, id)
  for (const [person, status] of [
    [engineer, 403],
    [viewer, 403],
    [stranger, 404],
  ] as const) {
    await expectRefusal(person.client.flows.health.dismiss({ tree_id: id, finding_id }), status)
    await expectRefusal(person.client.flows.health.undismiss({ tree_id: id, finding_id }), status)
  }
  const unknown = { tree_id: id, finding_id: crypto.randomUUID() }
  await expectRefusal(admin.client.flows.health.dismiss(unknown), 404)
  const shipped = await insertPlatformFlow(service, 'procedural', wipeFlow.tree_structure)
  const shippedId = await findingIdOf(admin, shipped)
  await expectRefusal(admin.client.flows.health.dismiss({ tree_id: shipped, finding_id: shippedId }), 403)
  expect(await reasonsOf(admin, id)).toEqual([['destructive_step', 'not_enough_sessions'], []])
})
