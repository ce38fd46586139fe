import { expect, it } from 'vitest'
import { newAiSession } from '../../support/ai.ts'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()

async function scene(about: Record<string, unknown> = {}) {
  const account = await newAccount(service)
  const owner = await account.colleague()
  const session = await newAiSession(owner, about)
  const at = `/ai-sessions/${session.id}`
  const read = async () => (await owner.call('GET', at)).body
  const say = (message: string) => owner.call('POST', `${at}/chat`, { message })
  const triage = (body: object) => owner.call('PATCH', `${at}/triage`, body)
  const lane = (body: object) => owner.call('PUT', `${at}/task-lane`, body)
  const settle = (key: string, value: string) => owner.call('POST', `${at}/facts`, { key, value })
  const branch = (body: object) => owner.call('POST', `${at}/branches`, body)
  return { account, owner, session, at, read, say, triage, lane, settle, branch }
}
const texts = (items: { text: string }[]) => items.map(({ text }) => text)
const items = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `i${n}`, text: `Item ${n}` }))

it('AIS-12 writes fields of the header by hand, null to empty one, and leaves the others', async () => {
  const { triage, read } = await scene({ client_name: 'Contoso Dental' })
  const fields = { asset_name: 'PRN-1', issue_category: 'Printing', triage_hypothesis: 'A cable' }
  const { status, body } = await triage(fields)
  expect([status, body]).toMatchObject([200, { client_name: 'Contoso Dental', ...fields }])
  expect((await triage({ asset_name: null })).body).toMatchObject({ client_name: 'Contoso Dental', asset_name: null })
  const before = await read()
  expect((await triage({})).body).toEqual(before)
  for (const wrong of [
    { status: 'resolved' },
    { client_name: '' },
    { client_name: 'x'.repeat(201) },
    { evidence_items: [''] },
    { asset_name: 'a\u0000' },
  ])
    expectStatus(await triage(wrong), 422)
  expect(await read()).toEqual(before)
})

it('AIS-12 replaces the evidence by hand, and what stays keeps who wrote it and when', async () => {
  const { triage, say, read } = await scene()
  await say('The queue shows “Error - Printing”.')
  const [seen] = (await read()).evidence_items
  expect(seen.source).toBe('ai')
  const { body } = await triage({ evidence_items: ['The light is red', seen.text, 'The light is red'] })
  expect(body.evidence_items).toEqual([
    { id: expect.any(String), text: 'The light is red', source: 'user', created_at: expect.any(String) },
    seen,
  ])
  expect((await triage({ evidence_items: ['The light is red'] })).body.evidence_items).toEqual([body.evidence_items[0]])
  expect((await triage({ evidence_items: [] })).body.evidence_items).toEqual([])
})

it('AIS-17 keeps a saved task lane, whole, and the next one takes its place', async () => {
  const { lane, read } = await scene()
  const saved = {
    questions: [{ id: 'q1', text: 'Since when?', answered: true }],
    actions: [{ id: 'a1', text: 'Ping it' }],
    responses: [{ id: 'r1', question_id: 'q1', text: 'Since “today” — \u{1F5A8}' }],
  }
  expect((await lane(saved)).body).toEqual(saved)
  expect((await read()).pending_task_lane).toEqual(saved)
  const empty = { questions: [], actions: [], responses: [] }
  await lane(empty)
  expect((await read()).pending_task_lane).toEqual(empty)
})

it.each([
  ['AIS-13', { questions: items(50) }, { questions: items(51) }],
  ['AIS-14', { actions: items(50) }, { actions: items(51) }],
  ['AIS-15', { responses: items(100) }, { responses: items(101) }],
] as const)('%s takes a lane at its limit and refuses one over it, and nothing changes', async (_, most, over) => {
  const { lane, read } = await scene()
  const empty = { questions: [], actions: [], responses: [] }
  expectStatus(await lane({ ...empty, ...most }), 200)
  const before = await read()
  expectStatus(await lane({ ...empty, ...over }), 422)
  expect(await read()).toEqual(before)
})

it('AIS-13 AIS-14 AIS-15 AIS-16 refuses a lane over 256 KB in bytes, and takes one of 256 KB', async () => {
  const { lane, read } = await scene()
  const responses = (last: string) => [
    ...Array.from({ length: 13 }, (_, n) => ({ id: `r${n}`, text: 'ß'.repeat(9_900) })),
    { id: 'last', text: last },
  ]
  const of = (last: string) => ({ questions: [], actions: [], responses: responses(last) })
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength
  const room = 256 * 1024 - bytes(of(''))
  expectStatus(await lane(of('x'.repeat(room))), 200)
  const before = await read()
  expect(bytes(before.pending_task_lane)).toBe(256 * 1024)
  expectStatus(await lane(of('x'.repeat(room + 1))), 422)
  expect(await read()).toEqual(before)
})

it('AIS-23 counts a fact that is new or corrected, and not one said again', async () => {
  const { settle, owner, at, read } = await scene()
  expect(await settle('printer', 'PRN-1')).toMatchObject({
    status: 201,
    body: { key: 'printer', value: 'PRN-1', source: 'user', state_version: 1 },
  })
  expect((await settle('printer', 'PRN-2')).body).toMatchObject({ value: 'PRN-2', state_version: 2 })
  expect((await settle(' printer ', 'PRN-2')).body.state_version).toBe(2)
  const known = (await owner.call('GET', `${at}/facts`)).body
  expect(known).toMatchObject({ state_version: 2, facts: [{ key: 'printer', value: 'PRN-2' }] })
  const detail = await read()
  expect([detail.facts, detail.state_version]).toEqual([known.facts, 2])
})

it('AIS-23 counts each of 32 facts settled at once, and one of 32 that say the same', async () => {
  const { settle, read } = await scene()
  const answers = await Promise.all(Array.from({ length: 32 }, (_, n) => settle(`key ${n}`, 'x')))
  expect(new Set(answers.map(({ body }) => body.state_version)).size).toBe(32)
  await Promise.all(Array.from({ length: 32 }, () => settle('key 1', 'y')))
  expect((await read()).state_version).toBe(33)
})

it('opens branches that go on from a message, and goes on with another', async () => {
  const { say, branch, read, owner, at } = await scene()
  await say('The first symptom.')
  const main = await read()
  await say('The second symptom.')
  const { status, body } = await branch({ name: 'The cable', from_message_id: main.messages[1].id })
  expect([status, body]).toMatchObject([
    201,
    { name: 'The cable', parent_branch_id: main.active_branch_id, is_active: true, created_by: owner.id },
  ])
  const forked = await read()
  expect([forked.is_branching, forked.active_branch_id, forked.messages]).toEqual([true, body.id, main.messages])
  await say('A third, here alone.')
  expect((await read()).messages.map(({ content }: { content: string }) => content).filter((_: string, n: number) => n % 2 === 0)).toEqual([
    'The first symptom.',
    'A third, here alone.',
  ])
  const back = await owner.call('POST', `${at}/branches/${main.active_branch_id}/activate`)
  expect(back.body).toMatchObject({ id: main.active_branch_id, is_active: true, name: 'Main line' })
  expect((await read()).messages).toHaveLength(4)
  const list = (await owner.call('GET', `${at}/branches`)).body
  expect(list.map(({ name, is_active }: { name: string; is_active: boolean }) => [name, is_active])).toEqual([
    ['Main line', true],
    ['The cable', false],
  ])
})

it('opens no branch from a message that is not on the active line, nor activates another session’s', async () => {
  const { say, branch, read, owner, at } = await scene()
  await say('The first symptom.')
  const { messages } = await read()
  const opened = (await branch({ name: 'Before all', from_message_id: messages[0].id })).body
  expect((await read()).messages).toHaveLength(1)
  expectStatus(await branch({ name: 'Lost', from_message_id: messages[1].id }), 422)
  const other = await newAiSession(owner)
  expectStatus(await owner.call('POST', `${at}/branches/${other.active_branch_id}/activate`), 404)
  expect((await read()).active_branch_id).toBe(opened.id)
})

it('AIS-33 is the owner’s alone to write, and 409 once the session is over', async () => {
  const { account, session, at, owner } = await scene()
  const colleague = await account.colleague()
  const writes = [
    ['PATCH', '/triage', { client_name: 'x' }],
    ['PUT', '/task-lane', { questions: [], actions: [], responses: [] }],
    ['POST', '/facts', { key: 'a', value: 'b' }],
    ['POST', '/branches', { name: 'x' }],
    ['POST', `/branches/${session.active_branch_id}/activate`, undefined],
  ] as const
  const all = async (person: typeof owner) =>
    Promise.all(writes.map(async ([method, path, body]) => (await person.call(method, at + path, body)).status))
  expect(await all(colleague)).toEqual(writes.map(() => 404))
  await service.sql(`update ai_sessions set status = 'escalated' where id = $1`, [session.id])
  const before = (await owner.call('GET', at)).body
  expect(await all(colleague)).toEqual(writes.map(() => 403))
  expect((await owner.call('GET', at)).body).toEqual(before)
  await owner.call('POST', `${at}/abandon`)
  expect(await all(owner)).toEqual(writes.map(() => 409))
  expect(texts((await owner.call('GET', at)).body.evidence_items)).toEqual([])
})
