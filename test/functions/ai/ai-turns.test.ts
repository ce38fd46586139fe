import { afterAll, expect, it } from 'vitest'
import { insertAiSession } from '../../contract/fixtures-ai.ts'
import { eventsOf, newAiSession, stream } from '../../support/ai.ts'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService } from '../../support/app.ts'
import { picture, upload } from '../../support/images.ts'
import { newAccount } from '../../support/people.ts'

const service = await ownService()
const { fault, lift, read, empty } = desk(service)
afterAll(() => service.close())

async function scene() {
  const account = await newAccount(service)
  const owner = await account.colleague()
  const session = await newAiSession(owner)
  const at = `/ai-sessions/${session.id}`
  const detail = async () => (await owner.call('GET', at)).body
  const say = (message: string, more: object = {}) => owner.call('POST', `${at}/chat`, { message, ...more })
  return { account, owner, session, at, detail, say }
}
/** How many requests a fault that was set for `times` has met. */
async function met(times: number): Promise<number> {
  const [left] = (await (await fetch(`${service.local}/desk/faults`)).json()) as { times: number }[]
  await lift()
  return times - (left?.times ?? 0)
}

it('AIS-11 shows the model up to 3 images, in their order, and refuses a fourth and one that is not there', async () => {
  const { owner, say, detail } = await scene()
  const ids: string[] = []
  for (let n = 0; n < 4; n++) ids.push((await upload(service, owner, await picture('png', 8 + n, 8))).body.id)
  await empty('ai')
  expectStatus(await say('See these.', { upload_ids: ids.slice(0, 3) }), 200)
  const [call] = await read('ai')
  expect(call.request.messages.at(-1).content.filter(({ type }: { type: string }) => type === 'image_url')).toHaveLength(3)
  const before = await detail()
  expect(before.messages[0].upload_ids).toEqual(ids.slice(0, 3))
  expectStatus(await say('And these.', { upload_ids: ids }), 422)
  const stranger = (await newAccount(service)).admin
  const foreign = (await upload(service, stranger, await picture('png', 8, 8))).body.id
  for (const id of [foreign, crypto.randomUUID()]) expectStatus(await say('And this.', { upload_ids: [id] }), 422)
  expect(await detail()).toEqual(before)
})

it('AIS-31 takes a message of 1 to 8,000 characters', async () => {
  const { say, detail } = await scene()
  for (const message of ['x', '\u{1F5A8}'.repeat(4000)]) expectStatus(await say(message), 200)
  const before = await detail()
  for (const message of ['', ' \n\t', 'x'.repeat(8001), null, 7, 'a\u0000b', '\ud800']) {
    expectStatus(await say(message as string), 422)
  }
  expect(await detail()).toEqual(before)
})

it('AIS-24 AIS-29 answers 502 when the provider fails, in whatever way, asks at most twice, and keeps what was said', async () => {
  for (const [mode, calls] of [
    ['error', 2],
    ['down', 2],
    ['garbage', 2],
    ['rate_limit', 2],
    ['redirect', 2],
    ['client_error', 1],
  ] as const) {
    const { say, detail } = await scene()
    const before = await detail()
    await fault({ service: 'openai', mode, times: 9 })
    const answer = await say(`It is offline: ${mode}`)
    expect([answer.status, answer.body.code, await met(9)], mode).toEqual([502, 'ai_provider_error', calls])
    const after = await detail()
    expect(after.messages).toMatchObject([{ role: 'user', content: `It is offline: ${mode}` }])
    expect({ ...after, messages: [], updated_at: '' }).toEqual({ ...before, messages: [], updated_at: '' })
    expectStatus(await say('And again'), 200)
    expect((await detail()).messages).toHaveLength(3)
  }
})

it('AIS-24 takes an answer that only the second call gives', async () => {
  const { say } = await scene()
  await fault({ service: 'openai', mode: 'error', times: 1 })
  expectStatus(await say('It is offline.'), 200)
})

const whole = {
  reply: 'ok',
  findings: { client_name: null, asset_name: null, issue_category: null, triage_hypothesis: null, evidence: [], facts: [] },
}
const turn = { ...whole, questions: [], actions: [], fix: null, outcome: null }
it.each([
  ['no JSON', 'Sure! Here is my answer.'],
  ['another shape', '{"answer": 42}'],
  ['no object', '[]'],
  ['a property too many', JSON.stringify({ ...turn, status: 'resolved' })],
  ['a property too few', JSON.stringify({ ...turn, outcome: undefined })],
  [
    'an id where a number belongs',
    JSON.stringify({ ...turn, fix: { title: 'x', description: 'x', template: crypto.randomUUID(), script: null } }),
  ],
  ['an unknown outcome', JSON.stringify({ ...turn, outcome: { outcome: 'dismissed', reason: 'x' } })],
  ['an empty reply', JSON.stringify({ ...turn, reply: ' ' })],
  ['too long a reply', JSON.stringify({ ...turn, reply: 'x'.repeat(8001) })],
  ['a NUL character', JSON.stringify({ ...turn, reply: 'a\u0000b' })],
  ['a NUL character deep inside', JSON.stringify({ ...turn, findings: { ...whole.findings, facts: [{ key: 'a\u0000', value: 'b' }] } })],
  ['half a surrogate pair', JSON.stringify({ ...turn, findings: { ...whole.findings, evidence: ['a\ud800'] } })],
] as const)('AIS-30 asks once more for an answer with %s, then answers 502 and stores none of it, whole or streamed', async (_, text) => {
  const { owner, session, say, at, detail } = await scene()
  await fault({ service: 'openai', mode: 'obey' })
  await empty('ai')
  await service.sql('update ai_sessions set problem_summary = $2 where id = $1', [session.id, `OBEY: ${text}`])
  const before = { ...(await detail()), messages: [], updated_at: '' }
  const answer = await say('What is wrong?')
  expect([answer.status, answer.body.code]).toEqual([502, 'ai_provider_error'])
  expect(await read('ai')).toHaveLength(2)
  // Where nothing was heard of it yet, the answer is a plain one.
  const response = await stream(service, owner, 'POST', `${at}/chat`, { message: 'And now?' })
  const failed = response.status === 502 ? 502 : (await eventsOf(response)).at(-1)?.data.status
  expect(failed).toBe(502)
  expect(await read('ai')).toHaveLength(4)
  const after = await detail()
  expect(after.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'user'])
  expect({ ...after, messages: [], updated_at: '' }).toEqual(before)
})

it('AIS-18 abandons from any state without an outcome, and leaves what is over', async () => {
  const { admin } = await newAccount(service)
  for (const status of ['active', 'parked', 'requesting_escalation', 'escalated', 'claimed']) {
    const id = await insertAiSession(service, admin)
    await service.sql('update ai_sessions set status = $2 where id = $1', [id, status])
    expect((await admin.call('POST', `/ai-sessions/${id}/abandon`)).body).toMatchObject({ status: 'abandoned', psa_push: 'not_linked' })
    expect((await admin.call('GET', `/ai-sessions/${id}`)).body).toMatchObject({ status: 'abandoned', outcome: null, resolved_at: null })
  }
  const id = await insertAiSession(service, admin)
  await service.sql(`update ai_sessions set status = 'archived' where id = $1`, [id])
  expect((await admin.call('POST', `/ai-sessions/${id}/abandon`)).body.status).toBe('archived')
})

it('AIS-28 knows eight states and lists by each', async () => {
  const { admin } = await newAccount(service)
  const states = ['active', 'parked', 'requesting_escalation', 'escalated', 'claimed', 'resolved', 'abandoned', 'archived']
  for (const state of states) {
    const id = await insertAiSession(service, admin)
    const resolved = state === 'resolved' ? `, outcome = 'resolved', resolved_at = now()` : ''
    await service.sql(`update ai_sessions set status = $2${resolved} where id = $1`, [id, state])
    expect((await admin.call('GET', `/ai-sessions?status=${state}`)).body).toMatchObject([{ id, status: state }])
  }
  expectStatus(await admin.call('GET', '/ai-sessions?status=open'), 422)
  await expect(service.sql(`update ai_sessions set status = 'open' where account_id = $1`, [admin.accountId])).rejects.toThrow(/check/)
})

it('AIS-26 archives a chat that nobody touched for 30 days, not a guided session, nor what waits or was touched since', async () => {
  const { admin } = await newAccount(service)
  const make = async (type: string, state: string, idleDays: number) => {
    const id = await insertAiSession(service, admin, type)
    await service.sql(`update ai_sessions set status = $2, last_activity_at = app.now() - make_interval(days => $3) where id = $1`, [
      id,
      state,
      idleDays,
    ])
    return id
  }
  const ids = [
    await make('chat', 'active', 29),
    await make('chat', 'parked', 29),
    await make('guided', 'active', 29),
    await make('chat', 'escalated', 29),
    await make('chat', 'active', 28),
  ]
  const states = async () => {
    await service.stack.tick()
    const rows = await service.sql<{ id: string; status: string }>('select id, status from ai_sessions where account_id = $1', [
      admin.accountId,
    ])
    return ids.map((id) => rows.find((row) => row.id === id)?.status)
  }
  await desk(service).advance(86_400 - 120)
  expect(await states()).toEqual(['active', 'parked', 'active', 'escalated', 'active'])
  await desk(service).advance(240)
  expect(await states()).toEqual(['archived', 'archived', 'active', 'escalated', 'active'])
})
