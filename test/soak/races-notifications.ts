import { expect } from 'vitest'
import { dashboard, type Service } from '#test/support/app.ts'
import { concurrentCallers, countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { emitWithoutPublishing, escalationEvent, postDeliveryJob } from '#test/support/jobs.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'

// Each function repeats one race `rounds` times. A failed expectation names the round.

/** Create a chat configuration with its own path, under which the local emulator records its messages. */
async function createChatConfig(
  service: Service,
  { admin }: TestAccount,
): Promise<{ id: string; path: string }> {
  const path = `/chat/1/race-${crypto.randomUUID()}`
  const config = {
    channel: 'chat1_webhook',
    webhook_url: service.localOrigin + path,
    events_enabled: ['session.escalated'],
  }
  const response = await admin.call('POST', '/notifications/configs', config)
  expectStatus(response, 201)
  return { id: response.body.id, path }
}

const countSentMessages = async (service: Service, path: string): Promise<number> =>
  (await dashboard(service).listRecords('chat')).filter((message) => message.path === path).length

/**
 * Post copies of one delivery job concurrently, and expect that every copy gets 200, and one chat message is
 * sent.
 */
export async function expectOneMessagePerDelivery(service: Service, rounds: number): Promise<void> {
  const account = await createAccount(service)
  const { path } = await createChatConfig(service, account)
  for (let round = 1; round <= rounds; round++) {
    const ids = await emitWithoutPublishing(service, account.id, escalationEvent(`Copies, round ${round}`))
    const rows = await service.sql<{ id: string }>(
      'select id from deliveries where id = any($1) and config_id is not null',
      [ids],
    )
    expect(rows).toHaveLength(1)
    const responses = await runConcurrently(() => postDeliveryJob(service, rows[0]?.id ?? '', 1))
    expect(countByStatus(responses), `round ${round}`).toEqual({ 200: concurrentCallers })
    // The emulator keeps 1,000 messages.
    expect(await countSentMessages(service, path), `round ${round}`).toBe(Math.min(round, 1000))
    const [row] = await service.sql('select state, attempts from deliveries where id = $1', [rows[0]?.id])
    expect(row).toEqual({ state: 'delivered', attempts: 1 })
  }
}

/**
 * Create a configuration concurrently with one idempotency key, and expect that one row is inserted, and
 * every 201 contains that row.
 */
export async function expectOneRowPerKey(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const { admin } = await createAccount(service)
    const body = { channel: 'email', email_addresses: ['oncall@people.example'], events_enabled: [] }
    const headers = { 'idempotency-key': `round ${round}` }
    const responses = await runConcurrently(() => admin.call('POST', '/notifications/configs', body, headers))
    const counts = countByStatus(responses)
    // Repeated keys count against the rate limit of 10 as well.
    expect(counts[429], `round ${round}`).toBe(concurrentCallers - 10)
    expect((counts[201] ?? 0) + (counts[409] ?? 0), `round ${round}`).toBe(10)
    const rows = await service.sql<{ id: string }>(
      'select id from notification_configs where account_id = $1',
      [admin.accountId],
    )
    expect(rows, `round ${round}`).toHaveLength(1)
    for (const { status, body } of responses) if (status === 201) expect(body.id).toBe(rows[0]?.id)
  }
}

/**
 * Send a test message concurrently with one idempotency key, and expect that the chat tool receives one
 * message.
 */
export async function expectOneTestMessagePerKey(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const account = await createAccount(service)
    const { id, path } = await createChatConfig(service, account)
    const headers = { 'idempotency-key': `round ${round}` }
    const sendTest = () =>
      account.admin.call('POST', '/notifications/configs/test', { config_id: id }, headers)
    const counts = countByStatus(await runConcurrently(sendTest))
    expect(counts[429], `round ${round}`).toBe(concurrentCallers - 5)
    expect((counts[200] ?? 0) + (counts[409] ?? 0), `round ${round}`).toBe(5)
    expect(await countSentMessages(service, path), `round ${round}`).toBe(1)
  }
}

/**
 * Mark all notifications as read while events arrive. Expect that older ones are read, none is lost, and the
 * unread count is right.
 */
export async function expectMarkAllReadLosesNothing(service: Service, rounds: number): Promise<void> {
  const account = await createAccount(service)
  for (let round = 1; round <= rounds; round++) {
    const person = await account.addColleague()
    const earlyCount = 4
    for (let n = 0; n < earlyCount; n++)
      await emitWithoutPublishing(service, account.id, escalationEvent(`Early ${n}`, person.id))
    // Eight callers mark all as read, and a ninth call follows below: the rate limit is ten.
    const isMarkingCaller = (caller: number) => caller % 4 === 1
    const actions = await runConcurrently((caller) =>
      isMarkingCaller(caller) ? markAllRead(person) : emitTo(service, person, caller),
    )
    const lateCount = actions.filter((action) => action === 'emitted').length
    expect(await countInbox(service, person), `round ${round}`).toMatchObject({
      all: earlyCount + lateCount,
      inconsistent: 0,
      unread_early: 0,
    })
    const { unread } = await countInbox(service, person)
    expect((await person.call('GET', '/notifications/unread-count')).body).toEqual({ count: unread })
    await markAllRead(person)
    expect((await person.call('GET', '/notifications/unread-count')).body).toEqual({ count: 0 })
  }
}

async function markAllRead(person: Person): Promise<string> {
  const response = await person.call('POST', '/notifications/mark-all-read')
  expect([response.status, response.body]).toEqual([200, { count: 0 }])
  return 'marked'
}

async function emitTo(service: Service, person: Person, caller: number): Promise<string> {
  await emitWithoutPublishing(service, person.accountId, escalationEvent(`Late ${caller}`, person.id))
  return 'emitted'
}

/** Count a person's notifications. `inconsistent` are those whose `is_read` does not match `read_at`. */
async function countInbox(service: Service, person: Person) {
  const [row] = await service.sql<{
    all: number
    unread: number
    inconsistent: number
    unread_early: number
  }>(
    `select count(*)::int as all, count(*) filter (where not is_read)::int as unread,
            count(*) filter (where is_read <> (read_at is not null))::int as inconsistent,
            count(*) filter (where not is_read and title like '%Early%')::int as unread_early
       from notifications where user_id = $1`,
    [person.id],
  )
  return row as { all: number; unread: number; inconsistent: number; unread_early: number }
}
