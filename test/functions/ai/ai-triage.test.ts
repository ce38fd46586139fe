import { expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

async function createScene(fields: Record<string, unknown> = {}) {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const session = await createAiSession(owner, fields)
  const sessionPath = `/ai-sessions/${session.id}`
  const readSession = async () => (await owner.call('GET', sessionPath)).body
  const sendMessage = (message: string) => owner.call('POST', `${sessionPath}/chat`, { message })
  const patchTriage = (body: object) => owner.call('PATCH', `${sessionPath}/triage`, body)
  const putTaskLane = (body: object) => owner.call('PUT', `${sessionPath}/task-lane`, body)
  const putFact = (key: string, value: string) => owner.call('POST', `${sessionPath}/facts`, { key, value })
  const createBranch = (body: object) => owner.call('POST', `${sessionPath}/branches`, body)
  return {
    account,
    owner,
    session,
    sessionPath,
    readSession,
    sendMessage,
    patchTriage,
    putTaskLane,
    putFact,
    createBranch,
  }
}
const listTexts = (items: { text: string }[]) => items.map(({ text }) => text)
const createItems = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `i${n}`, text: `Item ${n}` }))

it('AIS-12 changes only the fields in the body of a triage update, and clears a field set to null', async () => {
  const { patchTriage, readSession } = await createScene({ client_name: 'Contoso Dental' })
  const fields = { asset_name: 'PRN-1', issue_category: 'Printing', triage_hypothesis: 'A cable' }
  const { status, body } = await patchTriage(fields)
  expect([status, body]).toMatchObject([200, { client_name: 'Contoso Dental', ...fields }])
  expect((await patchTriage({ asset_name: null })).body).toMatchObject({
    client_name: 'Contoso Dental',
    asset_name: null,
  })
  const before = await readSession()
  expect((await patchTriage({})).body).toEqual(before)
  for (const invalidPatch of [
    { status: 'resolved' },
    { client_name: '' },
    { client_name: 'x'.repeat(201) },
    { evidence_items: [''] },
    { asset_name: 'a\u0000' },
  ])
    expectStatus(await patchTriage(invalidPatch), 422)
  expect(await readSession()).toEqual(before)
})

it('AIS-12 replaces the evidence, and keeps the source and time of the items that remain', async () => {
  const { patchTriage, sendMessage, readSession } = await createScene()
  await sendMessage('The queue shows “Error - Printing”.')
  const [aiEvidence] = (await readSession()).evidence_items
  expect(aiEvidence.source).toBe('ai')
  const { body } = await patchTriage({
    evidence_items: ['The light is red', aiEvidence.text, 'The light is red'],
  })
  expect(body.evidence_items).toEqual([
    { id: expect.any(String), text: 'The light is red', source: 'user', created_at: expect.any(String) },
    aiEvidence,
  ])
  expect((await patchTriage({ evidence_items: ['The light is red'] })).body.evidence_items).toEqual([
    body.evidence_items[0],
  ])
  expect((await patchTriage({ evidence_items: [] })).body.evidence_items).toEqual([])
})

it('AIS-17 replaces the whole task lane with each update', async () => {
  const { putTaskLane, readSession } = await createScene()
  const saved = {
    questions: [{ id: 'q1', text: 'Since when?', answered: true }],
    actions: [{ id: 'a1', text: 'Ping it' }],
    responses: [{ id: 'r1', question_id: 'q1', text: 'Since “today” — \u{1F5A8}' }],
  }
  expect((await putTaskLane(saved)).body).toEqual({ ...saved, version: 2 })
  expect((await readSession()).pending_task_lane).toEqual(saved)
  const empty = { questions: [], actions: [], responses: [] }
  await putTaskLane(empty)
  expect((await readSession()).pending_task_lane).toEqual(empty)
})

it.each([
  ['AIS-13', { questions: createItems(50) }, { questions: createItems(51) }],
  ['AIS-14', { actions: createItems(50) }, { actions: createItems(51) }],
  ['AIS-15', { responses: createItems(100) }, { responses: createItems(101) }],
] as const)(
  '%s accepts a task lane at the limit, and refuses one over the limit without changing anything',
  async (_, atLimit, overLimit) => {
    const { putTaskLane, readSession } = await createScene()
    const empty = { questions: [], actions: [], responses: [] }
    expectStatus(await putTaskLane({ ...empty, ...atLimit }), 200)
    const before = await readSession()
    expectStatus(await putTaskLane({ ...empty, ...overLimit }), 422)
    expect(await readSession()).toEqual(before)
  },
)

it('AIS-13 AIS-14 AIS-15 AIS-16 refuses a task lane over 256 KB, and accepts one of exactly 256 KB', async () => {
  const { putTaskLane, readSession } = await createScene()
  const responses = (last: string) => [
    ...Array.from({ length: 13 }, (_, n) => ({ id: `r${n}`, text: 'ß'.repeat(9_900) })),
    { id: 'last', text: last },
  ]
  const createLane = (last: string) => ({ questions: [], actions: [], responses: responses(last) })
  const countBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength
  const remainingBytes = 256 * 1024 - countBytes(createLane(''))
  expectStatus(await putTaskLane(createLane('x'.repeat(remainingBytes))), 200)
  const before = await readSession()
  expect(countBytes(before.pending_task_lane)).toBe(256 * 1024)
  expectStatus(await putTaskLane(createLane('x'.repeat(remainingBytes + 1))), 422)
  expect(await readSession()).toEqual(before)
})

it('AIS-23 increments state_version for a new or changed fact, but not for an unchanged one', async () => {
  const { putFact, owner, sessionPath, readSession } = await createScene()
  expect(await putFact('printer', 'PRN-1')).toMatchObject({
    status: 201,
    body: { key: 'printer', value: 'PRN-1', source: 'user', state_version: 1 },
  })
  expect((await putFact('printer', 'PRN-2')).body).toMatchObject({ value: 'PRN-2', state_version: 2 })
  expect((await putFact(' printer ', 'PRN-2')).body.state_version).toBe(2)
  const list = (await owner.call('GET', `${sessionPath}/facts`)).body
  expect(list).toMatchObject({ state_version: 2, facts: [{ key: 'printer', value: 'PRN-2' }] })
  const detail = await readSession()
  expect([detail.facts, detail.state_version]).toEqual([list.facts, 2])
})

it('AIS-23 increments state_version for each of 32 concurrent facts, but once for 32 equal changes', async () => {
  const { putFact, readSession } = await createScene()
  const responses = await Promise.all(Array.from({ length: 32 }, (_, n) => putFact(`key ${n}`, 'x')))
  expect(new Set(responses.map(({ body }) => body.state_version)).size).toBe(32)
  await Promise.all(Array.from({ length: 32 }, () => putFact('key 1', 'y')))
  expect((await readSession()).state_version).toBe(33)
})

it('creates a branch from a message, and activates the main branch again', async () => {
  const { sendMessage, createBranch, readSession, owner, sessionPath } = await createScene()
  await sendMessage('The first symptom.')
  const main = await readSession()
  await sendMessage('The second symptom.')
  const { status, body } = await createBranch({ name: 'The cable', from_message_id: main.messages[1].id })
  expect([status, body]).toMatchObject([
    201,
    { name: 'The cable', parent_branch_id: main.active_branch_id, is_active: true, created_by: owner.id },
  ])
  const forked = await readSession()
  expect([forked.is_branching, forked.active_branch_id, forked.messages]).toEqual([
    true,
    body.id,
    main.messages,
  ])
  await sendMessage('A third, here alone.')
  expect(
    (await readSession()).messages
      .map(({ content }: { content: string }) => content)
      .filter((_: string, n: number) => n % 2 === 0),
  ).toEqual(['The first symptom.', 'A third, here alone.'])
  const reactivated = await owner.call('POST', `${sessionPath}/branches/${main.active_branch_id}/activate`)
  expect(reactivated.body).toMatchObject({ id: main.active_branch_id, is_active: true, name: 'Main line' })
  expect((await readSession()).messages).toHaveLength(4)
  const list = (await owner.call('GET', `${sessionPath}/branches`)).body
  expect(list.map(({ name, is_active }: { name: string; is_active: boolean }) => [name, is_active])).toEqual([
    ['Main line', true],
    ['The cable', false],
  ])
})

it('creates 100 branches of a session', async () => {
  const { session, createBranch, owner } = await createScene()
  await service.sql(
    `insert into ai_branches (account_id, session_id, parent_branch_id, name, created_by)
     select account_id, session_id, id, 'Branch ' || n, created_by from ai_branches, generate_series(2, 99) n where session_id = $1`,
    [session.id],
  )
  expectStatus(await createBranch({ name: 'Branch 100' }), 201)
  const { status, body } = await createBranch({ name: 'Branch 101' })
  expect([status, body.code, body.resource, body.limit]).toEqual([409, 'limit_reached', 'branches', 100])
  expect(await owner.client.ai.triage.listBranches({ session_id: session.id, limit: 100 })).toHaveLength(100)
})

it('refuses to branch from a message outside the active branch, and to activate another session’s branch', async () => {
  const { sendMessage, createBranch, readSession, owner, sessionPath } = await createScene()
  await sendMessage('The first symptom.')
  const { messages } = await readSession()
  const branch = (await createBranch({ name: 'Before all', from_message_id: messages[0].id })).body
  expect((await readSession()).messages).toHaveLength(1)
  expectStatus(await createBranch({ name: 'Lost', from_message_id: messages[1].id }), 422)
  const otherSession = await createAiSession(owner)
  expectStatus(
    await owner.call('POST', `${sessionPath}/branches/${otherSession.active_branch_id}/activate`),
    404,
  )
  expect((await readSession()).active_branch_id).toBe(branch.id)
})

it('AIS-33 lets only the owner write, and returns 409 once the session is closed', async () => {
  const { account, session, sessionPath, owner } = await createScene()
  const colleague = await account.addColleague()
  const writes = [
    ['PATCH', '/triage', { client_name: 'x' }],
    ['PUT', '/task-lane', { questions: [], actions: [], responses: [] }],
    ['POST', '/facts', { key: 'a', value: 'b' }],
    ['POST', '/branches', { name: 'x' }],
    ['POST', `/branches/${session.active_branch_id}/activate`, undefined],
  ] as const
  const tryAll = async (person: typeof owner) =>
    Promise.all(
      writes.map(
        async ([method, path, body]) => (await person.call(method, sessionPath + path, body)).status,
      ),
    )
  expect(await tryAll(colleague)).toEqual(writes.map(() => 404))
  await service.sql(`update ai_sessions set status = 'escalated' where id = $1`, [session.id])
  const before = (await owner.call('GET', sessionPath)).body
  expect(await tryAll(colleague)).toEqual(writes.map(() => 403))
  expect((await owner.call('GET', sessionPath)).body).toEqual(before)
  await owner.call('POST', `${sessionPath}/abandon`)
  expect(await tryAll(owner)).toEqual(writes.map(() => 409))
  expect(listTexts((await owner.call('GET', sessionPath)).body.evidence_items)).toEqual([])
})
