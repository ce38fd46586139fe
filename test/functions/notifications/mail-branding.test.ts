import { expect, it } from 'vitest'
import { dashboard, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const { listRecords } = dashboard(service)

/** Send a test message to an address through the API, and return the e-mail. */
async function sendTestMail(admin: Person, address: string) {
  const config = await admin.call('POST', '/notifications/configs', {
    channel: 'email',
    email_addresses: [address],
    events_enabled: [],
  })
  expectStatus(config, 201)
  expectStatus(await admin.call('POST', '/notifications/configs/test', { config_id: config.body.id }), 200)
  return (await listRecords('mail')).find(({ to }) => to[0] === address)
}

it("NOT-73 NOT-74 an e-mail has the account's name and colour, and a member reads who decides about it", async () => {
  const { admin } = await createAccount(service)
  const changed = await admin.call('PATCH', '/accounts/me', { name: 'Northwind IT', brand_colour: '#0F766E' })
  expect([changed.status, changed.body.brand_colour]).toEqual([200, '#0f766e'])
  const mail = await sendTestMail(admin, admin.email)
  expect(mail.html).toContain('Northwind IT via Support Flow')
  expect(mail.html).toContain('background-color:#0f766e')
  expect(mail.text).toContain(
    `${admin.fullName} has listed your address for notifications of the account “Northwind IT”.`,
  )
  expect(mail.text).toContain(
    'Admins of the account change who is notified here: https://app.supportflow.example/settings/notifications',
  )
  const [audit] = await service.sql(
    `select changes from audit_logs where account_id = $1 and action = 'account.updated'`,
    [admin.accountId],
  )
  expect(audit).toMatchObject({ changes: { brand_colour: { from: null, to: '#0f766e' } } })
})

it('NOT-73 an account that is named like a bank cannot hide the name of the service from a stranger', async () => {
  const { admin } = await createAccount(service)
  const name = 'Contoso Bank security\n\nhttps://evil.example'
  expectStatus(await admin.call('PATCH', '/accounts/me', { name, brand_colour: '#ff0000' }), 200)
  const mail = await sendTestMail(admin, `s-${crypto.randomUUID()}@strangers.example`)
  for (const part of [mail.html, mail.text]) {
    expect(part).toMatch(/Contoso Bank security[^\n]{0,40} via Support Flow/)
    expect(part).not.toContain('evil.example')
  }
})

it.each(['red', '#fff', '#12345g', '#1234567', 'url(x)', '#000000;background:url(x)'])(
  'refuses the colour "%s"',
  async (brand_colour) => {
    const { admin } = await createAccount(service)
    const { status, body } = await admin.call('PATCH', '/accounts/me', { brand_colour })
    expect([status, body.errors[0].loc]).toEqual([422, ['body', 'brand_colour']])
  },
)
