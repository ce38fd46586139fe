import { expect, it } from 'vitest'
import { createAiSession, insertAiSession, readEvents, requestStream } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'
import { connectPsa } from '#test/support/psa.ts'
import { proceduralFlowFields } from '#test/support/sessions.ts'

const service = await sharedService()

it('AIS-01 accepts guided and chat sessions and no other type', async () => {
  const { admin } = await createAccount(service)
  const create = async (session_type: string) =>
    (await admin.call('POST', '/ai-sessions', { session_type, problem_summary: 'Printer offline' })).status
  expect([await create('guided'), await create('chat'), await create('voice')]).toEqual([201, 201, 422])
})

it('AIS-02 AIS-03 stores the ticket of a session, and filters sessions by type and ticket', async () => {
  const { admin } = await createAccount(service)
  const chat = await createAiSession(admin, { psa_ticket_id: '4711' })
  const guided = await createAiSession(admin, { session_type: 'guided', psa_ticket_id: '4712' })
  expect(chat.psa_ticket_id).toBe('4711')
  const listIds = async (query: string) =>
    (await admin.call('GET', `/ai-sessions?${query}`)).body.map(({ id }: { id: string }) => id)
  expect(await listIds('session_type=guided')).toEqual([guided.id])
  expect(await listIds('psa_ticket_id=4711')).toEqual([chat.id])
  expect(await listIds('psa_ticket_id=4711&session_type=guided')).toEqual([])
  expect(await listIds('')).toEqual([guided.id, chat.id])
})

it.each(['../../system/members?pageSize=2#', '..', '1/notes', 'T-1', '1'.repeat(16)])(
  'PSA-14 refuses the id of a ticket that is not a number: %s',
  async (psa_ticket_id) => {
    const { admin } = await createAccount(service)
    const body = { session_type: 'chat', problem_summary: 'Printer offline', psa_ticket_id }
    expectStatus(await admin.call('POST', '/ai-sessions', body), 422)
  },
)

it('AIS-06 AIS-07 returns the triage fields of a session to its owner only', async () => {
  const account = await createAccount(service)
  const [owner, colleague] = [await account.addColleague(), await account.addColleague()]
  const { id } = await createAiSession(owner)
  for (const person of [colleague, account.admin])
    await expectRefusal(person.client.ai.sessions.get({ session_id: id }), 404)
  const body = await owner.client.ai.sessions.get({ session_id: id })
  expect(body).toMatchObject({
    pending_task_lane: { questions: [], actions: [], responses: [] },
    is_branching: false,
    client_name: null,
    asset_name: null,
    issue_category: null,
    triage_hypothesis: null,
    evidence_items: [],
  })
  expect(body.active_branch_id).toMatch(/^[0-9a-f-]{36}$/)
})

it('AIS-10 returns the triage update with a chat reply, and AIS-08 fills only empty fields', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin, { client_name: 'Contoso Dental' })
  const symptom = 'Printer PRN-2F-03 at Fabrikam Legal shows offline, error 0x00000bcb.'
  const { status, body } = await admin.call('POST', `/ai-sessions/${id}/chat`, { message: symptom })
  expect(status).toBe(200)
  expect(body.message).toMatchObject({ role: 'assistant', content: expect.stringContaining('0x00000bcb') })
  expect(body.triage_update).toMatchObject({ asset_name: 'PRN-2F-03', issue_category: 'Printing' })
  expect(body.triage_update.client_name).toBeUndefined()
  const detail = await admin.client.ai.sessions.get({ session_id: id })
  expect(detail).toMatchObject({ client_name: 'Contoso Dental', asset_name: 'PRN-2F-03' })
  expect(detail.evidence_items).toMatchObject([{ source: 'ai', text: symptom }])
  expect(detail.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant'])
  const transcript = await admin.client.ai.turns.listMessages({ session_id: id })
  expect(transcript).toEqual(detail.messages)
})

it('AIS-09 keeps existing evidence, suggests a fix on request and proposes its outcome', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin)
  const sendMessage = async (message: string) =>
    (await admin.call('POST', `/ai-sessions/${id}/chat`, { message })).body
  const first = await sendMessage('The queue shows “Error - Printing” for every job.')
  const second = await sendMessage('Can you suggest a fix?')
  expect(second.suggested_fix).toMatchObject({ status: 'proposed', kind: 'manual', session_id: id })
  const third = await sendMessage('That worked.')
  expect(third.outcome_proposal).toMatchObject({
    outcome: 'applied_success',
    fix_id: second.suggested_fix.id,
  })
  const detail = await admin.client.ai.sessions.get({ session_id: id })
  expect(detail.evidence_items.slice(0, first.triage_update.evidence_items.length)).toEqual(
    first.triage_update.evidence_items,
  )
  expect(detail.suggested_fixes).toMatchObject([
    { status: 'proposed', ai_outcome_proposal: { outcome: 'applied_success' } },
  ])
  expect(detail.state_version).toBeGreaterThan(0)
})

it('AIS-32 streams the reply in deltas and ends with the complete message', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin)
  const response = await requestStream(service, admin, 'POST', `/ai-sessions/${id}/chat`, {
    message: 'Nothing “prints” — 日本語 and all.',
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const events = await readEvents(response)
  const deltas = events.filter(({ event }) => event === 'delta').map(({ data }) => data.text)
  expect(deltas.length).toBeGreaterThan(3)
  const last = events.at(-1)
  expect(last?.event).toBe('message')
  expect(deltas.join('')).toBe(last?.data.message.content)
})

it('WIR-74 an Idempotency-Key has one effect for a stream too, and a replay is its last event', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin)
  const body = { message: 'Nothing prints.' }
  const key = { 'idempotency-key': crypto.randomUUID() }
  const send = (accept: string) =>
    requestStream(service, admin, 'POST', `/ai-sessions/${id}/chat`, body, { ...key, accept })
  const first = await send('text/event-stream')
  const whileItStreams = await send('application/json')
  expect([whileItStreams.status, whileItStreams.headers.get('retry-after')]).toEqual([
    409,
    expect.stringMatching(/^\d+$/),
  ])
  const events = await readEvents(first)
  expect(events.length).toBeGreaterThan(2)
  // The answer is stored right after its last event.
  await expect.poll(async () => (await send('application/json')).status).toBe(200)
  expect(await readEvents(await send('text/event-stream'))).toEqual([events.at(-1)])
  expect(await (await send('application/json, text/event-stream;q=0')).json()).toEqual(events.at(-1)?.data)
  const messages = (await admin.call('GET', `/ai-sessions/${id}/messages`)).body as { role: string }[]
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
})

it('WIR-75 a type with the weight 0 in Accept is not sent', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin)
  for (const [accept, type] of [
    ['application/json, text/event-stream;q=0', 'application/json'],
    ['text/event-stream; q=0.000', 'application/json'],
    ['Text/Event-Stream; q=0.5', 'text/event-stream'],
  ] as const) {
    const response = await requestStream(
      service,
      admin,
      'POST',
      `/ai-sessions/${id}/chat`,
      { message: 'Nothing prints.' },
      { accept },
    )
    await response.text()
    expect([accept, response.status, response.headers.get('content-type')]).toEqual([
      accept,
      200,
      expect.stringContaining(type),
    ])
  }
})

it('AIS-27 returns the next guided step for a response, and 409 for a response to an earlier step', async () => {
  const { admin } = await createAccount(service)
  const session = await createAiSession(admin, {
    session_type: 'guided',
    problem_summary: 'The printer is offline for one user',
  })
  const [step] = session.steps
  expect(step).toMatchObject({ kind: 'question', response: null })
  expect(step.options.length).toBeGreaterThan(1)
  const { status, body } = await admin.call('POST', `/ai-sessions/${session.id}/respond`, {
    response: step.options[0],
    step_id: step.step_id,
  })
  expect(status).toBe(200)
  expect(body.step.step_id).not.toBe(step.step_id)
  const stale = await admin.call('POST', `/ai-sessions/${session.id}/respond`, {
    response: 'x',
    step_id: step.step_id,
  })
  expect([stale.status, stale.body.code, stale.body.current_step.step_id]).toEqual([
    409,
    'step_not_current',
    body.step.step_id,
  ])
  const missing = await admin.call('POST', `/ai-sessions/${session.id}/respond`, {
    step_id: body.step.step_id,
  })
  expect([missing.status, missing.body.errors]).toEqual([
    422,
    [{ loc: ['body', 'response'], msg: 'is required by the current step', type: 'missing' }],
  ])
})

it('AIS-27 refuses a response to a guided session without an open step, and returns its first step without one', async () => {
  const { admin } = await createAccount(service)
  const id = await insertAiSession(service, admin, 'guided')
  const respond = (body: object) => admin.call('POST', `/ai-sessions/${id}/respond`, body)
  for (const body of [{ response: 'Yes' }, { response: 'Yes', step_id: crypto.randomUUID() }])
    expect((await respond(body)).body).toEqual({
      detail: 'No step is open; send a request without a response to get the next one',
      code: 'step_not_current',
      current_step: null,
    })
  expect(await respond({})).toMatchObject({ status: 200, body: { step: { response: null } } })
})

it('AIS-27 refuses a response to a chat', async () => {
  const { admin } = await createAccount(service)
  const { status, body } = await admin.call(
    'POST',
    `/ai-sessions/${await insertAiSession(service, admin)}/respond`,
    { response: 'Yes' },
  )
  expect([status, body.code]).toEqual([409, 'wrong_session_type'])
})

it('AIS-02 refuses a session of a ticket that the ticketing system does not know', async () => {
  const { admin } = await createAccount(service)
  await connectPsa(service, admin)
  const { status, body } = await admin.call('POST', '/ai-sessions', {
    session_type: 'chat',
    psa_ticket_id: '99999999',
  })
  expect([status, body]).toEqual([404, { detail: 'Ticket not found' }])
})

it('refuses a session that a maintenance flow would guide', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin, proceduralFlowFields())
  const { status, body } = await admin.call('POST', '/ai-sessions', {
    session_type: 'chat',
    tree_id: flow.id,
  })
  expect([status, body.code]).toEqual([400, 'wrong_flow_type'])
})

it('WIR-67 the messages of a chat have a second page', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin)
  expectStatus(await admin.call('POST', `/ai-sessions/${id}/chat`, { message: 'Nothing prints.' }), 200)
  const list = async (query: string) => {
    const { body, headers } = expectStatus(
      await admin.call('GET', `/ai-sessions/${id}/messages?limit=1${query}`),
      200,
    )
    return {
      roles: body.map(({ role }: { role: string }) => role),
      after: /after=[^&>]*/.exec(headers.get('link') ?? '')?.[0],
    }
  }
  const first = await list('')
  expect([first.roles, (await list(`&${first.after}`)).roles]).toEqual([['user'], ['assistant']])
})

it('refuses the messages of a branch of another session', async () => {
  const { admin } = await createAccount(service)
  const [session, other] = [await createAiSession(admin), await createAiSession(admin)]
  const list = (branchId: string) =>
    admin.call('GET', `/ai-sessions/${session.id}/messages?branch_id=${branchId}`)
  expectStatus(await list(session.active_branch_id), 200)
  expect((await list(other.active_branch_id)).body).toEqual({ detail: 'Branch not found' })
})

it('AIS-34 resolves a session once, and changes nothing when a closed session is abandoned', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin)
  const closed = await admin.client.ai.sessions.resolve({
    session_id: id,
    outcome: 'workaround',
    notes: 'Printed from another PC',
  })
  expect(closed).toMatchObject({ session_id: id, status: 'resolved', psa_push: 'not_linked' })
  expect(closed.documentation).toContain('Printed from another PC')
  await expectRefusal(admin.client.ai.sessions.resolve({ session_id: id, outcome: 'resolved' }), 409)
  const before = await admin.client.ai.sessions.get({ session_id: id })
  expect((await admin.client.ai.sessions.abandon({ session_id: id })).status).toBe('resolved')
  expect(await admin.client.ai.sessions.get({ session_id: id })).toEqual(before)
})
