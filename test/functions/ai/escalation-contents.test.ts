// @module-tag mechanism
import { describe, expect, it } from 'vitest'
import { type NewEscalation, storeEscalation } from '#functions/ai/handoffs/queries.ts'
import { escalate } from '#functions/ai/handoffs/service.ts'
import { createStubScope } from '#test/support/stub-scope.ts'

const input = {
  target_user_id: null,
  urgency: 'high',
  reason: 'r',
  summary: 'Summary',
  what_was_tried: 't',
  next_steps: 'n',
}
const session = {
  ...{
    id: 's',
    title: 'Title',
    problem_summary: 'Problem',
    client_name: 'Contoso',
    asset_name: null,
    issue_category: null,
    triage_hypothesis: null,
  },
  ...{
    environment_tags: [],
    status: 'active',
    outcome: null,
    resolution_notes: null,
    evidence_items: [],
    facts: [],
    steps: [],
  },
  ...{
    suggested_fixes: [],
    script_runs: [],
    messages: [],
    pending_task_lane: { questions: [], actions: [], responses: [] },
    is_owner: true,
  },
  ...{
    psa_ticket_id: '7',
    team_id: null,
    updated_at: '2026-11-21T09:00:00Z',
    state_version: 1,
    user_id: 'me',
    handoffs: [],
  },
}

const missingRow = Object.assign(new Error('the row was changed'), { code: 'SF409' })

/**
 * Open a scope in which a session is escalated. The first `conflicts` updates of the session fail, because it
 * has changed.
 */
function openScope(
  row: object,
  {
    conflicts = 0,
    isMasked = false,
    people = [],
  }: { conflicts?: number; isMasked?: boolean; people?: object[] } = {},
) {
  return createStubScope(({ sql }) => {
    if (sql.includes("set status = 'escalated'") && conflicts-- > 0) throw missingRow
    if (sql.includes('on_call_schedules')) return []
    if (sql.includes('insert into escalation_follow_ups')) return [{ id: 'r', delay_seconds: 60 }]
    if (sql.includes('insert into psa_pushes')) return [{ id: 'p' }]
    if (sql.includes('insert into ai_handoffs')) return [{ handoff: { id: 'h' } }]
    if (sql.includes('insert into stream_events'))
      return [{ account_id: 'a', key: 'k', event: 'handoff_created', data: {} }]
    if (sql.includes('app.emit('))
      return [{ delivery_ids: ['d'], user_ids: ['u'], webhook_delivery_ids: ['w'] }]
    if (sql.includes('u.full_name as name, u.role'))
      return [...people, { name: 'Dana', role: 'engineer', is_caller: true }]
    return sql.includes('from ai_sessions s') ? [row] : [{ is_masked: isMasked }]
  })
}

/** Return the alert that the follow-up of an escalation repeats. */
function readAlert({ findStatements }: ReturnType<typeof createStubScope>): object {
  const [parameters = []] = findStatements('insert into escalation_follow_ups')
  return JSON.parse(parameters.find((value) => String(value).startsWith('{"problem"')) as string)
}

describe('the alert of an escalation', () => {
  const message = (role: string, content: string) => ({ role, content, citations: [], failure: null })
  const messages = [message('assistant', 'Hello'), message('user', 'Message'), message('user', 'Later')]
  it.each([
    ['the problem of the session', {}, {}, 'Problem'],
    ['the summary of the handoff', { problem_summary: null }, {}, 'Summary'],
    ['the summary, if the problem is blank', { problem_summary: ' ' }, {}, 'Summary'],
    ['the first message of the user', { problem_summary: null, messages }, { summary: ' ' }, 'Message'],
    ['the title', { problem_summary: null, messages: messages.slice(0, 1) }, { summary: '' }, 'Title'],
  ])('has %s as its problem', async (_, changes, inputChanges, problem) => {
    const scope = openScope({ ...session, ...changes })
    await escalate({ db: scope.db, caller: { userId: 'me' } } as never, 's', {
      ...input,
      ...inputChanges,
    } as never)
    expect(readAlert(scope)).toMatchObject({
      problem,
      ticket_id: '7',
      details: { urgency: 'high', client_name: 'Contoso', reason: 'r' },
    })
  })

  it.each([
    [false, 'password: hunter2secret'],
    [true, expect.not.stringContaining('hunter2secret')],
  ])('is masked as the account says: %s', async (isMasked, problem) => {
    const scope = openScope({ ...session, problem_summary: 'password: hunter2secret' }, { isMasked })
    await escalate({ db: scope.db, caller: { userId: 'me' } } as never, 's', input as never)
    expect(readAlert(scope)).toMatchObject({ problem })
  })

  it('without details has the urgency of the handoff', async () => {
    const scope = openScope(session)
    await storeEscalation(scope.db, {
      session,
      handoff: { ...input, id: 'h', targetId: null, documentation: '', intent: 'escalate' },
      escalationPackage: {},
      liveEventData: {},
      event: {
        ...{
          key: 'session.escalated',
          actorId: 'me',
          teamId: null,
          sessionId: 's',
          engineerName: 'Dana',
          targetUserId: null,
        },
        ...{ problemSummary: 'Problem', psaTicketId: null },
      },
    } as unknown as NewEscalation)
    expect(readAlert(scope)).toEqual({
      problem: 'Problem',
      ticket_id: null,
      details: {
        urgency: 'high',
        client_name: null,
        psa_ticket_id: null,
        reason: '',
        summary: '',
        what_was_tried: '',
        next_steps: '',
      },
    })
  })
})

it('an escalation registers its messages, its reminder, its note and its assessment', async () => {
  const { db, outbox } = openScope(session)
  const result = await escalate({ db, caller: { userId: 'me' } } as never, 's', input as never)
  expect(result).toMatchObject({
    session_id: 's',
    status: 'escalated',
    handoff_id: 'h',
    psa_push: 'queued',
    notified: 1,
  })
  expect(outbox).toMatchObject([
    { kind: 'live_event', accountId: 'a' },
    { kind: 'delivery', id: 'd' },
    { kind: 'webhook', id: 'w' },
    { kind: 'reminder', id: 'r', delaySeconds: 60 },
    { kind: 'push', id: 'p', attempt: 1 },
    { kind: 'assessment', id: 'h', attempt: 1 },
  ])
})

it('a session that changes while it is read is read again', async () => {
  const { db, findStatements } = openScope(session, { conflicts: 1 })
  await escalate({ db, caller: { userId: 'me' } } as never, 's', input as never)
  expect(findStatements('u.full_name as name, u.role')).toHaveLength(2)
})

it.each([
  ['a colleague', { is_owner: false }, 'forbidden'],
  ['the owner of an escalated session', { status: 'escalated' }, 'wrong_state'],
])('%s cannot escalate it', async (_, changes, kind) => {
  const { db, outbox } = openScope({ ...session, ...changes })
  await expect(
    escalate({ db, caller: { userId: 'me' } } as never, 's', input as never),
  ).rejects.toMatchObject({
    kind,
  })
  expect(outbox).toEqual([])
})

describe('the target of an escalation', () => {
  const person = (role: string) => ({ name: 'Noa', role, is_caller: false })
  const escalateTo = async (target_user_id: string, people: object[]) => {
    const { db } = openScope(session, { people })
    return escalate({ db, caller: { userId: 'me' } } as never, 's', {
      ...input,
      target_user_id,
    } as never).then(
      ({ status }) => status,
      ({ kind, message, body }: { kind: string; message: string; body: { errors?: { type: string }[] } }) => [
        kind,
        body.errors?.[0]?.type ?? message,
      ],
    )
  }
  it.each([
    ['may be an engineer', 'noa', [person('engineer')], 'escalated'],
    ['may not be a viewer', 'noa', [person('viewer')], ['invalid', 'viewer_target']],
    ['may not be somebody else', 'noa', [], ['not_found', 'Target engineer not found']],
    ['may not be the caller', 'me', [], ['invalid', 'own_target']],
  ])('%s', async (_, id, people, outcome) => expect(await escalateTo(id, people)).toEqual(outcome))
})
