import { expect, it } from 'vitest'
import type { Event } from '#rules/events/events.ts'
import { eventKeyList } from '#rules/events/keys.ts'
import { webhookEventList } from '#rules/events/webhook-keys.ts'
import { type WebhookType, webhookData } from '#rules/events/webhook-schemas.ts'
import { createAiSession } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { createEscalation } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, flowBody } from '#test/support/flows.ts'
import { emitWithoutPublishing } from '#test/support/jobs.ts'
import { createSchedule } from '#test/support/maintenance.ts'
import { createAccount } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'

const service = await sharedService()

// The audit log has a test of its own.
const otherEvents = webhookEventList.filter((event) => event !== 'audit.recorded')

/**
 * Create an account with a webhook of these events. Return a function that reads the payloads of its log,
 * oldest first.
 */
async function createListeningAccount(events: readonly string[] = otherEvents) {
  const account = await createAccount(service)
  const response = await account.admin.call('POST', '/webhooks', {
    url: `${service.localOrigin}/hooks/events`,
    events,
  })
  expectStatus(response, 201)
  const listPayloads = async () => {
    const rows = await service.sql<{ payload: string; subject: string }>(
      'select payload, subject from webhook_deliveries where webhook_id = $1 order by id',
      [response.body.id],
    )
    return rows.map(({ payload, subject }) => ({ subject, ...JSON.parse(payload) }))
  }
  return { ...account, listPayloads }
}

const expectDeclared = ({
  type,
  timestamp,
  data,
}: {
  type: WebhookType
  timestamp: string
  data: unknown
}) => {
  expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(webhookData[type].strict().safeParse(data).error?.issues ?? []).toEqual([])
}

it('WHK-13 each event of the notifications reaches webhooks with the declared data', async () => {
  const { id: accountId, admin, teamId, listPayloads } = await createListeningAccount()
  const uuid = () => crypto.randomUUID()
  const session = { sessionId: uuid(), sessionTitle: 'VPN' }
  const proposal = { proposalId: uuid(), flowName: 'Printer' }
  const approval = {
    caseKind: 'session' as const,
    approvalId: uuid(),
    sessionId: uuid(),
    subjectTitle: 'Restart',
    userIds: [admin.id],
  }
  const schedule = { scheduleId: uuid(), scheduleName: 'Patches', ownerId: admin.id }
  const details = {
    client_name: null,
    psa_ticket_id: '7',
    reason: '',
    summary: '',
    what_was_tried: '',
    next_steps: '',
  }
  const substitute = {
    scheduleId: uuid(),
    scheduleName: 'Night',
    requestId: uuid(),
    member: { id: admin.id, name: 'Sam' },
    startsAt: '2026-11-22T20:00:00.000Z',
    endsAt: '2026-11-23T06:00:00.000Z',
    timezones: ['Europe/Berlin'],
    userIds: [admin.id],
  }
  type Fields<E> = E extends Event ? Omit<E, 'actorId' | 'teamId'> : never
  const events: Fields<Event>[] = [
    {
      key: 'session.escalated',
      sessionId: uuid(),
      engineerName: 'Robin',
      problemSummary: 'VPN',
      psaTicketId: '7',
      targetUserId: null,
      details: { urgency: 'high', ...details },
    },
    {
      key: 'escalation.reminded',
      sessionId: uuid(),
      handoffId: uuid(),
      problemSummary: 'VPN',
      psaTicketId: '7',
      round: 1,
      rounds: 1,
      step: 1,
      userIds: [admin.id],
      toldIds: [],
      toldNames: [],
      waitingSeconds: 60,
      details: { urgency: 'high', ...details },
    },
    {
      key: 'escalation.unreached',
      sessionId: uuid(),
      handoffId: uuid(),
      problemSummary: 'VPN',
      psaTicketId: '7',
      round: 1,
      step: 1,
      isWholePolicy: true,
    },
    {
      key: 'escalation.acknowledged',
      sessionId: uuid(),
      handoffId: uuid(),
      problemSummary: 'VPN',
      engineerId: admin.id,
      colleagueName: 'Sam',
    },
    { key: 'handoff.claimed', ...session, claimantName: 'Sam', engineerId: admin.id },
    { key: 'handoff.assessment_ready', ...session, claimantId: null },
    { key: 'proposal.submitted', ...proposal, submitterName: 'Sam' },
    { key: 'proposal.approved', ...proposal, submitterId: admin.id },
    { key: 'proposal.rejected', ...proposal, submitterId: admin.id, reason: 'Too long' },
    { key: 'approval.requested', ...approval, requesterName: 'Sam' },
    { key: 'approval.decided', ...approval, approverName: 'Sam', isApproved: true, comment: '' },
    { key: 'approval.expired', isNobodyLeft: false, ...approval },
    { key: 'session.timer_due', sessionId: uuid(), flowName: 'Disk', stepTitle: 'Check', userId: admin.id },
    {
      key: 'handover.due',
      teamName: 'North',
      lines: [{ text: 'Nothing is open.', path: null }],
      frontendUrl: 'https://app.example',
      handoverTeamId: uuid(),
      userIds: [],
    },
    {
      key: 'flow.review_due',
      ownerId: admin.id,
      count: 1,
      flows: [{ treeId: uuid(), name: 'VPN', dueOn: '2026-11-02', reviewedAt: null, evidence: undefined }],
    },
    { key: 'maintenance.batch_created', ...schedule, sessionCount: 2 },
    { key: 'maintenance.run_failed', ...schedule, reason: 'Paused' },
    {
      key: 'psa.push_failed',
      source: 'output',
      sessionId: uuid(),
      psaTicketId: '7',
      reason: 'Down',
      ownerId: null,
    },
    {
      key: 'alert.opened',
      alertId: uuid(),
      title: 'Disk is full',
      text: '97%',
      clientName: 'Contoso',
      machine: 'SRV-FILE-01',
      urgency: 'high',
      sourceName: 'Zabbix',
      aiSessionId: uuid(),
      sessionId: null,
      ownerId: admin.id,
    },
    { key: 'alert.limited', sourceId: uuid(), sourceName: 'Zabbix', reason: 'Too many' },
    { key: 'channel.disconnected', configId: uuid(), host: 'chat.example', authorId: admin.id },
    { key: 'phone.limited', gatewayId: uuid(), dailyLimit: 100 },
    {
      key: 'oncall.overridden',
      scheduleId: uuid(),
      scheduleName: 'Night',
      memberName: 'Sam',
      memberId: admin.id,
      startsAt: '2026-11-22T20:00:00.000Z',
      endsAt: '2026-11-23T06:00:00.000Z',
      isEnded: false,
      replacedIds: [admin.id],
      userIds: [admin.id],
      isOtherTeam: true,
      isMailed: false,
      timezones: ['Europe/Berlin'],
    },
    {
      key: 'oncall.changed',
      scheduleId: uuid(),
      scheduleName: 'Night',
      member: { id: admin.id, name: 'Sam' },
      previous: null,
      isDeleted: false,
      userIds: [admin.id],
    },
    {
      key: 'oncall.shift_starts',
      scheduleId: uuid(),
      scheduleName: 'Night',
      member: { id: admin.id, name: 'Sam', timezone: 'Europe/Berlin' },
      startsAt: '2026-11-22T20:00:00.000Z',
      endsAt: null,
    },
    { ...substitute, key: 'oncall.substitute_requested', note: 'A school play' },
    {
      ...substitute,
      key: 'oncall.substitute_updated',
      outcome: 'accepted',
      colleague: { id: admin.id, name: 'Sam' },
    },
    { key: 'member.joined', memberName: 'Sam', inviterId: admin.id },
  ]
  for (const event of events)
    await emitWithoutPublishing(service, accountId, { ...event, actorId: admin.id, teamId } as Event)
  const payloads = await listPayloads()
  expect(payloads.map(({ type }) => type)).toEqual(eventKeyList)
  for (const payload of payloads) expectDeclared(payload)
})

it('WHK-13 session.completed is sent once for a completed session and for a resolved AI session', async () => {
  const { admin, listPayloads } = await createListeningAccount(['session.completed'])
  const session = await createSession(admin, { ticket_number: '4711' })
  const complete = () =>
    admin.call('POST', `/sessions/${session.id}/complete`, { outcome: 'resolved', notes: 'Secret: hunter2' })
  expectStatus(await complete(), 200)
  expectStatus(await complete(), 409)
  const aiSession = await createAiSession(admin)
  expectStatus(
    await admin.call('POST', `/ai-sessions/${aiSession.id}/resolve`, {
      outcome: 'workaround',
      notes: 'Secret: hunter2',
    }),
    200,
  )
  const payloads = await listPayloads()
  for (const payload of payloads) expectDeclared(payload)
  expect(payloads).toMatchObject([
    {
      subject: session.id,
      data: {
        session_id: session.id,
        kind: 'flow',
        outcome: 'resolved',
        ticket_id: '4711',
        flow_id: session.tree_id,
      },
    },
    {
      subject: aiSession.id,
      data: { session_id: aiSession.id, kind: 'ai', outcome: 'workaround', flow_id: null },
    },
  ])
  expect(JSON.stringify(payloads)).not.toContain('hunter2')
})

it('WHK-13 flow.published is sent for each published version, and neither for drafts nor for private flows', async () => {
  const { admin, listPayloads } = await createListeningAccount(['flow.published'])
  await createFlow(admin, { visibility: 'private' })
  const draft = await createFlow(admin, { status: 'draft' })
  expect(await listPayloads()).toEqual([])
  expectStatus(await admin.call('PUT', `/trees/${draft.id}`, { status: 'published' }), 200)
  expectStatus(await admin.call('PUT', `/trees/${draft.id}`, { description: 'New' }), 200)
  const payloads = await listPayloads()
  for (const payload of payloads) expectDeclared(payload)
  expect(payloads.map(({ data }) => [data.flow_id, data.version, data.published_by])).toEqual([
    [draft.id, 2, admin.id],
    [draft.id, 3, admin.id],
  ])
  expectStatus(await admin.call('POST', '/trees', flowBody({ tree_structure: { id: 'x' } })), 422)
  expect(await listPayloads()).toHaveLength(2)
})

it('WHK-13 schedule.run is sent for a run on request, beside its notification event', async () => {
  const { admin, listPayloads } = await createListeningAccount(['schedule.run', 'maintenance.batch_created'])
  const schedule = await createSchedule(admin)
  const run = await admin.call('POST', `/maintenance-schedules/${schedule.id}/run`)
  expectStatus(run, 201)
  const payloads = await listPayloads()
  for (const payload of payloads) expectDeclared(payload)
  expect(payloads.map(({ type }) => type).toSorted()).toEqual(['maintenance.batch_created', 'schedule.run'])
  const data = {
    schedule_id: schedule.id,
    run_id: run.body.run_id,
    trigger: 'manual',
    status: 'created',
    batch_ids: run.body.batch_ids,
  }
  expect(payloads.find(({ type }) => type === 'schedule.run')?.data).toMatchObject(data)
})

it('WHK-13 session.escalated has the first 2,000 characters of the problem, so that a long one fits into a message', async () => {
  const { addColleague, listPayloads } = await createListeningAccount(['session.escalated'])
  const engineer = await addColleague()
  await createEscalation(
    engineer,
    { summary: `x${'\u0001'.repeat(19_998)}x` },
    { problem_summary: undefined },
  )
  const [message] = await listPayloads()
  expect(message?.data.problem).toHaveLength(2000)
})

it('WHK-13 session.escalated has the texts of the alert, masked when the account masks its exports', async () => {
  const { admin, addColleague, listPayloads } = await createListeningAccount(['session.escalated'])
  expectStatus(await admin.call('PATCH', '/accounts/me/preferences', { mask_exports: true }), 200)
  const engineer = await addColleague()
  const { id } = await createEscalation(engineer, { reason: 'The password is: Summer-2026-Oslo!' })
  const [payload] = await listPayloads()
  expectDeclared(payload as never)
  expect(payload).toMatchObject({ subject: id, data: { session_id: id, engineer_id: engineer.id } })
  expect(JSON.stringify(payload)).not.toContain('Summer-2026')
})
