import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EscalationEvents } from '#functions/ai/escalations/schemas.ts'
import { createAiSession } from '#test/support/ai.ts'
import { createKey } from '#test/support/api-keys.ts'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import {
  claimHandoff,
  createEscalation,
  escalateSession,
  insertStreamEvents,
  openEscalationStream,
  pickUpSession,
} from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { night } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { openSocket } from '#test/support/sockets.ts'

const heartbeatMs = 400
let service: Awaited<ReturnType<typeof startOwnService>>
beforeAll(async () => {
  service = await startOwnService({ STREAM_HEARTBEAT_MS: String(heartbeatMs) }, { databaseFaults: true })
})
afterAll(() => service.close())

const pollOptions = { timeout: 30_000, interval: 20 }

const countHeartbeats = (stream: { text(): string }) => stream.text().split(': heartbeat\n\n').length - 1

async function createPeople() {
  const account = await createAccount(service)
  const [owner, listener] = [await account.addColleague(), await account.addColleague()]
  return { account, owner, listener }
}

it('SSE-01 opens the stream for engineers and admins only', async () => {
  const { account, listener } = await createPeople()
  for (const [person, status] of [
    [listener, 200],
    [account.admin, 200],
    [await account.addColleague({ role: 'viewer' }), 403],
  ] as const) {
    const stream = await openEscalationStream(service, person)
    expectStatus(stream, status)
    stream.disconnect()
  }
  expectStatus(await openEscalationStream(service, { ...listener, token: 'no.such.token' }), 401)
})

it('SSE-02 SSE-04 SSE-08 sends an escalation only to the streams of its account', async () => {
  const { owner, listener } = await createPeople()
  const otherPeople = await createPeople()
  const [ours, theirs] = [
    await openEscalationStream(service, listener),
    await openEscalationStream(service, otherPeople.listener),
  ]
  const { id, handoffId } = await createEscalation(
    owner,
    { target_user_id: listener.id },
    { psa_ticket_id: '4711' },
  )
  const otherEscalation = await createEscalation(otherPeople.owner)
  await expect.poll(() => ours.events('handoff_created').length, pollOptions).toBe(1)
  await expect.poll(() => theirs.events('handoff_created').length, pollOptions).toBe(1)
  const [row] = await service.sql('select app.iso(created_at) as created_at from ai_handoffs where id = $1', [
    handoffId,
  ])
  expect(ours.events('handoff_created')[0]?.data).toEqual({
    handoff_id: handoffId,
    session_id: id,
    title: 'Reception cannot print since this morning.',
    engineer_name: owner.fullName,
    psa_ticket_id: '4711',
    target_user_id: listener.id,
    created_at: row?.created_at,
    urgency: 'normal',
    client_name: null,
    reason: '',
    summary: '',
    what_was_tried: '',
    next_steps: '',
  })
  expect(
    EscalationEvents.handoff_created.safeParse(ours.events('handoff_created')[0]?.data).error,
  ).toBeUndefined()
  expect(theirs.events('handoff_created')[0]?.data.handoff_id).toBe(otherEscalation.handoffId)
  // The hub has received both events: no row is left to publish.
  await expect.poll(() => service.sql('select 1 from stream_events'), pollOptions).toEqual([])
})

it('SSE-05 sends an event when an assessment is stored', async () => {
  const { owner, listener } = await createPeople()
  const stream = await openEscalationStream(service, listener)
  const { id, handoffId } = await createEscalation(owner)
  await expect
    .poll(() => stream.events('handoff_assessment_ready').map(({ data }) => data), pollOptions)
    .toEqual([{ handoff_id: handoffId, session_id: id, assessment_status: 'ready' }])
  expect(
    EscalationEvents.handoff_assessment_ready.safeParse(stream.events('handoff_assessment_ready')[0]?.data)
      .error,
  ).toBeUndefined()
})

it('SSE-03 sends a comment at every heartbeat', async () => {
  const { listener } = await createPeople()
  const stream = await openEscalationStream(service, listener)
  await expect.poll(() => countHeartbeats(stream), pollOptions).toBeGreaterThan(0)
  const [start, before] = [Date.now(), countHeartbeats(stream)]
  await expect.poll(() => countHeartbeats(stream) - before, pollOptions).toBeGreaterThanOrEqual(5)
  const intervals = (Date.now() - start) / heartbeatMs
  expect(intervals).toBeGreaterThan(4)
  expect(intervals).toBeLessThan(8)
  stream.disconnect()
})

it('SSE-09 numbers events, and sends the missed ones among the last 256 after a reconnect', async () => {
  const { account, listener } = await createPeople()
  const first = await openEscalationStream(service, listener)
  await insertStreamEvents(service, account.id, 3)
  await expect.poll(() => first.events().length, pollOptions).toBe(3)
  const ids = first.events().map(({ id }) => Number(id))
  expect(ids).toEqual([ids[0], (ids[0] ?? 0) + 1, (ids[0] ?? 0) + 2])
  first.disconnect()
  await insertStreamEvents(service, account.id, 2)
  const reconnected = await openEscalationStream(service, listener, { 'last-event-id': String(ids[1]) })
  await expect.poll(() => reconnected.events().map(({ data }) => data.n), pollOptions).toEqual([3, 1, 2])
  // A new stream starts with new events, and so does one with an invalid last id.
  const fresh = await openEscalationStream(service, listener)
  const invalid = await openEscalationStream(service, listener, { 'last-event-id': 'x' })
  for (let n = 0; n < 3; n++) await insertStreamEvents(service, account.id, 100)
  await expect.poll(() => reconnected.events('handoff_created').length, pollOptions).toBe(303)
  for (const stream of [fresh, invalid]) expect(stream.events('handoff_created')).toHaveLength(300)
  const late = await openEscalationStream(service, listener, { 'last-event-id': String(ids[2]) })
  await expect.poll(() => late.events('handoff_created').length, pollOptions).toBe(256)
  expect(late.events()[0]).toMatchObject({
    event: 'overflow',
    id: String(ids[2]),
    data: { dropped: 302 - 256 },
  })
  for (const stream of [reconnected, fresh, invalid, late]) stream.disconnect()
})

it('SSE-15 SSE-20 takes the last id from the URL of a stream, and returns 426 to a client that asks for a WebSocket', async () => {
  const { account, listener } = await createPeople()
  const first = await openEscalationStream(service, listener)
  await insertStreamEvents(service, account.id, 2)
  await expect.poll(() => first.events().length, pollOptions).toBe(2)
  const lastEventId = first.events()[0]?.id ?? ''
  const resumed = await openEscalationStream(service, listener, {}, `?last_event_id=${lastEventId}`)
  await expect.poll(() => resumed.events().map(({ data }) => data.n), pollOptions).toEqual([2])
  const { status, body, headers } = await openSocket(service, listener, { lastEventId })
  expect([status, JSON.parse(body).code, headers.upgrade]).toEqual([426, 'websocket_unavailable', 'HTTP/1.1'])
  for (const stream of [first, resumed]) stream.disconnect()
})

it('delivers an event once although it is published twice', async () => {
  const { account, listener } = await createPeople()
  const stream = await openEscalationStream(service, listener)
  await insertStreamEvents(service, account.id, 1)
  const insert = `insert into stream_events (id, account_id, event, data, created_at) values ($1, $2, 'handoff_created', $3, app.now() - interval '1 minute')`
  const id = crypto.randomUUID()
  for (const n of [7, 8]) {
    await service.sql(insert, [id, account.id, { n }])
    await service.stack.runCron()
  }
  await insertStreamEvents(service, account.id, 1)
  await expect.poll(() => stream.events().map(({ data }) => data.n), pollOptions).toEqual([1, 7, 1])
  stream.disconnect()
})

it.each([
  ['signs out', `update sign_ins set ended_at = app.now() where user_id = $1`],
  ['is deactivated', `update users set is_active = false where id = $1`],
  ['becomes a viewer', `update users set role = 'viewer' where id = $1`],
])(
  'SSE-11 ends a stream within two heartbeats when its user %s, and keeps other streams open',
  async (_name, statement) => {
    const { account, listener } = await createPeople()
    const [stream, neighbour] = [
      await openEscalationStream(service, listener),
      await openEscalationStream(service, account.admin),
    ]
    await service.sql(statement, [listener.id])
    const before = countHeartbeats(neighbour)
    await stream.closed
    expect(countHeartbeats(neighbour) - before).toBeLessThanOrEqual(2)
    expect(await service.stack.countSubscribers(account.id)).toBe(1)
    neighbour.disconnect()
  },
)

/** Create an access token that is valid for two seconds. */
function createShortLivedToken({ id, accountId, signInId }: Person): Promise<string> {
  const [{ kid, secret }] = JSON.parse(service.settings.JWT_KEYS ?? '') as [{ kid: string; secret: string }]
  return new SignJWT({ acc: accountId, sid: signInId })
    .setProtectedHeader({ alg: 'HS256', kid, typ: 'JWT' })
    .setSubject(id)
    .setIssuer(service.settings.PUBLIC_BASE_URL ?? '')
    .setAudience(`${service.settings.PUBLIC_BASE_URL}/api/v1`)
    .setExpirationTime('2s')
    .sign(new TextEncoder().encode(secret))
}

it('SSE-11 keeps a stream open after its access token expires', async () => {
  const { account, listener } = await createPeople()
  const stream = await openEscalationStream(service, {
    ...listener,
    token: await createShortLivedToken(listener),
  })
  const token = await createShortLivedToken(listener)
  await expect
    .poll(async () => (await request(service, 'GET', '/auth/me', { token })).status, pollOptions)
    .toBe(401)
  const receivedLength = stream.text().length
  await expect.poll(() => stream.text().length, pollOptions).toBeGreaterThan(receivedLength + 20)
  expect(await service.stack.countSubscribers(account.id)).toBe(1)
  stream.disconnect()
})

it('KEY-05 ends the stream of a revoked key within two heartbeats, and keeps that of another key open', async () => {
  const { account } = await createPeople()
  const [revoked, other] = [
    await createKey(service, account, { scopes: ['ai:read'] }),
    await createKey(service, account),
  ]
  const [stream, neighbour] = [
    await openEscalationStream(service, revoked),
    await openEscalationStream(service, other),
  ]
  expectStatus(await account.admin.call('DELETE', `/api-keys/${revoked.id}`), 204)
  const before = countHeartbeats(neighbour)
  await stream.closed
  expect(countHeartbeats(neighbour) - before).toBeLessThanOrEqual(2)
  expect(await service.stack.countSubscribers(account.id)).toBe(1)
  neighbour.disconnect()
})

it('keeps a stream open while the database is unreachable for two heartbeats', async () => {
  const { account, listener } = await createPeople()
  const stream = await openEscalationStream(service, listener)
  await dashboard(service).setFault({ service: 'postgres', mode: 'error' })
  const before = countHeartbeats(stream)
  await expect.poll(() => countHeartbeats(stream) - before, pollOptions).toBeGreaterThanOrEqual(2)
  await dashboard(service).clearFaults()
  expect(await service.stack.countSubscribers(account.id)).toBe(1)
  stream.disconnect()
})

it('SSE-13 closes the oldest stream of a person who opens a sixth, and keeps the other five', async () => {
  const { account, listener } = await createPeople()
  const neighbour = await openEscalationStream(service, account.admin)
  const streams = []
  for (let n = 0; n < 6; n++) streams.push(await openEscalationStream(service, listener))
  const [oldest, ...others] = streams
  await oldest?.closed
  expect(oldest?.events().map(({ event }) => event)).toEqual(['replaced'])
  expect(await service.stack.countSubscribers(account.id)).toBe(6)
  await insertStreamEvents(service, account.id, 1)
  for (const stream of [neighbour, ...others])
    await expect.poll(() => stream.events('handoff_created').length, pollOptions).toBe(1)
  expect(oldest?.events('handoff_created')).toEqual([])
  for (const stream of [neighbour, ...others]) stream.disconnect()
})

it('RES-05 five streams of one person that are cut three times in a minute all return', async () => {
  const { account, listener } = await createPeople()
  for (let round = 0; round < 4; round++) {
    const streams = []
    for (let n = 0; n < 5; n++) streams.push(await openEscalationStream(service, listener))
    expect(await service.stack.countSubscribers(account.id)).toBe(5)
    for (const stream of streams) stream.disconnect()
    await expect.poll(() => service.stack.countSubscribers(account.id), pollOptions).toBe(0)
  }
})

it('removes 100 disconnected clients from the hub', async () => {
  const { account } = await createPeople()
  const engineers = await Promise.all(Array.from({ length: 20 }, () => account.addColleague()))
  const streams = await Promise.all(
    engineers.flatMap((person) => Array.from({ length: 5 }, () => openEscalationStream(service, person))),
  )
  expect(await service.stack.countSubscribers(account.id)).toBe(100)
  for (const stream of streams) stream.disconnect()
  await expect.poll(() => service.stack.countSubscribers(account.id), pollOptions).toBe(0)
})

it('SSE-07 SSE-10 drops events of a stalled client, reports their number, and delays no other client', {
  ...night,
  retry: 2,
}, async () => {
  const { account, listener } = await createPeople()
  const healthy = await openEscalationStream(service, account.admin)
  const stalled = await fetch(`${service.api}/api/v1/ai-sessions/escalations/stream`, {
    headers: { authorization: `Bearer ${listener.token}` },
  })
  // More than all network buffers and the client's queue can hold.
  const rounds = 8
  for (let n = 0; n < rounds; n++) await insertStreamEvents(service, account.id, 25, 200_000)
  await expect
    .poll(() => healthy.events('handoff_created').length, { timeout: 30_000, interval: 200 })
    .toBe(rounds * 25)
  expect(healthy.events('overflow')).toEqual([])
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stalled.body ?? []) {
    const part = decoder.decode(chunk, { stream: true })
    text += part
    // The text grows to 80 MB, so only its end is searched.
    if (/"dropped":\d+\}\n\n/.test(text.slice(-part.length - 100))) break
  }
  const received = text.split('event: handoff_created').length - 1
  const dropped = Number(/"dropped":(\d+)/.exec(text)?.[1])
  expect(dropped).toBeGreaterThan(0)
  expect(received + dropped).toBe(rounds * 25)
  expect(received).toBeGreaterThan(64)
  healthy.disconnect()
})

it.each([
  ['the hub', {}, { platform: 'cloudflare', hub: false }],
  // Nothing listens on the port of the discard protocol.
  ['Redis', { REDIS_URL: 'redis://127.0.0.1:9' }, { platform: 'node' }],
] as const)(
  'SSE-06 escalates and sends e-mails without %s, and keeps the stream event for later',
  async (_, settings, options) => {
    const hublessService = await startOwnService(settings, options)
    try {
      const account = await createAccount(hublessService)
      const owner: Person = await account.addColleague()
      const { id } = await createAiSession(owner)
      await escalateSession(owner, id)
      const countDelivered = async () =>
        (
          await hublessService.sql(`select 1 from deliveries where account_id = $1 and state = 'delivered'`, [
            account.id,
          ])
        ).length
      await expect.poll(countDelivered, pollOptions).toBeGreaterThan(0)
      const pending = await hublessService.sql(
        `select event from stream_events where account_id = $1 and event = 'handoff_created'`,
        [account.id],
      )
      expect(pending).toEqual([{ event: 'handoff_created' }])
      expect(hublessService.log.some((line) => line.includes('effect_failed'))).toBe(true)
    } finally {
      await hublessService.close()
    }
  },
)

it('SSE-40 the stream says who claimed an escalation, and when it was picked up, resolved, abandoned or resumed', async () => {
  const { admin, addColleague } = await createAccount(service)
  const owner = await addColleague()
  const stream = await openEscalationStream(service, admin)
  const first = await createEscalation(owner)
  expectStatus(await claimHandoff(admin, first.id, first.handoffId), 200)
  expectStatus(await pickUpSession(admin, first.id), 200)
  const second = await createEscalation(owner)
  expectStatus(await owner.call('POST', `/ai-sessions/${second.id}/resolve`, { outcome: 'resolved' }), 200)
  const third = await createEscalation(owner)
  expectStatus(await owner.call('POST', `/ai-sessions/${third.id}/abandon`), 200)
  const parked = await createAiSession(owner)
  expectStatus(await owner.call('POST', `/ai-sessions/${parked.id}/handoff`, { intent: 'park' }), 201)
  expectStatus(await owner.call('POST', `/ai-sessions/${parked.id}/resume`), 200)
  // A session without a handoff closes none.
  expectStatus(await owner.call('POST', `/ai-sessions/${parked.id}/abandon`), 200)
  await expect.poll(() => stream.events('handoff_closed').length).toBe(4)
  expect(stream.events('handoff_claimed').map(({ data }) => data)).toEqual([
    { session_id: first.id, claimed_by: admin.id, claimant_name: admin.fullName },
  ])
  expect(stream.events('handoff_closed').map(({ data }) => data)).toEqual([
    { session_id: first.id, reason: 'picked_up' },
    { session_id: second.id, reason: 'resolved' },
    { session_id: third.id, reason: 'abandoned' },
    { session_id: parked.id, reason: 'resumed' },
  ])
  stream.disconnect()
})
