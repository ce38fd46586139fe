import { expect, it } from 'vitest'
import { dashboard, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const emailConfig = { channel: 'email', email_addresses: ['oncall@northwind.example'], events_enabled: [] }
const createConfig = (person: Person, key: string, body: unknown = emailConfig) =>
  person.call('POST', '/notifications/configs', body, { 'idempotency-key': key })
const listConfigs = async (person: Person) => (await person.call('GET', '/notifications/configs')).body

it('WIR-24 WIR-72 returns the first response for a repeated request, without a second effect', async () => {
  const { admin } = await createAccount(service)
  const [first, repeated] = [await createConfig(admin, 'k1'), await createConfig(admin, 'k1')]
  expect([repeated.status, repeated.text]).toEqual([201, first.text])
  expect([first, repeated].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true'])
  expect(await listConfigs(admin)).toHaveLength(1)
  expect((await createConfig(admin, 'k2')).body.id).not.toBe(first.body.id)
})

it('WIR-24 scopes an idempotency key to its user and operation', async () => {
  const { admin, addColleague } = await createAccount(service)
  const teamAdmin = await addColleague({ teamRole: 'admin' })
  const [first, second] = [await createConfig(admin, 'same'), await createConfig(teamAdmin, 'same')]
  expect(first.body.id).not.toBe(second.body.id)
  expectStatus(
    await admin.call('POST', '/notifications/mark-all-read', undefined, { 'idempotency-key': 'same' }),
    200,
  )
})

it('WIR-24 leaves the key free after a refusal, for the mended request', async () => {
  const { admin } = await createAccount(service)
  expectStatus(await createConfig(admin, 'k', { channel: 'email' }), 422)
  const internalUrl = { channel: 'chat1_webhook', webhook_url: 'https://10.0.0.1/x' }
  expect((await createConfig(admin, 'k', internalUrl)).body.errors[0].loc).toEqual(['body', 'webhook_url'])
  expectStatus(await createConfig(admin, 'k'), 201)
  expect((await createConfig(admin, 'k', internalUrl)).body.errors[0].loc).toEqual([
    'header',
    'idempotency-key',
  ])
})

it('does not store a 404, because it may be temporary', async () => {
  const { admin } = await createAccount(service)
  const path = `/notifications/deliveries/${crypto.randomUUID()}/retry`
  for (let n = 0; n < 2; n++)
    expectStatus(await admin.call('POST', path, undefined, { 'idempotency-key': 'k' }), 404)
  const rows = await service.sql('select from idempotency_keys where user_id = $1', [admin.id])
  expect(rows).toHaveLength(0)
})

it('WIR-25 refuses a used key with another body', async () => {
  const { admin } = await createAccount(service)
  await createConfig(admin, 'k')
  const reused = await createConfig(admin, 'k', { ...emailConfig, email_addresses: ['other@x.example'] })
  expect([reused.status, reused.body.errors]).toEqual([
    422,
    [{ loc: ['header', 'idempotency-key'], msg: 'was used for another request', type: 'key_reused' }],
  ])
  expect(await listConfigs(admin)).toHaveLength(1)
})

it('WIR-25 executes one of ten concurrent requests with one key, and returns 409 or the same response to the others', async () => {
  const { admin } = await createAccount(service)
  const responses = await Promise.all(Array.from({ length: 10 }, () => createConfig(admin, 'race')))
  const created = responses.filter(({ status }) => status === 201)
  expect(created.length).toBeGreaterThan(0)
  expect(new Set(created.map(({ text }) => text)).size).toBe(1)
  expect(responses.every(({ status }) => status === 201 || status === 409)).toBe(true)
  expect(await listConfigs(admin)).toHaveLength(1)
})

it('WIR-25 refuses a key that is empty, too long or not printable ASCII', async () => {
  const { admin } = await createAccount(service)
  for (const key of ['', 'x'.repeat(256), 'caf\u00e9']) {
    const response = await createConfig(admin, key)
    expect([key.length, response.status]).toEqual([key.length, 422])
    expect(response.body.errors[0].loc).toEqual(['header', 'idempotency-key'])
  }
})

it('expires an idempotency key after 24 hours', async () => {
  const { admin } = await createAccount(service)
  const first = await createConfig(admin, 'old')
  await service.sql(
    `update idempotency_keys set created_at = created_at - interval '24 hours 1 second' where user_id = $1`,
    [admin.id],
  )
  expect((await createConfig(admin, 'old')).body.id).not.toBe(first.body.id)
})

it('calls an external service once for concurrent and repeated requests with one key', async () => {
  const { admin } = await createAccount(service)
  const path = `/chat/1/${crypto.randomUUID()}`
  const config = await createConfig(admin, 'c', {
    channel: 'chat1_webhook',
    webhook_url: service.localOrigin + path,
  })
  const sendTestMessage = () =>
    admin.call(
      'POST',
      '/notifications/configs/test',
      { config_id: config.body.id },
      { 'idempotency-key': 't' },
    )
  const responses = await Promise.all([sendTestMessage(), sendTestMessage(), sendTestMessage()])
  expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  expect(responses.every(({ status }) => status === 200 || status === 409)).toBe(true)
  expect((await sendTestMessage()).body).toEqual({ success: true, message: 'The test message was accepted' })
  expect(
    (await dashboard(service).listRecords('chat')).filter((record) => record.path === path),
  ).toHaveLength(1)
})
