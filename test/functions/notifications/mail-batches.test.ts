import pg from 'pg'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import type { OutboxEntry } from '#db/outbox-entry.ts'
import { openPlatformDb } from '#db/scope.ts'
import { deliverNow, work } from '#functions/notifications/deliveries/service.ts'
import { claimMails } from '#functions/notifications/mails/queries.ts'
import { writeMails } from '#functions/notifications/messages/service.ts'
import { moveDatabaseClock } from '#local/postgres.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { collectAttempts } from '#test/support/attempts.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { emitWithoutPublishing, escalationEvent } from '#test/support/jobs.ts'
import { createAccount } from '#test/support/people.ts'
import { resendMail } from '#vendors/mail/resend.ts'

// The provider allows 5 requests per second, and the service makes 4.
const service = await startOwnService({ MAIL_CALLS_PER_SECOND: '4' }, { mailRequestsPerSecond: 5 })
const { clock } = service.stack.localServer
const { listRecords, clearRecords, setFault, clearFaults } = dashboard(service)
afterAll(() => service.close())
afterEach(clearFaults)

const { DATABASE_PLATFORM_URL = '' } = service.settings
let moving = Promise.resolve()
/** Set the time of PostgreSQL and the emulators, unless it is later already. */
const moveTo = (time: number) => {
  moving = moving.then(async () => {
    if (clock.now() >= time) return
    clock.setOffset(clock.offsetMs() + time - clock.now())
    await service.stack.superuser.run((client) => moveDatabaseClock(client, clock.offsetMs()))
  })
  return moving
}
const wait = (ms: number) => moveTo(clock.now() + ms)

let enqueued: OutboxEntry[] = []
beforeEach(async () => {
  enqueued = []
  await clearRecords('mail')
  await service.sql(`update deliveries set state = 'failed' where state in ('pending', 'retrying')`)
  await service.sql('update mail_pace set next_call_at = app.now(), paused_until = app.now()')
  await wait(2000)
})

function openContext() {
  const { ports } = service.services ?? {}
  if (!ports) throw new Error('The service has no ports')
  return {
    ...ports,
    platform: openPlatformDb(openTestDatabase(DATABASE_PLATFORM_URL), 'test', (entry) =>
      enqueued.push(entry),
    ),
    wait,
  }
}
const ctx = openContext()
const attempt = (id: string, number = 1) => work.attempt(ctx, id, number)

/** Insert accounts with a verified admin each, and return their ids. */
async function insertAccounts(count: number): Promise<string[]> {
  const rows = await service.sql<{ id: string }>(
    `with inserted_account as (
       insert into accounts (name, plan, subscription_status, trial_ends_at)
       select 'Account ' || n, 'enterprise', 'trialing', now() + interval '14 days' from generate_series(1, $1) n returning id)
     insert into users (account_id, email, full_name, role, email_verified_at)
     select id, 'admin-' || id || '@people.example', 'Admin', 'admin', now() from inserted_account returning account_id as id`,
    [count],
  )
  return rows.map(({ id }) => id)
}

/** Escalate in an account, without a message to the queue. Return the ids of its deliveries. */
const escalate = (accountId: string) =>
  emitWithoutPublishing(service, accountId, escalationEvent('VPN is down'))
const escalateInEach = async (count: number) =>
  (await Promise.all((await insertAccounts(count)).map(escalate))).flat()
/** Give the person of an e-mail an address that they have not verified. */
const moveRecipient = (id: string | undefined, address: string) =>
  service.sql(
    `update users u set email = $2, email_verified_at = null from deliveries d where d.id = $1 and u.id = d.user_id`,
    [id, address],
  )
const readDelivery = async (id = '') => (await service.sql('select * from deliveries where id = $1', [id]))[0]
const countStates = (ids: string[]) =>
  service.sql(
    'select state, last_status_code as status, count(*)::int from deliveries where id = any ($1) group by 1, 2',
    [ids],
  )
const countCalls = async () =>
  new Set((await listRecords('mail')).map(({ idempotency_key }) => idempotency_key)).size

it('NOT-62 delivers the e-mails of 200 accounts that escalate at once, without a call that the provider refuses', async () => {
  const ids = await escalateInEach(200)
  // Half of the jobs run in another process.
  const other = openContext()
  await Promise.all(ids.map((id, n) => work.attempt(n % 2 ? ctx : other, id, 1)))
  expect(await countStates(ids)).toEqual([{ state: 'delivered', status: 200, count: 200 }])
  expect(new Set((await listRecords('mail')).flatMap(({ to }) => to)).size).toBe(200)
  expect(await countCalls()).toBeLessThanOrEqual(4)
})

it('NOT-63 sends at most 100 e-mails in one call, also when deliveries have several recipients', async () => {
  const account = await createAccount(service)
  const email_addresses = Array.from({ length: 19 }, (_, n) => `r${n}@strangers.example`)
  const config = { channel: 'email', email_addresses, events_enabled: ['member.joined'] }
  expectStatus(await account.admin.call('POST', '/notifications/configs', config), 201)
  await service.sql(`update plan_limits set max_mails_per_day = null`)
  await service.sql(`update accounts set subscription_status = 'active' where id = $1`, [account.id])
  const event = {
    key: 'member.joined',
    actorId: null,
    teamId: null,
    memberName: 'Ann',
    inviterId: account.admin.id,
  } as const
  const ids = (
    await Promise.all(Array.from({ length: 7 }, () => emitWithoutPublishing(service, account.id, event)))
  ).flat()
  await Promise.all(ids.map((id) => attempt(id)))
  expect(await countStates(ids)).toEqual([{ state: 'delivered', status: 200, count: 7 }])
  const mails = await listRecords('mail')
  expect(mails).toHaveLength(7 * 19)
  const calls = Object.values(Object.groupBy(mails, ({ idempotency_key }) => idempotency_key)).map(
    (call) => call?.length,
  )
  expect(calls.sort()).toEqual([2 * 19, 5 * 19])
})

it('NOT-64 counts no attempt for a call that exceeds the rate, and makes no call before Retry-After', async () => {
  await setFault({ service: 'resend', mode: 'rate_limit', times: 1 })
  const ids = await escalateInEach(3)
  const [first = '', second = ''] = ids
  await attempt(first)
  expect(await readDelivery(first)).toMatchObject({
    state: 'retrying',
    attempts: 0,
    last_status_code: 429,
    batch_key: null,
  })
  expect(enqueued).toEqual(
    ids.map(() =>
      expect.objectContaining({ kind: 'delivery', id: expect.any(String), attempt: 1, isPostponed: true }),
    ),
  )
  // Longer than a job waits: its message goes back to the queue.
  enqueued = []
  await attempt(second)
  expect(enqueued).toMatchObject([{ id: second, attempt: 1, isPostponed: true }])
  expect(await listRecords('mail')).toEqual([])
  await wait(121_000)
  await Promise.all(ids.map((id) => attempt(id)))
  expect(await countStates(ids)).toEqual([{ state: 'delivered', status: 200, count: 3 }])
  expect((await readDelivery(first))?.attempts).toBe(1)
})

it('NOT-64 counts the attempts of an e-mail for which the provider was too busy for a day', async () => {
  const [id = ''] = await escalateInEach(1)
  await service.sql(`update deliveries set created_at = created_at - interval '25 hours' where id = $1`, [id])
  await setFault({ service: 'resend', mode: 'rate_limit', times: 1 })
  await attempt(id)
  expect(await readDelivery(id)).toMatchObject({ state: 'retrying', attempts: 1 })
})

/** Make the first attempt at an e-mail, like a worker that dies after the provider has accepted the call. */
async function sendAndDie(id = '', count = 1) {
  const claimed = await claimMails.all(ctx.platform, id, 1, 0.25)
  expect(claimed).toHaveLength(count)
  const sorted = [...claimed].sort((a, b) => (a.id < b.id ? -1 : 1))
  const written = await Promise.all(sorted.map((delivery) => writeMails(ctx, delivery)))
  await ctx.mail.send(
    written.flatMap((item, index) =>
      'mails' in item ? item.mails.map((mail) => ({ ...mail, deliveryId: sorted[index]?.id ?? '' })) : [],
    ),
    claimed[0]?.batch_key ?? '',
  )
}

it('NOT-65 sends each e-mail once when the worker dies after the provider has accepted the call', async () => {
  const ids = await escalateInEach(5)
  await sendAndDie(ids[2], 5)
  // During the lease, no other worker makes these attempts or sends them with others.
  const [later = ''] = await escalateInEach(1)
  await attempt(ids[0] ?? '')
  await attempt(later)
  expect(await listRecords('mail')).toHaveLength(6)
  await wait(61_000)
  await Promise.all(ids.map((id) => attempt(id, 2)))
  expect(await countStates(ids)).toEqual([{ state: 'delivered', status: 200, count: 5 }])
  expect(await listRecords('mail')).toHaveLength(6)
})

const { RESEND_BASE_URL: baseUrl = '', MAIL_FROM: from = '' } = service.settings
it.each([
  ['too many calls', 429, ctx.mail],
  ['a revoked key', 403, resendMail({ key: 're_revoked', baseUrl, from })],
])(
  'NOT-65 sends each e-mail once when the repetition of such a call is refused first: %s',
  async (_, status, mail) => {
    const ids = await escalateInEach(3)
    await sendAndDie(ids[0], 3)
    await wait(61_000)
    if (status === 429) await setFault({ service: 'resend', mode: 'rate_limit', times: 1 })
    await work.attempt({ ...ctx, mail }, ids[1] ?? '', 2)
    expect(await readDelivery(ids[1])).toMatchObject({
      state: 'retrying',
      last_status_code: status,
      batch_key: ids[0],
    })
    await wait(150_000)
    for (const number of [2, 3]) await Promise.all(ids.map((id) => attempt(id, number)))
    expect(await countStates(ids)).toEqual([{ state: 'delivered', status: 200, count: 3 }])
    expect(await listRecords('mail')).toHaveLength(3)
  },
)

it('NOT-65 repeats a call without an answer with the same key and the same e-mails', async () => {
  const ids = await escalateInEach(4)
  await setFault({ service: 'resend', mode: 'garbage', times: 1 })
  await attempt(ids[3] ?? '')
  expect(await readDelivery(ids[0])).toMatchObject({ state: 'retrying', attempts: 1, batch_key: ids[3] })
  const [later = ''] = await escalateInEach(1)
  await wait(30_000)
  await attempt(ids[1] ?? '', 2)
  expect(await countStates(ids)).toEqual([{ state: 'delivered', status: 200, count: 4 }])
  expect((await readDelivery(later))?.state).toBe('pending')
  expect(await listRecords('mail')).toHaveLength(4)
})

it('NOT-65 sends an e-mail that could not be written, although the worker dies after the call with the others', async () => {
  const ids = await escalateInEach(3)
  const [bad = '', good = ''] = ids
  await moveRecipient(bad, 'first@elsewhere.example')
  const sign = () => Promise.reject(new RangeError('cannot be signed'))
  const send: typeof ctx.mail.send = async (...args) => {
    await ctx.mail.send(...args)
    throw new Error('The worker dies')
  }
  const dying = { ...ctx, mail: { ...ctx.mail, send }, unsubscribeTokens: { ...ctx.unsubscribeTokens, sign } }
  await expect(work.attempt(dying, good, 1)).rejects.toThrow('The worker dies')
  await wait(61_000)
  for (const id of ids) await attempt(id, 2)
  expect((await listRecords('mail')).flatMap(({ to }) => to)).toContain('first@elsewhere.example')
  expect(await listRecords('mail')).toHaveLength(3)
})

it('NOT-65 repeats no call while the database is away, which could leave out an e-mail of it', async () => {
  const ids = await escalateInEach(3)
  await moveRecipient(ids[0], 'second@elsewhere.example')
  await sendAndDie(ids[1], 3)
  await wait(61_000)
  const sign = () => Promise.reject(new Error('Connection terminated unexpectedly'))
  const withoutDatabase = { ...ctx, unsubscribeTokens: { ...ctx.unsubscribeTokens, sign } }
  await expect(work.attempt(withoutDatabase, ids[1] ?? '', 2)).rejects.toThrow('Connection terminated')
  await wait(61_000)
  for (const id of ids) await attempt(id, 3)
  expect(await countStates(ids)).toMatchObject([{ state: 'delivered', count: 3 }])
  expect(await listRecords('mail')).toHaveLength(3)
})

it('NOT-65 does not repeat a call without those of its e-mails that another transaction has locked', async () => {
  const ids = await escalateInEach(4)
  const [first = ''] = ids
  await setFault({ service: 'resend', mode: 'error', times: 1 })
  await attempt(first)
  await wait(31_000)
  const client = new pg.Client({ connectionString: service.ownerUrl })
  await client.connect()
  await client.query('begin')
  // A sweep locks the rows that it marks.
  await client.query('select from deliveries where id = $1 for update', [ids[3]])
  await attempt(first, 2)
  await client.query('rollback')
  await client.end()
  for (const id of ids) await attempt(id, 2)
  expect(await countStates(ids)).toEqual([{ state: 'delivered', status: 200, count: 4 }])
  expect(await listRecords('mail')).toHaveLength(4)
})

it('NOT-66 sends the other e-mails of a call when the provider refuses one, and retries that one alone', async () => {
  const ids = await escalateInEach(3)
  const [bad = '', ...good] = ids
  await moveRecipient(bad, 'nobody')
  await attempt(bad)
  expect(await countStates(good)).toEqual([{ state: 'delivered', status: 200, count: 2 }])
  expect(await readDelivery(good[0])).toMatchObject({ last_error: null })
  expect(await readDelivery(bad)).toMatchObject({
    state: 'retrying',
    attempts: 1,
    last_error: expect.stringMatching(/^The mail provider refused the e-mail: Invalid `to` field/),
  })
  await moveRecipient(bad, 'somebody@people.example')
  await wait(30_000)
  const [later = ''] = await escalateInEach(1)
  await attempt(bad, 2)
  expect((await readDelivery(bad))?.state).toBe('delivered')
  expect((await readDelivery(later))?.state).toBe('pending')
  expect((await listRecords('mail')).flatMap(({ to }) => to)).toContain('somebody@people.example')
})

it('OBS-03 counts the attempts of e-mails by their outcome', async () => {
  const [bad = ''] = await escalateInEach(2)
  await moveRecipient(bad, 'nobody')
  expect((await collectAttempts(() => attempt(bad))).sort()).toEqual(['email retried', 'email succeeded'])
})

it('NOT-66 sends the other e-mails of a call when one cannot be written, and retries that one alone', async () => {
  const ids = await escalateInEach(3)
  const [bad = '', ...good] = ids
  await moveRecipient(bad, 'stranger@elsewhere.example')
  const sign = () => Promise.reject(new RangeError('cannot be signed'))
  await work.attempt({ ...ctx, unsubscribeTokens: { ...ctx.unsubscribeTokens, sign } }, bad, 1)
  expect(await countStates(good)).toEqual([{ state: 'delivered', status: 200, count: 2 }])
  expect(await readDelivery(bad)).toMatchObject({
    state: 'retrying',
    attempts: 1,
    last_error: 'The e-mail could not be written: RangeError',
  })
  await wait(30_000)
  await attempt(bad, 2)
  expect((await listRecords('mail')).flatMap(({ to }) => to)).toContain('stranger@elsewhere.example')
})

it('returns the result of a test message in its response, while other e-mails are due', async () => {
  const account = await createAccount(service)
  const config = { channel: 'email', email_addresses: [account.admin.email], events_enabled: [] }
  const { body } = expectStatus(await account.admin.call('POST', '/notifications/configs', config), 201)
  const [due = ''] = await escalateInEach(1)
  await service.sql(
    `insert into deliveries (account_id, config_id, channel, max_attempts) values ($1, $2, 'email', 1)`,
    [account.id, body.id],
  )
  await attempt(due)
  expect(await countStates([due])).toMatchObject([{ state: 'delivered' }])
  expect(await service.sql('select state from deliveries where config_id = $1', [body.id])).toEqual([
    { state: 'pending' },
  ])
})

it('fails a test message that another worker is sending', async () => {
  const [id = ''] = await escalateInEach(1)
  await attempt(id)
  expect(await deliverNow(ctx, id)).toEqual({
    ok: false,
    status: null,
    error: 'Another worker is making this attempt',
  })
})

it('sends again after a clock that ran ahead was set back', async () => {
  await service.sql(
    `update mail_pace set next_call_at = app.now() + interval '30 seconds', paused_until = app.now() + interval '1 hour'`,
  )
  const [id = ''] = await escalateInEach(1)
  await attempt(id)
  expect((await readDelivery(id))?.state).toBe('delivered')
})

it('NOT-65 sends e-mails through the sweep when the process died between the commit and the publish', async () => {
  const ids = await escalateInEach(4)
  await wait(60_000)
  await service.stack.runCron()
  await service.stack.localServer.qstash.waitUntilSettled()
  expect(await countStates(ids)).toEqual([{ state: 'delivered', status: 200, count: 4 }])
  expect(await listRecords('mail')).toHaveLength(4)
})
