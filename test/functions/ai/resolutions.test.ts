import { expect, it } from 'vitest'
import { createFixScene, insertFix } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

const propose = (outcome: string) =>
  JSON.stringify({ outcome, reason: 'It prints again', created_at: '2026-11-21T09:30:00.000Z' })

/**
 * Create a case with a proposed outcome, an untried fix, a question and an action that are open, and one of
 * each that is not.
 */
async function createUnsettledCase() {
  const scene = await createFixScene(service, {
    title: 'Restart the spooler',
    ai_outcome_proposal: propose('applied_success'),
  })
  const { owner, session } = scene
  const untried = await insertFix(service, session, { title: 'Replace the fuser' })
  const lane = {
    questions: [
      { id: 'q1', text: 'Since when?' },
      { id: 'q2', text: 'Which floor?', answered: true },
    ],
    actions: [
      { id: 'a1', text: 'Ping the printer' },
      { id: 'a2', text: 'Read the log', done: true },
    ],
    responses: [],
  }
  expectStatus(await owner.call('PUT', `/ai-sessions/${session.id}/task-lane`, lane), 200)
  const resolve = (fields: object = {}) =>
    owner.call('POST', `/ai-sessions/${session.id}/resolve`, { outcome: 'resolved', ...fields })
  const read = async () => (await owner.call('GET', `/ai-sessions/${session.id}`)).body
  return { ...scene, untried, resolve, read }
}

it('AIS-47 AIS-58 refuses to resolve a case while something is undecided, and says what', async () => {
  const { id, resolve, read } = await createUnsettledCase()
  const before = await read()
  const refusal = await resolve()
  expectStatus(refusal, 409)
  expect(refusal.body).toMatchObject({
    code: 'unsettled_items',
    fixes: [{ id, text: 'Restart the spooler', proposed_outcome: 'applied_success' }],
    questions: [{ id: 'q1', text: 'Since when?' }],
    actions: [{ id: 'a1', text: 'Ping the printer' }],
  })
  expect(await read()).toEqual(before)
  expect(refusal.body.detail).toBe(
    'Nobody has decided on a part of the case. Send `accept_proposals: true` to take the proposed outcomes and leave the questions and actions out of the case; or give the outcomes of the fixes in `outcomes`, and answer or remove the questions and actions in the task lane',
  )
})

it('AIS-58 names the way out for questions alone, and each way leads out', async () => {
  const { owner, session, reportOutcome, resolve } = await createUnsettledCase()
  expectStatus(await reportOutcome('applied_success'), 200)
  const { body } = await resolve()
  expect(body.detail).toBe(
    'Nobody has decided on a part of the case. Send `accept_proposals: true` to leave the questions and actions out of the case; or answer or remove the questions and actions in the task lane',
  )
  const lane = { questions: [], actions: [], responses: [] }
  expectStatus(await owner.call('PUT', `/ai-sessions/${session.id}/task-lane`, lane), 200)
  expectStatus(await resolve(), 200)
})

it.each([['applied_success'], ['applied_failed'], ['applied_partial'], ['applied_pending']])(
  'AIS-47 AIS-48 records the proposed outcome %s when the proposals are accepted, and writes a note without anything open',
  async (outcome) => {
    const { id, resolve, read } = await createUnsettledCase()
    await service.sql(`update ai_fixes set ai_outcome_proposal = $2 where id = $1`, [id, propose(outcome)])
    const { state_version } = await read()
    const resolved = await resolve({
      accept_proposals: true,
      notes: 'Two pages came out.',
      follow_up: 'Order a new roller.',
    })
    expectStatus(resolved, 200)
    const text: string = resolved.body.documentation
    expect(text).not.toMatch(/proposed|Open|Since when|Ping the printer|Replace the fuser/)
    for (const part of [
      'What was done\n',
      'Read the log',
      'Restart the spooler',
      'Result\nTwo pages came out.',
      '- Order a new roller.',
      'Time\n1 min',
    ])
      expect(text).toContain(part)
    const after = await read()
    expect(after).toMatchObject({
      status: 'resolved',
      follow_up: 'Order a new roller.',
      state_version: state_version + 1,
    })
    expect(after.suggested_fixes[0]).toMatchObject({
      status: outcome,
      ai_outcome_proposal: null,
      applied_at: expect.any(String),
    })
    expect(after.suggested_fixes[0].verified_at === null).toBe(
      outcome === 'applied_partial' || outcome === 'applied_pending',
    )
  },
)

it('AIS-47 WIR-78 records outcomes that the request gives, and judges them as those of the fix', async () => {
  const { id, untried, resolve, read, reportOutcome, session, owner } = await createUnsettledCase()
  const other = await createUnsettledCase()
  expectStatus(await resolve({ outcomes: [{ fix_id: other.id, outcome: 'applied_success' }] }), 422)
  expectStatus(await resolve({ outcomes: [{ fix_id: id, outcome: 'applied_partial' }] }), 422)
  expectStatus(await resolve({ outcomes: [1, 2].map(() => ({ fix_id: id, outcome: 'dismissed' })) }), 422)
  // The outcome of another fix does not decide on the proposal.
  expect((await resolve({ outcomes: [{ fix_id: untried, outcome: 'dismissed' }] })).body).toMatchObject({
    code: 'unsettled_items',
    fixes: [{ id }],
    questions: [],
    actions: [],
  })
  expectStatus(await reportOutcome('dismissed'), 200)
  expect((await resolve({ outcomes: [{ fix_id: id, outcome: 'applied_success' }] })).body).toMatchObject({
    code: 'already_decided',
  })
  const failed = { fix_id: untried.toUpperCase(), outcome: 'applied_failed', notes: 'Still dark' }
  expectStatus(await resolve({ outcomes: [failed] }), 200)
  const fixes: { id: string }[] = (await read()).suggested_fixes
  expect(fixes.find((fix) => fix.id === untried)).toMatchObject({
    status: 'applied_failed',
    failure_reason: 'Still dark',
  })
  const stranger = await createAccount(service)
  expectStatus(
    await stranger.admin.call('POST', `/ai-sessions/${session.id}/resolve`, { outcome: 'resolved' }),
    404,
  )
  expectStatus(await owner.call('POST', `/ai-sessions/${session.id}/resolve`, { outcome: 'resolved' }), 409)
})

it('AIS-47 resolves a case once, of 32 requests at once', async () => {
  const { resolve, read } = await createUnsettledCase()
  expect(countByStatus(await runConcurrently(() => resolve({ accept_proposals: true })))).toEqual({
    200: 1,
    409: 31,
  })
  expect(await read()).toMatchObject({ status: 'resolved', state_version: 1 })
})
