import { afterAll, expect, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { gatewayBody, setUpGateway } from '#test/support/phone.ts'

const service = await startOwnService()
afterAll(() => service.close())
const path = '/notifications/phone-gateway'

it('PHO-01 shows no secret of a gateway in responses, log lines or audit rows, and stores none in plain text', async () => {
  const { admin, id } = await createAccount(service)
  const secret = 'k7q2xw9zv4t8r1m5'
  const body = { ...gatewayBody(service), secret }
  const responses = [
    await admin.call('PUT', path, body),
    await admin.call('GET', path),
    await admin.call('PUT', path, { ...body, zz: 1 }),
    await admin.call('PUT', path, { ...body, allowed_prefixes: [] }),
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 422, 422])
  const rows = await service.sql('select to_jsonb(g) as row from phone_gateways g where account_id = $1', [
    id,
  ])
  const audit = await service.sql<{ action: string }>(
    'select action, changes from audit_logs where account_id = $1',
    [id],
  )
  expect(audit.map(({ action }) => action)).toContain('phone_gateway.created')
  const texts = responses.map(({ text, headers }) => [text, [...headers]])
  const allText = JSON.stringify([texts, rows, audit, service.log])
  for (let n = 0; n + 6 <= secret.length; n++) expect(allText).not.toContain(secret.slice(n, n + 6))
})

it('PHO-01 keeps the stored secret for the same provider and origin only', async () => {
  const { admin } = await createAccount(service)
  const { secret: _, ...withoutSecret } = gatewayBody(service)
  const expectMissing = async (body: object) =>
    expect(expectStatus(await admin.call('PUT', path, body), 422).body.errors).toMatchObject([
      { loc: ['body', 'secret'] },
    ])
  await expectMissing(withoutSecret)
  await setUpGateway(service, admin)
  expectStatus(await admin.call('PUT', path, { ...withoutSecret, daily_limit: 7 }), 200)
  expect((await admin.call('GET', path)).body).toMatchObject({
    daily_limit: 7,
    sent_today: 0,
    last_error: null,
  })
  await expectMissing({ ...withoutSecret, base_url: 'https://api.twilio.com' })
  const { secret: __, ...webhook } = gatewayBody(service, 'webhook')
  await expectMissing(webhook)
})

it('PHO-01 is set up by account admins alone, and refuses what no gateway has', async () => {
  const account = await createAccount(service)
  const { admin } = account
  const engineer = await account.addColleague()
  const body = gatewayBody(service)
  expectStatus(await admin.call('GET', path), 409)
  expectStatus(await admin.call('DELETE', path), 409)
  for (const [method, sent] of [
    ['GET', undefined],
    ['PUT', body],
    ['DELETE', undefined],
  ] as const)
    expectStatus(await engineer.call(method, path, sent), 403)
  const webhook = gatewayBody(service, 'webhook')
  for (const [field, wrong] of [
    ['base_url', { ...body, base_url: 'https://169.254.169.254' }],
    ['base_url', { ...body, base_url: 'http://api.twilio.com' }],
    ['base_url', { ...body, base_url: 'https://api.twilio.com/?x=1' }],
    ['account_sid', { ...body, account_sid: null }],
    ['account_sid', { ...body, account_sid: '../x' }],
    ['sender', { ...body, sender: null }],
    ['sender', { ...body, sender: '030 123456' }],
    ['secret', { ...body, secret: 'with a space, and long' }],
    ['secret', { ...webhook, secret: 'whsec_short' }],
    ['account_sid', { ...webhook, account_sid: 'AC00000000000000000000000000000000' }],
    ['base_url', { ...webhook, base_url: undefined }],
    ['allowed_prefixes', { ...body, allowed_prefixes: undefined }],
    ['allowed_prefixes', { ...body, allowed_prefixes: ['49'] }],
    ['allowed_prefixes', { ...body, allowed_prefixes: ['+49', '+49'] }],
    ['daily_limit', { ...body, daily_limit: 0 }],
    ['daily_limit', { ...body, daily_limit: 1001 }],
  ] as const) {
    const { errors } = expectStatus(await admin.call('PUT', path, wrong), 422).body
    expect(errors[0].loc.slice(0, 2), JSON.stringify(wrong)).toEqual(['body', field])
  }
  await setUpGateway(service, admin)
  expectStatus(await admin.call('DELETE', path), 204)
})
