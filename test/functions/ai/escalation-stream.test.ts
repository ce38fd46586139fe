import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newAiSession } from '../../support/ai.ts'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService, request, type Service } from '../../support/app.ts'
import { escalate, listen, newEscalation } from '../../support/escalations.ts'
import { newAccount, type Person } from '../../support/people.ts'

const heartbeatMs = 400
let service: Awaited<ReturnType<typeof ownService>>
beforeAll(async () => {
  service = await ownService({ STREAM_HEARTBEAT_MS: String(heartbeatMs) })
})
afterAll(() => service.close())

const patience = { timeout: 10_000, interval: 20 }

async function people() {
  const account = await newAccount(service)
  const [owner, listener] = [await account.colleague(), await account.colleague()]
  return { account, owner, listener }
}

/** Rows for the streams of an account, as if what caused them had just been committed and nobody had published them. */
async function write(of: Service, accountId: string, count: number, bytes = 10): Promise<void> {
  await of.sql(
    `insert into stream_events (account_id, event, data, created_at)
     select $1, 'handoff_created', jsonb_build_object('n', n, 'title', repeat('x', $3)), app.now() - interval '1 minute' from generate_series(1, $2) n`,
    [accountId, count, bytes],
  )
  await service.stack.tick()
}

it('SSE-01 is for engineers and admins', async () => {
  const { account, listener } = await people()
  for (const [person, status] of [
    [listener, 200],
    [account.admin, 200],
    [await account.colleague({ role: 'viewer' }), 403],
  ] as const) {
    const stream = await listen(service, person)
    expectStatus(stream, status)
    stream.leave()
  }
  expectStatus(await listen(service, { ...listener, token: 'no.such.token' }), 401)
})

it('SSE-02 SSE-04 SSE-08 tells the account’s own streams what was escalated', async () => {
  const { owner, listener } = await people()
  const elsewhere = await people()
  const [ours, theirs] = [await listen(service, listener), await listen(service, elsewhere.listener)]
  const { id, handoffId } = await newEscalation(owner, { target_user_id: listener.id }, { psa_ticket_id: '4711' })
  const other = await newEscalation(elsewhere.owner)
  await expect.poll(() => ours.events('handoff_created').length, patience).toBe(1)
  await expect.poll(() => theirs.events('handoff_created').length, patience).toBe(1)
  const [row] = await service.sql('select app.iso(created_at) as at from ai_handoffs where id = $1', [handoffId])
  expect(ours.events('handoff_created')[0]?.data).toEqual({
    ...{ handoff_id: handoffId, session_id: id, title: 'Reception cannot print since this morning.', engineer_name: owner.fullName },
    ...{ psa_ticket_id: '4711', target_user_id: listener.id, created_at: row?.at },
  })
  expect(theirs.events('handoff_created')[0]?.data.handoff_id).toBe(other.handoffId)
  // The hub has them: nothing is left to be published.
  await expect.poll(() => service.sql('select 1 from stream_events'), patience).toEqual([])
})

it('SSE-05 tells that an assessment is stored', async () => {
  const { owner, listener } = await people()
  const stream = await listen(service, listener)
  const { id, handoffId } = await newEscalation(owner)
  await expect
    .poll(() => stream.events('handoff_assessment_ready').map(({ data }) => data), patience)
    .toEqual([{ handoff_id: handoffId, session_id: id, assessment_status: 'ready' }])
})

it('SSE-03 gives a sign of life with every heartbeat', async () => {
  const { listener } = await people()
  const stream = await listen(service, listener)
  const beats = () => stream.text().split(': heartbeat\n\n').length - 1
  await expect.poll(beats, patience).toBe(1)
  const at = Date.now()
  await expect.poll(beats, patience).toBe(6)
  expect((Date.now() - at) / heartbeatMs).toBeGreaterThan(4)
  expect((Date.now() - at) / heartbeatMs).toBeLessThan(8)
  stream.leave()
})

it('SSE-09 numbers events, and a reconnect gets what it missed of the last 256', async () => {
  const { account, listener } = await people()
  const first = await listen(service, listener)
  await write(service, account.id, 3)
  await expect.poll(() => first.events().length, patience).toBe(3)
  const ids = first.events().map(({ id }) => Number(id))
  expect(ids).toEqual([ids[0], (ids[0] ?? 0) + 1, (ids[0] ?? 0) + 2])
  first.leave()
  await write(service, account.id, 2)
  const again = await listen(service, listener, { 'last-event-id': String(ids[1]) })
  await expect.poll(() => again.events().map(({ data }) => data.n), patience).toEqual([3, 1, 2])
  // A new stream begins with what is new, and so does one whose last id is none.
  const fresh = await listen(service, listener)
  const odd = await listen(service, listener, { 'last-event-id': 'x' })
  for (let n = 0; n < 3; n++) await write(service, account.id, 100)
  await expect.poll(() => again.events('handoff_created').length, patience).toBe(303)
  for (const one of [fresh, odd]) expect(one.events('handoff_created')).toHaveLength(300)
  const late = await listen(service, listener, { 'last-event-id': String(ids[2]) })
  await expect.poll(() => late.events('handoff_created').length, patience).toBe(256)
  expect(late.events()[0]).toMatchObject({ event: 'overflow', id: String(ids[2]), data: { dropped: 302 - 256 } })
  for (const one of [again, fresh, odd, late]) one.leave()
})

it('takes an event once that is published twice', async () => {
  const { account, listener } = await people()
  const stream = await listen(service, listener)
  await write(service, account.id, 1)
  const insert = `insert into stream_events (id, account_id, event, data, created_at) values ($1, $2, 'handoff_created', $3, app.now() - interval '1 minute')`
  const id = crypto.randomUUID()
  for (const n of [7, 8]) {
    await service.sql(insert, [id, account.id, { n }])
    await service.stack.tick()
  }
  await write(service, account.id, 1)
  await expect.poll(() => stream.events().map(({ data }) => data.n), patience).toEqual([1, 7, 1])
  stream.leave()
})

it.each([
  ['signs out', `update sign_ins set ended_at = app.now() where user_id = $1`],
  ['is deactivated', `update users set is_active = false where id = $1`],
  ['becomes a viewer', `update users set role = 'viewer' where id = $1`],
])('SSE-11 ends when its user %s, within a heartbeat, and nobody else’s', async (_what, statement) => {
  const { account, listener } = await people()
  const [stream, neighbour] = [await listen(service, listener), await listen(service, account.admin)]
  await service.sql(statement, [listener.id])
  const at = Date.now()
  await stream.ended
  // Asking is a moment's work after the heartbeat.
  expect(Date.now() - at).toBeLessThan(heartbeatMs * 2)
  expect(await service.stack.subscribers(account.id)).toBe(1)
  neighbour.leave()
})

/** A token as the service signs them, but for two seconds. */
function shortToken({ id, accountId, signInId }: Person): Promise<string> {
  const [{ kid, secret }] = JSON.parse(service.settings.JWT_KEYS ?? '') as [{ kid: string; secret: string }]
  return new SignJWT({ acc: accountId, sid: signInId })
    .setProtectedHeader({ alg: 'HS256', kid, typ: 'JWT' })
    .setSubject(id)
    .setExpirationTime('2s')
    .sign(new TextEncoder().encode(secret))
}

it('SSE-11 outlives the access token', async () => {
  const { account, listener } = await people()
  const stream = await listen(service, { ...listener, token: await shortToken(listener) })
  const token = await shortToken(listener)
  await expect.poll(async () => (await request(service, 'GET', '/auth/me', { token })).status, patience).toBe(401)
  const heard = stream.text().length
  await expect.poll(() => stream.text().length, patience).toBeGreaterThan(heard + 20)
  expect(await service.stack.subscribers(account.id)).toBe(1)
  stream.leave()
})

it('stays through a database that is away for a heartbeat or two', async () => {
  const { account, listener } = await people()
  const stream = await listen(service, listener)
  const beats = () => stream.text().split(': heartbeat').length
  await desk(service).fault({ service: 'postgres', mode: 'error' })
  const before = beats()
  await expect.poll(beats, patience).toBe(before + 2)
  await desk(service).lift()
  expect(await service.stack.subscribers(account.id)).toBe(1)
  stream.leave()
})

it('forgets clients that leave, however many', async () => {
  const { account } = await people()
  const engineers = await Promise.all(Array.from({ length: 20 }, () => account.colleague()))
  const streams = await Promise.all(engineers.flatMap((person) => Array.from({ length: 5 }, () => listen(service, person))))
  expect(await service.stack.subscribers(account.id)).toBe(100)
  for (const stream of streams) stream.leave()
  await expect.poll(() => service.stack.subscribers(account.id), patience).toBe(0)
})

it('SSE-07 SSE-10 drops for who reads nothing, says how much, and makes nobody else wait', async () => {
  const { account, listener } = await people()
  const healthy = await listen(service, account.admin)
  const stalled = await fetch(`${service.api}/api/v1/ai-sessions/escalations/stream`, {
    headers: { authorization: `Bearer ${listener.token}` },
  })
  // More than all buffers on the way hold: the rest waits in the queue, and does not fit there either.
  const rounds = 16
  for (let n = 0; n < rounds; n++) await write(service, account.id, 25, 200_000)
  await expect.poll(() => healthy.events('handoff_created').length, { timeout: 20_000, interval: 200 }).toBe(rounds * 25)
  expect(healthy.events('overflow')).toEqual([])
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stalled.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (/"dropped":\d+\}\n\n/.test(text)) break
  }
  const heard = text.split('event: handoff_created').length - 1
  const dropped = Number(/"dropped":(\d+)/.exec(text)?.[1])
  expect(dropped).toBeGreaterThan(0)
  expect(heard + dropped).toBe(rounds * 25)
  expect(heard).toBeGreaterThan(64)
  healthy.leave()
})

it('SSE-06 escalates and mails though the hub is away, and tells the streams later', async () => {
  const without = await ownService({}, { hub: false })
  try {
    const account = await newAccount(without)
    const owner: Person = await account.colleague()
    const { id } = await newAiSession(owner)
    await escalate(owner, id)
    const mailed = async () =>
      (await without.sql(`select 1 from deliveries where account_id = $1 and state = 'delivered'`, [account.id])).length
    await expect.poll(mailed, patience).toBeGreaterThan(0)
    const waiting = await without.sql(`select event from stream_events where account_id = $1 and event = 'handoff_created'`, [account.id])
    expect(waiting).toEqual([{ event: 'handoff_created' }])
    expect(without.log.some((line) => line.includes('effect_failed'))).toBe(true)
  } finally {
    await without.close()
  }
})
