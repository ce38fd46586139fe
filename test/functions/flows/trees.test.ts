import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, flowBody, patchForm, patchProcedure, printerFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

describe('creating a flow', () => {
  it('FLO-43 publishes a valid flow by default', async () => {
    const { admin, teamId } = await createAccount(service)
    const { status, body } = await admin.call(
      'POST',
      '/trees',
      flowBody({ description: 'A printer shows as offline.' }),
    )
    expect([status, body.status, body.visibility, body.version, body.usage_count]).toEqual([
      201,
      'published',
      'team',
      1,
      0,
    ])
    expect(body.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/)
    expect(body).toMatchObject({
      author_id: admin.id,
      author_name: admin.fullName,
      team_id: teamId,
      account_id: admin.accountId,
    })
    expect(body.tree_structure).toEqual(printerFlow())
    expect(body.published_at).toBe(body.created_at)
    expect(await admin.client.flows.trees.get({ tree_id: body.id })).toEqual(body)
  })

  it('WIR-71 FLO-43 FLO-18 rejects an invalid flow with all errors, and stores nothing', async () => {
    const { admin } = await createAccount(service)
    const broken = printerFlow()
    broken.title = ''
    broken.options.pop()
    const { status, body } = await admin.call('POST', '/trees', flowBody({ tree_structure: broken }))
    expect([status, body.code, body.detail]).toEqual([
      400,
      'flow_invalid',
      'The flow cannot be published: 3 problems',
    ])
    expect(body.errors).toMatchObject([
      { node_id: 'ping', path: 'tree_structure.title', message: 'This decision has no title' },
      {
        node_id: 'ping',
        path: 'tree_structure.options',
        message: 'A decision needs at least 2 options; this one has 1',
      },
      {
        node_id: 'cable',
        path: 'tree_structure.children[1]',
        message: 'No option leads to this node, so it can never be reached',
      },
    ])
    expect(body.errors[2]).toMatchObject({
      ...{ loc: ['body', 'tree_structure', 'children', 1], type: 'flow_problem' },
      msg: 'No option leads to this node, so it can never be reached',
    })
    expect(await admin.client.flows.trees.list({ author_id: admin.id })).toEqual([])
  })

  it('FLO-02 FLO-19 saves an invalid flow with status draft', async () => {
    const { admin } = await createAccount(service)
    const { status, body } = await admin.call('POST', '/trees', {
      tree_type: 'procedural',
      name: 'Half',
      status: 'draft',
    })
    expect([status, body.status, body.tree_structure, body.published_at]).toEqual([201, 'draft', null, null])
    const check = await admin.client.flows.trees.validatePublish({ tree_id: body.id })
    expect(check).toEqual({
      can_publish: false,
      errors: [{ node_id: null, path: 'tree_structure', message: 'The flow has no steps yet' }],
      warnings: [],
    })
  })

  it('FLO-01 FLO-29 FLO-30 rejects unknown flow, node and step types', async () => {
    const { admin } = await createAccount(service)
    const root = { ...printerFlow(), type: 'question' }
    const steps = { steps: [{ id: 'a', type: 'step', title: 'A' }] }
    const bodies = [
      { tree_type: 'checklist' },
      { tree_structure: root },
      { tree_type: 'procedural', tree_structure: steps },
    ]
    const responses = await Promise.all(
      bodies.map((fields) => admin.call('POST', '/trees', flowBody({ status: 'draft', ...fields }))),
    )
    expect(responses.map(({ status, body }) => [status, body.errors[0].loc.join('.')])).toEqual([
      [422, 'body.tree_type'],
      [422, 'body.tree_structure.type'],
      [422, 'body.tree_structure.steps.0.type'],
    ])
  })

  it('rejects a structure that does not match the flow type', async () => {
    const { admin } = await createAccount(service)
    const { status, body } = await admin.call(
      'POST',
      '/trees',
      flowBody({ tree_structure: patchProcedure(), status: 'draft' }),
    )
    expect([status, body.errors[0].msg]).toEqual([422, 'must be a root node in a troubleshooting flow'])
  })

  it('FLO-05 FLO-06 rejects a usage count, author or account in the body', async () => {
    const { admin } = await createAccount(service)
    for (const readOnlyField of [
      { usage_count: 99 },
      { author_id: admin.id },
      { account_id: admin.accountId },
    ]) {
      expectStatus(await admin.call('POST', '/trees', flowBody(readOnlyField)), 422)
    }
  })

  it('FLO-31 FLO-42 returns the steps and the intake form of the body unchanged', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin, {
      tree_type: 'procedural',
      tree_structure: patchProcedure(),
      intake_form: patchForm,
    })
    expect([flow.tree_structure, flow.intake_form]).toEqual([patchProcedure(), patchForm])
  })

  it('FLO-23 FLO-28 accepts the older title keys action and solution, and assigns an id to every option', async () => {
    const { admin } = await createAccount(service)
    const root = {
      ...printerFlow(),
      options: [
        { label: 'Yes', next_node_id: 'queue' },
        { id: 'option-1', label: 'No', next_node_id: 'cable' },
      ],
      children: [
        {
          id: 'queue',
          type: 'action',
          action: 'Clear it',
          next_node_id: 'end',
          children: [{ id: 'end', type: 'solution', solution: 'Stuck' }],
        },
        { id: 'cable', type: 'solution', solution: 'Reseat the cable' },
      ],
    }
    const { tree_structure } = await createFlow(admin, { tree_structure: root })
    expect(tree_structure.options.map(({ id }: { id: string }) => id)).toEqual(['option-2', 'option-1'])
    expect(
      tree_structure.children.map(({ title, action }: Record<string, string>) => [title, action]),
    ).toEqual([
      ['Clear it', undefined],
      ['Reseat the cable', undefined],
    ])
  })

  it('creates the named category once, ignoring case, and rejects an unknown category id', async () => {
    const { admin } = await createAccount(service)
    const [first, second] = [
      await createFlow(admin, { category: 'Printing' }),
      await createFlow(admin, { category: 'PRINTING' }),
    ]
    expect([first.category, second.category, second.category_id]).toEqual([
      'Printing',
      'Printing',
      first.category_id,
    ])
    const { status, body } = await admin.call(
      'POST',
      '/trees',
      flowBody({ category_id: crypto.randomUUID() }),
    )
    expect([status, body.errors[0].msg]).toEqual([422, 'must be the id of an existing category'])
  })

  it('rejects a category by its name and its id, and a visibility that contradicts is_public', async () => {
    const { admin } = await createAccount(service)
    const { category_id } = await createFlow(admin, { category: 'Printing' })
    const create = async (fields: object) => {
      const { status, body } = await admin.call(
        'POST',
        '/trees',
        flowBody({ tree_structure: null, status: 'draft', ...fields }),
      )
      return [status, body.errors?.[0].loc]
    }
    expect(await create({ category: 'Printing', category_id })).toEqual([422, ['body', 'category_id']])
    expect(await create({ visibility: 'team', is_public: true })).toEqual([422, ['body', 'is_public']])
    expect(await create({ visibility: 'public', is_public: false })).toEqual([422, ['body', 'is_public']])
    expect(await create({ visibility: 'team', is_public: false })).toEqual([201, undefined])
  })

  it('returns 403 to a viewer who creates a flow', async () => {
    const account = await createAccount(service)
    const viewer = await account.addColleague({ role: 'viewer' })
    expectStatus(await viewer.call('POST', '/trees', flowBody()), 403)
  })
})

describe('saving a flow', () => {
  it('FLO-41 increments the version and changes only the fields of the body, and ignores an empty body', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin, { tags: ['a', 'A', 'b'], category: 'Printing' })
    const { status, body } = await admin.call('PUT', `/trees/${flow.id}`, { description: 'New' })
    expect([status, body.version]).toEqual([200, 2])
    expect(body).toEqual({ ...flow, description: 'New', version: 2, updated_at: body.updated_at })
    expect(body.tags).toEqual(['A', 'b'])
    expect((await admin.client.flows.trees.update({ tree_id: flow.id })).version).toBe(2)
  })

  it('FLO-45 rejects an outdated expected_version, returns the current version, and changes nothing', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin)
    await admin.client.flows.trees.update({ tree_id: flow.id, name: 'Second', expected_version: 1 })
    const { status, body } = await admin.call('PUT', `/trees/${flow.id}`, {
      name: 'Third',
      expected_version: 1,
    })
    expect([status, body.code, body.current_version]).toEqual([409, 'stale_version', 2])
    expect((await admin.client.flows.trees.get({ tree_id: flow.id })).name).toBe('Second')
  })

  it('FLO-45 saves exactly one of 32 simultaneous updates with the same expected_version', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin)
    const names = Array.from({ length: 32 }, (_, n) => `Editor ${n}`)
    const responses = await Promise.all(
      names.map((name) => admin.call('PUT', `/trees/${flow.id}`, { name, expected_version: 1 })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(31).fill(409)])
    const winner = responses.find(({ status }) => status === 200)
    expect(await admin.client.flows.trees.get({ tree_id: flow.id })).toEqual(winner?.body)
  })

  it('FLO-44 keeps a published flow published, and rejects content that cannot be published', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin)
    const { status, body } = await admin.call('PUT', `/trees/${flow.id}`, { tree_structure: null })
    expect([status, body.code]).toEqual([400, 'flow_invalid'])
    expect(await admin.client.flows.trees.get({ tree_id: flow.id })).toEqual(flow)
    expect(
      (await admin.client.flows.trees.update({ tree_id: flow.id, tree_structure: null, status: 'draft' }))
        .status,
    ).toBe('draft')
  })

  it('FLO-17 FLO-18 publishes a valid draft, and returns 400 for an invalid one', async () => {
    const { admin } = await createAccount(service)
    const draft = await createFlow(admin, { status: 'draft', tree_structure: null })
    await expectRefusal(admin.client.flows.trees.update({ tree_id: draft.id, status: 'published' }), 400)
    expect((await admin.client.flows.trees.get({ tree_id: draft.id })).status).toBe('draft')
    const { body } = await admin.call('PUT', `/trees/${draft.id}`, {
      status: 'published',
      tree_structure: printerFlow(),
    })
    expect([body.status, body.published_at]).toEqual(['published', body.updated_at])
  })

  it('FLO-03 FLO-47 keeps is_public and visibility consistent', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin)
    const states: unknown[] = []
    for (const change of [
      { is_public: true },
      { visibility: 'account' },
      { visibility: 'public' },
      { is_public: false },
      { is_public: false },
    ]) {
      const { body } = await admin.call('PUT', `/trees/${flow.id}`, change)
      states.push([body.visibility, body.is_public])
    }
    expect(states).toEqual([
      ['public', true],
      ['account', false],
      ['public', true],
      ['team', false],
      ['team', false],
    ])
    await expectRefusal(
      admin.client.flows.trees.update({ tree_id: flow.id, visibility: 'team', is_public: true }),
      422,
    )
  })

  it('FLO-50 rejects a tree with more than 500 nodes or 50 levels, even in a draft', async () => {
    const { admin } = await createAccount(service)
    const wide = {
      ...printerFlow(),
      children: Array.from({ length: 500 }, (_, n) => ({ id: `n${n}`, type: 'solution', title: 'x' })),
    }
    let deep: object = { id: 'n51', type: 'solution', title: 'x' }
    for (let n = 50; n > 0; n--)
      deep = { id: `n${n}`, type: 'action', title: 'x', next_node_id: `n${n + 1}`, children: [deep] }
    const responses = await Promise.all(
      [wide, deep].map((tree_structure) =>
        admin.call('POST', '/trees', flowBody({ status: 'draft', tree_structure })),
      ),
    )
    expect(responses.map(({ status, body }) => [status, body.errors[0].message])).toEqual([
      [400, 'The flow has 501 nodes; at most 500 are allowed'],
      [400, 'The flow is deeper than 50 levels here'],
    ])
  })
})

describe('access to a flow', () => {
  it('FLO-48 FLO-15 hides a private flow from everyone but its author, and a team flow from engineers outside the team', async () => {
    const account = await createAccount(service)
    const [author, teammate] = [await account.addColleague(), await account.addColleague()]
    const teamless = await account.addColleague({ teamId: null })
    const [privateFlow, teamFlow] = [
      await createFlow(author, { visibility: 'private' }),
      await createFlow(author),
    ]
    const getStatuses = async (flow: { id: string }) =>
      Promise.all(
        [author, teammate, teamless, account.admin].map(
          async (person) => (await person.call('GET', `/trees/${flow.id}`)).status,
        ),
      )
    expect(await getStatuses(privateFlow)).toEqual([200, 404, 404, 404])
    expect(await getStatuses(teamFlow)).toEqual([200, 200, 404, 200])
    expect(
      (await teamless.client.flows.trees.list()).filter(({ account_id }) => account_id === account.id),
    ).toEqual([])
  })

  it('FLO-49 hides the flows of another account, even public ones', async () => {
    const [ours, theirs] = [await createAccount(service), await createAccount(service)]
    const flow = await createFlow(theirs.admin, { visibility: 'public' })
    for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const)
      expectStatus(await ours.admin.call(method, `/trees/${flow.id}`, body), 404)
  })

  it('WIR-04 returns 403 to changes by a user who may only read the flow', async () => {
    const account = await createAccount(service)
    const [author, teammate] = [await account.addColleague(), await account.addColleague()]
    const lead = await account.addColleague({ teamRole: 'admin' })
    const flow = await createFlow(author)
    await expectRefusal(teammate.client.flows.trees.update({ tree_id: flow.id, name: 'x' }), 403)
    await expectRefusal(teammate.client.flows.trees.delete({ tree_id: flow.id }), 403)
    expect((await lead.client.flows.trees.update({ tree_id: flow.id, name: 'By the lead' })).name).toBe(
      'By the lead',
    )
    await expectRefusal(lead.client.flows.trees.update({ tree_id: flow.id, visibility: 'private' }), 403)
    await account.admin.client.flows.trees.update({ tree_id: flow.id, name: 'By the admin' })
  })

  it('FLO-16 returns an empty 204 when a flow is deleted, and 404 afterwards', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin)
    const { status, text } = await admin.call('DELETE', `/trees/${flow.id}`)
    expect([status, text]).toEqual([204, ''])
    await expectRefusal(admin.client.flows.trees.get({ tree_id: flow.id }), 404)
    await expectRefusal(admin.client.flows.trees.delete({ tree_id: flow.id }), 404)
    expect(await admin.client.flows.trees.list({ author_id: admin.id })).toEqual([])
  })
})
