import { afterAll, describe, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { night } from '#test/support/night.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { createNumber, giveNumber, setUpGateway } from '#test/support/phone.ts'
import { type PhoneChannel, phoneChannels, phoneProviders } from '#vendors/phone/phone.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { stack } = service
const { listRecords, clearRecords, setFault, clearFaults } = dashboard(service)

const settle = () => stack.localServer.qstash.waitUntilSettled()

/** Let alerts reach a person by these channels, all at once. */
const setSteps = async (person: Person, channels: readonly string[]) =>
  expectStatus(
    await person.call('PUT', '/notifications/preferences', {
      alert_steps: [...channels, 'email'].map((channel) => ({ channel, delay_minutes: 0 })),
    }),
    200,
  )

/** Create an account whose engineer has a number, and is told by phone and e-mail. */
async function createReachable(channels: readonly PhoneChannel[], gateway = {}) {
  const account = await createAccount(service)
  await setUpGateway(service, account.admin, gateway)
  const engineer = await account.addColleague()
  const number = await giveNumber(service, engineer)
  await setSteps(engineer, channels)
  return { account, engineer, number }
}

const title = 'VPN is down at Contoso'
/** Escalate a critical case to somebody. */
async function escalate(account: TestAccount, target: Person, urgency = 'critical') {
  const sessionId = crypto.randomUUID()
  await stack.emitEvent(account.id, {
    key: 'session.escalated',
    actorId: account.admin.id,
    teamId: null,
    sessionId,
    engineerName: 'Dana Reyes',
    problemSummary: title,
    psaTicketId: '4711',
    targetUserId: target.id,
    details: {
      urgency,
      client_name: 'Contoso',
      psa_ticket_id: '4711',
      reason: 'Needs access to the firewall',
    } as never,
  })
  await settle()
  return sessionId
}
const readRows = ({ id }: Person, channel: PhoneChannel) =>
  service.sql<{ state: string; attempts: number; last_error: string | null }>(
    `select state, attempts, last_error from deliveries where user_id = $1 and channel = $2 order by created_at`,
    [id, channel],
  )
const listMessages = async (number: string) =>
  (await listRecords('phone')).filter(({ to }) => to === number).map(({ text }) => text as string)

const kinds = phoneProviders.flatMap((provider) => phoneChannels.map((kind) => [provider, kind] as const))
const again = { state: 'retrying', attempts: 1 }
/** What becomes of a message after each fault of the gateway. */
const outcomes: Record<string, (provider: string) => object> = {
  down: () => again,
  error: () => again,
  client_error: () => again,
  redirect: () => again,
  // It does not count as an attempt.
  rate_limit: () => ({ state: 'retrying', attempts: 0 }),
  // A program of the account answers what it likes with a 2xx.
  garbage: (provider) => (provider === 'webhook' ? { state: 'delivered', attempts: 1 } : again),
  gone: (provider) => (provider === 'webhook' ? { state: 'failed', attempts: 1 } : again),
}

describe.each(kinds)('%s %s', (provider, kind) => {
  it('PHO-03 delivers an alert once, and what becomes of it after each fault', async () => {
    const { account, engineer, number } = await createReachable([kind], { provider })
    await escalate(account, engineer)
    expect(await readRows(engineer, kind)).toMatchObject([{ state: 'delivered', attempts: 1 }])
    expect(await listMessages(number)).toHaveLength(1)
    for (const [mode, outcome] of Object.entries(outcomes)) {
      await setFault({ service: 'phone', mode, times: 1 })
      await escalate(account, engineer)
      const [row] = (await readRows(engineer, kind)).slice(-1)
      expect({ mode, ...row }).toMatchObject({ mode, ...outcome(provider) })
      await clearFaults()
      const { last_error } = (await account.admin.call('GET', '/notifications/phone-gateway')).body
      expect(last_error === null, mode).toBe(row?.state === 'delivered')
    }
  })

  it('PHO-04 sends nothing without a gateway, a verified number or an allowed prefix, and nothing to who has left', async () => {
    const { account, engineer, number } = await createReachable([kind], { provider })
    const expectSilence = async (error?: string) => {
      await clearRecords('phone')
      await escalate(account, engineer)
      expect(await listMessages(number)).toEqual([])
      const [row] = (await readRows(engineer, kind)).slice(-1)
      if (error) expect(row).toMatchObject({ state: 'failed', last_error: expect.stringContaining(error) })
    }
    await setUpGateway(service, account.admin, { provider, allowed_prefixes: ['+1', '+4989'] })
    await expectSilence('prefix')
    await service.sql('update phone_numbers set number = null, verified_at = null where user_id = $1', [
      engineer.id,
    ])
    await expectSilence()
    await service.sql('update phone_numbers set number = $2, verified_at = app.now() where user_id = $1', [
      engineer.id,
      number,
    ])
    expectStatus(await account.admin.call('DELETE', '/notifications/phone-gateway'), 204)
    await expectSilence()
  })
})

it.each([
  ['sms', '+15005550001'],
  ['sms', '+15005550004'],
  ['sms', '+15005550009'],
  ['voice', '+15005550004'],
] as const)('PHO-03 gives up a %s to a number that refuses it: %s', async (kind, number) => {
  const { account, engineer } = await createReachable([kind])
  await service.sql('update phone_numbers set number = $2 where user_id = $1', [engineer.id, number])
  await escalate(account, engineer)
  const [row] = await readRows(engineer, kind)
  expect(row).toMatchObject({ state: 'failed', attempts: 1 })
  expect(row?.last_error).not.toContain(number)
  expect((await account.admin.call('GET', '/notifications/phone-gateway')).body.last_error).toBeNull()
})

describe('the daily limit', () => {
  it('PHO-04 holds for 32 callers at once', async () => {
    const account = await createAccount(service)
    await setUpGateway(service, account.admin, { daily_limit: 10 })
    const answers = await runConcurrently(() =>
      service.sql<{ ok: boolean }>(
        'with s as materialized (select app.enter_account($1, null)) select app.count_phone_message() as ok from s',
        [account.id],
      ),
    )
    expect(answers.flat().filter(({ ok }) => ok)).toHaveLength(10)
    expect((await account.admin.call('GET', '/notifications/phone-gateway')).body.sent_today).toBe(10)
  })

  it('PHO-04 fails what is beyond it, tells the admins once, and starts again with the day of the account', async () => {
    const { account, engineer, number } = await createReachable(['sms'], { daily_limit: 2 })
    for (let n = 0; n < 4; n++) await escalate(account, engineer)
    expect((await readRows(engineer, 'sms')).map(({ state }) => state)).toEqual([
      'delivered',
      'delivered',
      'failed',
      'failed',
    ])
    expect(await listMessages(number)).toHaveLength(2)
    const listTitles = async () =>
      ((await account.admin.call('GET', '/notifications')).body as { event_key: string; title: string }[])
        .filter(({ event_key }) => event_key === 'phone.limited')
        .map((notification) => notification.title)
    expect(await listTitles()).toEqual(['No more text messages and calls today: the limit of 2 is reached'])
    // The day of an account begins in its time zone.
    await service.sql(`update phone_gateways set counted_on = counted_on - 1 where account_id = $1`, [
      account.id,
    ])
    await escalate(account, engineer)
    expect(await listMessages(number)).toHaveLength(3)
    await service.sql(
      `update phone_gateways set announced_on = announced_on - 1, counted = 2 where account_id = $1`,
      [account.id],
    )
    await escalate(account, engineer)
    expect(await listTitles()).toHaveLength(2)
  })
})

describe('the text', () => {
  it('PHO-11 says the kind of an alert and where it is, and no word of the account unless it allows that', async () => {
    const { account, engineer, number } = await createReachable(phoneChannels)
    const sessionId = await escalate(account, engineer)
    const [texts] = [await listMessages(number)]
    expect(texts.find((text) => text.startsWith('Support Flow:'))).toBe(
      `Support Flow: A critical escalation waits for you\n${service.settings.FRONTEND_URL}/pilot/${sessionId}?pickup=true`,
    )
    const said = texts.find((text) => text.startsWith('This is'))
    expect(said?.split('\n')[0]).toBe(
      'This is Support Flow. A critical escalation waits for you. Open the app to see more.',
    )
    for (const text of texts) expect(text).not.toMatch(/VPN|Contoso|Dana|4711|firewall/)
    expect(said).not.toContain('http')
    expectStatus(await account.admin.call('PATCH', '/accounts/me/preferences', { push_details: true }), 200)
    await clearRecords('phone')
    await escalate(account, engineer)
    for (const text of await listMessages(number)) expect(text).toContain('VPN is down')
  })
})

it.each(phoneProviders)(
  'PHO-05 PHO-13 verifies a number and sends a test from a Worker: %s',
  night,
  async (provider) => {
    const worker = await startOwnService({}, { platform: 'cloudflare', hub: false })
    try {
      const { admin } = await createAccount(worker)
      await setUpGateway(worker, admin, { provider })
      const number = createNumber()
      expectStatus(await admin.call('POST', '/auth/me/phone-number', { number }), 202)
      await worker.stack.localServer.qstash.waitUntilSettled()
      const [message] = worker.stack.localServer.dashboard.records.list('phone')
      const code = message?.text.slice(0, 6)
      expectStatus(await admin.call('POST', '/auth/me/phone-number/confirm', { code }), 200)
      const { body } = await admin.call('POST', '/notifications/preferences/test')
      expect(body).toEqual(
        expect.arrayContaining(phoneChannels.map((channel) => ({ channel, ok: true, error: null }))),
      )
      expect(worker.stack.localServer.dashboard.records.list('phone')).toHaveLength(3)
    } finally {
      await worker.close()
    }
  },
)

it('PHO-13 sends a test by text message and call too, if the phone can be reached', async () => {
  const { engineer, number } = await createReachable([])
  const test = async () =>
    Object.fromEntries(
      expectStatus(await engineer.call('POST', '/notifications/preferences/test'), 200).body.map(
        ({ channel, ok, error }: { channel: string; ok: boolean; error: string | null }) => [
          channel,
          ok || error,
        ],
      ),
    )
  expect(await test()).toMatchObject({ sms: true, voice: true, email: true })
  expect((await listMessages(number)).map((text) => text.split('\n')[0]).sort()).toEqual([
    'Support Flow: Test message',
    'This is Support Flow. Test message. Open the app to see more.',
  ])
  await setFault({ service: 'phone', mode: 'rate_limit' })
  expect(await test()).toMatchObject({
    sms: expect.stringContaining('20429'),
    voice: expect.stringContaining('20429'),
    email: true,
  })
  await service.sql('delete from phone_numbers where user_id = $1', [engineer.id])
  expect(await test()).toMatchObject({ sms: expect.stringContaining('no verified number'), email: true })
})

it('PHO-12 leaves out a step whose matter is over when its time comes', async () => {
  const { account, engineer, number } = await createReachable([])
  expectStatus(
    await engineer.call('PUT', '/notifications/preferences', {
      alert_steps: [
        { channel: 'email', delay_minutes: 0 },
        { channel: 'sms', delay_minutes: 5 },
      ],
    }),
    200,
  )
  await escalate(account, engineer)
  expect(await listMessages(number)).toEqual([])
  expectStatus(await engineer.call('POST', '/notifications/mark-all-read'), 200)
  await dashboard(service).advanceClock(6 * 60)
  await stack.runCron()
  await settle()
  expect(await readRows(engineer, 'sms')).toMatchObject([
    { state: 'failed', last_error: 'It was read in the app' },
  ])
  await escalate(account, engineer)
  await dashboard(service).advanceClock(6 * 60)
  await stack.runCron()
  await settle()
  expect(await listMessages(number)).toHaveLength(1)
})
