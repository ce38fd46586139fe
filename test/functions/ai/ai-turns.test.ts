import { afterAll, expect, it } from 'vitest'
import { createAiSession, insertAiSession, readEvents, requestStream } from '#test/support/ai.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createImage, uploadImage } from '#test/support/images.ts'
import { createAccount } from '#test/support/people.ts'

const service = await startOwnService()
const { setFault, clearFaults, listRecords, clearRecords } = dashboard(service)
afterAll(() => service.close())

async function createScene() {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const session = await createAiSession(owner)
  const sessionPath = `/ai-sessions/${session.id}`
  const readSession = async () => (await owner.call('GET', sessionPath)).body
  const sendMessage = (message: string, fields: object = {}) =>
    owner.call('POST', `${sessionPath}/chat`, { message, ...fields })
  return { account, owner, session, sessionPath, readSession, sendMessage }
}
/** Return how many requests used a fault that was set for `times` requests, and clear the fault. */
async function countFaultedRequests(times: number): Promise<number> {
  const [remaining] = (await (await fetch(`${service.localOrigin}/desk/faults`)).json()) as {
    times: number
  }[]
  await clearFaults()
  return times - (remaining?.times ?? 0)
}

it('AIS-11 sends up to 3 images to the model, in order, and refuses a fourth or unknown one', async () => {
  const { owner, sendMessage, readSession } = await createScene()
  const ids: string[] = []
  for (let n = 0; n < 4; n++)
    ids.push((await uploadImage(service, owner, await createImage('png', 8 + n, 8))).body.id)
  await clearRecords('ai')
  expectStatus(await sendMessage('See these.', { upload_ids: ids.slice(0, 3) }), 200)
  const [call] = await listRecords('ai')
  expect(
    call.request.messages.at(-2).content.filter(({ type }: { type: string }) => type === 'image_url'),
  ).toHaveLength(3)
  const before = await readSession()
  expect(before.messages[0].upload_ids).toEqual(ids.slice(0, 3))
  expectStatus(await sendMessage('And these.', { upload_ids: ids }), 422)
  const stranger = (await createAccount(service)).admin
  const foreignUploadId = (await uploadImage(service, stranger, await createImage('png', 8, 8))).body.id
  for (const id of [foreignUploadId, crypto.randomUUID()])
    expectStatus(await sendMessage('And this.', { upload_ids: [id] }), 422)
  expect(await readSession()).toEqual(before)
})

it('AIS-31 accepts a message of 1 to 8,000 characters', async () => {
  const { sendMessage, readSession } = await createScene()
  for (const message of ['x', '\u{1F5A8}'.repeat(4000)]) expectStatus(await sendMessage(message), 200)
  const before = await readSession()
  for (const message of ['', ' \n\t', 'x'.repeat(8001), null, 7, 'a\u0000b', '\ud800']) {
    expectStatus(await sendMessage(message as string), 422)
  }
  expect(await readSession()).toEqual(before)
})

it('AIS-24 AIS-29 returns 502 for every provider failure after at most two calls, and keeps the user’s message', async () => {
  for (const [mode, calls] of [
    ['error', 2],
    ['down', 2],
    ['garbage', 2],
    // It asks to wait for two minutes.
    ['rate_limit', 1],
    ['redirect', 2],
    ['client_error', 1],
  ] as const) {
    const { sendMessage, readSession } = await createScene()
    const before = await readSession()
    await setFault({ service: 'openai', mode, times: 9 })
    const response = await sendMessage(`It is offline: ${mode}`)
    expect([response.status, response.body.code, await countFaultedRequests(9)], mode).toEqual([
      502,
      'ai_provider_error',
      calls,
    ])
    const after = await readSession()
    expect(after.messages).toMatchObject([{ role: 'user', content: `It is offline: ${mode}` }])
    expect({ ...after, messages: [], updated_at: '' }).toEqual({ ...before, messages: [], updated_at: '' })
    expectStatus(await sendMessage('And again'), 200)
    expect((await readSession()).messages).toHaveLength(3)
  }
})

it('AIS-24 returns the id of a guided session whose first step the model could not write', async () => {
  const { owner } = await createScene()
  await setFault({ service: 'openai', mode: 'client_error', times: 9 })
  const { status, body } = await owner.call('POST', '/ai-sessions', {
    session_type: 'guided',
    problem_summary: 'No mail.',
  })
  expect([status, body]).toEqual([
    502,
    { detail: expect.any(String), code: 'ai_provider_error', session_id: expect.any(String) },
  ])
  expect(await owner.client.ai.sessions.get({ session_id: body.session_id })).toMatchObject({
    session_type: 'guided',
    steps: [],
  })
})

it.each([
  ['chat', { message: 'It is offline.' }],
  ['respond', {}],
])('returns 409 for a %s whose session is deleted while the model answers', async (operation, body) => {
  const { owner } = await createScene()
  const id = await insertAiSession(service, owner, operation === 'chat' ? 'chat' : 'guided')
  await setFault({ service: 'openai', mode: 'slow', delay_ms: 500, times: 1 })
  const call = owner.call('POST', `/ai-sessions/${id}/${operation}`, body)
  await expect.poll(async () => (await fetch(`${service.localOrigin}/desk/faults`)).json()).toEqual([])
  await owner.client.ai.sessions.delete({ session_id: id })
  const { status, body: problem } = await call
  expect([status, problem.code, problem.detail]).toEqual([
    409,
    'stale_version',
    'Someone else deleted this session',
  ])
})

it('AIS-24 accepts the model’s answer from the second call', async () => {
  const { sendMessage } = await createScene()
  await setFault({ service: 'openai', mode: 'error', times: 1 })
  expectStatus(await sendMessage('It is offline.'), 200)
})

const emptyReply = {
  reply: 'ok',
  citations: [],
  findings: {
    client_name: null,
    asset_name: null,
    issue_category: null,
    triage_hypothesis: null,
    evidence: [],
    facts: [],
  },
}
const emptyTurn = { ...emptyReply, questions: [], actions: [], fix: null, outcome: null }
it.each([
  ['no JSON', 'Sure! Here is my answer.'],
  ['another shape', '{"answer": 42}'],
  ['no object', '[]'],
  ['two objects of the shape', `${JSON.stringify(emptyTurn)} ${JSON.stringify(emptyTurn)}`],
  ['a property too few', JSON.stringify({ ...emptyTurn, reply: undefined })],
  [
    'an id where a number belongs',
    JSON.stringify({
      ...emptyTurn,
      fix: { title: 'x', description: 'x', template: crypto.randomUUID(), script: null },
    }),
  ],
  ['an unknown outcome', JSON.stringify({ ...emptyTurn, outcome: { outcome: 'dismissed', reason: 'x' } })],
  ['an empty reply', JSON.stringify({ ...emptyTurn, reply: ' ' })],
  ['too long a reply', JSON.stringify({ ...emptyTurn, reply: 'x'.repeat(8001) })],
  ['a NUL character', JSON.stringify({ ...emptyTurn, reply: 'a\u0000b' })],
  [
    'a NUL character deep inside',
    JSON.stringify({
      ...emptyTurn,
      findings: { ...emptyReply.findings, facts: [{ key: 'a\u0000', value: 'b' }] },
    }),
  ],
  [
    'a lone surrogate',
    JSON.stringify({ ...emptyTurn, findings: { ...emptyReply.findings, evidence: ['a\ud800'] } }),
  ],
] as const)(
  'AIS-30 AIS-50 calls the model again after an answer with %s, then stores a reply without one, as JSON and as a stream',
  async (_, text) => {
    const { owner, session, sendMessage, sessionPath, readSession } = await createScene()
    await setFault({ service: 'openai', mode: 'prompt_injection' })
    await clearRecords('ai')
    await service.sql('update ai_sessions set problem_summary = $2 where id = $1', [
      session.id,
      `OBEY: ${text}`,
    ])
    const before = { ...(await readSession()), messages: [], updated_at: '' }
    const response = await sendMessage('What is wrong?')
    const unanswered = {
      role: 'assistant',
      content: expect.stringMatching(/^The AI gave no usable answer\./),
      citations: [],
      failure: 'unusable',
    }
    expect([response.status, response.body]).toMatchObject([200, { message: unanswered }])
    expect(await listRecords('ai')).toHaveLength(2)
    const events = await readEvents(
      await requestStream(service, owner, 'POST', `${sessionPath}/chat`, { message: 'And now?' }),
    )
    expect(events.slice(-2)).toMatchObject([
      { event: 'restart' },
      { event: 'message', data: { message: unanswered } },
    ])
    expect(await listRecords('ai')).toHaveLength(4)
    const after = await readSession()
    expect(after.messages).toMatchObject([
      { content: 'What is wrong?' },
      unanswered,
      { content: 'And now?' },
      unanswered,
    ])
    expect({ ...after, messages: [], updated_at: '' }).toEqual(before)
  },
)

it.each([
  ['refusal', 'declined', /^The AI declined to answer: I'm sorry, I can't help with that\. /, 1],
  ['content_filter', 'declined', /^The AI declined to answer\./, 1],
  ['cut', 'unusable', /^The AI gave no usable answer\./, 2],
] as const)(
  'AIS-50 a turn that ends with %s is stored once, and the next one has an answer',
  async (mode, failure, text, calls) => {
    const { owner, sessionPath, sendMessage, readSession } = await createScene()
    await clearRecords('ai')
    await setFault({ service: 'openai', mode, times: calls })
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const send = async () => {
      const body = { message: 'It is offline.' }
      return (
        await readEvents(await requestStream(service, owner, 'POST', `${sessionPath}/chat`, body, headers))
      ).at(-1)
    }
    const stored = await send()
    expect(stored).toMatchObject({
      event: 'message',
      data: { message: { failure, content: expect.stringMatching(text) } },
    })
    // A repetition gets the same turn, and asks no model. Its answer is stored just after the last event was
    // sent.
    await expect.poll(send).toEqual(stored)
    expect(await listRecords('ai')).toHaveLength(calls)
    expectStatus(await sendMessage('And again?'), 200)
    const { messages } = await readSession()
    expect(messages.map((message: Record<string, unknown>) => message.failure)).toEqual([
      null,
      failure,
      null,
      null,
    ])
    // The model does not read what it did not say.
    const [{ request }] = await listRecords('ai')
    expect(JSON.stringify(request)).not.toMatch(/The AI (?:gave|declined)/)
  },
)

it('AIS-50 a guided step without an answer offers to go on, and its response asks again', async () => {
  const { owner } = await createScene()
  await setFault({ service: 'openai', mode: 'refusal', times: 1 })
  const { id, steps } = await owner.client.ai.turns.createSession({
    session_type: 'guided',
    problem_summary: 'No mail arrives.',
  })
  expect(steps).toMatchObject([
    { kind: 'action', text: expect.stringMatching(/^The AI declined/), failure: 'declined', response: null },
  ])
  const { step } = await owner.client.ai.turns.respondToStep({
    session_id: id,
    response: 'I restarted Outlook',
  })
  expect(step.failure).toBeNull()
  const [{ request }] = await listRecords('ai')
  expect(JSON.stringify(request)).toContain('I restarted Outlook')
})

it('AIS-51 a message that is sent again after a failure is stored once, with one reply', async () => {
  const { owner, sessionPath, sendMessage, readSession } = await createScene()
  await setFault({ service: 'openai', mode: 'client_error', times: 1 })
  expectStatus(await sendMessage('It is offline.'), 502)
  expectStatus(await sendMessage('It is offline.'), 200)
  const list = async () =>
    (await readSession()).messages.map(
      ({ role, content }: Record<string, string>) => `${role}: ${content?.slice(0, 14)}`,
    )
  expect(await list()).toEqual(['user: It is offline.', expect.stringMatching(/^assistant: /)])
  // What has a reply is said again.
  expectStatus(await sendMessage('It is offline.'), 200)
  expect(await list()).toHaveLength(4)
  // A repetition of the second request finds its reply, also after a crash before its answer was stored.
  await setFault({ service: 'openai', mode: 'client_error', times: 1 })
  expectStatus(await sendMessage('Still.'), 502)
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const again = () => owner.call('POST', `${sessionPath}/chat`, { message: 'Still.' }, headers)
  const first = await again()
  expectStatus(first, 200)
  await service.sql(
    `update idempotency_keys set status = null, body = null, leased_until = app.now() - interval '1 second'`,
  )
  await clearRecords('ai')
  expect((await again()).body.message).toEqual(first.body.message)
  expect([(await list()).length, await listRecords('ai')]).toEqual([6, []])
})

it('AIS-18 abandons a session from every open state without an outcome, and does not change a closed one', async () => {
  const { admin } = await createAccount(service)
  for (const status of ['active', 'parked', 'requesting_escalation', 'escalated', 'claimed']) {
    const id = await insertAiSession(service, admin)
    await service.sql('update ai_sessions set status = $2 where id = $1', [id, status])
    expect((await admin.call('POST', `/ai-sessions/${id}/abandon`)).body).toMatchObject({
      status: 'abandoned',
      psa_push: 'not_linked',
    })
    expect((await admin.call('GET', `/ai-sessions/${id}`)).body).toMatchObject({
      status: 'abandoned',
      outcome: null,
      resolved_at: null,
    })
  }
  const id = await insertAiSession(service, admin)
  await service.sql(`update ai_sessions set status = 'archived' where id = $1`, [id])
  expect((await admin.call('POST', `/ai-sessions/${id}/abandon`)).body.status).toBe('archived')
})

it('AIS-28 filters sessions by each of the eight states, and refuses any other state', async () => {
  const { admin } = await createAccount(service)
  const states = [
    'active',
    'parked',
    'requesting_escalation',
    'escalated',
    'claimed',
    'resolved',
    'abandoned',
    'archived',
  ]
  for (const state of states) {
    const id = await insertAiSession(service, admin)
    const resolved = state === 'resolved' ? `, outcome = 'resolved', resolved_at = now()` : ''
    await service.sql(`update ai_sessions set status = $2${resolved} where id = $1`, [id, state])
    expect((await admin.call('GET', `/ai-sessions?status=${state}`)).body).toMatchObject([
      { id, status: state },
    ])
  }
  expectStatus(await admin.call('GET', '/ai-sessions?status=open'), 422)
  await expect(
    service.sql(`update ai_sessions set status = 'open' where account_id = $1`, [admin.accountId]),
  ).rejects.toThrow(/check/)
})

it('AIS-26 archives an active or parked chat after 30 idle days, but no guided, waiting or recently used session', async () => {
  const { admin } = await createAccount(service)
  const insertIdleSession = async (type: string, state: string, idleDays: number) => {
    const id = await insertAiSession(service, admin, type)
    await service.sql(
      `update ai_sessions set status = $2, last_activity_at = app.now() - make_interval(days => $3) where id = $1`,
      [id, state, idleDays],
    )
    return id
  }
  const ids = [
    await insertIdleSession('chat', 'active', 29),
    await insertIdleSession('chat', 'parked', 29),
    await insertIdleSession('guided', 'active', 29),
    await insertIdleSession('chat', 'escalated', 29),
    await insertIdleSession('chat', 'active', 28),
  ]
  const runCronAndReadStates = async () => {
    await service.stack.runCron()
    const rows = await service.sql<{ id: string; status: string }>(
      'select id, status from ai_sessions where account_id = $1',
      [admin.accountId],
    )
    return ids.map((id) => rows.find((row) => row.id === id)?.status)
  }
  await dashboard(service).advanceClock(86_400 - 120)
  expect(await runCronAndReadStates()).toEqual(['active', 'parked', 'active', 'escalated', 'active'])
  await dashboard(service).advanceClock(240)
  expect(await runCronAndReadStates()).toEqual(['archived', 'archived', 'active', 'escalated', 'active'])
})
