import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import {
  answerStep,
  createProceduralSession,
  createSession,
  insertPlatformFlow,
  proceduralFlowFields,
} from '#test/support/sessions.ts'

const service = await sharedService()
const addCustomStep = (person: Person, id: string, body: unknown) =>
  person.call('POST', `/sessions/${id}/custom-steps`, body)

describe('custom steps', () => {
  it('SES-16 adds custom steps from three sources and no other', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin)
    const libraryStep = await admin.client.flows.stepLibrary.create({
      title: 'Restart the spooler',
      description: 'As admin',
    })
    const otherFlow = await createFlow(admin, proceduralFlowFields())
    const first = await addCustomStep(admin, session.id, { source: 'ad-hoc', title: ' Asked the user ' })
    expect([first.status, first.body.current_step_id]).toEqual([201, 'ping'])
    await answerStep(admin, session, 'yes')
    await addCustomStep(admin, session.id, {
      source: 'step-library',
      library_step_id: libraryStep.id,
      title: 'Restarted it',
    })
    const { body } = await addCustomStep(admin, session.id, {
      source: 'forked-tree',
      tree_id: otherFlow.id,
      node_id: 'patch',
      after_step_id: 'ping',
    })
    const generatedFields = (n: number) => ({
      id: body.custom_steps[n].id,
      created_by: admin.id,
      created_by_name: admin.fullName,
      created_at: body.custom_steps[n].created_at,
    })
    const noSource = { library_step_id: null, tree_id: null, node_id: null }
    expect(body.custom_steps).toEqual([
      {
        ...generatedFields(0),
        ...noSource,
        source: 'ad-hoc',
        after_step_id: 'ping',
        title: 'Asked the user',
        description: '',
      },
      {
        ...generatedFields(1),
        ...noSource,
        source: 'step-library',
        library_step_id: libraryStep.id,
        after_step_id: 'queue',
        title: 'Restarted it',
        description: 'As admin',
      },
      {
        ...generatedFields(2),
        ...noSource,
        source: 'forked-tree',
        tree_id: otherFlow.id,
        node_id: 'patch',
        after_step_id: 'ping',
        title: 'Install the updates',
        description: 'Reboot when asked.',
      },
    ])
    expectStatus(await addCustomStep(admin, session.id, { source: 'guess', title: 'x' }), 422)
  })

  it('SES-16 adds a custom step after the last answer once every step is answered', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin)
    const wrongPath = await answerStep(admin, session, 'no')
    await answerStep(admin, wrongPath, 'failed')
    const { body } = await addCustomStep(admin, session.id, { source: 'ad-hoc', title: 'Called the vendor' })
    expect([body.current_step_id, body.custom_steps[0].after_step_id]).toEqual([
      null,
      wrongPath.current_step_id,
    ])
  })

  it('SES-16 refuses a custom step of a node without a title, unless it has one itself', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin)
    const tree_structure = { id: 'start', type: 'action', title: '' }
    const flow = await createFlow(admin, { tree_structure, intake_form: [], status: 'draft' })
    const step = { source: 'forked-tree', tree_id: flow.id, node_id: 'start' }
    const { status, body } = await addCustomStep(admin, session.id, step)
    expect([status, body.errors]).toEqual([
      422,
      [{ loc: ['body', 'title'], msg: 'is required because the source has no title', type: 'unknown' }],
    ])
    expectStatus(await addCustomStep(admin, session.id, { ...step, title: 'Look' }), 201)
  })

  it('SES-16 adds 100 custom steps to a session', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createSession(admin)
    await service.sql(
      `insert into session_custom_steps (created_by, account_id, session_id, source, after_step_id, title)
       select (select user_id from sessions where id = $2), $1, $2, 'ad-hoc', 'ping', 'Step ' || n from generate_series(1, 99) n`,
      [admin.accountId, id],
    )
    expectStatus(await addCustomStep(admin, id, { source: 'ad-hoc', title: 'Step 100' }), 201)
    const { status, body } = await addCustomStep(admin, id, { source: 'ad-hoc', title: 'Step 101' })
    expect([status, body.code, body.resource, body.limit]).toEqual([
      409,
      'limit_reached',
      'custom_steps',
      100,
    ])
  })

  it('SES-16 WIR-08 rejects a custom step with a missing field or an invalid reference', async () => {
    const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
    const { admin } = account
    const { id } = await createSession(admin)
    const foreignFlow = await createFlow(otherAccount.admin, { visibility: 'public' })
    const step = await otherAccount.admin.client.flows.stepLibrary.create({ title: 'x' })
    const hiddenFlow = await createFlow(await account.addColleague(), { visibility: 'private' })
    const ownFlow = await createFlow(admin)
    const adHoc = { source: 'ad-hoc', title: 'x' }
    const fromTree = (tree_id: string, node_id = 'ping') => ({ source: 'forked-tree', tree_id, node_id })
    for (const [field, body] of [
      ['title', { source: 'ad-hoc' }],
      ['after_step_id', { ...adHoc, after_step_id: 'nowhere' }],
      ['tree_id', { ...adHoc, tree_id: ownFlow.id }],
      ['library_step_id', { source: 'step-library' }],
      ['library_step_id', { source: 'step-library', library_step_id: step.id }],
      ['tree_id', fromTree(foreignFlow.id)],
      ['tree_id', fromTree(hiddenFlow.id)],
      ['node_id', fromTree(ownFlow.id, 'nowhere')],
    ] as const) {
      const { status, body: problem } = await addCustomStep(admin, id, body)
      expect([status, problem.errors[0].loc]).toEqual([422, ['body', field]])
    }
    expect((await admin.client.sessions.get({ session_id: id })).custom_steps).toEqual([])
  })
})

describe('completing a session', () => {
  it('SES-33 SES-18 SES-27 completes a session once, at any step, with one of four outcomes', async () => {
    const { admin } = await createAccount(service)
    for (const outcome of ['resolved', 'unresolved', 'escalated', 'cancelled']) {
      const session = await createSession(admin)
      await admin.client.sessions.update({ session_id: session.id, notes: 'Before', next_steps: 'Call' })
      const { status, body } = await admin.call('POST', `/sessions/${session.id}/complete`, {
        outcome,
        next_steps: 'Order a cable',
      })
      expect([status, body.state, body.outcome, body.notes, body.next_steps]).toEqual([
        200,
        'completed',
        outcome,
        'Before',
        'Order a cable',
      ])
      expect([body.completed_at >= body.started_at, body.current_step_id]).toEqual([true, 'ping'])
      for (const [method, path, requestBody] of [
        ['POST', '/complete', { outcome }],
        ['POST', '/decisions', { step_id: 'ping', option_id: 'yes' }],
        ['DELETE', '/decisions/last', undefined],
        ['POST', '/custom-steps', { source: 'ad-hoc', title: 'x' }],
        ['PATCH', '/variables', { x: 1 }],
      ] as const) {
        const rejected = await admin.call(method, `/sessions/${session.id}${path}`, requestBody)
        expect([path, rejected.status, rejected.body.code]).toEqual([path, 409, 'wrong_state'])
      }
      expect(await admin.client.sessions.get({ session_id: session.id })).toEqual(body)
    }
    const { id } = await createSession(admin)
    expectStatus(await admin.call('POST', `/sessions/${id}/complete`, { outcome: 'fine' }), 422)
  })

  it('SES-62 a completed session has a progress of 100 percent, wherever it ended', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin)
    await answerStep(admin, session, 'yes')
    const { progress } = await admin.client.sessions.steps.complete({
      session_id: session.id,
      outcome: 'resolved',
    })
    expect(progress).toEqual({ answered: 1, total: 1, percent: 100 })
    expect((await admin.client.sessions.list())[0]?.progress).toEqual(progress)
  })

  it('SES-33 refuses to complete a prepared session, and completes a session once for 32 concurrent requests', async () => {
    const { admin } = await createAccount(service)
    const { id: tree_id } = await createFlow(admin)
    const preparedSession = await admin.client.sessions.prepare({ tree_id })
    expect(
      (await admin.call('POST', `/sessions/${preparedSession.id}/complete`, { outcome: 'resolved' })).body
        .code,
    ).toBe('wrong_state')
    const { id } = await createSession(admin, { tree_id })
    const outcomes = ['resolved', 'unresolved']
    const responses = await Promise.all(
      Array.from({ length: 32 }, (_, n) =>
        admin.call('POST', `/sessions/${id}/complete`, { outcome: outcomes[n % 2] }),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(31).fill(409)])
    expect(await admin.client.sessions.get({ session_id: id })).toEqual(
      responses.find(({ status }) => status === 200)?.body,
    )
  })
})

describe('saving a session as a flow', () => {
  it('SES-15 saves a session as a draft fork with the custom steps on the chosen path', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin, { category: 'Printing', description: 'Offline' })
    const session = await createSession(admin, { tree_id: flow.id })
    await addCustomStep(admin, session.id, {
      source: 'ad-hoc',
      title: 'Asked the user',
      description: 'By phone',
    })
    await answerStep(admin, session, 'no')
    await addCustomStep(admin, session.id, { source: 'ad-hoc', title: 'Looked at the lamp' })
    const { status, body } = await admin.call('POST', `/sessions/${session.id}/save-as-tree`, {
      name: 'Printer moved',
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'Printer moved',
      description: 'Offline',
      category: 'Printing',
      status: 'draft',
      version: 1,
      author_id: admin.id,
      parent_tree_id: flow.id,
      root_tree_id: flow.id,
      fork_depth: 1,
      intake_form: flow.intake_form,
    })
    const { options, children } = body.tree_structure
    expect(options.map((option: { next_node_id: string }) => option.next_node_id)).toEqual([
      'queue',
      'custom-1',
    ])
    const summarise = (node: { id: string; type: string; title: string; children?: never[] }): unknown => [
      node.id,
      node.type,
      node.title,
      ...(node.children ?? []).map(summarise),
    ]
    expect(summarise(children[1])).toEqual([
      'custom-1',
      'action',
      'Asked the user',
      ['custom-2', 'action', 'Looked at the lamp', ['cable', 'solution', 'Reseat the network cable']],
    ])
    expect((await admin.client.flows.trees.validatePublish({ tree_id: body.id })).can_publish).toBe(true)
    expect((await admin.client.flows.trees.get({ tree_id: flow.id })).tree_structure).toEqual(
      flow.tree_structure,
    )
  })

  it('SES-15 keeps the parent and root ids of a deleted fork, and inserts custom steps into a procedure', async () => {
    const account = await createAccount(service)
    const colleague = await account.addColleague()
    const root = await createFlow(colleague, proceduralFlowFields())
    const fork = await colleague.client.flows.forks.create({ tree_id: root.id })
    await colleague.client.flows.trees.update({ tree_id: fork.id, status: 'published' })
    const session = await createSession(colleague, { tree_id: fork.id, variables: { server: 'srv' } })
    await colleague.client.flows.trees.update({ tree_id: fork.id, visibility: 'private' })
    await colleague.client.flows.trees.delete({ tree_id: fork.id })
    for (const after_step_id of ['end', 'snapshot', 'snapshot'])
      await addCustomStep(colleague, session.id, {
        source: 'ad-hoc',
        title: `After ${after_step_id}`,
        after_step_id,
      })
    const { body } = await account.admin.call('POST', `/sessions/${session.id}/save-as-tree`, {
      name: 'Mine',
      description: 'New',
    })
    expect([body.parent_tree_id, body.root_tree_id, body.fork_depth, body.description]).toEqual([
      fork.id,
      root.id,
      2,
      'New',
    ])
    const ids = body.tree_structure.steps.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(['before', 'snapshot', 'custom-2', 'custom-3', 'patch', 'custom-1', 'end'])
  })

  it('SES-15 saves a session of a platform flow as a flow of the account', async () => {
    const { admin } = await createAccount(service)
    const tree_id = await insertPlatformFlow(service, 'procedural', proceduralFlowFields().tree_structure)
    const session = await createProceduralSession(admin, { tree_id })
    const { body } = await admin.call('POST', `/sessions/${session.id}/save-as-tree`, { name: 'Ours' })
    expect([body.account_id, body.parent_tree_id, body.root_tree_id, body.tree_structure]).toEqual([
      admin.accountId,
      tree_id,
      tree_id,
      session.tree_snapshot.tree_structure,
    ])
  })
})
