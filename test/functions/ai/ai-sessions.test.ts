import { expect, it } from 'vitest'
import { eventsOf, newAiSession, stream } from '../../support/ai.ts'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()

it('AIS-01 takes guided and chat sessions and nothing else', async () => {
  const { admin } = await newAccount(service)
  const create = async (session_type: string) =>
    (await admin.call('POST', '/ai-sessions', { session_type, problem_summary: 'Printer offline' })).status
  expect([await create('guided'), await create('chat'), await create('voice')]).toEqual([201, 201, 422])
})

it('AIS-02 AIS-03 keeps the ticket it is for, and is found by type and ticket', async () => {
  const { admin } = await newAccount(service)
  const chat = await newAiSession(admin, { psa_ticket_id: '4711' })
  const guided = await newAiSession(admin, { session_type: 'guided', psa_ticket_id: '4712' })
  expect(chat.psa_ticket_id).toBe('4711')
  const found = async (query: string) => (await admin.call('GET', `/ai-sessions?${query}`)).body.map(({ id }: { id: string }) => id)
  expect(await found('session_type=guided')).toEqual([guided.id])
  expect(await found('psa_ticket_id=4711')).toEqual([chat.id])
  expect(await found('psa_ticket_id=4711&session_type=guided')).toEqual([])
  expect(await found('')).toEqual([guided.id, chat.id])
})

it('AIS-06 AIS-07 is nobody’s else to see, and shows all it holds to its user', async () => {
  const account = await newAccount(service)
  const [mine, colleague] = [await account.colleague(), await account.colleague()]
  const { id } = await newAiSession(mine)
  for (const person of [colleague, account.admin]) expectStatus(await person.call('GET', `/ai-sessions/${id}`), 404)
  const { body } = await mine.call('GET', `/ai-sessions/${id}`)
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

it('AIS-10 answers a chat with what it made of it, and AIS-08 fills only what is empty', async () => {
  const { admin } = await newAccount(service)
  const { id } = await newAiSession(admin, { client_name: 'Contoso Dental' })
  const said = 'Printer PRN-2F-03 at Fabrikam Legal shows offline, error 0x00000bcb.'
  const { status, body } = await admin.call('POST', `/ai-sessions/${id}/chat`, { message: said })
  expect(status).toBe(200)
  expect(body.message).toMatchObject({ role: 'assistant', content: expect.stringContaining('0x00000bcb') })
  expect(body.triage_update).toMatchObject({ asset_name: 'PRN-2F-03', issue_category: 'Printing' })
  expect(body.triage_update.client_name).toBeUndefined()
  const detail = (await admin.call('GET', `/ai-sessions/${id}`)).body
  expect(detail).toMatchObject({ client_name: 'Contoso Dental', asset_name: 'PRN-2F-03' })
  expect(detail.evidence_items).toMatchObject([{ source: 'ai', text: said }])
  expect(detail.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant'])
  const transcript = await admin.call('GET', `/ai-sessions/${id}/messages`)
  expect(transcript.body).toEqual(detail.messages)
})

it('suggests a fix when it is asked for one, and AIS-09 keeps the evidence that is there', async () => {
  const { admin } = await newAccount(service)
  const { id } = await newAiSession(admin)
  const say = async (message: string) => (await admin.call('POST', `/ai-sessions/${id}/chat`, { message })).body
  const first = await say('The queue shows “Error - Printing” for every job.')
  const second = await say('Can you suggest a fix?')
  expect(second.suggested_fix).toMatchObject({ status: 'proposed', kind: 'manual', session_id: id })
  const third = await say('That worked.')
  expect(third.outcome_proposal).toMatchObject({ outcome: 'applied_success', fix_id: second.suggested_fix.id })
  const detail = (await admin.call('GET', `/ai-sessions/${id}`)).body
  expect(detail.evidence_items.slice(0, first.triage_update.evidence_items.length)).toEqual(first.triage_update.evidence_items)
  expect(detail.suggested_fixes).toMatchObject([{ status: 'proposed', ai_outcome_proposal: { outcome: 'applied_success' } }])
  expect(detail.state_version).toBeGreaterThan(0)
})

it('AIS-32 streams the answer in deltas and ends with the message', async () => {
  const { admin } = await newAccount(service)
  const { id } = await newAiSession(admin)
  const response = await stream(service, admin, 'POST', `/ai-sessions/${id}/chat`, { message: 'Nothing “prints” — 日本語 and all.' })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const events = await eventsOf(response)
  const deltas = events.filter(({ event }) => event === 'delta').map(({ data }) => data.text)
  expect(deltas.length).toBeGreaterThan(3)
  const last = events.at(-1)
  expect(last?.event).toBe('message')
  expect(deltas.join('')).toBe(last?.data.message.content)
})

it('AIS-27 leads a guided session step by step, each with its id', async () => {
  const { admin } = await newAccount(service)
  const session = await newAiSession(admin, { session_type: 'guided', problem_summary: 'The printer is offline for one user' })
  const [step] = session.steps
  expect(step).toMatchObject({ kind: 'question', response: null })
  expect(step.options.length).toBeGreaterThan(1)
  const { status, body } = await admin.call('POST', `/ai-sessions/${session.id}/respond`, {
    response: step.options[0],
    step_id: step.step_id,
  })
  expect(status).toBe(200)
  expect(body.step.step_id).not.toBe(step.step_id)
  const stale = await admin.call('POST', `/ai-sessions/${session.id}/respond`, { response: 'x', step_id: step.step_id })
  expect([stale.status, stale.body.current_step.step_id]).toEqual([409, body.step.step_id])
})

it('AIS-34 resolves once, and abandoning what is over changes nothing', async () => {
  const { admin } = await newAccount(service)
  const { id } = await newAiSession(admin)
  const closed = await admin.call('POST', `/ai-sessions/${id}/resolve`, { outcome: 'workaround', notes: 'Printed from another PC' })
  expect(closed.body).toMatchObject({ session_id: id, status: 'resolved', psa_push: 'not_linked' })
  expect(closed.body.documentation).toContain('Printed from another PC')
  expectStatus(await admin.call('POST', `/ai-sessions/${id}/resolve`, { outcome: 'resolved' }), 409)
  const before = (await admin.call('GET', `/ai-sessions/${id}`)).body
  expect((await admin.call('POST', `/ai-sessions/${id}/abandon`)).body.status).toBe('resolved')
  expect((await admin.call('GET', `/ai-sessions/${id}`)).body).toEqual(before)
})
