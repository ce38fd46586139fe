import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { compareWalks, readEverything, walk } from '#test/support/dry-runs.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, patchForm, patchProcedure } from '#test/support/flows.ts'
import { casesByDay } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'
import { createChildFlow, createParentFlow } from '#test/support/subflows.ts'

const service = await startOwnService()
afterAll(() => service.close())

const variables = { printer_ip: '10.0.8.21' }
const dryRun = (person: Person, treeId: string, body: object = {}) =>
  person.call('POST', `/trees/${treeId}/dry-run`, body)
const play = async (person: Person, treeId: string, body: object) =>
  expectStatus(await dryRun(person, treeId, body), 200).body

describe('a dry run', () => {
  it('DRY-01 DRY-02 DRY-03 is at each step of a random run what a session is, and changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(walk, { minLength: 10, maxLength: 10 }), (walks) =>
        compareWalks(service, walks),
      ),
      { numRuns: casesByDay(5), endOnFailure: true },
    )
  })

  it('DRY-01 plays a draft and an old version, and says what a session does at the step', async () => {
    const { admin } = await createAccount(service)
    const template = expectStatus(
      await admin.call('POST', '/script-templates', {
        name: 'Clear the queue',
        language: 'bash',
        script_body: 'rm -rf /var/spool/cups/*',
        risk: 'high',
      }),
      201,
    ).body
    const step = {
      script_template_id: template.id,
      evidence: [{ key: 'said', type: 'note', label: 'What the user said' }],
      approval: { roles: ['account_admin'] },
    }
    const procedure = patchProcedure()
    Object.assign(procedure.steps[1] as object, step)
    const flow = await createFlow(admin, {
      tree_type: 'maintenance',
      tree_structure: procedure,
      intake_form: patchForm,
      status: 'draft',
    })
    const server = { server: 'srv-dc-01' }
    const first = await play(admin, flow.id, { variables: server })
    expect(first).toMatchObject({
      version: 1,
      state: 'in_progress',
      current_step: { id: 'snapshot', title: 'Take a snapshot of srv-dc-01' },
      effects: {
        required_note: true,
        required_approval: true,
        script: { template_id: template.id, name: 'Clear the queue', risk: 'high' },
        subflow: null,
      },
      progress: { answered: 0, total: 2 },
    })
    procedure.steps.splice(1, 1)
    expectStatus(await admin.call('PUT', `/trees/${flow.id}`, { tree_structure: procedure }), 200)
    expect((await play(admin, flow.id, { variables: server })).current_step_id).toBe('patch')
    expect(await play(admin, flow.id, { variables: server, version: 1 })).toEqual(first)
    const answers = [{ step_id: 'patch', outcome: 'done' }]
    expect(await play(admin, flow.id, { variables: server, answers, outcome: 'resolved' })).toMatchObject({
      state: 'completed',
      outcome: 'resolved',
      current_step: null,
      effects: null,
      procedure_end: { id: 'end' },
      path: [{ index: 0, type: 'answer', step_id: 'patch', outcome: 'done', level: 0 }],
      errors: [],
    })
  })

  it('DRY-01 passes the variables of sub-flows, and their outcome answers the step', async () => {
    const { admin } = await createAccount(service)
    const child = await createChildFlow(admin, {
      intake_form: [{ key: 'location', label: 'Location', type: 'text', required: true }],
    })
    const flow = await createParentFlow(admin, child.id, { outputs: { user_name: 'location' } })
    const enter = { step_id: 'run', subflow: { variables: { location: 'core switch' } } }
    const inside = await play(admin, flow.id, { answers: [enter] })
    expect(inside).toMatchObject({
      open_subflows: [{ tree_id: child.id, version: 1, parent_step_id: 'run' }],
      current_step_id: 'snapshot',
      variables: { location: 'core switch' },
    })
    const leave = { step_id: 'run', subflow_outcome: 'unresolved' }
    const after = await play(admin, flow.id, { answers: [enter, leave] })
    expect(after).toMatchObject({
      open_subflows: [],
      current_step: { id: 'after', title: 'Call core switch back' },
      path: [{ type: 'subflow_start' }, { type: 'subflow_end', step_id: 'run', outcome: 'failed' }],
    })
    const without = await play(admin, flow.id, { answers: [{ ...enter, subflow: {} }] })
    expect(without.errors).toMatchObject([
      { index: 0, status: 422, code: null, errors: [{ loc: ['body', 'variables', 'location'] }] },
    ])
    expect((await play(admin, flow.id, {})).effects.subflow).toEqual({
      tree_id: child.id,
      version: 1,
      reason: null,
    })
    await admin.call('DELETE', `/trees/${child.id}`)
    expect((await play(admin, flow.id, {})).effects.subflow).toEqual({
      tree_id: child.id,
      version: null,
      reason: 'not_found',
    })
  })

  it('DRY-02 refuses variables with which no session starts, a flow without steps and malformed answers', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin)
    const started = await admin.call('POST', '/sessions', { tree_id: flow.id })
    const refused = await dryRun(admin, flow.id)
    expect([refused.status, refused.body]).toEqual([started.status, started.body])
    const empty = await createFlow(admin, { status: 'draft', tree_structure: null, intake_form: [] })
    expect(await dryRun(admin, empty.id)).toMatchObject({ status: 400, body: { code: 'flow_empty' } })
    const malformed = [
      { step_id: 'ping' },
      { step_id: 'ping', option_id: 'yes', outcome: 'done' },
      { step_id: 'ping', subflow: {}, custom_step: { title: 'x' } },
      { step_id: 'ping', subflow_outcome: 'resolved', note: 'x' },
    ]
    for (const answer of malformed)
      expect(await dryRun(admin, flow.id, { variables, answers: [answer] })).toMatchObject({ status: 422 })
    const many = Array.from({ length: 501 }, () => ({ step_id: 'ping', option_id: 'yes' }))
    expect((await dryRun(admin, flow.id, { variables, answers: many })).status).toBe(422)
    expect((await play(admin, flow.id, { variables, answers: many.slice(1) })).errors).toHaveLength(499)
  })

  it('DRY-03 stores, counts and sends nothing, also for a flow whose sessions do', async () => {
    const { admin, addColleague } = await createAccount(service)
    const flow = await createFlow(admin)
    await createSession(admin, { tree_id: flow.id })
    const viewer = await addColleague({ role: 'viewer' })
    const before = await readEverything(service)
    const answers = [
      { step_id: 'ping', option_id: 'no' },
      { step_id: 'cable', custom_step: { title: 'Asked' } },
      { step_id: 'cable', outcome: 'done' },
    ]
    const played = await play(viewer, flow.id, { variables, answers, outcome: 'resolved' })
    expect([played.state, played.errors]).toEqual(['completed', []])
    expect(await readEverything(service)).toEqual(before)
  })

  it('DRY-04 is open to whoever can read the flow, and 404 for everyone else', async () => {
    const [{ admin, addColleague }, { admin: stranger }] = [
      await createAccount(service),
      await createAccount(service),
    ]
    const viewer = await addColleague({ role: 'viewer' })
    const shared = await createFlow(admin, { visibility: 'account', status: 'draft' })
    const hidden = await createFlow(admin, { visibility: 'private' })
    const statuses = async (person: Person) => [
      (await dryRun(person, shared.id, { variables })).status,
      (await dryRun(person, hidden.id, { variables })).status,
      (await dryRun(person, shared.id, { variables, version: 2 })).status,
    ]
    expect(await statuses(admin)).toEqual([200, 200, 404])
    expect(await statuses(viewer)).toEqual([200, 404, 404])
    expect(await statuses(stranger)).toEqual([404, 404, 404])
  })
})
