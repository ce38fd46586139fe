import { expect, it } from 'vitest'
import { newAiSession } from '../../support/ai.ts'
import { expectStatus } from '../../support/answers.ts'
import { desk, shared } from '../../support/app.ts'
import { claim, escalate, newEscalation, pickup } from '../../support/escalations.ts'
import { newAccount } from '../../support/people.ts'
import { connect } from '../../support/psa.ts'

const service = shared()
const given = { reason: 'Rights', summary: 'The spooler stops', what_was_tried: 'A restart', next_steps: 'The driver', urgency: 'high' }

async function people() {
  const account = await newAccount(service)
  const [owner, other] = [await account.colleague(), await account.colleague()]
  return { account, owner, other, admin: account.admin }
}

it('HND-01 HND-08 HND-09 escalates with a handoff, its target and the package of all that is known', async () => {
  const { owner, other } = await people()
  const { id, handoffId, body } = await newEscalation(owner, { ...given, target_user_id: other.id }, { client_name: 'Contoso Dental' })
  expect(body).toMatchObject({ session_id: id, status: 'escalated', psa_push: 'not_linked' })
  expect(body.documentation).toContain('The spooler stops')
  const detail = (await other.call('GET', `/ai-sessions/${id}`)).body
  expect(detail).toMatchObject({ status: 'escalated', escalated_to_id: other.id, picked_up_by_id: null })
  const [handoff] = detail.handoffs
  expect(handoff).toMatchObject({ id: handoffId, intent: 'escalate', created_by: owner.id, target_user_id: other.id, ...given })
  expect(detail.escalation_package).toMatchObject({
    ...{ summary: given.summary, what_was_tried: given.what_was_tried, next_steps: given.next_steps, urgency: 'high' },
    ...{ problem: detail.problem_summary, evidence: [], fixes: [], task_lane: detail.pending_task_lane },
    ...{ handoff_id: handoffId, created_by: owner.id, created_at: handoff.created_at },
  })
  expect((await owner.call('GET', `/ai-sessions/${id}/handoffs`)).body).toMatchObject([{ id: handoffId }])
})

it('HND-02 HND-06 does the same by a handoff of intent escalate, and needs no target', async () => {
  const { owner, admin } = await people()
  const { id } = await newAiSession(owner)
  const made = await owner.call('POST', `/ai-sessions/${id}/handoff`, { intent: 'escalate', ...given })
  expect([made.status, made.body.target_user_id, made.body.session_id]).toEqual([201, null, id])
  const plain = await newEscalation(owner)
  const inbox = (await admin.call('GET', '/notifications')).body.filter(
    ({ event_key: key }: { event_key: string }) => key === 'session.escalated',
  )
  expect(inbox.map(({ link }: { link: string }) => link).sort()).toEqual([id, plain.id].map((one) => `/pilot/${one}?pickup=true`).sort())
  const rows = await service.sql(
    `select s.status, s.escalation_package is not null as packed, h.documentation <> '' as documented, h.assessment_status is not null as assessed
       from ai_sessions s join ai_handoffs h on h.session_id = s.id where s.account_id = $1`,
    [owner.accountId],
  )
  expect(rows).toEqual(Array(2).fill({ status: 'escalated', packed: true, documented: true, assessed: true }))
})

it('HND-03 HND-24 knows two intents and four urgencies', async () => {
  const { owner } = await people()
  const { id } = await newAiSession(owner)
  const status = async (body: object) => (await owner.call('POST', `/ai-sessions/${id}/handoff`, body)).status
  expect([await status({ intent: 'give' }), await status({}), await status({ intent: 'park', urgency: 'soon' })]).toEqual([422, 422, 422])
  for (const urgency of ['low', 'normal', 'high', 'critical']) expect(await status({ intent: 'park', urgency })).toBe(201)
  expect((await owner.call('GET', `/ai-sessions/${id}`)).body.status).toBe('parked')
})

it('HND-04 AIS-33 is the owner’s alone to do: a colleague gets 404, and 403 of what they see', async () => {
  const { owner, other } = await people()
  const { id } = await newAiSession(owner)
  const attempt = async () => [
    (await other.call('POST', `/ai-sessions/${id}/escalate`, {})).status,
    (await other.call('POST', `/ai-sessions/${id}/handoff`, { intent: 'park' })).status,
  ]
  expect(await attempt()).toEqual([404, 404])
  await escalate(owner, id)
  expect(await attempt()).toEqual([403, 403])
})

it('HND-05 HND-19 refuses oneself as target with 422, a stranger and a deactivated colleague with 404, a viewer with 422', async () => {
  const { account, owner, other } = await people()
  const stranger = (await newAccount(service)).admin
  const viewer = await account.colleague({ role: 'viewer' })
  await service.sql('update users set is_active = false where id = $1', [other.id])
  const { id } = await newAiSession(owner)
  for (const [target, status] of [
    [owner, 422],
    [stranger, 404],
    [other, 404],
    [viewer, 422],
  ] as const) {
    const body = { target_user_id: target.id }
    expectStatus(await owner.call('POST', `/ai-sessions/${id}/escalate`, body), status)
    expectStatus(await owner.call('POST', `/ai-sessions/${id}/handoff`, { intent: 'park', ...body }), status)
  }
  expect((await owner.call('GET', `/ai-sessions/${id}`)).body).toMatchObject({ status: 'active', handoffs: [], escalation_package: null })
})

it('HND-07 pushes the documentation to the linked ticket', async () => {
  const { owner, admin } = await people()
  await connect(service, admin)
  const { id } = await newAiSession(owner, { psa_ticket_id: '4711' })
  const { handoffId, body } = await escalate(owner, id, given)
  expect(body.psa_push).toBe('queued')
  const pushed = () =>
    service.sql(`select p.state, p.internal from psa_pushes p join ai_handoffs h on h.psa_push_id = p.id where h.id = $1`, [handoffId])
  await expect.poll(pushed, { timeout: 10_000 }).toEqual([{ state: 'pushed', internal: true }])
  expect(body.documentation).toContain('What was tried\nA restart')
})

it('HND-22 parks in silence, resumes, and an escalation takes a parked session too', async () => {
  const { owner, other, admin } = await people()
  const { id } = await newAiSession(owner)
  const parked = await owner.call('POST', `/ai-sessions/${id}/handoff`, { intent: 'park', summary: 'Waiting for the part' })
  expect(parked.body).toMatchObject({ intent: 'park', assessment_status: null, summary: 'Waiting for the part' })
  expect((await owner.call('GET', `/ai-sessions/${id}`)).body).toMatchObject({ status: 'parked', escalation_package: null })
  const told = await service.sql(
    'select key from events where account_id = $1 union all select event from stream_events where account_id = $1',
    [admin.accountId],
  )
  expect(told).toEqual([])
  expectStatus(await other.call('POST', `/ai-sessions/${id}/resume`), 404)
  expect((await owner.call('POST', `/ai-sessions/${id}/resume`)).body.status).toBe('active')
  expectStatus(await owner.call('POST', `/ai-sessions/${id}/resume`), 409)
  await owner.call('POST', `/ai-sessions/${id}/handoff`, { intent: 'park' })
  const { handoffId } = await escalate(owner, id)
  expectStatus(await owner.call('POST', `/ai-sessions/${id}/escalate`, {}), 409)
  const open = await service.sql('select id from ai_handoffs where session_id = $1 and closed_at is null', [id])
  expect(open).toEqual([{ id: handoffId }])
})

it('HND-17 answers without the assessment, which comes later and is told to whom it concerns', async () => {
  const { owner, admin } = await people()
  const { id, handoffId } = await newEscalation(owner, given)
  const handoff = async () => (await owner.call('GET', `/ai-sessions/${id}`)).body.handoffs[0]
  await expect.poll(async () => (await handoff()).assessment_status, { timeout: 15_000 }).toBe('ready')
  expect((await handoff()).ai_assessment).toContain('Reception')
  const detail = (await owner.call('GET', `/ai-sessions/${id}`)).body
  expect(detail.escalation_package).toMatchObject({ handoff_id: handoffId, assessment: detail.handoffs[0].ai_assessment })
  const inbox = (await admin.call('GET', '/notifications')).body.map(({ event_key: key }: { event_key: string }) => key)
  expect(inbox.sort()).toEqual(['handoff.assessment_ready', 'session.escalated'])
})

it('tells team admins and the target, never who escalated, in the app and by mail', async () => {
  const { account, owner, other } = await people()
  const lead = await account.colleague({ teamRole: 'admin' })
  const { body } = await newEscalation(lead, { target_user_id: other.id })
  // The account's admin and the target, each in the app and by mail.
  expect(body.notified).toBe(4)
  const inbox = async (person: typeof other) => (await person.call('GET', '/notifications')).body.length
  expect([await inbox(other), await inbox(lead), await inbox(owner)]).toEqual([1, 0, 0])
  await expect
    .poll(async () => (await desk(service).read('mail')).filter(({ to }) => to.includes(other.email)).length, { timeout: 10_000 })
    .toBe(1)
})

it('HND-15 picks a session up that is requesting escalation, with or without a handoff', async () => {
  const { owner, other } = await people()
  const legacy = await newAiSession(owner)
  const { id } = await newEscalation(owner)
  await service.sql(`update ai_sessions set status = 'requesting_escalation' where id = any ($1)`, [[legacy.id, id]])
  for (const one of [legacy.id, id]) {
    expectStatus(await pickup(owner, one), 403)
    expect((await pickup(other, one)).body).toMatchObject({ status: 'active', picked_up_by_id: other.id })
  }
})

it('HND-23 claims with the pickup, and who picked up owns it: escalating again included', async () => {
  const { owner, other, account } = await people()
  const third = await account.colleague()
  const { id, handoffId } = await newEscalation(owner)
  const { body } = await pickup(other, id)
  expect(body).toMatchObject({ status: 'active', picked_up_by_id: other.id, handoffs: [{ id: handoffId, claimed_by: other.id }] })
  expectStatus(await pickup(other, id), 200)
  expect((await pickup(third, id)).body).toMatchObject({ winner: { id: other.id, name: other.fullName } })
  expect((await owner.call('GET', '/notifications')).body).toMatchObject([{ event_key: 'handoff.claimed' }])
  const again = await escalate(other, id)
  expectStatus(await claim(other, id, again.handoffId), 403)
  expect((await pickup(owner, id)).body).toMatchObject({ status: 'active', picked_up_by_id: owner.id })
})
