import { expect, it } from 'vitest'
import { parseConfig } from '#config.ts'
import openapi from '#functions/openapi.json' with { type: 'json' }
import { insertConfig } from '#test/contract/fixture-rows.ts'
import { insertAcknowledgementLink } from '#test/contract/fixtures-oncall.ts'
import { dashboard, request, sharedService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { claimHandoff, createEscalation, escalateSession, pickUpSession } from '#test/support/escalations.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import {
  countReminded,
  createDefaultPolicy,
  notifyUser,
  selectReminders,
  takeNextStep,
} from '#test/support/reminders.ts'
import { createUnsubscribeTokens } from '#vendors/auth/unsubscribe-tokens.ts'

const service = await sharedService()
const linkPattern = /api\/v1(\/acknowledge\/[\w.-]+)/
const open = (method: string, path: string) => request(service, method, path)

/** Escalate with a policy, and take its first step. Return the path of the link in the e-mail. */
async function createReminder() {
  const account = await createAccount(service)
  const [owner, first] = [await account.addColleague(), await account.addColleague()]
  await createDefaultPolicy(account.admin, [[notifyUser(first)]], 3)
  const { id, handoffId } = await createEscalation(owner)
  await takeNextStep(service, handoffId)
  const path = await dashboard(service).waitForLink(first.email, linkPattern)
  return { account, owner, first, id, handoffId, path }
}

const selectAcknowledgement = async (handoffId: string) =>
  (
    await service.sql(
      'select acknowledged_by, acknowledged_at from escalation_follow_ups where handoff_id = $1',
      [handoffId],
    )
  )[0]
const listAcknowledged = async ({ client }: Person) =>
  (await client.notifications.list()).filter(({ event_key }) => event_key === 'escalation.acknowledged')

it('ONC-19 ONC-20 the link of a reminder shows a page that changes nothing, and its button acknowledges the escalation', async () => {
  const { owner, first, handoffId, path } = await createReminder()
  const page = await open('GET', path)
  expect([page.status, page.text.includes('<form method="post">')]).toEqual([200, true])
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'; sandbox allow-forms")
  expect(await selectAcknowledgement(handoffId)).toEqual({ acknowledged_by: null, acknowledged_at: null })
  expect((await open('POST', path)).text).toContain('Escalation acknowledged')
  expect(await selectAcknowledgement(handoffId)).toEqual({
    acknowledged_by: first.id,
    acknowledged_at: expect.any(Date),
  })
  expect(await listAcknowledged(owner)).toHaveLength(1)
  await takeNextStep(service, handoffId)
  expect(await countReminded(service, handoffId, [first])).toEqual([1])
  expect((await selectReminders(service, handoffId)).map(({ state }) => state)).toEqual(['sent', 'stopped'])
})

it('ONC-19 a chat channel gets a link of its own, and the addresses of a config get none', async () => {
  const account = await createAccount(service)
  const [owner, admin] = [await account.addColleague(), account.admin]
  const chat = await insertConfig(service, admin)
  const address = `helpdesk-${crypto.randomUUID()}@people.example`
  const { id: mail } = await admin.client.notifications.createConfig({
    channel: 'email',
    email_addresses: [address],
    events_enabled: [],
  })
  await createDefaultPolicy(admin, [[chat, mail].map((id) => ({ type: 'channel' as const, id }))])
  const { handoffId } = await createEscalation(owner)
  await takeNextStep(service, handoffId)
  const { listRecords } = dashboard(service)
  const findRecord = async (kind: 'mail' | 'chat', text: string) =>
    JSON.stringify(
      (await listRecords(kind)).filter((record: unknown) => JSON.stringify(record).includes(text)),
    )
  await expect
    .poll(() => findRecord('mail', address), { timeout: 30_000 })
    .toContain('Nobody has taken this yet')
  expect(await findRecord('mail', address)).not.toContain('/acknowledge/')
  const [config] = await service.sql<{ webhook_url: string }>(
    'select webhook_url from notification_configs where id = $1',
    [chat],
  )
  const path = new URL(config?.webhook_url ?? '').pathname
  await expect
    .poll(() => findRecord('chat', path.split('/').at(-1) ?? ''), { timeout: 30_000 })
    .toContain('/acknowledge/')
  const [, link = ''] =
    linkPattern.exec((await findRecord('chat', path.split('/').at(-1) ?? '')).replaceAll('\\', '')) ?? []
  await open('POST', link)
  expect(await selectAcknowledgement(handoffId)).toEqual({
    acknowledged_by: null,
    acknowledged_at: expect.any(Date),
  })
})

it('ONC-31 the alert of an escalation that a policy follows can be acknowledged at once', async () => {
  const account = await createAccount(service)
  const [owner, target] = [await account.addColleague(), await account.addColleague()]
  await createDefaultPolicy(account.admin, [[notifyUser(target)]], 3)
  const { handoffId } = await createEscalation(owner, { target_user_id: target.id })
  const path = await dashboard(service).waitForLink(target.email, linkPattern)
  expect((await open('POST', path)).text).toContain('Escalation acknowledged')
  expect(await selectAcknowledgement(handoffId)).toEqual({
    acknowledged_by: target.id,
    acknowledged_at: expect.any(Date),
  })
  await takeNextStep(service, handoffId)
  expect(await countReminded(service, handoffId, [target])).toEqual([0])
})

it('ONC-31 the link of an alert acknowledges its own escalation, and not a later one of the session', async () => {
  const account = await createAccount(service)
  const [owner, target] = [await account.addColleague(), await account.addColleague()]
  await createDefaultPolicy(account.admin, [[notifyUser(target)]], 3)
  const { id, handoffId } = await createEscalation(owner, { target_user_id: target.id })
  const path = await dashboard(service).waitForLink(target.email, linkPattern)
  await pickUpSession(target, id)
  const { body } = await escalateSession(target, id, { target_user_id: owner.id })
  expect((await open('POST', path)).text).toContain('Nothing left to do')
  expect(await selectAcknowledgement(handoffId)).toEqual({ acknowledged_by: null, acknowledged_at: null })
  expect(await selectAcknowledgement(body.handoff_id)).toEqual({
    acknowledged_by: null,
    acknowledged_at: null,
  })
})

it('ONC-31 without a policy an alert has nothing to acknowledge', async () => {
  const account = await createAccount(service)
  const [owner, target] = [await account.addColleague(), await account.addColleague()]
  await createEscalation(owner, { target_user_id: target.id })
  const findMail = async () =>
    (await dashboard(service).listRecords('mail')).find(({ to }) => to.includes(target.email))
  await expect.poll(findMail).toBeDefined()
  expect((await findMail())?.text).not.toContain('/acknowledge/')
})

it('ONC-21 counts the first acknowledgement only, and none after a claim', async () => {
  const { owner, handoffId, path } = await createReminder()
  const pages = await runConcurrently(() => open('POST', path), 6)
  expect(pages.map(({ status }) => status)).toEqual(Array(6).fill(200))
  expect(pages.filter(({ text }) => text.includes('Escalation acknowledged'))).toHaveLength(1)
  expect(await listAcknowledged(owner)).toHaveLength(1)
  const before = await selectAcknowledgement(handoffId)
  await open('POST', path)
  expect(await selectAcknowledgement(handoffId)).toEqual(before)
  const claimed = await createReminder()
  await claimHandoff(claimed.first, claimed.id, claimed.handoffId)
  expect((await open('POST', claimed.path)).text).toContain('Nothing left to do')
  expect(await listAcknowledged(claimed.owner)).toEqual([])
})

it('ONC-22 refuses forged and foreign tokens, links after 24 hours, and links of users who were deactivated', async () => {
  const engineer = await (await createAccount(service)).addColleague()
  const token = await insertAcknowledgementLink(service, engineer)
  const other = await insertAcknowledgementLink(service, (await createAccount(service)).admin)
  const [head, , signature] = token.split('.')
  const unsubscribe = await createUnsubscribeTokens(parseConfig(service.settings)).sign('0'.repeat(64))
  const forged = [`${head}.${other.split('.')[1]}.${signature}`, unsubscribe, engineer.token, 'x']
  for (const method of ['GET', 'POST'])
    for (const wrong of forged)
      expect((await open(method, `/acknowledge/${wrong}`)).body?.code).toBe('token_invalid_or_expired')
  const isRefused = async () =>
    (await open('POST', `/acknowledge/${token}`)).body?.code === 'token_invalid_or_expired'
  await service.sql(`update events set created_at = app.now() - interval '24 hours' where account_id = $1`, [
    engineer.accountId,
  ])
  expect(await isRefused()).toBe(true)
  await service.sql('update events set created_at = app.now() where account_id = $1', [engineer.accountId])
  await service.sql('update users set is_active = false where id = $1', [engineer.id])
  expect(await isRefused()).toBe(true)
  await service.sql('update users set is_active = true where id = $1', [engineer.id])
  expect((await open('POST', `/acknowledge/${token}`)).status).toBe(200)
})

it('ONC-35 every answer that says who has claimed an escalation says who acknowledged it', () => {
  type Schema = { properties?: object; allOf?: Schema[] }
  const listFields = ({ properties = {}, allOf = [] }: Schema): string[] => [
    ...Object.keys(properties),
    ...allOf.flatMap(listFields),
  ]
  // Events say what has happened, not how a case is.
  const answers = Object.entries(openapi.components.schemas as Record<string, Schema>)
    .map(([name, schema]) => [name, listFields(schema)] as const)
    .filter(([name]) => !/Event$|^Webhook/.test(name))
    .filter(([, fields]) => fields.some((field) => field === 'claimed_by' || field === 'claimant_name'))
  expect(answers.length).toBeGreaterThan(2)
  for (const [name, fields] of answers)
    for (const field of ['acknowledged_by', 'acknowledged_by_name', 'acknowledged_at'])
      expect(fields, name).toContain(field)
})

it('ONC-35 queue, handoff, session, handover, inbox and chat say who acknowledged an escalation', async () => {
  const { account, owner, first, id, handoffId, path } = await createReminder()
  const chat = `acknowledged-${crypto.randomUUID()}`
  await account.admin.client.notifications.createConfig({
    channel: 'chat1_webhook',
    webhook_url: `${service.localOrigin}/chat/1/${chat}`,
    events_enabled: ['session.escalated'],
  })
  const read = async () => {
    const get = async (person: Person, path: string) => (await person.call('GET', path)).body
    const [queue, handoffs, session, handover] = await Promise.all([
      get(account.admin, '/ai-sessions/queue'),
      get(owner, `/ai-sessions/${id}/handoffs`),
      get(owner, `/ai-sessions/${id}`),
      get(account.admin, '/ai-sessions/handover'),
    ])
    return { items: [queue[0], handoffs[0], session.handoffs[0], handover.cases[0]], handover }
  }
  const before = await read()
  for (const item of before.items)
    expect(item).toMatchObject({ acknowledged_by: null, acknowledged_by_name: null, acknowledged_at: null })
  await open('POST', path)
  const { items, handover } = await read()
  for (const item of items)
    expect(item).toMatchObject({
      acknowledged_by: first.id,
      acknowledged_by_name: first.fullName,
      acknowledged_at: expect.stringMatching(/Z$/),
    })
  expect(JSON.stringify(handover.summary)).toContain(
    `acknowledged by ${first.fullName}, nobody has claimed it`,
  )
  const title = `${first.fullName} acknowledged the escalation: `
  expect((await listAcknowledged(owner))[0]?.title).toContain(title)
  const listMessages = async () => JSON.stringify(await dashboard(service).listRecords('chat'))
  await expect.poll(listMessages, { timeout: 30_000 }).toContain(title)
  expect(await listMessages()).not.toContain('Your escalation')
  await claimHandoff(first, id, handoffId)
})

it('ONC-36 a reminder says how long the case waits, which round it is and who was told before, in the app, by mail and in chat', async () => {
  const { account, owner, first, id, handoffId } = await createReminder()
  const config = await insertConfig(service, account.admin)
  await service.sql(
    `update notification_configs set events_enabled = '["escalation.reminded"]' where id = $1`,
    [config],
  )
  await service.sql(`update ai_handoffs set created_at = created_at - interval '25 minutes' where id = $1`, [
    handoffId,
  ])
  await takeNextStep(service, handoffId)
  const told = [account.admin, first].map(({ fullName }) => fullName).join(', ')
  const text = `It has waited for 25 min. Round 2 of 3, step 1. Told before: ${told}.`
  const inbox = await first.client.notifications.list()
  expect(inbox.find(({ event_key }) => event_key === 'escalation.reminded')?.escalation?.reminder).toBe(text)
  const { listRecords } = dashboard(service)
  for (const kind of ['mail', 'chat'] as const)
    await expect
      .poll(async () => JSON.stringify(await listRecords(kind)), { timeout: 30_000 })
      .toContain(text)
  expect([owner.fullName, id]).not.toContain(told)
})

it('ONC-48 a colleague acknowledges an escalation in the app once, as the link does, and its author may not', async () => {
  const { owner, first, account, id, handoffId } = await createReminder()
  const acknowledge = (person: Person) =>
    person.call('POST', `/ai-sessions/${id}/handoffs/${handoffId}/acknowledge`)
  expect((await acknowledge(owner)).status).toBe(403)
  expect(await selectAcknowledgement(handoffId)).toMatchObject({ acknowledged_at: null })
  const answers = await runConcurrently(() => acknowledge(first), 8)
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(answers[0]?.body).toMatchObject({ acknowledged_by: first.id, claimed_by: null })
  const later = await acknowledge(account.admin)
  expect([later.status, later.body.acknowledged_by]).toEqual([200, first.id])
  expect(await listAcknowledged(owner)).toHaveLength(1)
  await takeNextStep(service, handoffId)
  expect(await countReminded(service, handoffId, [first])).toEqual([1])
  await claimHandoff(first, id, handoffId)
  expect((await acknowledge(account.admin)).body.code).toBe('already_claimed')
})

it('ONC-48 without a policy there is nothing to acknowledge', async () => {
  const account = await createAccount(service)
  const { id, handoffId } = await createEscalation(await account.addColleague())
  const refused = await account.admin.call('POST', `/ai-sessions/${id}/handoffs/${handoffId}/acknowledge`)
  expect([refused.status, refused.body.code]).toEqual([409, 'wrong_state'])
})
