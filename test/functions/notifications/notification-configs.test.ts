import { expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { desk, shared } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()
const webhook = `${service.local}/chat/1/team`
const mail = { channel: 'email', email_addresses: ['oncall@northwind.example'], events_enabled: ['session.escalated'] }

it('NOT-01 refuses a webhook channel without an address', async () => {
  const { admin } = await newAccount(service)
  for (const channel of ['chat1_webhook', 'chat2_webhook']) {
    for (const webhook_url of [undefined, null, '']) {
      const answer = await admin.call('POST', '/notifications/configs', { channel, webhook_url, events_enabled: [] })
      expectStatus(answer, 422)
      expect(answer.body.errors[0].loc).toEqual(['body', 'webhook_url'])
    }
  }
  expect((await admin.call('GET', '/notifications/configs')).body).toEqual([])
})

it('NOT-02 NOT-42 refuses mail without 1 to 20 valid addresses', async () => {
  const { admin } = await newAccount(service)
  const many = Array.from({ length: 21 }, (_, n) => `p${n}@northwind.example`)
  for (const email_addresses of [undefined, null, [], many, ['not an address'], ['a@b.example', 7]]) {
    const answer = await admin.call('POST', '/notifications/configs', { channel: 'email', email_addresses, events_enabled: [] })
    expect(answer.status, JSON.stringify(email_addresses)).toBe(422)
    expect(answer.body.errors[0].loc.slice(0, 2)).toEqual(['body', 'email_addresses'])
  }
  expectStatus(await admin.call('POST', '/notifications/configs', { ...mail, email_addresses: many.slice(1) }), 201)
})

it('NOT-03 takes the three channels and no other', async () => {
  const { admin } = await newAccount(service)
  for (const channel of ['chat1_webhook', 'chat2_webhook', 'email']) {
    const answer = await admin.call('POST', '/notifications/configs', { ...mail, channel, webhook_url: webhook })
    expectStatus(answer, 201)
  }
  for (const channel of ['slack', 'EMAIL', '', null, 1]) {
    expectStatus(await admin.call('POST', '/notifications/configs', { ...mail, channel }), 422)
  }
})

it('NOT-04 refuses unknown event keys and repeated ones, on create and on update', async () => {
  const { admin } = await newAccount(service)
  const made = await admin.call('POST', '/notifications/configs', mail)
  for (const events_enabled of [['session.exploded'], ['session.escalated', 'session.escalated'], [''], 'session.escalated', null]) {
    expectStatus(await admin.call('POST', '/notifications/configs', { ...mail, events_enabled }), 422)
    expectStatus(await admin.call('PATCH', `/notifications/configs/${made.body.id}`, { events_enabled }), 422)
  }
  expect((await admin.call('GET', '/notifications/configs')).body).toEqual([made.body])
})

it('NOT-05 NOT-37 WIR-07 WIR-26 answers 201 with exactly the record, in the account of the caller', async () => {
  const { admin, id } = await newAccount(service)
  const answer = await admin.call('POST', '/notifications/configs', mail)
  expectStatus(answer, 201)
  expect(Object.keys(answer.body).sort()).toEqual(
    ['account_id', 'channel', 'created_at', 'email_addresses', 'events_enabled', 'id', 'webhook_url'].sort(),
  )
  expect(answer.body).toMatchObject({ ...mail, webhook_url: null, account_id: id })
  expect(answer.body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(answer.body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const other = await newAccount(service)
  expectStatus(await admin.call('POST', '/notifications/configs', { ...mail, account_id: other.id }), 422)
  expect((await other.admin.call('GET', '/notifications/configs')).body).toEqual([])
})

it('NOT-06 WIR-06 lists the configs of the account alone, newest first', async () => {
  const [ours, theirs] = [await newAccount(service), await newAccount(service)]
  const ids: string[] = []
  for (let n = 0; n < 4; n++) ids.unshift((await ours.admin.call('POST', '/notifications/configs', mail)).body.id)
  await theirs.admin.call('POST', '/notifications/configs', mail)
  const lead = await ours.colleague({ teamRole: 'admin' })
  const list = await lead.call('GET', '/notifications/configs')
  expect(list.body.map(({ id }: { id: string }) => id)).toEqual(ids)
})

it('NOT-07 WIR-23 changes the fields given and leaves the others', async () => {
  const { admin } = await newAccount(service)
  const { body: before } = await admin.call('POST', '/notifications/configs', mail)
  const path = `/notifications/configs/${before.id}`
  const changed = await admin.call('PATCH', path, { events_enabled: ['psa.push_failed'] })
  expectStatus(changed, 200)
  expect(changed.body).toEqual({ ...before, events_enabled: ['psa.push_failed'] })
  expect((await admin.call('PATCH', path, {})).body).toEqual(changed.body)
  const nothing = await admin.call('PATCH', path)
  expect([nothing.status, nothing.body]).toEqual([200, changed.body])
  const moved = await admin.call('PATCH', path, { channel: 'chat1_webhook', webhook_url: webhook, email_addresses: null })
  expect(moved.body).toEqual({ ...changed.body, channel: 'chat1_webhook', webhook_url: webhook, email_addresses: null })
})

it('NOT-43 refuses a change that would leave a channel without its address, and changes nothing', async () => {
  const { admin } = await newAccount(service)
  const { body: byMail } = await admin.call('POST', '/notifications/configs', mail)
  const { body: byChat } = await admin.call('POST', '/notifications/configs', { channel: 'chat2_webhook', webhook_url: webhook })
  for (const [config, change, field] of [
    [byMail, { email_addresses: null, events_enabled: [] }, 'email_addresses'],
    [byMail, { channel: 'chat1_webhook' }, 'webhook_url'],
    [byChat, { webhook_url: null }, 'webhook_url'],
    [byChat, { channel: 'email' }, 'email_addresses'],
  ] as const) {
    const answer = await admin.call('PATCH', `/notifications/configs/${config.id}`, change)
    expectStatus(answer, 422)
    expect(answer.body.errors[0].loc).toEqual(['body', field])
  }
  expect((await admin.call('GET', '/notifications/configs')).body).toEqual([byChat, byMail])
})

it('NOT-08 deletes with 204 and no body, and the config is gone', async () => {
  const { admin } = await newAccount(service)
  const { body: made } = await admin.call('POST', '/notifications/configs', mail)
  const answer = await admin.call('DELETE', `/notifications/configs/${made.id}`)
  expect([answer.status, answer.text]).toEqual([204, ''])
  expect((await admin.call('GET', '/notifications/configs')).body).toEqual([])
  expectStatus(await admin.call('DELETE', `/notifications/configs/${made.id}`), 404)
})

it('NOT-11 NOT-47 tests a config by one real attempt that is kept in its log, and answers 200 when it failed', async () => {
  const { admin } = await newAccount(service)
  const path = `/chat/1/${crypto.randomUUID()}/gone`
  const made = await admin.call('POST', '/notifications/configs', { channel: 'chat1_webhook', webhook_url: service.local + path })
  const answer = await admin.call('POST', '/notifications/configs/test', { config_id: made.body.id })
  expectStatus(answer, 200)
  expect(answer.body).toEqual({ success: false, message: 'The chat tool answered 410 (channel_is_archived)' })
  const log = await admin.call('GET', `/notifications/configs/${made.body.id}/deliveries`)
  expect(log.body).toMatchObject([{ state: 'failed', attempts: 1, event_key: null, last_status_code: 410 }])
  expect((await desk(service).read('chat')).filter((hit) => hit.path === path)).toHaveLength(1)
})

it('leaves an audit row for every change of a config, without the webhook address', async () => {
  const { admin, id } = await newAccount(service)
  const secret = `${webhook}/${crypto.randomUUID()}`
  const { body: made } = await admin.call('POST', '/notifications/configs', { channel: 'chat1_webhook', webhook_url: secret })
  await admin.call('PATCH', `/notifications/configs/${made.id}`, { webhook_url: `${secret}/2`, events_enabled: ['member.joined'] })
  await admin.call('PATCH', `/notifications/configs/${made.id}`, { events_enabled: ['member.joined'] })
  await admin.call('DELETE', `/notifications/configs/${made.id}`)
  const rows = await service.sql('select * from audit_logs where account_id = $1 order by created_at, id', [id])
  expect(rows.map(({ action }) => action)).toEqual([
    'notification_config.created',
    'notification_config.updated',
    'notification_config.deleted',
  ])
  expect(rows.every((row) => row.actor_id === admin.id && row.resource_id === made.id)).toBe(true)
  expect(rows[1]?.changes).toMatchObject({ webhook_url: '[redacted]', events_enabled: { from: [], to: ['member.joined'] } })
  expect(JSON.stringify(rows)).not.toContain(secret)
})
