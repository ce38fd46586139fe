import { expect, it } from 'vitest'
import { signMailEvent } from '#local/vendors/resend.ts'
import { dashboard, request, sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const { listRecords } = dashboard(service)
const secret = service.settings.RESEND_WEBHOOK_SECRET ?? ''

interface EventFields {
  type?: string
  at?: Date
  data?: object
}
const toEvent = (
  to: string,
  { type = 'email.bounced', at = new Date(), data = { bounce: { type: 'Permanent' } } }: EventFields = {},
) => ({
  type,
  created_at: at.toISOString(),
  data: { to: [to], ...data },
})
const send = async ({ body, headers }: { body: string; headers: Record<string, string> }) =>
  request(service, 'POST', '/notifications/mail-webhook', { raw: body, headers })
/** Send a signed event about an address, and return the answer. */
const report = async (to: string, fields: EventFields = {}) =>
  (await send(await signMailEvent(toEvent(to, fields), secret))).body

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
const findProblem = async (admin: Person, { id }: Person) =>
  (await admin.client.accounts.listMembers()).find((member) => member.id === id)?.email_problem

it.each([
  ['email.bounced', { bounce: { type: 'Permanent' } }, 'bounced'],
  ['email.complained', {}, 'complained'],
  ['email.suppressed', { suppressed: { type: 'OnAccountSuppressionList' } }, 'suppressed'],
])('NOT-94 NOT-96 after %s the member list shows the reason, and e-mails stop', async (type, data, kind) => {
  const { admin, addColleague } = await createAccount(service)
  const colleague = await addColleague()
  const at = minutesAgo(1)
  expect(await report(`Ada <${colleague.email.toUpperCase()}>`, { type, data, at })).toEqual({ recorded: 1 })
  expect(await findProblem(admin, colleague)).toEqual({ kind, occurred_at: at.toISOString() })
  expect(await findProblem(admin, admin)).toBeNull()
  const config = await admin.client.notifications.createConfig({
    channel: 'email',
    email_addresses: [colleague.email],
    events_enabled: [],
  })
  expect(config.email_problems).toEqual([{ address: colleague.email, kind, occurred_at: at.toISOString() }])
  expect(await admin.client.notifications.testConfig({ config_id: config.id })).toEqual({
    success: false,
    message: 'Every recipient has unsubscribed, or their address takes no e-mails',
  })
})

it.each([
  ['a bounce that may pass', { data: { bounce: { type: 'Transient' } } }],
  ['a bounce without a type', { data: {} }],
  ['an event of another kind', { type: 'email.delivered' }],
  [
    'a bounce of one of several recipients',
    { data: { to: ['a@example.com', 'b@example.com'], bounce: { type: 'Permanent' } } },
  ],
  ['an event that nobody knows yet', { type: 'inbox.created', data: { to: 7 } }],
])('NOT-95 %s changes nothing', async (_, fields) => {
  const { admin } = await createAccount(service)
  expect(await report(admin.email, fields)).toEqual({ recorded: 0 })
  expect(await findProblem(admin, admin)).toBeNull()
})

it('NOT-95 refuses events without a signature, with a wrong one, with an old one and of a changed body', async () => {
  const event = toEvent(`${crypto.randomUUID()}@example.com`)
  const signed = await signMailEvent(event, secret)
  const wrong = await signMailEvent(event, `whsec_${btoa('another-secret-of-24-bytes')}`)
  const old = await signMailEvent(event, secret, Math.floor(Date.now() / 1000) - 301)
  for (const attempt of [{ ...signed, headers: {} }, wrong, old, { ...signed, body: `${signed.body} ` }])
    expect((await send(attempt)).status).toBe(400)
  expect((await send(signed)).body).toEqual({ recorded: 1 })
  expect((await send(signed)).body).toEqual({ recorded: 0 })
})

it('NOT-95 the order of events does not matter, and an old one does not bring back what was ended', async () => {
  const { admin, addColleague } = await createAccount(service)
  const { email } = await addColleague()
  const member = (await admin.client.accounts.listMembers()).find((one) => one.email === email)
  const bounce = { at: minutesAgo(20) }
  expect(await report(email, { type: 'email.suppressed', at: minutesAgo(10) })).toEqual({ recorded: 1 })
  expect(await report(email, bounce)).toEqual({ recorded: 0 })
  await admin.client.accounts.endEmailProblem({ user_id: member?.id ?? '' })
  await admin.client.accounts.endEmailProblem({ user_id: member?.id ?? '' })
  expect(await report(email, bounce)).toEqual({ recorded: 0 })
  expect(await report(email, { at: minutesAgo(5) })).toEqual({ recorded: 0 })
  await service.sql(
    `update mail_problems set lifted_at = app.now() - interval '1 hour' where address_hash = app.address_hash($1)`,
    [email],
  )
  expect(await report(email, { at: new Date(Date.now() + 86_400_000) })).toEqual({ recorded: 1 })
})

it('NOT-97 an admin ends a bounce of a member and of a config, but no complaint', async () => {
  const { admin, addColleague } = await createAccount(service)
  const colleague = await addColleague()
  await report(colleague.email, { at: minutesAgo(9) })
  const config = await admin.client.notifications.createConfig({
    channel: 'email',
    email_addresses: [colleague.email],
    events_enabled: [],
  })
  const saved = await admin.client.notifications.updateConfig({
    config_id: config.id,
    email_addresses: [colleague.email],
  })
  expect((await admin.client.notifications.listConfigs())[0]?.email_problems).toEqual([])
  expect(saved.email_problems).toEqual([])
  await service.sql(
    `update mail_problems set lifted_at = app.now() - interval '1 hour' where address_hash = app.address_hash($1)`,
    [colleague.email],
  )
  await report(colleague.email, { type: 'email.complained', at: minutesAgo(2) })
  await report(colleague.email, { type: 'email.suppressed', at: minutesAgo(1) })
  await expectRefusal(admin.client.accounts.endEmailProblem({ user_id: colleague.id }), 409)
  await admin.client.notifications.updateConfig({ config_id: config.id, email_addresses: [colleague.email] })
  expect((await findProblem(admin, colleague))?.kind).toBe('complained')
  await expectRefusal(colleague.client.accounts.endEmailProblem({ user_id: colleague.id }), 403)
})

it('NOT-94 NOT-97 whoever opens the link to reset a password gets e-mails again, after a complaint too', async () => {
  const { admin } = await createAccount(service)
  await report(admin.email, { type: 'email.complained', at: minutesAgo(1) })
  await admin.client.identity.credentials.requestPasswordReset({ email: admin.email })
  const findMail = async () =>
    (await listRecords('mail')).find(
      ({ to, subject }) => to[0] === admin.email && /password/i.test(subject),
    ) as { text: string } | undefined
  await expect.poll(findMail, { timeout: 30_000 }).toBeDefined()
  const token = /token=([\w-]+)/.exec((await findMail())?.text ?? '')?.[1] ?? ''
  expect((await findProblem(admin, admin))?.kind).toBe('complained')
  await admin.client.identity.credentials.resetPassword({ token, new_password: 'A brand new pass phrase 7' })
  const [row] = await service.sql<{ problem: unknown }>('select app.mail_problem($1) as problem', [
    admin.email,
  ])
  expect(row?.problem).toBeNull()
})

it('NOT-94 the local mail provider reports its documented test addresses', async () => {
  const { admin } = await createAccount(service)
  const address = `bounced+${crypto.randomUUID()}@resend.dev`
  const config = await admin.client.notifications.createConfig({
    channel: 'email',
    email_addresses: [address],
    events_enabled: [],
  })
  expect((await admin.client.notifications.testConfig({ config_id: config.id })).success).toBe(true)
  const readKinds = async () =>
    (await admin.client.notifications.listConfigs())[0]?.email_problems.map(({ kind }) => kind)
  await expect.poll(readKinds, { timeout: 5000 }).toEqual(['bounced'])
  expect((await admin.client.notifications.testConfig({ config_id: config.id })).success).toBe(false)
})
