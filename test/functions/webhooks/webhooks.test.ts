import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { parseConfig } from '#config.ts'
import type { RecordTypes } from '#local/vendors/records.ts'
import { insertRefreshToken } from '#test/contract/fixture-rows.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { openWebhookSecrets } from '#vendors/webhooks/sealed-secrets.ts'

const service = await sharedService()

async function createHook(admin: Person, fields: object = {}) {
  const name = crypto.randomUUID()
  const response = await admin.call('POST', '/webhooks', {
    url: `${service.localOrigin}/hooks/${name}`,
    events: ['flow.published'],
    ...fields,
  })
  expectStatus(response, 201)
  const listReceived = async () =>
    ((await (await fetch(`${service.localOrigin}/desk/hooks`)).json()) as RecordTypes['hooks'][]).filter(
      (hook) => hook.name === name,
    )
  return { ...(response.body as { id: string; secret: string }), listReceived }
}

const verify = (secret: string, { body, headers }: RecordTypes['hooks']) =>
  new Webhook(secret).verify(body, headers)

it('refuses to send a message whose signing secret cannot be decrypted', async () => {
  const { admin } = await createAccount(service)
  const { id, listReceived } = await createHook(admin)
  await service.sql(`update webhooks set secret = 'damaged' where id = $1`, [id])
  const { status, body } = await admin.call('POST', `/webhooks/${id}/test`)
  expect([status, body, await listReceived()]).toEqual([
    200,
    {
      success: false,
      message: 'The signing secret cannot be decrypted; rotate it',
      status: null,
      duration_ms: 0,
    },
    [],
  ])
})

it('WHK-01 WHK-17 sends a test message at once, whose signature the package of the specification verifies', async () => {
  const { admin } = await createAccount(service)
  const { id, secret, listReceived } = await createHook(admin)
  const { status, body } = await admin.call('POST', `/webhooks/${id}/test`)
  expect([status, body]).toEqual([
    200,
    {
      success: true,
      message: 'The receiver accepted the message',
      status: 204,
      duration_ms: expect.any(Number),
    },
  ])
  const [received] = await listReceived()
  expect(verify(secret, received as RecordTypes['hooks'])).toMatchObject({
    type: 'webhook.test',
    data: { webhook_id: id },
  })
  expect(received?.headers['webhook-id']).toMatch(/^msg_[0-9a-f]{32}$/)
  expect(() =>
    verify(secret, { ...(received as RecordTypes['hooks']), body: `${received?.body} ` }),
  ).toThrow()
})

it('WHK-17 each of 5 tests at once gets the answer to its own message', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createHook(admin)
  const tests = await Promise.all(Array.from({ length: 5 }, () => admin.call('POST', `/webhooks/${id}/test`)))
  expect(tests.map(({ status, body }) => [status, body.message])).toEqual(
    Array(5).fill([200, 'The receiver accepted the message']),
  )
})

it('WHK-01 signs with both secrets for 24 hours after a rotation, and never with a third one', async () => {
  const { admin } = await createAccount(service)
  const { id, secret, listReceived } = await createHook(admin)
  const rotate = async () => (await admin.call('POST', `/webhooks/${id}/rotate-secret`)).body
  const sendTest = async () => {
    await admin.call('POST', `/webhooks/${id}/test`)
    return (await listReceived())[0] as RecordTypes['hooks']
  }
  const second = await rotate()
  expect(Date.parse(second.previous_secret_until) - Date.now()).toBeGreaterThan(86_000_000)
  const afterFirst = await sendTest()
  for (const valid of [secret, second.secret])
    expect(verify(valid, afterFirst)).toMatchObject({ type: 'webhook.test' })
  expect(afterFirst.headers['webhook-signature'].split(' ')).toHaveLength(2)
  const third = await rotate()
  const afterSecond = await sendTest()
  for (const valid of [second.secret, third.secret])
    expect(verify(valid, afterSecond)).toMatchObject({ type: 'webhook.test' })
  expect(() => verify(secret, afterSecond)).toThrow()
  await service.sql(`update webhooks set previous_secret_until = app.now() where id = $1`, [id])
  expect((await sendTest()).headers['webhook-signature'].split(' ')).toHaveLength(1)
})

it('WHK-02 shows the secret once and stores it encrypted for this webhook, also with a rotated key', async () => {
  const { admin } = await createAccount(service)
  const [{ id, secret }, other] = [await createHook(admin), await createHook(admin)]
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const listed = await admin.call('GET', '/webhooks')
  expect(listed.text).not.toContain('whsec_')
  expect(listed.body.flatMap(Object.keys)).not.toContain('secret')
  expect((await admin.call('PATCH', `/webhooks/${id}`, { description: 'x' })).text).not.toContain('whsec_')
  const [row] = await service.sql<{ secret: string }>('select secret from webhooks where id = $1', [id])
  const keys = parseConfig(service.settings).CREDENTIALS_KEY
  const rotated = createVault([{ version: 99, key: btoa('k'.repeat(32)) }, ...keys])
  const open = (webhookId: string) =>
    openWebhookSecrets(rotated, { accountId: admin.accountId, webhookId }, [row?.secret ?? ''])
  expect(await open(id)).toEqual([secret])
  await expect(open(other.id)).rejects.toThrow()
  const audit = await service.sql('select changes::text from audit_logs where account_id = $1', [
    admin.accountId,
  ])
  expect(JSON.stringify(audit)).not.toContain('whsec_')
  expect(JSON.stringify(audit)).not.toContain('/hooks/')
})

it('WHK-09 refuses addresses that are not public', async () => {
  const { admin } = await createAccount(service)
  const urls = [
    'http://hooks.public.test/x',
    'https://user:secret@hooks.public.test/x',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/x',
    'https://hooks.private.test/x',
    'https://hooks.public.test:8443/x',
  ]
  for (const url of urls) {
    const { status, body } = await admin.call('POST', '/webhooks', { url, events: ['flow.published'] })
    expect([url, status, body.errors?.[0].loc]).toEqual([url, 422, ['body', 'url']])
  }
  const { id } = await createHook(admin)
  expect((await admin.call('PATCH', `/webhooks/${id}`, { url: urls[2] })).status).toBe(422)
})

it('WHK-11 allows as many webhooks as the plan', async () => {
  const { admin } = await createAccount(service)
  await service.sql(
    `insert into webhooks (account_id, url, events, secret) select $1, 'https://hooks.public.test/' || n, '{flow.published}', 'x' from generate_series(1, 10) n`,
    [admin.accountId],
  )
  const refused = await admin.call('POST', '/webhooks', {
    url: 'https://hooks.public.test/x',
    events: ['flow.published'],
  })
  expect([refused.status, refused.body]).toMatchObject([
    409,
    { code: 'limit_reached', resource: 'webhooks', limit: 10, used: 10 },
  ])
  expect((await admin.call('GET', '/accounts/me/usage')).body.webhooks).toEqual({ used: 10, limit: 10 })
})

it('WHK-12 refuses team admins and engineers', async () => {
  const account = await createAccount(service)
  for (const person of [await account.addColleague({ teamRole: 'admin' }), await account.addColleague()])
    expectStatus(await person.call('GET', '/webhooks'), 403)
})

it('WHK-15 sends nothing to a webhook that is switched off, and fails its open deliveries', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createHook(admin)
  await service.sql(
    `insert into webhook_deliveries (account_id, webhook_id, message_id, type, subject, payload) values ($1, $2, 'msg_1', 'flow.published', 'x', '{}')`,
    [admin.accountId, id],
  )
  expectStatus(await admin.call('PATCH', `/webhooks/${id}`, { is_active: false }), 200)
  const { body } = await admin.call('GET', `/webhooks/${id}/deliveries?state=failed`)
  expect(body).toMatchObject([{ last_error: 'The webhook was switched off', next_attempt_at: null }])
})

it('refuses a replay that names both or neither of a delivery and a time', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createHook(admin)
  for (const body of [{}, { delivery_id: id, failed_since: '2026-01-01T00:00:00.000Z' }])
    expect((await admin.call('POST', `/webhooks/${id}/replay`, body)).status).toBe(422)
})

it('the typed client creates, lists and deletes webhooks', async () => {
  const { admin } = await createAccount(service)
  const tokens = { access_token: admin.token, refresh_token: await insertRefreshToken(service, admin) }
  const client = createClient({ baseUrl: service.api, fetch: service.fetch ?? fetch, tokens })
  const { id, secret } = await client.webhooks.create({
    url: `${service.localOrigin}/hooks/client`,
    events: ['schedule.run'],
  })
  expect(secret).toMatch(/^whsec_/)
  expect(await client.webhooks.list()).toMatchObject([{ id, events: ['schedule.run'] }])
  await client.webhooks.delete({ webhook_id: id })
  expect(await client.webhooks.list()).toEqual([])
})
