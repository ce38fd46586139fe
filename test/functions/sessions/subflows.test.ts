import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, printerFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createChildFlow, createParentFlow, procedureWithSubflow, startRun } from '#test/support/subflows.ts'

const service = await sharedService()

/** Create a flow with a sub-flow, and a session that is at its step. */
async function createScene(subflow: Record<string, unknown> = {}, childFields: Record<string, unknown> = {}) {
  const { admin, addColleague } = await createAccount(service)
  const child = await createChildFlow(admin, childFields)
  const flow = await createParentFlow(admin, child.id, subflow)
  return { admin, addColleague, child, flow, parent: await startRun(admin, flow.id, { user_name: 'Maya' }) }
}

const start = (person: Person, id: string, variables?: Record<string, unknown>) =>
  person.client.sessions.subflows.start({
    session_id: id,
    ...(variables ? { variables: variables as never } : {}),
  })
const complete = (
  person: Person,
  id: string,
  outcome: 'resolved' | 'unresolved' | 'escalated' | 'cancelled' = 'resolved',
) => person.client.sessions.steps.complete({ session_id: id, outcome })
const get = (person: Person, id: string) => person.client.sessions.get({ session_id: id })

it('SUB-01 starts the flow of the current step for the ticket, client and user of the session, which then waits', async () => {
  const { admin, parent, child } = await createScene()
  const started = await start(admin, parent.id)
  expect(started).toMatchObject({
    ...{
      tree_id: child.id,
      state: 'in_progress',
      ticket_number: 'T-4711',
      client_name: 'Contoso',
      user_id: parent.user_id,
    },
    ...{ parent_session_id: parent.id, parent_step_id: 'run', current_step_id: 'snapshot' },
  })
  expect(await get(admin, parent.id)).toMatchObject({
    current_step_id: 'run',
    subflow_session_id: started.id,
  })
  expect(await admin.client.sessions.subflows.list({ session_id: parent.id })).toMatchObject([
    { id: started.id },
  ])
})

it('SUB-02 continues the session in the transaction that completes the sub-flow, with its answer and its variables', async () => {
  const { admin, parent } = await createScene({ outputs: { fault: 'location' } })
  const child = await start(admin, parent.id, { location: 'core switch' })
  await complete(admin, child.id)
  expect(await get(admin, parent.id)).toMatchObject({
    ...{
      current_step_id: 'after',
      subflow_session_id: null,
      variables: { user_name: 'Maya', fault: 'core switch' },
    },
    decisions: [{ step_id: 'run', outcome: 'done' }],
  })
})

it.each([
  ['resolved', 'done'],
  ['unresolved', 'failed'],
] as const)('SUB-02 answers a step whose sub-flow was %s with %s', async (outcome, answer) => {
  const { admin, parent } = await createScene()
  await complete(admin, (await start(admin, parent.id)).id, outcome)
  expect((await get(admin, parent.id)).decisions).toMatchObject([{ step_id: 'run', outcome: answer }])
})

it.each(['escalated', 'cancelled'] as const)(
  'SUB-03 stays at the step when the sub-flow was %s, which can be run again',
  async (outcome) => {
    const { admin, parent } = await createScene()
    await complete(admin, (await start(admin, parent.id)).id, outcome)
    expect(await get(admin, parent.id)).toMatchObject({
      current_step_id: 'run',
      subflow_session_id: null,
      decisions: [],
    })
    await start(admin, parent.id)
  },
)

it('SUB-04 chooses the option of a decision by the outcome of its sub-flow', async () => {
  const { admin } = await createAccount(service)
  const child = await createChildFlow(admin)
  const tree_structure = {
    ...printerFlow(),
    subflow: { tree_id: child.id, options: { resolved: 'yes', escalated: 'no' } },
  }
  const flow = await createFlow(admin, { tree_structure, intake_form: [] })
  const runs = await Promise.all(
    (['resolved', 'escalated', 'unresolved'] as const).map(async (outcome) => {
      const parent = await startRun(admin, flow.id)
      await complete(admin, (await start(admin, parent.id)).id, outcome)
      return get(admin, parent.id)
    }),
  )
  expect(runs.map(({ current_step_id }) => current_step_id)).toEqual(['queue', 'cable', 'ping'])
})

it('SUB-05 passes variables and texts to the sub-flow, and values with their type', async () => {
  const { admin, child } = await createScene()
  const inputs = {
    server: '{{host}}',
    note: 'For {{user_name}}',
    count: '{{count}}',
    nothing: '{{missing}}',
    ticket: '{{ticket_number}}',
  }
  const flow = await createParentFlow(admin, child.id, { inputs })
  const parent = await startRun(admin, flow.id, { host: 'srv-1', user_name: 'Maya', count: 3 })
  expect((await start(admin, parent.id)).variables).toEqual({
    server: 'srv-1',
    note: 'For Maya',
    count: 3,
    ticket: 'T-4711',
  })
})

it('SUB-05 asks for answers that the step does not pass', async () => {
  const { admin, parent } = await createScene(
    {},
    { intake_form: [{ key: 'server', label: 'Server', type: 'hostname', required: true }] },
  )
  const refusal = await expectRefusal(start(admin, parent.id), 422)
  expect(refusal.body).toMatchObject({ errors: [{ loc: ['body', 'variables', 'server'] }] })
  expect((await start(admin, parent.id, { server: 'srv-1' })).variables).toEqual({ server: 'srv-1' })
})

it('SUB-06 passes a secret answer to secret fields alone, and never back', async () => {
  const { admin } = await createAccount(service)
  const secretField = { key: 'password', label: 'Password', type: 'text', secret: true }
  const child = await createChildFlow(admin, { intake_form: [secretField] })
  const inputs = { password: '{{password}}', note: '{{password}}', text: 'It is {{password}}' }
  const flow = await createParentFlow(
    admin,
    child.id,
    { inputs, outputs: { copied: 'password' } },
    { intake_form: [secretField] },
  )
  const parent = await startRun(admin, flow.id, { password: 'lantern-4711' })
  const started = await start(admin, parent.id)
  expect(started.variables).toEqual({ password: { secret: true, set: true }, text: 'It is {{password}}' })
  await complete(admin, started.id)
  const rows = await service.sql(
    `select variables::text || secret_variables::text as text from sessions where id in ('${parent.id}', '${started.id}')`,
  )
  expect(JSON.stringify(rows)).not.toContain('lantern-4711')
  expect((await get(admin, parent.id)).variables).toEqual({ password: { secret: true, set: true } })
})

it('SUB-07 refuses answers, an undo, a second sub-flow and the completion of a session that waits for a sub-flow', async () => {
  const { admin, parent } = await createScene()
  const child = await start(admin, parent.id)
  const path = `/sessions/${parent.id}`
  const responses = [
    await admin.call('POST', `${path}/decisions`, { step_id: 'run', outcome: 'done' }),
    await admin.call('DELETE', `${path}/decisions/last`),
    await admin.call('POST', `${path}/subflows`, {}),
    await admin.call('POST', `${path}/complete`, { outcome: 'resolved' }),
  ]
  for (const response of responses)
    expect(response).toMatchObject({ status: 409, body: { code: 'subflow_running', session_id: child.id } })
})

it('SUB-07 does not complete a sub-flow that waits for one itself, and its session keeps waiting', async () => {
  const { admin, flow } = await createScene()
  const outer = await startRun(admin, (await createParentFlow(admin, flow.id)).id)
  const middle = await start(admin, outer.id)
  const inner = await start(admin, middle.id)
  // Without an idempotency key, which would undo what a refused request has written.
  const refused = await admin.call('POST', `/sessions/${middle.id}/complete`, { outcome: 'resolved' })
  expect(refused).toMatchObject({ status: 409, body: { code: 'subflow_running', session_id: inner.id } })
  expect(await get(admin, outer.id)).toMatchObject({
    current_step_id: 'run',
    subflow_session_id: middle.id,
    decisions: [],
  })
})

it('SUB-08 starts one sub-flow for 32 callers, and 32 completions give one answer', async () => {
  const { admin, parent } = await createScene()
  const starts = await runConcurrently(() => admin.call('POST', `/sessions/${parent.id}/subflows`, {}))
  expect(starts.filter(({ status }) => status === 201)).toHaveLength(1)
  const child = starts.find(({ status }) => status === 201)?.body.id
  const ends = await runConcurrently((n) =>
    admin.call('POST', `/sessions/${child}/complete`, { outcome: n % 2 ? 'cancelled' : 'resolved' }),
  )
  expect(ends.filter(({ status }) => status === 200)).toHaveLength(1)
  const [isResolved, after] = [
    ends.find(({ status }) => status === 200)?.body.outcome === 'resolved',
    await get(admin, parent.id),
  ]
  expect(after.decisions).toHaveLength(isResolved ? 1 : 0)
  expect(after.subflow_session_id).toBeNull()
})

it('SUB-09 frees the session when its sub-flow is abandoned or deleted', async () => {
  const { admin, parent } = await createScene()
  const abandoned = await start(admin, parent.id)
  await admin.client.sessions.update({ session_id: abandoned.id, state: 'abandoned' })
  const deleted = await start(admin, parent.id)
  await admin.client.sessions.delete({ session_id: deleted.id })
  expectStatus(
    await admin.call('POST', `/sessions/${parent.id}/decisions`, { step_id: 'run', outcome: 'skipped' }),
    201,
  )
})

it('SUB-09 abandons and deletes the sub-flows of a session with it, at every level', async () => {
  const { admin, flow } = await createScene()
  const outer = await createParentFlow(admin, flow.id)
  const [abandoned, deleted] = [await startRun(admin, outer.id), await startRun(admin, outer.id)]
  const levels = await Promise.all(
    [abandoned, deleted].map(async ({ id }) => {
      const middle = await start(admin, id)
      return [middle.id, (await start(admin, middle.id)).id]
    }),
  )
  await admin.client.sessions.update({ session_id: abandoned.id, state: 'abandoned' })
  await admin.client.sessions.delete({ session_id: deleted.id })
  for (const id of levels[0] ?? []) expect(await get(admin, id)).toMatchObject({ state: 'abandoned' })
  for (const id of levels[1] ?? []) await expectRefusal(get(admin, id), 404)
})

it('SUB-10 keeps the version of the sub-flow with which its session started', async () => {
  const { admin, parent, child } = await createScene()
  const started = await start(admin, parent.id)
  await admin.client.flows.trees.update({ tree_id: child.id, name: 'Renamed' })
  expect(await get(admin, started.id)).toMatchObject({
    tree_snapshot: { version: 1, name: 'Patch a server' },
  })
})

it.each([
  ['deleted', 'not_found', (person: Person, id: string) => person.call('DELETE', `/trees/${id}`)],
  [
    'a draft again',
    'not_published',
    (person: Person, id: string) => person.call('PUT', `/trees/${id}`, { status: 'draft' }),
  ],
] as const)(
  'SUB-11 names a flow that is %s, and lets the step be answered by hand',
  async (_, reason, change) => {
    const { admin, parent, child } = await createScene()
    await change(admin, child.id)
    const refusal = await expectRefusal(start(admin, parent.id), 409)
    expect(refusal.body).toMatchObject({ code: 'subflow_unavailable', reason })
    await admin.client.sessions.steps.recordDecision({
      session_id: parent.id,
      step_id: 'run',
      outcome: 'failed',
    })
    expect((await get(admin, parent.id)).current_step_id).toBe('after')
  },
)

it('SUB-11 refuses a flow that is not shared with the caller any more, without naming it', async () => {
  const { admin, addColleague, child, flow } = await createScene()
  const colleague = await addColleague()
  const parent = await startRun(colleague, flow.id)
  await admin.client.flows.trees.update({ tree_id: child.id, visibility: 'private' })
  const refusal = await expectRefusal(start(colleague, parent.id), 409)
  expect(refusal.body).toMatchObject({ code: 'subflow_unavailable', reason: 'not_found' })
  expect(JSON.stringify(refusal.body)).not.toContain('Patch a server')
})

it('SUB-12 lets only the user of the session and admins start its sub-flow, which belongs to that user', async () => {
  const { admin, addColleague, flow } = await createScene()
  const [runner, other] = [await addColleague(), await addColleague()]
  const parent = await startRun(runner, flow.id)
  await expectRefusal(start(other, parent.id), 403)
  const child = await start(admin, parent.id)
  expect(child.user_id).toBe(parent.user_id)
  await complete(runner, child.id)
})

it('SUB-13 refuses at run time a flow that would run itself, and a sixth level', async () => {
  const { admin } = await createAccount(service)
  const last = await createChildFlow(admin)
  const flows = [last.id]
  for (let level = 0; level < 5; level++) flows.unshift((await createParentFlow(admin, flows[0] ?? '')).id)
  let session = await startRun(admin, flows[0] ?? '')
  for (let level = 0; level < 4; level++) session = await start(admin, session.id)
  const rewire = (treeId: string) =>
    service.sql(`update tree_versions set tree_structure = jsonb_set(tree_structure, '{steps,0,subflow,tree_id}', to_jsonb('${treeId}'::text))
                  where tree_id = '${flows[4]}'`)
  await rewire(flows[1] ?? '')
  expect((await expectRefusal(start(admin, session.id), 409)).body).toMatchObject({ reason: 'cycle' })
  await rewire(last.id)
  session = await start(admin, session.id)
  const deeper = await createChildFlow(admin)
  await service.sql(`update tree_versions set tree_structure = jsonb_set(tree_structure, '{steps,1,subflow}', '{"tree_id": "${deeper.id}"}')
                      where tree_id = '${last.id}'`)
  expect((await expectRefusal(start(admin, session.id), 409)).body).toMatchObject({ reason: 'depth' })
})

it('starts 200 sub-flows of a session', async () => {
  const { admin, parent } = await createScene()
  await service.sql(
    `insert into sessions (account_id, tree_account_id, tree_id, tree_version, tree_name, user_id, state, remaining, parent_session_id,
                           parent_step_id)
     select account_id, tree_account_id, tree_id, tree_version, tree_name, user_id, 'abandoned', 0, id, 'run'
       from sessions, generate_series(1, 199) where id = $1`,
    [parent.id],
  )
  await complete(admin, (await start(admin, parent.id)).id, 'cancelled')
  const refusal = await expectRefusal(start(admin, parent.id), 409)
  expect(refusal.body).toMatchObject({ code: 'limit_reached', resource: 'subflows', limit: 200 })
})

it('SUB-07 refuses a sub-flow of a session that is not in progress, and of a step that runs no other flow', async () => {
  const { admin, parent } = await createScene()
  await complete(admin, (await start(admin, parent.id)).id)
  const answered = await expectRefusal(start(admin, parent.id), 409)
  expect(answered.body).toMatchObject({ code: 'subflow_unavailable', reason: 'no_subflow' })
  await complete(admin, parent.id)
  expect((await expectRefusal(start(admin, parent.id), 409)).body).toMatchObject({ code: 'wrong_state' })
})

it('SUB-02 completes a sub-flow whose variables do not fit into the session', async () => {
  const { admin, parent } = await createScene({ outputs: { text: 'text' } })
  expectStatus(
    await admin.call('PATCH', `/sessions/${parent.id}/variables`, { big: 'x'.repeat(50_000) }),
    200,
  )
  const child = await start(admin, parent.id, { text: 'y'.repeat(30_000) })
  await complete(admin, child.id)
  expect(await get(admin, parent.id)).toMatchObject({
    current_step_id: 'after',
    decisions: [{ outcome: 'done' }],
  })
})

it('SUB-05 leaves out an output that the intake form of the session does not accept', async () => {
  const { admin } = await createAccount(service)
  const child = await createChildFlow(admin)
  const form = [{ key: 'count', label: 'Count', type: 'number', required: true }]
  const flow = await createParentFlow(admin, child.id, { outputs: { count: 'text' } }, { intake_form: form })
  const parent = await startRun(admin, flow.id, { count: 3 })
  await complete(admin, (await start(admin, parent.id, { text: 'many' })).id)
  expect((await get(admin, parent.id)).variables).toEqual({ count: 3 })
})

it.each([
  ['evidence', { evidence: [{ key: 'serial', type: 'text', label: 'Serial number' }] }],
  ['an approval', { approval: { roles: ['account_admin'] } }],
])('SUB-15 stays at a step that requires %s when its sub-flow is resolved', async (_, requirement) => {
  const { admin } = await createAccount(service)
  const child = await createChildFlow(admin)
  const { steps } = procedureWithSubflow(child.id, { outputs: { fault: 'location' } })
  const tree_structure = {
    steps: steps.map((step) => (step.id === 'run' ? { ...step, ...requirement } : step)),
  }
  const flow = await createFlow(admin, { tree_type: 'procedural', tree_structure, intake_form: [] })
  const parent = await startRun(admin, flow.id)
  await complete(admin, (await start(admin, parent.id, { location: 'core switch' })).id)
  const waiting = {
    current_step_id: 'run',
    subflow_session_id: null,
    decisions: [],
    variables: { fault: 'core switch' },
  }
  expect(await get(admin, parent.id)).toMatchObject(waiting)
})
