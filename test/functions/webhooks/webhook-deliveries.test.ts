import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeEach, expect, it } from 'vitest'
import type { Event } from '#rules/events/events.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { emitWithoutPublishing } from '#test/support/jobs.ts'
import { createLastingAccount } from '#test/support/maintenance.ts'
import type { TestAccount } from '#test/support/people.ts'
import { createWebhook, startReceiver } from '#test/support/webhook-receiver.ts'

const receiver = await startReceiver()
const service = await startOwnService({ OUTBOUND_ALLOWED_ORIGIN: receiver.origin })
const { stack } = service
const { listRecords, setFault, clearFaults, advanceClock } = dashboard(service)
afterAll(async () => {
  await service.close()
  receiver.close()
})

const accept = receiver.answer
const answerStatus =
  (status: number): typeof receiver.answer =>
  (response) =>
    response.writeHead(status).end()

let account: TestAccount
beforeEach(async () => {
  receiver.answer = accept
  account = await createLastingAccount(service)
})

const joined = (memberName: string, actorId = crypto.randomUUID()): Event => ({
  key: 'member.joined',
  actorId,
  teamId: null,
  memberName,
  inviterId: account.admin.id,
})
const create = (events = ['member.joined'], path?: string) =>
  createWebhook(receiver, account.admin, events, path)
const emit = async (...events: Event[]) => {
  for (const event of events) await stack.emitEvent(account.id, event)
  await stack.localServer.qstash.waitUntilSettled()
}

it('WHK-03 sends each event to each webhook that wants it, with one id and a valid signature', async () => {
  const [first, second, other] = [await create(), await create(), await create(['flow.published'])]
  await emit(joined('Ann'))
  expect(first.listReceived()).toMatchObject([
    { type: 'member.joined', data: { name: 'Ann', invited_by: account.admin.id } },
  ])
  expect(second.listReceived().map(({ id }) => id)).toEqual(first.listReceived().map(({ id }) => id))
  expect(other.listReceived()).toEqual([])
  expect(await first.listDeliveries()).toMatchObject([
    { state: 'delivered', attempts: 1, last_status_code: 204, next_attempt_at: null },
  ])
})

it('WHK-04 repeats a failed message after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and then fails', async () => {
  receiver.answer = answerStatus(500)
  const webhook = await create()
  await emit(joined('Ann'))
  for (const [index, seconds] of [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].entries()) {
    const [{ attempts, next_attempt_at, last_attempt_at }] = await webhook.listDeliveries()
    const delay = (Date.parse(next_attempt_at) - Date.parse(last_attempt_at)) / 1000
    expect([attempts, delay >= seconds && delay <= Math.ceil(seconds * 1.1) + 1], `${delay} s`).toEqual([
      index + 1,
      true,
    ])
    await advanceClock(seconds * 1.1 + 320)
  }
  expect(await webhook.listDeliveries()).toMatchObject([
    { state: 'failed', attempts: 10, next_attempt_at: null },
  ])
  expect(new Set(webhook.listReceived().map(({ id }) => id)).size).toBe(1)
})

it('WHK-03 repeats a message once whose receiver died after it had received it', async () => {
  let deaths = 1
  receiver.answer = (response, path) => (deaths-- > 0 ? response.destroy() : accept(response, path))
  const webhook = await create()
  await emit(joined('Ann'), joined('Ben'))
  await advanceClock(30)
  const received = webhook.listReceived()
  expect(new Set(received.map(({ data }) => data.name))).toEqual(new Set(['Ann', 'Ben']))
  expect([received.length, new Set(received.map(({ id }) => id)).size]).toEqual([3, 2])
})

it('WHK-03 sends a message whose process was killed after the commit, and once more one that was killed during the attempt', async () => {
  const webhook = await create()
  await emitWithoutPublishing(service, account.id, joined('Ann'))
  expect(webhook.listReceived()).toEqual([])
  await advanceClock(60)
  expect(webhook.listReceived()).toHaveLength(1)
  await service.sql(
    `update webhook_deliveries set state = 'pending', delivered_at = null, next_attempt_at = app.now(), leased_until = app.now() + interval '60 s' where webhook_id = $1`,
    [webhook.id],
  )
  await advanceClock(30)
  expect(webhook.listReceived()).toHaveLength(1)
  await advanceClock(120)
  expect(webhook.listReceived()).toHaveLength(2)
  expect(await webhook.listDeliveries()).toMatchObject([{ state: 'delivered', attempts: 2 }])
})

it('WHK-03 sends a message once when the queue delivers its job twice, and while the queue is away', async () => {
  const webhook = await create()
  await setFault({ service: 'qstash', mode: 'duplicate' })
  await emit(joined('Ann'))
  expect(webhook.listReceived()).toHaveLength(1)
  await setFault({ service: 'qstash', mode: 'down' })
  await emit(joined('Ben'))
  await advanceClock(60)
  expect(webhook.listReceived().map(({ data }) => data.name)).toEqual(['Ann', 'Ben'])
  await clearFaults()
})

it('WHK-05 sends the messages of one subject in order until one has failed three times, and those of others meanwhile', async () => {
  const subject = crypto.randomUUID()
  receiver.answer = answerStatus(500)
  const webhook = await create()
  await emit(joined('first', subject))
  receiver.answer = accept
  await emitWithoutPublishing(service, account.id, joined('second', subject))
  await emit(joined('third', subject), joined('other'))
  expect(webhook.listReceived().map(({ data }) => data.name)).toEqual(['first', 'other'])
  await advanceClock(20)
  await advanceClock(60)
  expect(webhook.listReceived().map(({ data }) => data.name)).toEqual([
    'first',
    'other',
    'first',
    'second',
    'third',
  ])
  receiver.answer = (response, path) =>
    webhook.listReceived().at(-1)?.data.name === 'bad'
      ? answerStatus(500)(response, path)
      : accept(response, path)
  await emit(joined('bad', subject), joined('good', subject))
  await advanceClock(30)
  expect(webhook.listReceived().at(-1)?.data.name).toBe('bad')
  await advanceClock(400)
  await advanceClock(60)
  expect(webhook.listReceived().at(-1)?.data.name).toBe('good')
})

it('WHK-06 switches the webhook off at 410 and mails the account admins once', async () => {
  receiver.answer = answerStatus(410)
  const webhook = await create()
  await emit(joined('Ann'))
  await emit(joined('Ben'))
  expect(await webhook.get()).toMatchObject({ is_active: false, disabled_reason: 'gone' })
  expect(webhook.listReceived()).toHaveLength(1)
  const mails = (await listRecords('mail')).filter(({ to }) => to.includes(account.admin.email))
  expect(mails).toMatchObject([
    { subject: 'A webhook was switched off', text: expect.stringContaining('127.0.0.1') },
  ])
  expect(mails[0].text).not.toContain(webhook.path)
  expectStatus(await account.admin.call('PATCH', `/webhooks/${webhook.id}`, { is_active: true }), 200)
  expect(await webhook.get()).toMatchObject({
    is_active: true,
    disabled_reason: null,
    failures: 0,
    failing_since: null,
  })
})

it('WHK-06 switches the webhook off after five days without a success, and not after a success in between', async () => {
  receiver.answer = answerStatus(500)
  const [failing, recovering] = [await create(), await create()]
  await emit(joined('Ann'))
  await advanceClock(3 * 86_400)
  receiver.answer = (response, path) =>
    (path === recovering.path ? accept : answerStatus(500))(response, path)
  await emit(joined('Ben'))
  await advanceClock(600)
  receiver.answer = answerStatus(500)
  await advanceClock(2 * 86_400)
  await emit(joined('Cal'))
  await advanceClock(600)
  expect(await failing.get()).toMatchObject({ is_active: false, disabled_reason: 'failing' })
  expect(await recovering.get()).toMatchObject({ is_active: true })
  expect(
    (await failing.listDeliveries()).filter(
      ({ state }: { state: string }) => state === 'pending' || state === 'retrying',
    ),
  ).toEqual([])
  const mails = (await listRecords('mail')).filter(({ to }) => to.includes(account.admin.email))
  expect(mails).toMatchObject([{ subject: 'A webhook was switched off' }])
})

it('WHK-08 replays every failed delivery since a time with the same ids, once for 32 concurrent replays', async () => {
  receiver.answer = answerStatus(500)
  const webhook = await create()
  await emit(joined('Ann'), joined('Ben'))
  await service.sql(
    `update webhook_deliveries set state = 'failed', next_attempt_at = null where webhook_id = $1`,
    [webhook.id],
  )
  const ids = webhook.listReceived().map(({ id }) => id)
  receiver.answer = accept
  const since = { failed_since: '2026-01-01T00:00:00.000Z' }
  const before = webhook.listReceived().length
  const people = await Promise.all(Array.from({ length: 4 }, () => account.addColleague({ role: 'admin' })))
  const answers = await Promise.all(
    people.flatMap((person) =>
      Array.from({ length: 8 }, () => person.call('POST', `/webhooks/${webhook.id}/replay`, since)),
    ),
  )
  expect(answers.map(({ status, body }) => [status, body.queued]).toSorted((a, b) => b[1] - a[1])).toEqual([
    [202, 2],
    ...Array(31).fill([202, 0]),
  ])
  await stack.localServer.qstash.waitUntilSettled()
  const replayed = webhook.listReceived().slice(before)
  expect(replayed.map(({ id }) => id).toSorted()).toEqual([...new Set(ids)].toSorted())
})

it('WHK-08 replays one delivered message, and refuses an unknown one and a webhook that is off', async () => {
  const webhook = await create()
  await emit(joined('Ann'))
  const [{ id, message_id }] = await webhook.listDeliveries()
  const replay = (delivery_id: string) =>
    account.admin.call('POST', `/webhooks/${webhook.id}/replay`, { delivery_id })
  expect(await replay(id)).toMatchObject({ status: 202, body: { queued: 1 } })
  await stack.localServer.qstash.waitUntilSettled()
  expect(webhook.listReceived().map((message) => message.id)).toEqual([message_id, message_id])
  // A double click.
  expect(await replay(id)).toMatchObject({ status: 202, body: { queued: 0 } })
  const readReplayTime = async () =>
    (await service.sql('select last_replay_at from webhooks where id = $1', [webhook.id]))[0]
  const lastReplay = await readReplayTime()
  await advanceClock(1)
  expectStatus(await replay(crypto.randomUUID()), 404)
  expect(await readReplayTime()).toEqual(lastReplay)
  await account.admin.call('PATCH', `/webhooks/${webhook.id}`, { is_active: false })
  expect(await replay(id)).toMatchObject({ status: 409, body: { code: 'wrong_state' } })
})

it('WHK-07 logs the exact request and the masked start of the response', async () => {
  receiver.answer = (response) =>
    response.writeHead(500).end(`password=Summer-2026-Oslo! ${'x'.repeat(5000)}`)
  const webhook = await create()
  await emit(joined('Ann'))
  const [delivery] = await webhook.listDeliveries()
  expect(JSON.parse(delivery.request_body)).toMatchObject({ type: 'member.joined', data: { name: 'Ann' } })
  expect(delivery).toMatchObject({
    message_id: webhook.listReceived()[0]?.id,
    last_status_code: 500,
    last_error: 'The receiver returned 500',
  })
  expect(delivery.response_body).not.toContain('Summer-2026')
  expect(Buffer.byteLength(delivery.response_body)).toBeLessThanOrEqual(2048)
})

it('WHK-09 follows no redirect', async () => {
  receiver.answer = (response) =>
    response.writeHead(302, { location: `${service.localOrigin}/redirected/hooks` }).end()
  const webhook = await create()
  await emit(joined('Ann'))
  expect(await webhook.listDeliveries()).toMatchObject([{ state: 'retrying', last_status_code: 302 }])
  expect(await listRecords('redirect')).toEqual([])
})

it('WHK-09 checks the address again before each message', async () => {
  const webhook = await create()
  await service.sql(`update webhooks set url = 'https://169.254.169.254/latest' where id = $1`, [webhook.id])
  await emit(joined('Ann'))
  expect(await webhook.listDeliveries()).toMatchObject([
    {
      last_error:
        'The webhook address must not lead to a loopback, private, link-local, multicast or metadata address',
    },
  ])
  expect(webhook.listReceived()).toEqual([])
})

it('WHK-10 a receiver that does not answer holds at most two attempts, and other accounts get their messages meanwhile', async () => {
  let open = 0
  let most = 0
  const slow = await create()
  receiver.answer = async (response, path) => {
    if (path !== slow.path) return accept(response, path)
    most = Math.max(most, ++open)
    await sleep(100)
    open--
    accept(response, path)
  }
  for (let n = 0; n < 12; n++) await stack.emitEvent(account.id, joined(`slow ${n}`))
  account = await createLastingAccount(service)
  const quick = await create()
  await stack.emitEvent(account.id, joined('quick'))
  await expect.poll(() => quick.listReceived().length, { timeout: 2000 }).toBe(1)
  expect(slow.listReceived().length).toBeLessThan(12)
  await stack.localServer.qstash.waitUntilSettled()
  expect([most, slow.listReceived().length]).toEqual([2, 12])
})

it('WHK-10 a failing webhook gets one attempt at a time, and none during its pause', async () => {
  receiver.answer = answerStatus(500)
  const webhook = await create()
  for (let n = 0; n < 20; n++) await stack.emitEvent(account.id, joined(`n${n}`))
  await stack.localServer.qstash.waitUntilSettled()
  const tried = webhook.listReceived().length
  expect(tried).toBeLessThanOrEqual(4)
  const rows = await service.sql<{ id: string }>('select id from webhook_deliveries where webhook_id = $1', [
    webhook.id,
  ])
  const ids = new Set(rows.map(({ id }) => id))
  const countJobs = async () =>
    (await listRecords('queue')).filter(({ body }) => ids.has(body?.delivery_id)).length
  const jobs = await countJobs()
  await advanceClock(10)
  expect([webhook.listReceived().length, await countJobs()]).toEqual([tried, jobs])
  receiver.answer = accept
  await advanceClock(90)
  await advanceClock(90)
  expect(
    new Set(
      webhook
        .listReceived()
        .slice(tried)
        .map(({ data }) => data.name),
    ).size,
  ).toBe(20)
})

it('WHK-15 ends without a record when the webhook is deleted during the attempt', async () => {
  const webhook = await create()
  receiver.answer = async (response, path) => {
    expectStatus(await account.admin.call('DELETE', `/webhooks/${webhook.id}`), 204)
    accept(response, path)
  }
  await emit(joined('Ann'))
  expect(webhook.listReceived()).toHaveLength(1)
  expect(await service.sql('select from webhook_deliveries where webhook_id = $1', [webhook.id])).toEqual([])
  expect((await listRecords('queue')).filter(({ state }) => state === 'failed')).toEqual([])
})

it('WHK-15 records an attempt while another transaction changes the webhook and its deliveries, without a deadlock', async () => {
  const webhook = await create()
  const client = new pg.Client({ connectionString: service.ownerUrl })
  await client.connect()
  receiver.answer = async (response, path) => {
    await client.query('begin')
    await client.query('select from webhooks where id = $1 for update', [webhook.id])
    answerStatus(500)(response, path)
  }
  const emitted = emit(joined('Ann'))
  const isWaiting = `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as waits`
  await expect
    .poll(async () => (await service.sql<{ waits: boolean }>(isWaiting))[0]?.waits, { timeout: 5000 })
    .toBe(true)
  // Fails if the attempt holds the delivery while it waits for the webhook.
  await client.query(`set local lock_timeout = '500ms'`)
  await client.query('update webhook_deliveries set swept_at = null where webhook_id = $1', [webhook.id])
  await client.query('commit')
  await client.end()
  await emitted
  expect(await webhook.listDeliveries()).toMatchObject([
    { state: 'retrying', attempts: 1, last_status_code: 500 },
  ])
})

it('WHK-14 deletes deliveries after 30 days and beyond the newest 10,000 of a webhook', async () => {
  const webhook = await create()
  await service.sql(
    `insert into webhook_deliveries (account_id, webhook_id, message_id, type, subject, payload, state, created_at)
     select account_id, id, 'msg_' || n, 'member.joined', n, '{}', 'failed', app.now() - n * interval '1 minute' - case when n = 1 then interval '31 days' else '0' end
       from webhooks, generate_series(1, 10003) n where id = $1`,
    [webhook.id],
  )
  await stack.runCron()
  const [row] = await service.sql<{ count: number; oldest: string }>(
    `select count(*)::integer as count, max(subject::integer) as oldest from webhook_deliveries where webhook_id = $1`,
    [webhook.id],
  )
  expect(row).toEqual({ count: 10_000, oldest: 10_001 })
})

it.each(['delivery_id', 'failed_since'])(
  'WHK-08 replays by %s what waits hours for its next attempt',
  async (field) => {
    receiver.answer = answerStatus(500)
    const webhook = await create()
    await emit(joined('Ann'))
    await service.sql(
      `update webhook_deliveries set state = 'retrying', next_attempt_at = app.now() + interval '2 hours', leased_until = null where webhook_id = $1`,
      [webhook.id],
    )
    const [{ id }] = await webhook.listDeliveries()
    receiver.answer = accept
    const body = field === 'delivery_id' ? { delivery_id: id } : { failed_since: '2026-01-01T00:00:00.000Z' }
    expect(await account.admin.call('POST', `/webhooks/${webhook.id}/replay`, body)).toMatchObject({
      status: 202,
      body: { queued: 1 },
    })
    await stack.localServer.qstash.waitUntilSettled()
    expect(await webhook.listDeliveries()).toMatchObject([{ id, state: 'delivered' }])
  },
)
