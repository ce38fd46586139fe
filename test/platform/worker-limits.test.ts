import { afterAll, expect, it } from 'vitest'
import { dashboard, request, startOwnService } from '../support/app.ts'
import { expectStatus } from '../support/expect-status.ts'
import { createAccount } from '../support/people.ts'

const service = await startOwnService({}, { platform: 'cloudflare' })
afterAll(() => service.close())

it('NOT-56 returns the facts of a limit, which the Worker reads from the error of the database', async () => {
  const { admin } = await createAccount(service)
  await service.sql(
    `insert into notification_configs (account_id, channel, email_addresses, events_enabled)
     select $1, 'email', '["oncall@northwind.example"]', '[]' from generate_series(1, 10)`,
    [admin.accountId],
  )
  const config = { channel: 'email', email_addresses: ['oncall@northwind.example'], events_enabled: [] }
  const response = await admin.call('POST', '/notifications/configs', config)
  expect([response.status, response.body]).toEqual([
    409,
    {
      detail: 'The account has reached its limit of 10 notification configs',
      code: 'limit_reached',
      resource: 'notification_configs',
      used: 10,
      limit: 10,
    },
  ])
})

it('NOT-60 unsubscribes with the link of an e-mail that the Worker has sent', async () => {
  const { admin } = await createAccount(service)
  const address = `s-${crypto.randomUUID()}@strangers.example`
  const config = { channel: 'email', email_addresses: [address], events_enabled: [] }
  const { body } = expectStatus(await admin.call('POST', '/notifications/configs', config), 201)
  const test = async () => (await admin.call('POST', '/notifications/configs/test', { config_id: body.id })).body.success
  expect(await test()).toBe(true)
  const path = await dashboard(service).waitForLink(address, /api\/v1(\/unsubscribe\/\S+)/)
  expectStatus(await request(service, 'POST', path, { raw: 'List-Unsubscribe=One-Click' }), 200)
  expect(await test()).toBe(false)
})
