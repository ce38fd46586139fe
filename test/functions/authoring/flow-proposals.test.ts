import { expect, it } from 'vitest'
import { createAiSession, insertFix } from '#test/support/ai.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { convertSession, createCompletedSession } from '#test/support/authoring.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { buildLongFlow } from '#test/support/exports.ts'
import { createFlow, printerForm } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import {
  answerStep,
  createSession,
  insertPlatformFlow,
  proceduralFlowFields,
} from '#test/support/sessions.ts'

const service = await sharedService()
const listEventKeys = async (person: Person) =>
  (await person.client.notifications.list()).map(({ event_key }) => event_key)
const decide = (person: Person, id: string, verb: 'approve' | 'reject') =>
  person.call(
    'POST',
    `/flow-proposals/${id}/${verb}`,
    verb === 'reject' ? { reason: 'We have one' } : undefined,
  )

it('converts a completed session to a proposal with its custom step and note, without client data', async () => {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const { id } = await createCompletedSession(owner, {
    client_name: 'Contoso Dental',
    ticket_number: 'T-777',
  })
  const { status, body } = await convertSession(owner, id)
  expect(status).toBe(201)
  expect(body).toMatchObject({
    source: 'session',
    source_id: id,
    action: 'create',
    target_tree_id: null,
    status: 'pending',
    submitted_by: owner.id,
  })
  expect(body).toMatchObject({
    decided_by: null,
    decided_at: null,
    reason: null,
    proposed_flow: { tree_type: 'troubleshooting' },
  })
  const text = JSON.stringify(body.proposed_flow)
  for (const word of ['Wiggled the quuxplug', 'The flange was loose', '{{printer_ip}}'])
    expect(text).toContain(word)
  for (const word of ['Contoso', 'T-777', '10.0.8.21']) expect(text).not.toContain(word)
  expect(await owner.client.authoring.proposals.get({ proposal_id: body.id })).toEqual(body)
  const { name, description, tree_type } = body.proposed_flow
  expect(await account.admin.client.authoring.proposals.list()).toEqual([
    { ...body, proposed_flow: { name, description, tree_type } },
  ])
  expect([await listEventKeys(account.admin), await listEventKeys(owner)]).toEqual([
    ['proposal.submitted'],
    [],
  ])
})

it('AIA-06 AIA-10 publishes an approved flow with its submitter as the author, and returns 409 for a second decision', async () => {
  const account = await createAccount(service)
  const [owner, lead] = [await account.addColleague(), await account.addColleague({ teamRole: 'admin' })]
  const { body } = await convertSession(owner, (await createCompletedSession(owner)).id)
  const approved = await decide(lead, body.id, 'approve')
  expect([approved.status, Object.keys(approved.body).sort()]).toEqual([201, ['proposal', 'tree_id']])
  expect(approved.body.proposal).toEqual({
    ...body,
    status: 'approved',
    decided_by: lead.id,
    decided_at: expect.any(String),
  })
  const tree = await owner.client.flows.trees.get({ tree_id: approved.body.tree_id })
  const { proposed_flow } = body
  expect(tree).toMatchObject({
    ...proposed_flow,
    status: 'published',
    author_id: owner.id,
    team_id: account.teamId,
    version: 1,
  })
  expect(await listEventKeys(owner)).toEqual(['proposal.approved'])
  for (const verb of ['approve', 'reject'] as const) {
    const secondDecision = await decide(account.admin, body.id, verb)
    expect([
      secondDecision.status,
      secondDecision.body.code,
      secondDecision.body.status,
      secondDecision.body.decided_by,
    ]).toEqual([409, 'already_decided', 'approved', lead.id])
  }
  expect(await owner.client.authoring.proposals.list({ status: 'approved' })).toMatchObject([{ id: body.id }])
  expect(await owner.client.authoring.proposals.list()).toEqual([])
})

it('AIA-06 saves an approved update as the next version, and returns 409 if the flow was changed or deleted', async () => {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const flow = await createFlow(owner, { category: 'Printing', tags: ['printer'] })
  const propose = async () =>
    (await convertSession(owner, (await createCompletedSession(owner, { tree_id: flow.id })).id, flow.id))
      .body
  const [first, second, third] = [await propose(), await propose(), await propose()]
  expect(first).toMatchObject({
    action: 'update',
    target_tree_id: flow.id,
    proposed_flow: { name: flow.name },
  })
  const { body } = await decide(account.admin, first.id, 'approve')
  const saved = await owner.client.flows.trees.get({ tree_id: flow.id })
  expect([body.tree_id, saved.version, saved.status, saved.category, saved.author_id]).toEqual([
    flow.id,
    2,
    'published',
    'Printing',
    owner.id,
  ])
  expect(saved.tree_structure).toEqual(first.proposed_flow.tree_structure)
  // The ids of unchanged nodes and options stay.
  expect(saved.tree_structure).toMatchObject({ id: 'ping', options: [{ id: 'yes' }, { id: 'no' }] })
  expect(JSON.stringify(saved.tree_structure)).toContain('Wiggled the quuxplug')
  const stale = await decide(account.admin, second.id, 'approve')
  expect([stale.status, stale.body.code, stale.body.current_version]).toEqual([409, 'stale_version', 2])
  expect((await owner.client.authoring.proposals.get({ proposal_id: second.id })).status).toBe('pending')
  await owner.client.flows.trees.delete({ tree_id: flow.id })
  expect((await decide(account.admin, third.id, 'approve')).body.code).toBe('target_gone')
  expect((await decide(account.admin, third.id, 'reject')).body).toMatchObject({
    status: 'rejected',
    reason: 'We have one',
  })
})

it('rejects a proposal with a reason, notifies the submitter, and creates no flow', async () => {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const { body } = await convertSession(owner, (await createCompletedSession(owner)).id)
  expectStatus(await account.admin.call('POST', `/flow-proposals/${body.id}/reject`, {}), 422)
  const rejected = await decide(account.admin, body.id, 'reject')
  expect([rejected.status, rejected.body]).toEqual([
    200,
    {
      ...body,
      status: 'rejected',
      reason: 'We have one',
      decided_by: account.admin.id,
      decided_at: expect.any(String),
    },
  ])
  expect(await owner.client.notifications.list()).toMatchObject([
    { event_key: 'proposal.rejected', body: 'We have one' },
  ])
  expect(await owner.client.flows.trees.list({ author_id: owner.id })).toHaveLength(1)
})

it.each(['approve', 'reject', 'either'] as const)(
  'AIA-10 accepts one of 32 concurrent decisions (%s) and returns 409 for the others',
  async (verb) => {
    const account = await createAccount(service)
    const owner = await account.addColleague()
    const { body } = await convertSession(owner, (await createCompletedSession(owner)).id)
    const reviewers = await Promise.all(
      Array.from({ length: 32 }, () => account.addColleague({ teamRole: 'admin' })),
    )
    const responses = await Promise.all(
      reviewers.map((person, n) =>
        decide(person, body.id, verb === 'either' ? (n % 2 ? 'approve' : 'reject') : verb),
      ),
    )
    const conflicts = responses.filter(({ status }) => status === 409)
    expect([conflicts.length, responses.filter(({ status }) => status < 300).length]).toEqual([31, 1])
    const winner = reviewers[responses.findIndex(({ status }) => status < 300)]
    for (const response of conflicts)
      expect(response.body).toMatchObject({ code: 'already_decided', decided_by: winner?.id })
    const { status } = await owner.client.authoring.proposals.get({ proposal_id: body.id })
    expect(await listEventKeys(owner)).toEqual([`proposal.${status}`])
    const trees = await owner.client.flows.trees.list({ author_id: owner.id })
    expect(trees).toHaveLength(status === 'approved' ? 2 : 1)
  },
)

it('shows a proposal to its team, and lets only that team’s admins and account admins decide', async () => {
  const account = await createAccount(service)
  const [owner, teammate] = [await account.addColleague(), await account.addColleague()]
  const { id: otherTeamId } = await account.admin.client.accounts.teams.create({ name: 'Elsewhere' })
  const lead = await account.addColleague({ teamId: otherTeamId, teamRole: 'admin' })
  const { body } = await convertSession(owner, (await createCompletedSession(owner)).id)
  const read = async (person: Person) => (await person.call('GET', `/flow-proposals/${body.id}`)).status
  expect([await read(teammate), await read(lead), await read((await createAccount(service)).admin)]).toEqual([
    200, 404, 404,
  ])
  expect([
    (await decide(teammate, body.id, 'approve')).status,
    (await decide(lead, body.id, 'approve')).status,
  ]).toEqual([403, 404])
  // The author moves to another team as its admin. They may still read the proposal, but not decide it.
  await service.sql(`update users set team_id = $2, team_role = 'admin' where id = $1`, [
    owner.id,
    otherTeamId,
  ])
  expect([await read(owner), (await decide(owner, body.id, 'approve')).status]).toEqual([200, 403])
  expectStatus(await decide(account.admin, body.id, 'approve'), 201)
})

it('converts a completed session only for its user or an account admin, and once while a proposal is pending', async () => {
  const account = await createAccount(service)
  const [owner, teammate] = [await account.addColleague(), await account.addColleague()]
  const session = await createSession(owner)
  expect((await convertSession(owner, session.id)).body.code).toBe('wrong_state')
  await answerStep(owner, session, 'no')
  await owner.client.sessions.steps.complete({ session_id: session.id, outcome: 'resolved' })
  expect([
    (await convertSession(teammate, session.id)).status,
    (await convertSession(owner, crypto.randomUUID())).status,
  ]).toEqual([403, 404])
  expectStatus(await convertSession((await createAccount(service)).admin, session.id), 404)
  const conversions = await Promise.all(Array.from({ length: 8 }, () => convertSession(owner, session.id)))
  expect(conversions.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
  expect(
    conversions.filter(({ status }) => status === 409).every(({ body }) => body.code === 'already_pending'),
  ).toBe(true)
  await decide(account.admin, conversions.find(({ status }) => status === 201)?.body.id, 'reject')
  expectStatus(await convertSession(account.admin, session.id), 201)
  const platformFlow = await insertPlatformFlow(service, 'troubleshooting', {
    id: 'a',
    type: 'solution',
    title: 'A',
    description: '',
  })
  const completed = await createCompletedSession(owner)
  expect((await convertSession(owner, completed.id, platformFlow)).body.code).toBe('platform_flow')
  expectStatus(await convertSession(owner, completed.id, crypto.randomUUID()), 404)
  const empty = await createFlow(owner, { tree_structure: null, intake_form: [], status: 'draft' })
  expect((await convertSession(owner, completed.id, empty.id)).body.code).toBe('flow_empty')
  const maintenanceFlow = await createFlow(owner, proceduralFlowFields())
  const otherType = await convertSession(owner, completed.id, maintenanceFlow.id)
  expect([otherType.status, otherType.body.code]).toEqual([400, 'wrong_flow_type'])
})

it('refuses a second proposal of a session, without a call of the model', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createCompletedSession(admin)
  expectStatus(await convertSession(admin, id), 201)
  const { clearRecords, listRecords } = dashboard(service)
  await clearRecords('ai')
  const { status, body } = await convertSession(admin, id)
  expect([status, body.code, await listRecords('ai')]).toEqual([409, 'already_pending', []])
})

it('converts a session of 300 steps, but of no more with its custom steps', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(
    admin,
    proceduralFlowFields({ tree_structure: buildLongFlow(299), intake_form: printerForm }),
  )
  const [short, long] = [
    await createSession(admin, { tree_id: flow.id }),
    await createSession(admin, { tree_id: flow.id }),
  ]
  await admin.call('POST', `/sessions/${long.id}/custom-steps`, {
    source: 'ad-hoc',
    after_step_id: 's0',
    title: 'Call',
    description: '',
  })
  for (const { id } of [short, long])
    expectStatus(await admin.call('POST', `/sessions/${id}/complete`, { outcome: 'resolved' }), 200)
  const { status, body } = await convertSession(admin, long.id)
  expect([status, body.code, body.resource, body.limit]).toEqual([409, 'limit_reached', 'nodes', 300])
  expectStatus(await convertSession(admin, short.id), 201)
})

it('converts the caller’s resolved AI session, from its findings and fixes', async () => {
  const account = await createAccount(service)
  const [owner, teammate] = [await account.addColleague(), await account.addColleague()]
  const session = await createAiSession(owner, {
    session_type: 'chat',
    problem_summary: 'The Zorblatt at Fabrikam Legal hums.',
    client_name: 'Fabrikam Legal',
  })
  expect((await convertSession(owner, session.id)).body.code).toBe('wrong_state')
  await insertFix(service, session, {
    title: 'Tighten the flibberbelt',
    status: 'applied_success',
    applied_at: new Date(),
    verified_at: new Date(),
  })
  await owner.client.ai.sessions.resolve({
    session_id: session.id,
    outcome: 'resolved',
    notes: 'The belt was loose',
  })
  expectStatus(await convertSession(teammate, session.id), 404)
  const { status, body } = await convertSession(owner, session.id)
  expect([status, body.source, body.source_id]).toEqual([201, 'ai_session', session.id])
  const text = JSON.stringify(body.proposed_flow)
  for (const word of ['Zorblatt', 'Tighten the flibberbelt', 'The belt was loose'])
    expect(text).toContain(word)
  expect(text).not.toContain('Fabrikam')
  // An update adds the new case before the existing content of the flow.
  expectStatus(await decide(account.admin, body.id, 'reject'), 200)
  const flow = await createFlow(owner)
  const update = (await convertSession(owner, session.id, flow.id)).body
  const [, existingNode] = update.proposed_flow.tree_structure.children
  expect([update.action, existingNode.id, existingNode.children.length]).toEqual(['update', 'ping', 2])
  expect((await decide(account.admin, update.id, 'approve')).body.tree_id).toBe(flow.id)
})
