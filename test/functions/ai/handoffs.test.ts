import { expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { claimHandoff, createEscalation, escalateSession, pickUpSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { connectPsa } from '#test/support/psa.ts'

const service = await sharedService()
const handoffFields = {
  reason: 'Rights',
  summary: 'The spooler stops',
  what_was_tried: 'A restart',
  next_steps: 'The driver',
  urgency: 'high',
}

async function createPeople() {
  const account = await createAccount(service)
  const [owner, colleague] = [await account.addColleague(), await account.addColleague()]
  return { account, owner, colleague, admin: account.admin }
}

it('HND-01 HND-08 HND-09 escalates with a handoff, its target and the escalation package', async () => {
  const { owner, colleague } = await createPeople()
  const { id, handoffId, body } = await createEscalation(
    owner,
    { ...handoffFields, target_user_id: colleague.id },
    { client_name: 'Contoso Dental' },
  )
  expect(body).toMatchObject({ session_id: id, status: 'escalated', psa_push: 'not_linked' })
  expect(body.documentation).toContain('The spooler stops')
  const detail = (await colleague.call('GET', `/ai-sessions/${id}`)).body
  expect(detail).toMatchObject({ status: 'escalated', escalated_to_id: colleague.id, picked_up_by_id: null })
  const [handoff] = detail.handoffs
  expect(handoff).toMatchObject({
    id: handoffId,
    intent: 'escalate',
    created_by: owner.id,
    target_user_id: colleague.id,
    ...handoffFields,
  })
  expect(detail.escalation_package).toMatchObject({
    summary: handoffFields.summary,
    what_was_tried: handoffFields.what_was_tried,
    next_steps: handoffFields.next_steps,
    urgency: 'high',
    problem: detail.problem_summary,
    evidence: [],
    fixes: [],
    task_lane: detail.pending_task_lane,
    handoff_id: handoffId,
    created_by: owner.id,
    created_at: handoff.created_at,
  })
  expect((await owner.call('GET', `/ai-sessions/${id}/handoffs`)).body).toMatchObject([{ id: handoffId }])
})

it('HND-02 HND-06 escalates through a handoff with the intent `escalate` and without a target', async () => {
  const { owner, admin } = await createPeople()
  const { id } = await createAiSession(owner)
  const created = await owner.call('POST', `/ai-sessions/${id}/handoff`, {
    intent: 'escalate',
    ...handoffFields,
  })
  expect([created.status, created.body.target_user_id, created.body.session_id]).toEqual([201, null, id])
  const direct = await createEscalation(owner)
  const inbox = (await admin.call('GET', '/notifications')).body.filter(
    ({ event_key: key }: { event_key: string }) => key === 'session.escalated',
  )
  expect(inbox.map(({ link }: { link: string }) => link).sort()).toEqual(
    [id, direct.id].map((sessionId) => `/pilot/${sessionId}?pickup=true`).sort(),
  )
  const rows = await service.sql(
    `select s.status, s.escalation_package is not null as has_package, h.documentation <> '' as has_documentation,
            h.assessment_status is not null as has_assessment
       from ai_sessions s join ai_handoffs h on h.session_id = s.id where s.account_id = $1`,
    [owner.accountId],
  )
  expect(rows).toEqual(
    Array(2).fill({ status: 'escalated', has_package: true, has_documentation: true, has_assessment: true }),
  )
})

it('HND-03 HND-24 accepts two intents and four urgencies', async () => {
  const { owner } = await createPeople()
  const { id } = await createAiSession(owner)
  const postHandoff = async (body: object) =>
    (await owner.call('POST', `/ai-sessions/${id}/handoff`, body)).status
  expect([
    await postHandoff({ intent: 'give' }),
    await postHandoff({}),
    await postHandoff({ intent: 'park', urgency: 'soon' }),
  ]).toEqual([422, 422, 422])
  for (const urgency of ['low', 'normal', 'high', 'critical'])
    expect(await postHandoff({ intent: 'park', urgency })).toBe(201)
  expect((await owner.call('GET', `/ai-sessions/${id}`)).body.status).toBe('parked')
})

it('HND-04 AIS-33 lets only the owner hand over: a colleague gets 404, or 403 if the session is visible', async () => {
  const { owner, colleague } = await createPeople()
  const { id } = await createAiSession(owner)
  const attempt = async () => [
    (await colleague.call('POST', `/ai-sessions/${id}/escalate`, {})).status,
    (await colleague.call('POST', `/ai-sessions/${id}/handoff`, { intent: 'park' })).status,
  ]
  expect(await attempt()).toEqual([404, 404])
  await escalateSession(owner, id)
  expect(await attempt()).toEqual([403, 403])
})

it('HND-05 HND-19 returns 422 for oneself or a viewer as target, and 404 for a stranger or a deactivated colleague', async () => {
  const { account, owner, colleague } = await createPeople()
  const stranger = (await createAccount(service)).admin
  const viewer = await account.addColleague({ role: 'viewer' })
  await service.sql('update users set is_active = false where id = $1', [colleague.id])
  const { id } = await createAiSession(owner)
  for (const [target, status] of [
    [owner, 422],
    [stranger, 404],
    [colleague, 404],
    [viewer, 422],
  ] as const) {
    const body = { target_user_id: target.id }
    expectStatus(await owner.call('POST', `/ai-sessions/${id}/escalate`, body), status)
    expectStatus(await owner.call('POST', `/ai-sessions/${id}/handoff`, { intent: 'park', ...body }), status)
  }
  expect((await owner.call('GET', `/ai-sessions/${id}`)).body).toMatchObject({
    status: 'active',
    handoffs: [],
    escalation_package: null,
  })
})

it('HND-07 pushes the documentation of an escalation to the linked ticket', async () => {
  const { owner, admin } = await createPeople()
  await connectPsa(service, admin)
  const { id } = await createAiSession(owner, { psa_ticket_id: '4711' })
  const { handoffId, body } = await escalateSession(owner, id, handoffFields)
  expect(body.psa_push).toBe('queued')
  const selectPush = () =>
    service.sql(
      `select p.state, p.internal from psa_pushes p join ai_handoffs h on h.psa_push_id = p.id where h.id = $1`,
      [handoffId],
    )
  await expect.poll(selectPush, { timeout: 30_000 }).toEqual([{ state: 'pushed', internal: true }])
  expect(body.documentation).toContain('What was tried\nA restart')
})

it('HND-22 parks a session without notifications, resumes it, and escalates a parked session', async () => {
  const { owner, colleague, admin } = await createPeople()
  const { id } = await createAiSession(owner)
  const parked = await owner.call('POST', `/ai-sessions/${id}/handoff`, {
    intent: 'park',
    summary: 'Waiting for the part',
  })
  expect(parked.body).toMatchObject({
    intent: 'park',
    assessment_status: null,
    summary: 'Waiting for the part',
  })
  expect((await owner.call('GET', `/ai-sessions/${id}`)).body).toMatchObject({
    status: 'parked',
    escalation_package: null,
  })
  const events = await service.sql(
    'select key from events where account_id = $1 union all select event from stream_events where account_id = $1',
    [admin.accountId],
  )
  expect(events).toEqual([])
  expectStatus(await colleague.call('POST', `/ai-sessions/${id}/resume`), 404)
  expect((await owner.call('POST', `/ai-sessions/${id}/resume`)).body.status).toBe('active')
  expectStatus(await owner.call('POST', `/ai-sessions/${id}/resume`), 409)
  await owner.call('POST', `/ai-sessions/${id}/handoff`, { intent: 'park' })
  const { handoffId } = await escalateSession(owner, id)
  expectStatus(await owner.call('POST', `/ai-sessions/${id}/escalate`, {}), 409)
  const openHandoffs = await service.sql(
    'select id from ai_handoffs where session_id = $1 and closed_at is null',
    [id],
  )
  expect(openHandoffs).toEqual([{ id: handoffId }])
})

it('HND-17 stores the assessment after the response to an escalation, and notifies the team admin', async () => {
  const { owner, admin } = await createPeople()
  const { id, handoffId } = await createEscalation(owner, handoffFields)
  const readHandoff = async () => (await owner.call('GET', `/ai-sessions/${id}`)).body.handoffs[0]
  await expect.poll(async () => (await readHandoff()).assessment_status, { timeout: 30_000 }).toBe('ready')
  expect((await readHandoff()).ai_assessment).toContain('Reception')
  const detail = (await owner.call('GET', `/ai-sessions/${id}`)).body
  expect(detail.escalation_package).toMatchObject({
    handoff_id: handoffId,
    assessment: detail.handoffs[0].ai_assessment,
  })
  const inbox = (await admin.call('GET', '/notifications')).body.map(
    ({ event_key: key }: { event_key: string }) => key,
  )
  expect(inbox.sort()).toEqual(['handoff.assessment_ready', 'session.escalated'])
})

it('HND-26 notifies team admins and the target of an escalation in the app and by e-mail, but not the person who escalated', async () => {
  const { account, owner, colleague } = await createPeople()
  const lead = await account.addColleague({ teamRole: 'admin' })
  const { body } = await createEscalation(lead, { target_user_id: colleague.id })
  // The account admin and the target.
  expect(body.notified).toBe(2)
  const countNotifications = async (person: typeof colleague) =>
    (await person.call('GET', '/notifications')).body.length
  expect([
    await countNotifications(colleague),
    await countNotifications(lead),
    await countNotifications(owner),
  ]).toEqual([1, 0, 0])
  await expect
    .poll(
      async () =>
        (await dashboard(service).listRecords('mail')).filter(({ to }) => to.includes(colleague.email))
          .length,
      {
        timeout: 30_000,
      },
    )
    .toBe(1)
})

it('HND-15 picks up a session that is requesting escalation, with or without a handoff', async () => {
  const { owner, colleague } = await createPeople()
  const sessionWithoutHandoff = await createAiSession(owner)
  const { id } = await createEscalation(owner)
  await service.sql(`update ai_sessions set status = 'requesting_escalation' where id = any ($1)`, [
    [sessionWithoutHandoff.id, id],
  ])
  for (const sessionId of [sessionWithoutHandoff.id, id]) {
    expectStatus(await pickUpSession(owner, sessionId), 403)
    expect((await pickUpSession(colleague, sessionId)).body).toMatchObject({
      status: 'active',
      picked_up_by_id: colleague.id,
    })
  }
})

it('HND-23 claims the handoff with a pickup, and lets the person who picked up escalate again', async () => {
  const { owner, colleague, account } = await createPeople()
  const thirdEngineer = await account.addColleague()
  const { id, handoffId } = await createEscalation(owner)
  const { body } = await pickUpSession(colleague, id)
  expect(body).toMatchObject({
    status: 'active',
    picked_up_by_id: colleague.id,
    handoffs: [{ id: handoffId, claimed_by: colleague.id }],
  })
  expectStatus(await pickUpSession(colleague, id), 200)
  expect((await pickUpSession(thirdEngineer, id)).body).toMatchObject({
    winner: { id: colleague.id, name: colleague.fullName },
  })
  expect((await owner.call('GET', '/notifications')).body).toMatchObject([{ event_key: 'handoff.claimed' }])
  const secondEscalation = await escalateSession(colleague, id)
  expectStatus(await claimHandoff(colleague, id, secondEscalation.handoffId), 403)
  expect((await pickUpSession(owner, id)).body).toMatchObject({ status: 'active', picked_up_by_id: owner.id })
})
