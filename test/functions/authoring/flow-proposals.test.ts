import { expect, it } from 'vitest'
import { newAiSession, suggestFix } from '../../support/ai.ts'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { convert, doneRun } from '../../support/authoring.ts'
import { newFlow } from '../../support/flows.ts'
import { newAccount, type Person } from '../../support/people.ts'
import { answer, newSession, platformFlow } from '../../support/sessions.ts'

const service = shared()
const events = async (person: Person) =>
  (await person.call('GET', '/notifications')).body.map(({ event_key }: { event_key: string }) => event_key)
const decide = (person: Person, id: string, verb: 'approve' | 'reject') =>
  person.call('POST', `/flow-proposals/${id}/${verb}`, verb === 'reject' ? { reason: 'We have one' } : undefined)

it('makes a proposal of a completed session: its flow with what was added and learned, nothing of the client', async () => {
  const account = await newAccount(service)
  const owner = await account.colleague()
  const { id } = await doneRun(owner, { client_name: 'Contoso Dental', ticket_number: 'T-777' })
  const { status, body } = await convert(owner, id)
  expect(status).toBe(201)
  expect(body).toMatchObject({
    source: 'session',
    source_id: id,
    action: 'create',
    target_tree_id: null,
    status: 'pending',
    submitted_by: owner.id,
  })
  expect(body).toMatchObject({ decided_by: null, decided_at: null, reason: null, proposed_flow: { tree_type: 'troubleshooting' } })
  const text = JSON.stringify(body.proposed_flow)
  for (const word of ['Wiggled the quuxplug', 'The flange was loose', '{{printer_ip}}']) expect(text).toContain(word)
  for (const word of ['Contoso', 'T-777', '10.0.8.21']) expect(text).not.toContain(word)
  expect((await owner.call('GET', `/flow-proposals/${body.id}`)).body).toEqual(body)
  const { name, description, tree_type } = body.proposed_flow
  expect((await account.admin.call('GET', '/flow-proposals')).body).toEqual([{ ...body, proposed_flow: { name, description, tree_type } }])
  expect([await events(account.admin), await events(owner)]).toEqual([['proposal.submitted'], []])
})

it('AIA-06 AIA-10 approving creates the flow, published and its submitter’s, and tells them; deciding again is 409', async () => {
  const account = await newAccount(service)
  const [owner, lead] = [await account.colleague(), await account.colleague({ teamRole: 'admin' })]
  const { body } = await convert(owner, (await doneRun(owner)).id)
  const approved = await decide(lead, body.id, 'approve')
  expect([approved.status, Object.keys(approved.body).sort()]).toEqual([201, ['proposal', 'tree_id']])
  expect(approved.body.proposal).toEqual({ ...body, status: 'approved', decided_by: lead.id, decided_at: expect.any(String) })
  const tree = (await owner.call('GET', `/trees/${approved.body.tree_id}`)).body
  const { proposed_flow } = body
  expect(tree).toMatchObject({ ...proposed_flow, status: 'published', author_id: owner.id, team_id: account.teamId, version: 1 })
  expect(await events(owner)).toEqual(['proposal.approved'])
  for (const verb of ['approve', 'reject'] as const) {
    const again = await decide(account.admin, body.id, verb)
    expect([again.status, again.body.code, again.body.status, again.body.decided_by]).toEqual([
      409,
      'proposal_decided',
      'approved',
      lead.id,
    ])
  }
  expect((await owner.call('GET', '/flow-proposals?status=approved')).body).toMatchObject([{ id: body.id }])
  expect((await owner.call('GET', '/flow-proposals')).body).toEqual([])
})

it('AIA-06 approving an update saves the flow as its next version, unless it was saved meanwhile or is gone', async () => {
  const account = await newAccount(service)
  const owner = await account.colleague()
  const flow = await newFlow(owner, { category: 'Printing', tags: ['printer'] })
  const propose = async () => (await convert(owner, (await doneRun(owner, { tree_id: flow.id })).id, flow.id)).body
  const [first, second, third] = [await propose(), await propose(), await propose()]
  expect(first).toMatchObject({ action: 'update', target_tree_id: flow.id, proposed_flow: { name: flow.name } })
  const { body } = await decide(account.admin, first.id, 'approve')
  const saved = (await owner.call('GET', `/trees/${flow.id}`)).body
  expect([body.tree_id, saved.version, saved.status, saved.category, saved.author_id]).toEqual([
    flow.id,
    2,
    'published',
    'Printing',
    owner.id,
  ])
  expect(saved.tree_structure).toEqual(first.proposed_flow.tree_structure)
  // What nobody spoke of is as it was: ids of nodes and of options.
  expect(saved.tree_structure).toMatchObject({ id: 'ping', options: [{ id: 'yes' }, { id: 'no' }] })
  expect(JSON.stringify(saved.tree_structure)).toContain('Wiggled the quuxplug')
  const stale = await decide(account.admin, second.id, 'approve')
  expect([stale.status, stale.body.code, stale.body.current_version]).toEqual([409, 'stale_version', 2])
  expect((await owner.call('GET', `/flow-proposals/${second.id}`)).body.status).toBe('pending')
  expectStatus(await owner.call('DELETE', `/trees/${flow.id}`), 204)
  expect((await decide(account.admin, third.id, 'approve')).body.code).toBe('target_gone')
  expect((await decide(account.admin, third.id, 'reject')).body).toMatchObject({ status: 'rejected', reason: 'We have one' })
})

it('rejects with a reason, which its submitter is told, and makes nothing', async () => {
  const account = await newAccount(service)
  const owner = await account.colleague()
  const { body } = await convert(owner, (await doneRun(owner)).id)
  expectStatus(await account.admin.call('POST', `/flow-proposals/${body.id}/reject`, {}), 422)
  const rejected = await decide(account.admin, body.id, 'reject')
  expect([rejected.status, rejected.body]).toEqual([
    200,
    { ...body, status: 'rejected', reason: 'We have one', decided_by: account.admin.id, decided_at: expect.any(String) },
  ])
  expect((await owner.call('GET', '/notifications')).body).toMatchObject([{ event_key: 'proposal.rejected', body: 'We have one' }])
  expect((await owner.call('GET', `/trees?author_id=${owner.id}`)).body).toHaveLength(1)
})

it.each(['approve', 'reject', 'either'] as const)('AIA-10 lets one of 32 reviewers decide who %s at once', async (verb) => {
  const account = await newAccount(service)
  const owner = await account.colleague()
  const { body } = await convert(owner, (await doneRun(owner)).id)
  const reviewers = await Promise.all(Array.from({ length: 32 }, () => account.colleague({ teamRole: 'admin' })))
  const answers = await Promise.all(
    reviewers.map((person, n) => decide(person, body.id, verb === 'either' ? (n % 2 ? 'approve' : 'reject') : verb)),
  )
  const lost = answers.filter(({ status }) => status === 409)
  expect([lost.length, answers.filter(({ status }) => status < 300).length]).toEqual([31, 1])
  const winner = reviewers[answers.findIndex(({ status }) => status < 300)]
  for (const answer of lost) expect(answer.body).toMatchObject({ code: 'proposal_decided', decided_by: winner?.id })
  const { status } = (await owner.call('GET', `/flow-proposals/${body.id}`)).body
  expect(await events(owner)).toEqual([`proposal.${status}`])
  const trees = (await owner.call('GET', `/trees?author_id=${owner.id}`)).body
  expect(trees).toHaveLength(status === 'approved' ? 2 : 1)
})

it('is seen in its team, and decided by that team’s admins and account admins alone', async () => {
  const account = await newAccount(service)
  const [owner, mate] = [await account.colleague(), await account.colleague()]
  const { id: other } = (await account.admin.call('POST', '/teams', { name: 'Elsewhere' })).body
  const lead = await account.colleague({ teamId: other, teamRole: 'admin' })
  const { body } = await convert(owner, (await doneRun(owner)).id)
  const read = async (person: Person) => (await person.call('GET', `/flow-proposals/${body.id}`)).status
  expect([await read(mate), await read(lead), await read((await newAccount(service)).admin)]).toEqual([200, 404, 404])
  expect([(await decide(mate, body.id, 'approve')).status, (await decide(lead, body.id, 'approve')).status]).toEqual([403, 404])
  // Who proposed it has no more say for that: moved, the other team's admin reads it and decides nothing.
  await service.sql(`update users set team_id = $2, team_role = 'admin' where id = $1`, [owner.id, other])
  expect([await read(owner), (await decide(owner, body.id, 'approve')).status]).toEqual([200, 403])
  expectStatus(await decide(account.admin, body.id, 'approve'), 201)
})

it('converts what is over and one’s own, once while it awaits review', async () => {
  const account = await newAccount(service)
  const [owner, mate] = [await account.colleague(), await account.colleague()]
  const open = await newSession(owner)
  expect((await convert(owner, open.id)).body.code).toBe('not_completed')
  await answer(owner, open, 'no')
  await owner.call('POST', `/sessions/${open.id}/complete`, { outcome: 'resolved' })
  expect([(await convert(mate, open.id)).status, (await convert(owner, crypto.randomUUID())).status]).toEqual([403, 404])
  expectStatus(await convert((await newAccount(service)).admin, open.id), 404)
  const many = await Promise.all(Array.from({ length: 8 }, () => convert(owner, open.id)))
  expect(many.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
  expect(many.filter(({ status }) => status === 409).every(({ body }) => body.code === 'proposal_pending')).toBe(true)
  await decide(account.admin, many.find(({ status }) => status === 201)?.body.id, 'reject')
  expectStatus(await convert(account.admin, open.id), 201)
  const steps = await platformFlow(service, 'troubleshooting', { id: 'a', type: 'solution', title: 'A', description: '' })
  const done = await doneRun(owner)
  expect((await convert(owner, done.id, steps)).body.code).toBe('platform_flow')
  expectStatus(await convert(owner, done.id, crypto.randomUUID()), 404)
  const empty = await newFlow(owner, { tree_structure: null, intake_form: [], status: 'draft' })
  expect((await convert(owner, done.id, empty.id)).body.code).toBe('flow_empty')
})

it('makes a proposal of a resolved AI session of the caller’s, from what was found out and done', async () => {
  const account = await newAccount(service)
  const [owner, mate] = [await account.colleague(), await account.colleague()]
  const session = await newAiSession(owner, {
    session_type: 'chat',
    problem_summary: 'The Zorblatt at Fabrikam Legal hums.',
    client_name: 'Fabrikam Legal',
  })
  expect((await convert(owner, session.id)).body.code).toBe('wrong_session_state')
  await suggestFix(service, session, {
    title: 'Tighten the flibberbelt',
    status: 'applied_success',
    applied_at: new Date(),
    verified_at: new Date(),
  })
  await owner.call('POST', `/ai-sessions/${session.id}/resolve`, { outcome: 'resolved', notes: 'The belt was loose' })
  expectStatus(await convert(mate, session.id), 404)
  const { status, body } = await convert(owner, session.id)
  expect([status, body.source, body.source_id]).toEqual([201, 'ai_session', session.id])
  const text = JSON.stringify(body.proposed_flow)
  for (const word of ['Zorblatt', 'Tighten the flibberbelt', 'The belt was loose']) expect(text).toContain(word)
  expect(text).not.toContain('Fabrikam')
  // A case that a flow of ours does not know comes before what it knows.
  expectStatus(await decide(account.admin, body.id, 'reject'), 200)
  const flow = await newFlow(owner)
  const update = (await convert(owner, session.id, flow.id)).body
  const [, known] = update.proposed_flow.tree_structure.children
  expect([update.action, known.id, known.children.length]).toEqual(['update', 'ping', 2])
  expect((await decide(account.admin, update.id, 'approve')).body.tree_id).toBe(flow.id)
})
