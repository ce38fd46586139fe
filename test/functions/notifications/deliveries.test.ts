import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type TestAccount } from '#test/support/people.ts'

const service = await startOwnService({}, { databaseFaults: true })
const { stack } = service
const { listRecords, clearRecords, setFault, clearFaults, advanceClock } = dashboard(service)
afterAll(() => service.close())

let account: TestAccount
beforeAll(async () => {
  account = await createAccount(service)
})

/**
 * Create an account with a config whose webhook has `path`. Emit an escalation, and return functions that
 * read its delivery and calls.
 */
async function escalateThroughConfig(path: string, tool: 1 | 2 = 1, problemSummary = 'VPN is down') {
  account = await createAccount(service)
  const engineer = await account.addColleague()
  const fields = {
    channel: `chat${tool}_webhook`,
    webhook_url: `${service.localOrigin}/chat/${tool}${path}`,
    events_enabled: ['session.escalated'],
  }
  const config = await account.admin.call('POST', '/notifications/configs', fields)
  expectStatus(config, 201)
  const escalate = async () => {
    await stack.emitEvent(account.id, {
      key: 'session.escalated',
      actorId: engineer.id,
      teamId: engineer.teamId,
      sessionId: crypto.randomUUID(),
      engineerName: engineer.fullName,
      problemSummary,
      psaTicketId: '7',
      targetUserId: null,
    })
    await stack.localServer.qstash.waitUntilSettled()
  }
  await escalate()
  const readConfig = async () =>
    (await account.admin.client.notifications.listConfigs())[0] as {
      id: string
      webhook_url: string | null
      disconnected_at: string | null
    }
  const readDelivery = async () =>
    (await account.admin.call('GET', `/notifications/configs/${config.body.id}/deliveries`)).body[0]
  const listWebhookCalls = async () =>
    (await listRecords('chat')).filter((call) => call.path === `/chat/${tool}${path}`)
  return { admin: account.admin, readDelivery, readConfig, escalate, listWebhookCalls }
}

it('NOT-35 NOT-44 retries after 30 s, 2 min and 10 min, and fails after the fourth attempt', async () => {
  await setFault({ service: 'chat1', mode: 'error' })
  const { readDelivery, listWebhookCalls } = await escalateThroughConfig('/schedule')
  expect(await readDelivery()).toMatchObject({
    state: 'retrying',
    attempts: 1,
    last_status_code: 503,
    delivered_at: null,
  })
  for (const [seconds, attempts] of [
    [30, 2],
    [120, 3],
    [600, 4],
  ] as const) {
    const before = await readDelivery()
    expect(
      Date.parse(before.next_attempt_at) - (Date.now() + stack.localServer.clock.offsetMs()),
    ).toBeGreaterThan((seconds - 10) * 1000)
    await advanceClock(seconds - 9)
    expect((await readDelivery()).attempts).toBe(attempts - 1)
    await advanceClock(9)
    expect((await readDelivery()).attempts).toBe(attempts)
  }
  expect(await readDelivery()).toMatchObject({ state: 'failed', attempts: 4, next_attempt_at: null })
  await advanceClock(3600)
  expect(await listWebhookCalls()).toHaveLength(4)
})

it('retries a failed delivery on request, and returns 409 for a delivered one', async () => {
  await setFault({ service: 'chat1', mode: 'client_error' })
  const { admin, readDelivery, listWebhookCalls } = await escalateThroughConfig('/by-hand')
  await advanceClock(30)
  await advanceClock(120)
  await advanceClock(600)
  const failed = await readDelivery()
  expect(failed).toMatchObject({ state: 'failed', attempts: 4 })
  await clearFaults()
  const response = await admin.call('POST', `/notifications/deliveries/${failed.id}/retry`)
  expect([response.status, response.body.state]).toEqual([202, 'retrying'])
  await stack.localServer.qstash.waitUntilSettled()
  expect(await readDelivery()).toMatchObject({ state: 'delivered', attempts: 5, last_error: null })
  expectStatus(await admin.call('POST', `/notifications/deliveries/${failed.id}/retry`), 409)
  expect((await listWebhookCalls()).filter(({ accepted }) => accepted)).toHaveLength(1)
})

it('NOT-45 fails without a retry when the chat tool reports a missing channel', async () => {
  for (const path of ['/a/gone', '/b/missing']) {
    for (const tool of [1, 2] as const) {
      const { readDelivery } = await escalateThroughConfig(path, tool)
      expect(await readDelivery()).toMatchObject({ state: 'failed', attempts: 1, next_attempt_at: null })
    }
  }
})

it('waits for the Retry-After time of a rate limit when it is longer than the retry delay', async () => {
  await setFault({ service: 'chat2', mode: 'rate_limit', times: 1 })
  const { readDelivery } = await escalateThroughConfig('/limited', 2)
  const { next_attempt_at, created_at, state } = await readDelivery()
  expect(state).toBe('retrying')
  expect(Date.parse(next_attempt_at) - Date.parse(created_at)).toBeGreaterThanOrEqual(120_000)
  await advanceClock(121)
  expect(await readDelivery()).toMatchObject({ state: 'delivered', attempts: 1 })
})

it('NOT-92 a rate limit of a chat tool costs no attempt, however often it comes within a day', async () => {
  await setFault({ service: 'chat2', mode: 'rate_limit', times: 6 })
  const { readDelivery, listWebhookCalls } = await escalateThroughConfig('/busy', 2)
  for (let n = 1; n <= 6; n++) {
    expect(await readDelivery()).toMatchObject({ state: 'retrying', attempts: 0, last_status_code: 429 })
    await advanceClock(121)
  }
  expect(await readDelivery()).toMatchObject({ state: 'delivered', attempts: 1 })
  expect(await listWebhookCalls()).toHaveLength(7)
})

it('NOT-92 a rate limit counts as an attempt after a day', async () => {
  await setFault({ service: 'chat2', mode: 'rate_limit' })
  const { readDelivery } = await escalateThroughConfig('/never', 2)
  await service.sql(`update deliveries set created_at = created_at - interval '25 hours' where id = $1`, [
    (await readDelivery()).id,
  ])
  for (let n = 0; n < 5; n++) await advanceClock(901)
  expect(await readDelivery()).toMatchObject({ state: 'failed', attempts: 4 })
  await clearFaults()
})

it('NOT-92 a test message has its result at once while the chat tool limits the rate', async () => {
  const { admin, readConfig } = await escalateThroughConfig('/test-limited', 2)
  await setFault({ service: 'chat2', mode: 'rate_limit' })
  const { id } = await readConfig()
  expect(await admin.client.notifications.testConfig({ config_id: id })).toMatchObject({ success: false })
  await clearFaults()
  const [{ state, attempts }] = (await admin.call('GET', `/notifications/configs/${id}/deliveries`)).body
  expect([state, attempts]).toEqual(['failed', 1])
})

describe.each([
  [1, '/gone'],
  [1, '/missing'],
  [1, '/off'],
  [2, '/gone'],
  [2, '/missing'],
  [2, '/off'],
] as const)('the webhook of chat tool %i that answers as %s', (tool, path) => {
  const listNotices = async () =>
    (await account.admin.client.notifications.list()).filter(
      ({ event_key }) => event_key === 'channel.disconnected',
    )

  it('NOT-90 marks its config and tells the admins once, in the app and by e-mail', async () => {
    await clearRecords('mail')
    const { readConfig, escalate } = await escalateThroughConfig(`/${crypto.randomUUID()}${path}`, tool)
    const { disconnected_at } = await readConfig()
    expect(disconnected_at).toEqual(expect.any(String))
    await escalate()
    await escalate()
    // E-mails of earlier tests may have the turn.
    await advanceClock(10)
    expect(await readConfig()).toMatchObject({ disconnected_at })
    const [notice, ...others] = await listNotices()
    expect([notice?.title, notice?.link, others]).toEqual([
      'A chat channel gets no more messages: 127.0.0.1',
      '/settings/notifications',
      [],
    ])
    const mails = (await listRecords('mail')).filter(
      ({ to, subject }) =>
        to[0] === account.admin.email && subject.startsWith('A chat channel gets no more messages'),
    )
    expect(mails).toHaveLength(1)
    expect(JSON.stringify(mails)).not.toContain(path)
  })

  it('NOT-91 is forgotten after a message that is accepted, and for another webhook', async () => {
    const { admin, readConfig } = await escalateThroughConfig(`/${crypto.randomUUID()}${path}`, tool)
    const config = await readConfig()
    await service.sql('update notification_configs set webhook_url = $2 where id = $1', [
      config.id,
      `${service.localOrigin}/chat/${tool}/back`,
    ])
    expect((await readConfig()).disconnected_at).not.toBeNull()
    expect(await admin.client.notifications.testConfig({ config_id: config.id })).toMatchObject({
      success: true,
    })
    expect((await readConfig()).disconnected_at).toBeNull()
    await admin.client.notifications.updateConfig({ config_id: config.id, webhook_url: config.webhook_url })
    expect(await admin.client.notifications.testConfig({ config_id: config.id })).toMatchObject({
      success: false,
    })
    expect((await readConfig()).disconnected_at).not.toBeNull()
    await admin.client.notifications.updateConfig({
      config_id: config.id,
      webhook_url: `${service.localOrigin}/chat/${tool}/new`,
    })
    expect((await readConfig()).disconnected_at).toBeNull()
  })
})

it('does not follow a redirect, and retries instead', async () => {
  await setFault({ service: 'chat1', mode: 'redirect', times: 1 })
  const { readDelivery } = await escalateThroughConfig('/moved')
  expect(await readDelivery()).toMatchObject({ state: 'retrying', attempts: 1, last_status_code: 302 })
  const followedRequests = (await (await fetch(`${service.localOrigin}/desk/redirect`)).json()) as unknown[]
  expect(followedRequests).toEqual([])
})

it('NOT-46 uses the format of each chat tool and escapes user text', async () => {
  const maliciousText = '<!channel> & <https://evil.example|click> *bold* [x](https://evil.example)'
  const slackBody = (await (await escalateThroughConfig('/format', 1, maliciousText)).listWebhookCalls())[0]
    .body
  expect(slackBody.text).not.toContain('<!channel>')
  expect(slackBody.blocks.map(({ type }: { type: string }) => type)).toEqual(['header', 'section', 'context'])
  expect(slackBody.blocks[1].text.text).toBe(
    '&lt;!channel&gt; &amp; &lt;https://evil.example|click&gt; *bold* [x](https://evil.example)',
  )
  expect(slackBody.blocks[2].elements[0].text).toMatch(
    /^<https:\/\/app\.supportflow\.example\/pilot\/[\w-]+\?pickup=true\|/,
  )
  const teamsBody = (await (await escalateThroughConfig('/format', 2, maliciousText)).listWebhookCalls())[0]
    .body
  expect(teamsBody.attachments).toHaveLength(1)
  const card = teamsBody.attachments[0].content
  expect([card.type, card.version, card.actions[0].type]).toEqual(['AdaptiveCard', '1.4', 'Action.OpenUrl'])
  expect(card.actions[0].url).toContain('?pickup=true')
  expect(card.body[1].text).toContain('\\[x\\](https')
})

it('delivers through the sweep an event that was emitted while the queue was down', async () => {
  await setFault({ service: 'qstash', mode: 'down' })
  const { readDelivery, listWebhookCalls } = await escalateThroughConfig('/queue-down')
  expect(await readDelivery()).toMatchObject({ state: 'pending', attempts: 0 })
  await clearFaults()
  await advanceClock(60)
  expect(await readDelivery()).toMatchObject({ state: 'delivered', attempts: 1 })
  expect(await listWebhookCalls()).toHaveLength(1)
})

it('sends a delivery from the sweep itself while the queue stays down', async () => {
  await setFault({ service: 'qstash', mode: 'down' })
  const { readDelivery } = await escalateThroughConfig('/queue-away')
  await advanceClock(60)
  expect(await readDelivery()).toMatchObject({ state: 'delivered', attempts: 1 })
})

it('sends a delivery once when the queue delivers its message twice', async () => {
  await setFault({ service: 'qstash', mode: 'duplicate' })
  const { readDelivery, listWebhookCalls } = await escalateThroughConfig('/twice')
  expect(await readDelivery()).toMatchObject({ state: 'delivered', attempts: 1 })
  expect(await listWebhookCalls()).toHaveLength(1)
})

it('ignores queue messages with another attempt number before the next attempt is due', async () => {
  await setFault({ service: 'chat1', mode: 'error', times: 1 })
  const { readDelivery, listWebhookCalls } = await escalateThroughConfig('/stale')
  const { id } = await readDelivery()
  for (const attempt of [1, 3, 7]) {
    await fetch(`${service.settings.QSTASH_URL}/v2/publish/${service.api}/jobs/notifications/deliver`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.settings.QSTASH_TOKEN}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ delivery_id: id, attempt }),
    })
  }
  await stack.localServer.qstash.waitUntilSettled()
  expect([(await readDelivery()).attempts, (await listWebhookCalls()).length]).toEqual([1, 1])
  await advanceClock(30)
  expect(await readDelivery()).toMatchObject({ state: 'delivered', attempts: 2 })
})

it('refuses a forged queue message with 401 and sends only the delivery of the genuine one', async () => {
  await setFault({ service: 'qstash', mode: 'forge' })
  const { listWebhookCalls } = await escalateThroughConfig('/forged')
  expect(await listWebhookCalls()).toHaveLength(1)
  const forgedStatuses = (await listRecords('queue')).flatMap((message) => message.forged_statuses ?? [])
  expect(forgedStatuses.length).toBeGreaterThan(0)
  expect(new Set(forgedStatuses)).toEqual(new Set([401]))
  const unsigned = await fetch(`${service.api}/jobs/notifications/deliver`, { method: 'POST', body: '{}' })
  expect([unsigned.status, await unsigned.json()]).toEqual([
    401,
    { detail: 'The signature is missing or wrong' },
  ])
})

it('retries a delivery whose worker crashed, and fails it after the last attempt', async () => {
  const { readDelivery } = await escalateThroughConfig('/lost')
  const { id } = await readDelivery()
  const simulateCrash = (attempts: number) =>
    service.sql(
      `update deliveries set state = 'retrying', attempts = $2, delivered_at = null, next_attempt_at = app.now(), leased_until = app.now() + interval '60 s' where id = $1`,
      [id, attempts],
    )
  await simulateCrash(2)
  await stack.runCron()
  expect(await readDelivery()).toMatchObject({ state: 'retrying', attempts: 2 })
  await advanceClock(61)
  expect(await readDelivery()).toMatchObject({ state: 'delivered', attempts: 3 })
  await simulateCrash(4)
  await advanceClock(61)
  expect(await readDelivery()).toMatchObject({
    state: 'failed',
    attempts: 4,
    last_error: 'The last attempt did not finish',
  })
})

it('sends an e-mail once under its delivery’s idempotency key, even when the response was lost', async () => {
  await clearRecords('mail')
  await setFault({ service: 'resend', mode: 'garbage', times: 1 })
  account = await createAccount(service)
  const fields = {
    channel: 'email',
    email_addresses: ['a@x.example', 'b@x.example'],
    events_enabled: ['member.joined'],
  }
  const config = await account.admin.call('POST', '/notifications/configs', fields)
  const [id] = await stack.emitEvent(account.id, {
    key: 'member.joined',
    actorId: null,
    teamId: null,
    memberName: 'Ann',
    inviterId: account.admin.id,
  })
  await stack.localServer.qstash.waitUntilSettled()
  await advanceClock(30)
  const emails = await listRecords('mail')
  expect(emails.flatMap(({ to }) => to).sort()).toEqual(['a@x.example', 'b@x.example'])
  expect(new Set(emails.map((email) => email.idempotency_key))).toEqual(new Set([id]))
  expect(
    (await account.admin.call('GET', `/notifications/configs/${config.body.id}/deliveries`)).body[0],
  ).toMatchObject({
    state: 'delivered',
    attempts: 2,
  })
})

it('NOT-54 sends a message once although the database is away when its result is recorded', async () => {
  await setFault({ service: 'chat1', mode: 'slow', delay_ms: 1000, times: 1 })
  const sending = escalateThroughConfig('/recorded-late')
  const path = '/chat/1/recorded-late'
  await expect
    .poll(
      async () =>
        (await service.sql("select 1 from deliveries where state = 'pending' and attempts = 1")).length,
      { timeout: 5000 },
    )
    .toBe(1)
  await setFault({ service: 'postgres', mode: 'down' })
  await expect
    .poll(async () => (await listRecords('chat')).filter((call) => call.path === path).length, {
      timeout: 5000,
    })
    .toBe(1)
  // The first attempt to record the result fails.
  await new Promise((resolve) => setTimeout(resolve, 150))
  await clearFaults()
  const { readDelivery, listWebhookCalls } = await sending
  expect(await readDelivery()).toMatchObject({ state: 'delivered', attempts: 1 })
  await advanceClock(70)
  await stack.runCron()
  expect(await listWebhookCalls()).toHaveLength(1)
})
