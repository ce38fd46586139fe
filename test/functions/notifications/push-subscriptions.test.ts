import { afterAll, describe, expect, it } from 'vitest'
import type { Event } from '#rules/events/events.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { createBrowser, endBrowser, signInAgain, subscribeBrowser } from '#test/support/browsers.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { escalationEvent } from '#test/support/jobs.ts'
import { entries } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const path = '/notifications/push-subscriptions'
const preferencesPath = '/notifications/preferences'
const criticalEvent = (summary: string, { id }: Person) =>
  ({
    ...escalationEvent(summary, id),
    details: {
      urgency: 'critical',
      client_name: 'Fabrikam Dental',
      psa_ticket_id: null,
      reason: '',
      summary,
      what_was_tried: '',
      next_steps: '',
    },
  }) as Event

describe.each(entries)('on %s', async (platform) => {
  const service = await startOwnService({}, { platform })
  const { listRecords } = dashboard(service)
  afterAll(() => service.close())
  const settle = () => service.stack.localServer.qstash.waitUntilSettled()
  const listMessages = async (browserId: string) =>
    (await listRecords('push')).filter(({ browser }) => browser === browserId)

  it('NOT-121 lists the browsers of the caller with the key to subscribe with, and removes them', async () => {
    const account = await createAccount(service)
    const [person, colleague] = [await account.addColleague(), await account.addColleague()]
    const { rowId } = await subscribeBrowser(service, person)
    const { rowId: otherId } = await subscribeBrowser(service, await signInAgain(service, person))
    const { application_server_key, subscriptions } =
      await person.client.notifications.pushSubscriptions.list()
    expect(Buffer.from(application_server_key, 'base64url')).toHaveLength(65)
    expect(subscriptions.map(({ id, current }) => [id, current])).toEqual([
      [otherId, false],
      [rowId, true],
    ])
    expectStatus(await colleague.call('DELETE', `${path}/${rowId}`), 404)
    expectStatus(await person.call('DELETE', `${path}/${rowId}`), 204)
    expectStatus(await person.call('DELETE', `${path}/${rowId}`), 404)
    expect((await person.client.notifications.pushSubscriptions.list()).subscriptions).toHaveLength(1)
  })

  it('NOT-121 refuses an address that is not https or is private, and keys that are none', async () => {
    const { admin } = await createAccount(service)
    const { subscription } = await createBrowser(service)
    const notOnCurve = `B${'A'.repeat(86)}`
    for (const [field, body] of [
      ['endpoint', { ...subscription, endpoint: 'http://push.example.net/x' }],
      ['endpoint', { ...subscription, endpoint: 'https://10.0.0.1/x' }],
      ['endpoint', { ...subscription, endpoint: `${service.api}/x` }],
      ['p256dh', { ...subscription, keys: { ...subscription.keys, p256dh: notOnCurve } }],
      ['p256dh', { ...subscription, keys: { ...subscription.keys, p256dh: 'x' } }],
      ['auth', { ...subscription, keys: { ...subscription.keys, auth: 'x' } }],
    ] as const) {
      const { body: problem } = expectStatus(await admin.call('POST', path, body), 422)
      expect(JSON.stringify(problem)).toContain(field)
    }
  })

  it('NOT-121 of 32 browsers of a person 10 are kept, and a repetition keeps its id', async () => {
    const account = await createAccount(service)
    const person = await account.addColleague()
    const signIns = await Promise.all(Array.from({ length: 32 }, () => signInAgain(service, person)))
    const answers = await runConcurrently(
      async (n) =>
        signIns[n]?.call('POST', path, (await createBrowser(service)).subscription) as ReturnType<
          Person['call']
        >,
    )
    expect(countByStatus(answers)).toEqual({ 201: 10, 409: 22 })
    const other = await account.addColleague()
    const { subscription } = await createBrowser(service)
    const repeated = await runConcurrently(() => other.call('POST', path, subscription))
    expect(countByStatus(repeated)).toEqual({ 201: 32 })
    expect(new Set(repeated.map(({ body }) => body.id)).size).toBe(1)
  })

  it('NOT-121 a browser shows the notifications of whoever subscribed there last, of 32 in as many accounts', async () => {
    const { subscription, id } = await createBrowser(service)
    const admins = await Promise.all(
      Array.from({ length: 32 }, async () => (await createAccount(service)).admin),
    )
    const answers = await runConcurrently(
      (n) => admins[n]?.call('POST', path, subscription) as ReturnType<Person['call']>,
    )
    expect(countByStatus(answers)).toEqual({ 201: 32 })
    const listed = await Promise.all(
      admins.map((admin) => admin.client.notifications.pushSubscriptions.list()),
    )
    const owners = admins.filter((_, n) => listed[n]?.subscriptions.length === 1)
    expect(owners).toHaveLength(1)
    for (const admin of admins.slice(0, 3).concat(owners))
      await service.stack.emitEvent(admin.accountId, criticalEvent(admin.email, admin))
    await settle()
    expect(await listMessages(id)).toHaveLength(1 + admins.slice(0, 3).filter((a) => a === owners[0]).length)
  })

  it('NOT-123 shows no text of the account unless an admin allows it, and then as it masks', async () => {
    const account = await createAccount(service)
    const person = await account.addColleague()
    const browser = await subscribeBrowser(service, person)
    const readNewest = async () => {
      await service.stack.emitEvent(
        account.id,
        criticalEvent('Printer at 10.20.30.40 of Fabrikam is down', person),
      )
      await settle()
      return JSON.stringify((await listMessages(browser.id))[0])
    }
    const hidden = await readNewest()
    expect(hidden).toContain('A critical escalation waits for you')
    expect(hidden).not.toMatch(/Fabrikam|10\.20|Robin/)
    const allow = (who: Person, preferences: object) =>
      who.call('PATCH', '/accounts/me/preferences', preferences)
    expectStatus(await allow(person, { push_details: true }), 403)
    expectStatus(await allow(account.admin, { push_details: true }), 200)
    expect(await readNewest()).toContain('Printer at 10.20.30.40 of Fabrikam is down')
    expectStatus(await allow(account.admin, { mask_exports: true }), 200)
    const masked = await readNewest()
    expect(masked).toContain('of Fabrikam is down')
    expect(masked).not.toContain('10.20.30.40')
  })

  it('NOT-122 says who sends, how long and how urgently, and replaces the earlier message of one matter', async () => {
    const account = await createAccount(service)
    const person = await account.addColleague()
    const browser = await subscribeBrowser(service, person)
    const event = criticalEvent('The VPN is down', person)
    for (const again of [event, event, criticalEvent('Mail is down', person)])
      await service.stack.emitEvent(account.id, again)
    await settle()
    const messages = await listMessages(browser.id)
    expect(messages).toMatchObject(
      messages.map(() => ({ accepted: true, refused: null, ttl: 3600, urgency: 'high' })),
    )
    expect(messages).toHaveLength(3)
    expect(new Set(messages.map(({ topic }) => topic)).size).toBe(2)
  })

  it('NOT-125 sends a test by every channel at once, and answers what became of each', async () => {
    const account = await createAccount(service)
    const [person, alone] = [await account.addColleague(), await account.addColleague()]
    const [first, second] = [
      await subscribeBrowser(service, person),
      await subscribeBrowser(service, await signInAgain(service, person)),
    ]
    await person.client.notifications.preferences.replace({ digest: 'daily' })
    const ok = (channel: string) => ({ channel, ok: true, error: null })
    const phones = ['sms', 'voice'].map((channel) => ({
      ...{ channel, ok: false },
      error: 'You have no verified number, or the account has no gateway to phones',
    }))
    expect(await person.client.notifications.preferences.test()).toEqual([
      ok('web_push'),
      ...phones,
      ok('email'),
    ])
    for (const { id } of [first, second])
      expect(await listMessages(id)).toMatchObject([{ message: { title: 'Test message' } }])
    const mails = (await listRecords('mail')).filter(({ to }) => to.includes(person.email))
    expect(mails).toHaveLength(1)
    await endBrowser(service, first.id)
    expect(await person.client.notifications.preferences.test()).toEqual([
      ok('web_push'),
      ...phones,
      ok('email'),
    ])
    await endBrowser(service, second.id)
    expect(await person.client.notifications.preferences.test()).toEqual([
      { channel: 'web_push', ok: false, error: 'The browser takes no more messages' },
      ...phones,
      ok('email'),
    ])
    expect(await alone.client.notifications.preferences.test()).toEqual([
      { channel: 'web_push', ok: false, error: 'No browser shows your notifications' },
      ...phones,
      ok('email'),
    ])
  })

  it('NOT-125 a test that is repeated with its key is sent once', async () => {
    const account = await createAccount(service)
    const person = await account.addColleague()
    const browser = await subscribeBrowser(service, person)
    const key = { 'idempotency-key': crypto.randomUUID() }
    for (let n = 0; n < 2; n++)
      expectStatus(await person.call('POST', `${preferencesPath}/test`, undefined, key), 200)
    expect(await listMessages(browser.id)).toHaveLength(1)
  })

  it('NOT-118 the steps name each channel once, contain the e-mail, and wait an hour at most', async () => {
    const { admin } = await createAccount(service)
    const email = { channel: 'email' as const, delay_minutes: 0 }
    const push = { channel: 'web_push' as const, delay_minutes: 5 }
    expect(await admin.client.notifications.preferences.get()).toMatchObject({
      alert_steps: [{ ...push, delay_minutes: 0 }, email],
    })
    for (const alert_steps of [
      [],
      [push],
      [email, email],
      [{ ...email, delay_minutes: 61 }],
      [{ ...email, x: 1 }],
    ])
      expectStatus(await admin.call('PUT', preferencesPath, { alert_steps }), 422)
    expect(
      await admin.client.notifications.preferences.replace({ alert_steps: [push, email] }),
    ).toMatchObject({
      alert_steps: [push, email],
    })
  })
})

describe.each(entries)('without a key, on %s', async (platform) => {
  const service = await startOwnService({ VAPID_PRIVATE_KEY: undefined }, { platform })
  afterAll(() => service.close())

  it('NOT-124 browsers are answered 503, and a browser of before is skipped with the reason', async () => {
    const account = await createAccount(service)
    const person = await account.addColleague()
    const { subscription } = await createBrowser(service)
    const { pushSubscriptions } = person.client.notifications
    for (const call of [() => pushSubscriptions.list(), () => pushSubscriptions.create(subscription)])
      expect(await expectRefusal(call(), 503)).toMatchObject({ code: 'web_push_not_configured' })
    await service.sql(
      `insert into push_subscriptions (account_id, sign_in_id, endpoint_hash, sealed) values ($1, $2, sha256('x'), 'x')`,
      [account.id, person.signInId],
    )
    await service.stack.emitEvent(account.id, criticalEvent('The VPN is down', person))
    await service.stack.localServer.qstash.waitUntilSettled()
    expect(
      await service.sql(
        `select channel, state, last_error from deliveries where user_id = $1 order by channel`,
        [person.id],
      ),
    ).toEqual([
      { channel: 'email', state: 'delivered', last_error: null },
      { channel: 'web_push', state: 'failed', last_error: 'Web Push is not set up' },
    ])
  })
})
