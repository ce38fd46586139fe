import { describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newFlow } from '../../support/flows.ts'
import { newAccount, type Person } from '../../support/people.ts'
import { answer, newSession, newStepSession, platformFlow, stepFlow } from '../../support/sessions.ts'

const service = shared()
const add = (person: Person, id: string, body: unknown) => person.call('POST', `/sessions/${id}/custom-steps`, body)

describe('custom steps', () => {
  it('SES-16 come from three sources, and from no other', async () => {
    const { admin } = await newAccount(service)
    const session = await newSession(admin)
    const library = (await admin.call('POST', '/step-library', { title: 'Restart the spooler', description: 'As admin' })).body
    const other = await newFlow(admin, stepFlow())
    const first = await add(admin, session.id, { source: 'ad-hoc', title: ' Asked the user ' })
    expect([first.status, first.body.current_step_id]).toEqual([201, 'ping'])
    await answer(admin, session, 'yes')
    await add(admin, session.id, { source: 'step-library', library_step_id: library.id, title: 'Restarted it' })
    const { body } = await add(admin, session.id, { source: 'forked-tree', tree_id: other.id, node_id: 'patch', after_step_id: 'ping' })
    const of = (n: number) => ({ id: body.custom_steps[n].id, created_at: body.custom_steps[n].created_at })
    const nothing = { library_step_id: null, tree_id: null, node_id: null }
    expect(body.custom_steps).toEqual([
      { ...of(0), ...nothing, source: 'ad-hoc', after_step_id: 'ping', title: 'Asked the user', description: '' },
      {
        ...{ ...of(1), ...nothing, source: 'step-library', library_step_id: library.id },
        ...{ after_step_id: 'queue', title: 'Restarted it', description: 'As admin' },
      },
      {
        ...{ ...of(2), ...nothing, source: 'forked-tree', tree_id: other.id, node_id: 'patch' },
        ...{ after_step_id: 'ping', title: 'Install the updates', description: 'Reboot when asked.' },
      },
    ])
    expectStatus(await add(admin, session.id, { source: 'guess', title: 'x' }), 422)
  })

  it('SES-16 WIR-08 name nothing that is not there or not to be seen', async () => {
    const [account, other] = [await newAccount(service), await newAccount(service)]
    const { admin } = account
    const { id } = await newSession(admin)
    const foreign = await newFlow(other.admin, { visibility: 'public' })
    const step = (await other.admin.call('POST', '/step-library', { title: 'x' })).body
    const hidden = await newFlow(await account.colleague(), { visibility: 'private' })
    const mine = await newFlow(admin)
    const ad_hoc = { source: 'ad-hoc', title: 'x' }
    const from = (tree_id: string, node_id = 'ping') => ({ source: 'forked-tree', tree_id, node_id })
    for (const [field, body] of [
      ['title', { source: 'ad-hoc' }],
      ['after_step_id', { ...ad_hoc, after_step_id: 'nowhere' }],
      ['tree_id', { ...ad_hoc, tree_id: mine.id }],
      ['library_step_id', { source: 'step-library' }],
      ['library_step_id', { source: 'step-library', library_step_id: step.id }],
      ['tree_id', from(foreign.id)],
      ['tree_id', from(hidden.id)],
      ['node_id', from(mine.id, 'nowhere')],
    ] as const) {
      const { status, body: said } = await add(admin, id, body)
      expect([status, said.errors[0].loc]).toEqual([422, ['body', field]])
    }
    expect((await admin.call('GET', `/sessions/${id}`)).body.custom_steps).toEqual([])
  })
})

describe('completing a session', () => {
  it('SES-33 SES-18 SES-27 is possible anywhere on the way, once, with one of four outcomes', async () => {
    const { admin } = await newAccount(service)
    for (const outcome of ['resolved', 'unresolved', 'escalated', 'cancelled']) {
      const session = await newSession(admin)
      await admin.call('PATCH', `/sessions/${session.id}`, { notes: 'Before', next_steps: 'Call' })
      const { status, body } = await admin.call('POST', `/sessions/${session.id}/complete`, { outcome, next_steps: 'Order a cable' })
      expect([status, body.state, body.outcome, body.notes, body.next_steps]).toEqual([
        200,
        'completed',
        outcome,
        'Before',
        'Order a cable',
      ])
      expect([body.completed_at >= body.started_at, body.current_step_id]).toEqual([true, 'ping'])
      for (const [method, path, sent] of [
        ['POST', '/complete', { outcome }],
        ['POST', '/decisions', { step_id: 'ping', option_id: 'yes' }],
        ['DELETE', '/decisions/last', undefined],
        ['POST', '/custom-steps', { source: 'ad-hoc', title: 'x' }],
        ['PATCH', '/variables', { x: 1 }],
      ] as const) {
        const refused = await admin.call(method, `/sessions/${session.id}${path}`, sent)
        expect([path, refused.status, refused.body.code]).toEqual([path, 409, 'not_in_progress'])
      }
      expect((await admin.call('GET', `/sessions/${session.id}`)).body).toEqual(body)
    }
    const { id } = await newSession(admin)
    expectStatus(await admin.call('POST', `/sessions/${id}/complete`, { outcome: 'fine' }), 422)
  })

  it('SES-33 is not possible before the start, and has one winner of 32', async () => {
    const { admin } = await newAccount(service)
    const { id: tree_id } = await newFlow(admin)
    const prepared = (await admin.call('POST', '/sessions/prepare', { tree_id })).body
    expect((await admin.call('POST', `/sessions/${prepared.id}/complete`, { outcome: 'resolved' })).body.code).toBe('not_in_progress')
    const { id } = await newSession(admin, { tree_id })
    const outcomes = ['resolved', 'unresolved']
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, n) => admin.call('POST', `/sessions/${id}/complete`, { outcome: outcomes[n % 2] })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(31).fill(409)])
    expect((await admin.call('GET', `/sessions/${id}`)).body).toEqual(answers.find(({ status }) => status === 200)?.body)
  })
})

describe('saving a session as a flow', () => {
  it('SES-15 makes a draft fork with the custom steps on the way that was taken', async () => {
    const { admin } = await newAccount(service)
    const flow = await newFlow(admin, { category: 'Printing', description: 'Offline' })
    const session = await newSession(admin, { tree_id: flow.id })
    await add(admin, session.id, { source: 'ad-hoc', title: 'Asked the user', description: 'By phone' })
    await answer(admin, session, 'no')
    await add(admin, session.id, { source: 'ad-hoc', title: 'Looked at the lamp' })
    const { status, body } = await admin.call('POST', `/sessions/${session.id}/save-as-tree`, { name: 'Printer moved' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      ...{ name: 'Printer moved', description: 'Offline', category: 'Printing', status: 'draft', version: 1, author_id: admin.id },
      ...{ parent_tree_id: flow.id, root_tree_id: flow.id, fork_depth: 1, intake_form: flow.intake_form },
    })
    const { options, children } = body.tree_structure
    expect(options.map((option: { next_node_id: string }) => option.next_node_id)).toEqual(['queue', 'custom-1'])
    const nested = (node: { id: string; type: string; title: string; children?: never[] }): unknown => [
      node.id,
      node.type,
      node.title,
      ...(node.children ?? []).map(nested),
    ]
    expect(nested(children[1])).toEqual([
      'custom-1',
      'action',
      'Asked the user',
      ['custom-2', 'action', 'Looked at the lamp', ['cable', 'solution', 'Reseat the network cable']],
    ])
    expect((await admin.call('POST', `/trees/${body.id}/can-publish`)).body.can_publish).toBe(true)
    expect((await admin.call('GET', `/trees/${flow.id}`)).body.tree_structure).toEqual(flow.tree_structure)
  })

  it('SES-15 keeps the line of forks of a flow that is gone, and puts steps into a procedure', async () => {
    const account = await newAccount(service)
    const colleague = await account.colleague()
    const root = await newFlow(colleague, stepFlow())
    const fork = (await colleague.call('POST', `/trees/${root.id}/fork`)).body
    await colleague.call('PUT', `/trees/${fork.id}`, { status: 'published' })
    const session = await newSession(colleague, { tree_id: fork.id, variables: { server: 'srv' } })
    await colleague.call('PUT', `/trees/${fork.id}`, { visibility: 'private' })
    await colleague.call('DELETE', `/trees/${fork.id}`)
    for (const after_step_id of ['end', 'snapshot', 'snapshot'])
      await add(colleague, session.id, { source: 'ad-hoc', title: `After ${after_step_id}`, after_step_id })
    const { body } = await account.admin.call('POST', `/sessions/${session.id}/save-as-tree`, { name: 'Mine', description: 'New' })
    expect([body.parent_tree_id, body.root_tree_id, body.fork_depth, body.description]).toEqual([fork.id, root.id, 2, 'New'])
    const ids = body.tree_structure.steps.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(['before', 'snapshot', 'custom-2', 'custom-3', 'patch', 'custom-1', 'end'])
  })

  it('SES-15 makes a flow of one’s own of the platform’s', async () => {
    const { admin } = await newAccount(service)
    const tree_id = await platformFlow(service, 'procedural', stepFlow().tree_structure)
    const session = await newStepSession(admin, { tree_id })
    const { body } = await admin.call('POST', `/sessions/${session.id}/save-as-tree`, { name: 'Ours' })
    expect([body.account_id, body.parent_tree_id, body.root_tree_id, body.tree_structure]).toEqual([
      admin.accountId,
      tree_id,
      tree_id,
      session.tree_snapshot.tree_structure,
    ])
  })
})
