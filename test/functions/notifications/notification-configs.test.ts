import { expect, it } from 'vitest'
import { dashboard, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const webhookUrl = `${service.localOrigin}/chat/1/team`
const emailConfig = {
  channel: 'email',
  email_addresses: ['oncall@northwind.example'],
  events_enabled: ['session.escalated'],
}

it('NOT-01 refuses a webhook channel without an address', async () => {
  const { admin } = await createAccount(service)
  for (const channel of ['chat1_webhook', 'chat2_webhook']) {
    for (const webhook_url of [undefined, null, '']) {
      const response = await admin.call('POST', '/notifications/configs', {
        channel,
        webhook_url,
        events_enabled: [],
      })
      expectStatus(response, 422)
      expect(response.body.errors[0].loc).toEqual(['body', 'webhook_url'])
    }
  }
  expect((await admin.call('GET', '/notifications/configs')).body).toEqual([])
})

it('NOT-02 NOT-42 refuses channel email without 1 to 20 valid addresses', async () => {
  const { admin } = await createAccount(service)
  const tooMany = Array.from({ length: 21 }, (_, n) => `p${n}@northwind.example`)
  for (const email_addresses of [undefined, null, [], tooMany, ['not an address'], ['a@b.example', 7]]) {
    const response = await admin.call('POST', '/notifications/configs', {
      channel: 'email',
      email_addresses,
      events_enabled: [],
    })
    expect(response.status, JSON.stringify(email_addresses)).toBe(422)
    expect(response.body.errors[0].loc.slice(0, 2)).toEqual(['body', 'email_addresses'])
  }
  expectStatus(
    await admin.call('POST', '/notifications/configs', { ...emailConfig, email_addresses: tooMany.slice(1) }),
    201,
  )
})

it('NOT-03 accepts the three channels and no other', async () => {
  const { admin } = await createAccount(service)
  for (const channel of ['chat1_webhook', 'chat2_webhook', 'email']) {
    const response = await admin.call('POST', '/notifications/configs', {
      ...emailConfig,
      channel,
      webhook_url: webhookUrl,
    })
    expectStatus(response, 201)
  }
  for (const channel of ['slack', 'EMAIL', '', null, 1]) {
    expectStatus(await admin.call('POST', '/notifications/configs', { ...emailConfig, channel }), 422)
  }
})

it('NOT-04 refuses unknown event keys and repeated ones, on create and on update', async () => {
  const { admin } = await createAccount(service)
  const created = await admin.call('POST', '/notifications/configs', emailConfig)
  for (const events_enabled of [
    ['session.exploded'],
    ['session.escalated', 'session.escalated'],
    [''],
    'session.escalated',
  ]) {
    expectStatus(await admin.call('POST', '/notifications/configs', { ...emailConfig, events_enabled }), 422)
    expectStatus(
      await admin.call('PATCH', `/notifications/configs/${created.body.id}`, { events_enabled }),
      422,
    )
  }
  expect((await admin.call('GET', '/notifications/configs')).body).toEqual([created.body])
})

it('NOT-05 NOT-37 WIR-07 WIR-26 returns 201 with exactly the stored config, in the caller’s account', async () => {
  const { admin, id } = await createAccount(service)
  const response = await admin.call('POST', '/notifications/configs', emailConfig)
  expectStatus(response, 201)
  expect(Object.keys(response.body).sort()).toEqual(
    [
      'account_id',
      'actions_url',
      'channel',
      'created_at',
      'disconnected_at',
      'email_addresses',
      'email_problems',
      'events_enabled',
      'has_signing_secret',
      'id',
      'webhook_url',
    ].sort(),
  )
  expect(response.body).toMatchObject({ ...emailConfig, webhook_url: null, account_id: id })
  expect(response.body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(response.body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const otherAccount = await createAccount(service)
  expectStatus(
    await admin.call('POST', '/notifications/configs', { ...emailConfig, account_id: otherAccount.id }),
    422,
  )
  expect((await otherAccount.admin.call('GET', '/notifications/configs')).body).toEqual([])
})

it('NOT-06 WIR-06 lists only the configs of the account, newest first', async () => {
  const [ours, theirs] = [await createAccount(service), await createAccount(service)]
  const ids: string[] = []
  for (let n = 0; n < 4; n++)
    ids.unshift((await ours.admin.call('POST', '/notifications/configs', emailConfig)).body.id)
  await theirs.admin.call('POST', '/notifications/configs', emailConfig)
  const lead = await ours.addColleague({ teamRole: 'admin' })
  const list = await lead.call('GET', '/notifications/configs')
  expect(list.body.map(({ id }: { id: string }) => id)).toEqual(ids)
})

it('NOT-07 WIR-23 changes only the fields in the body of an update', async () => {
  const { admin } = await createAccount(service)
  const { body: before } = await admin.call('POST', '/notifications/configs', emailConfig)
  const path = `/notifications/configs/${before.id}`
  const updated = await admin.call('PATCH', path, { events_enabled: ['psa.push_failed'] })
  expectStatus(updated, 200)
  expect(updated.body).toEqual({ ...before, events_enabled: ['psa.push_failed'] })
  expect((await admin.call('PATCH', path, {})).body).toEqual(updated.body)
  const withoutBody = await admin.call('PATCH', path)
  expect([withoutBody.status, withoutBody.body]).toEqual([200, updated.body])
  const switched = await admin.call('PATCH', path, {
    channel: 'chat1_webhook',
    webhook_url: webhookUrl,
    email_addresses: null,
  })
  expect(switched.body).toEqual({
    ...updated.body,
    actions_url: switched.body.actions_url,
    channel: 'chat1_webhook',
    webhook_url: webhookUrl,
    email_addresses: null,
  })
})

it('NOT-43 refuses an update that would leave a channel without its address, and changes nothing', async () => {
  const { admin } = await createAccount(service)
  const { body: emailRow } = await admin.call('POST', '/notifications/configs', emailConfig)
  const { body: chatRow } = await admin.call('POST', '/notifications/configs', {
    channel: 'chat2_webhook',
    webhook_url: webhookUrl,
  })
  for (const [config, change, field] of [
    [emailRow, { email_addresses: null, events_enabled: [] }, 'email_addresses'],
    [emailRow, { channel: 'chat1_webhook' }, 'webhook_url'],
    [chatRow, { webhook_url: null }, 'webhook_url'],
    [chatRow, { channel: 'email' }, 'email_addresses'],
  ] as const) {
    const response = await admin.call('PATCH', `/notifications/configs/${config.id}`, change)
    expectStatus(response, 422)
    expect(response.body.errors[0].loc).toEqual(['body', field])
  }
  expect((await admin.call('GET', '/notifications/configs')).body).toEqual([chatRow, emailRow])
})

it('NOT-08 deletes a config with 204 and no body', async () => {
  const { admin } = await createAccount(service)
  const { body: created } = await admin.call('POST', '/notifications/configs', emailConfig)
  const response = await admin.call('DELETE', `/notifications/configs/${created.id}`)
  expect([response.status, response.text]).toEqual([204, ''])
  expect((await admin.call('GET', '/notifications/configs')).body).toEqual([])
  expectStatus(await admin.call('DELETE', `/notifications/configs/${created.id}`), 404)
})

it('NOT-11 NOT-47 tests a config with one real, logged attempt, and returns 200 even when it fails', async () => {
  const { admin } = await createAccount(service)
  const path = `/chat/1/${crypto.randomUUID()}/gone`
  const created = await admin.call('POST', '/notifications/configs', {
    channel: 'chat1_webhook',
    webhook_url: service.localOrigin + path,
  })
  const response = await admin.call('POST', '/notifications/configs/test', { config_id: created.body.id })
  expectStatus(response, 200)
  expect(response.body).toEqual({
    success: false,
    message: 'The chat tool returned 410: channel_is_archived',
  })
  const log = await admin.call('GET', `/notifications/configs/${created.body.id}/deliveries`)
  expect(log.body).toMatchObject([{ state: 'failed', attempts: 1, event_key: null, last_status_code: 410 }])
  expect((await dashboard(service).listRecords('chat')).filter((call) => call.path === path)).toHaveLength(1)
})

it('writes an audit row for every change of a config, without the webhook address', async () => {
  const { admin, id } = await createAccount(service)
  const secret = `${webhookUrl}/${crypto.randomUUID()}`
  const { body: created } = await admin.call('POST', '/notifications/configs', {
    channel: 'chat1_webhook',
    webhook_url: secret,
  })
  await admin.call('PATCH', `/notifications/configs/${created.id}`, {
    webhook_url: `${secret}/2`,
    events_enabled: ['member.joined'],
  })
  await admin.call('PATCH', `/notifications/configs/${created.id}`, { events_enabled: ['member.joined'] })
  await admin.call('DELETE', `/notifications/configs/${created.id}`)
  const rows = await service.sql('select * from audit_logs where account_id = $1 order by created_at, id', [
    id,
  ])
  expect(rows.map(({ action }) => action)).toEqual([
    'notification_config.created',
    'notification_config.updated',
    'notification_config.deleted',
  ])
  expect(rows.every((row) => row.actor_id === admin.id && row.resource_id === created.id)).toBe(true)
  expect(rows[1]?.changes).toMatchObject({
    webhook_url: '[redacted]',
    events_enabled: { from: [], to: ['member.joined'] },
  })
  expect(JSON.stringify(rows)).not.toContain(secret)
})
