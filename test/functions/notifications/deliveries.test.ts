import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService } from '../../support/app.ts'
import { type AccountOf, newAccount } from '../../support/people.ts'

const service = await ownService()
const { stack } = service
const { read, empty, fault, lift, advance } = desk(service)
afterAll(() => service.close())

let account: AccountOf
beforeAll(async () => {
  account = await newAccount(service)
})

/** A fresh account with one config on `path`, and an escalation that goes through it; answers how to look at its delivery. */
async function escalate(path: string, tool: 1 | 2 = 1, problemSummary = 'VPN is down') {
  account = await newAccount(service)
  const engineer = await account.colleague()
  const config = {
    channel: `chat${tool}_webhook`,
    webhook_url: `${service.local}/chat/${tool}${path}`,
    events_enabled: ['session.escalated'],
  }
  const made = await account.admin.call('POST', '/notifications/configs', config)
  expectStatus(made, 201)
  await stack.emit(account.id, {
    key: 'session.escalated',
    actorId: engineer.id,
    teamId: engineer.teamId,
    sessionId: crypto.randomUUID(),
    engineerName: engineer.fullName,
    problemSummary,
    psaTicketId: '7',
    targetUserId: null,
  })
  const delivery = async () => (await account.admin.call('GET', `/notifications/configs/${made.body.id}/deliveries`)).body[0]
  const hits = async () => (await read('chat')).filter((hit) => hit.path === `/chat/${tool}${path}`)
  await stack.local.qstash.settled()
  return { admin: account.admin, delivery, hits }
}

it('NOT-35 NOT-44 tries again after 30 s, 2 min and 10 min, and fails after the fourth attempt', async () => {
  await fault({ service: 'chat1', mode: 'error' })
  const { delivery, hits } = await escalate('/schedule')
  expect(await delivery()).toMatchObject({ state: 'retrying', attempts: 1, last_status_code: 503, delivered_at: null })
  for (const [seconds, attempts] of [
    [30, 2],
    [120, 3],
    [600, 4],
  ] as const) {
    const before = await delivery()
    expect(Date.parse(before.next_attempt_at) - (Date.now() + stack.local.clock.offsetMs())).toBeGreaterThan((seconds - 10) * 1000)
    await advance(seconds - 9)
    expect((await delivery()).attempts).toBe(attempts - 1)
    await advance(9)
    expect((await delivery()).attempts).toBe(attempts)
  }
  expect(await delivery()).toMatchObject({ state: 'failed', attempts: 4, next_attempt_at: null })
  await advance(3600)
  expect(await hits()).toHaveLength(4)
})

it('delivers a failed one by hand, once, and refuses any other', async () => {
  await fault({ service: 'chat1', mode: 'client_error' })
  const { admin, delivery, hits } = await escalate('/by-hand')
  await advance(30)
  await advance(120)
  await advance(600)
  const failed = await delivery()
  expect(failed).toMatchObject({ state: 'failed', attempts: 4 })
  await lift()
  const answer = await admin.call('POST', `/notifications/deliveries/${failed.id}/retry`)
  expect([answer.status, answer.body.state]).toEqual([202, 'retrying'])
  await stack.local.qstash.settled()
  expect(await delivery()).toMatchObject({ state: 'delivered', attempts: 5, last_error: null })
  expectStatus(await admin.call('POST', `/notifications/deliveries/${failed.id}/retry`), 409)
  expect((await hits()).filter(({ accepted }) => accepted)).toHaveLength(1)
})

it('NOT-45 fails at once when the chat tool says that the channel is gone', async () => {
  for (const path of ['/a/gone', '/b/missing']) {
    for (const tool of [1, 2] as const) {
      const { delivery } = await escalate(path, tool)
      expect(await delivery()).toMatchObject({ state: 'failed', attempts: 1, next_attempt_at: null })
    }
  }
})

it('waits for as long as a rate limit says when that is longer', async () => {
  await fault({ service: 'chat2', mode: 'rate_limit', times: 1 })
  const { delivery } = await escalate('/limited', 2)
  const { next_attempt_at, created_at, state } = await delivery()
  expect(state).toBe('retrying')
  expect(Date.parse(next_attempt_at) - Date.parse(created_at)).toBeGreaterThanOrEqual(120_000)
  await advance(121)
  expect(await delivery()).toMatchObject({ state: 'delivered', attempts: 2 })
})

it('follows no redirect', async () => {
  await fault({ service: 'chat1', mode: 'redirect', times: 1 })
  const { delivery } = await escalate('/moved')
  expect(await delivery()).toMatchObject({ state: 'retrying', attempts: 1, last_status_code: 302 })
  const redirected = (await (await fetch(`${service.local}/desk/redirect`)).json()) as unknown[]
  expect(redirected).toEqual([])
})

it('NOT-46 speaks the format of each chat tool and escapes what users wrote', async () => {
  const evil = '<!channel> & <https://evil.example|click> *bold* [x](https://evil.example)'
  const one = (await (await escalate('/format', 1, evil)).hits())[0].body
  expect(one.text).not.toContain('<!channel>')
  expect(one.blocks.map(({ type }: { type: string }) => type)).toEqual(['header', 'section', 'context'])
  expect(one.blocks[1].text.text).toBe('&lt;!channel&gt; &amp; &lt;https://evil.example|click&gt; *bold* [x](https://evil.example)')
  expect(one.blocks[2].elements[0].text).toMatch(/^<https:\/\/app\.supportflow\.example\/pilot\/[\w-]+\?pickup=true\|/)
  const two = (await (await escalate('/format', 2, evil)).hits())[0].body
  expect(two.attachments).toHaveLength(1)
  const card = two.attachments[0].content
  expect([card.type, card.version, card.actions[0].type]).toEqual(['AdaptiveCard', '1.4', 'Action.OpenUrl'])
  expect(card.actions[0].url).toContain('?pickup=true')
  expect(card.body[1].text).toContain('\\[x\\](https')
})

it('loses nothing when the queue is down at the moment of the event: the sweep delivers', async () => {
  await fault({ service: 'qstash', mode: 'down' })
  const { delivery, hits } = await escalate('/queue-down')
  expect(await delivery()).toMatchObject({ state: 'pending', attempts: 0 })
  await lift()
  await advance(60)
  expect(await delivery()).toMatchObject({ state: 'delivered', attempts: 1 })
  expect(await hits()).toHaveLength(1)
})

it('delivers from the sweep itself while the queue stays down', async () => {
  await fault({ service: 'qstash', mode: 'down' })
  const { delivery } = await escalate('/queue-away')
  await advance(60)
  expect(await delivery()).toMatchObject({ state: 'delivered', attempts: 1 })
})

it('sends nothing twice when the queue delivers a message twice', async () => {
  await fault({ service: 'qstash', mode: 'duplicate' })
  const { delivery, hits } = await escalate('/twice')
  expect(await delivery()).toMatchObject({ state: 'delivered', attempts: 1 })
  expect(await hits()).toHaveLength(1)
})

it('takes no notice of an old message while the next attempt waits for its time', async () => {
  await fault({ service: 'chat1', mode: 'error', times: 1 })
  const { delivery, hits } = await escalate('/stale')
  const { id } = await delivery()
  for (const attempt of [1, 3, 7]) {
    await fetch(`${service.settings.QSTASH_URL}/v2/publish/${service.api}/jobs/notifications/deliver`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.settings.QSTASH_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ delivery_id: id, attempt }),
    })
  }
  await stack.local.qstash.settled()
  expect([(await delivery()).attempts, (await hits()).length]).toEqual([1, 1])
  await advance(30)
  expect(await delivery()).toMatchObject({ state: 'delivered', attempts: 2 })
})

it('refuses a forged message with 401 and does nothing', async () => {
  await fault({ service: 'qstash', mode: 'forge' })
  const { hits } = await escalate('/forged')
  expect(await hits()).toHaveLength(1)
  const forged = (await read('queue')).flatMap((message) => message.forged_statuses ?? [])
  expect(forged.length).toBeGreaterThan(0)
  expect(new Set(forged)).toEqual(new Set([401]))
  const unsigned = await fetch(`${service.api}/jobs/notifications/deliver`, { method: 'POST', body: '{}' })
  expect([unsigned.status, await unsigned.json()]).toEqual([401, { detail: 'The signature is missing or wrong' }])
})

it('takes up what a lost worker left, and ends it when that was the last attempt', async () => {
  const { delivery } = await escalate('/lost')
  const { id } = await delivery()
  const leave = (attempts: number) =>
    service.sql(
      `update deliveries set state = 'retrying', attempts = $2, delivered_at = null, next_attempt_at = app.now(), leased_until = app.now() + interval '60 s' where id = $1`,
      [id, attempts],
    )
  await leave(2)
  await stack.tick()
  expect(await delivery()).toMatchObject({ state: 'retrying', attempts: 2 })
  await advance(61)
  expect(await delivery()).toMatchObject({ state: 'delivered', attempts: 3 })
  await leave(4)
  await advance(61)
  expect(await delivery()).toMatchObject({ state: 'failed', attempts: 4, last_error: 'The last attempt never reported back' })
})

it('sends a mail once under the key of its delivery, also when its answer was lost', async () => {
  await empty('mail')
  await fault({ service: 'resend', mode: 'garbage', times: 1 })
  account = await newAccount(service)
  const config = { channel: 'email', email_addresses: ['a@x.example', 'b@x.example'], events_enabled: ['member.joined'] }
  const made = await account.admin.call('POST', '/notifications/configs', config)
  const [id] = await stack.emit(account.id, {
    key: 'member.joined',
    actorId: null,
    teamId: null,
    memberName: 'Ann',
    inviterId: account.admin.id,
  })
  await stack.local.qstash.settled()
  await advance(30)
  const mails = await read('mail')
  expect(mails.flatMap(({ to }) => to).sort()).toEqual(['a@x.example', 'b@x.example'])
  expect(new Set(mails.map((mail) => mail.idempotency_key))).toEqual(new Set([id]))
  expect((await account.admin.call('GET', `/notifications/configs/${made.body.id}/deliveries`)).body[0]).toMatchObject({
    state: 'delivered',
    attempts: 2,
  })
})
