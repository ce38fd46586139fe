import { describe, expect, it } from 'vitest'
import { dashboard, sharedService } from '#test/support/app.ts'
import { createGatedSession } from '#test/support/approvals.ts'
import {
  createChatUser,
  insertSignedConfig,
  linkPerson,
  type SignedConfig,
  sendPress,
  signPress,
  writePress,
} from '#test/support/chat-presses.ts'
import { createEscalation } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createDefaultPolicy, notifyUser } from '#test/support/reminders.ts'

const service = await sharedService()
const secret = '8f742231b10e8888abcd99yyyzzz85a5'
const slackConfig = {
  channel: 'chat1_webhook',
  webhook_url: `${service.localOrigin}/chat/1/team`,
  events_enabled: [],
}
const somePress = { kind: 'claim', deliveryId: crypto.randomUUID() }

describe('the signing secret of a config', () => {
  it('NOT-111 is set by an account admin only, is sealed, and is in no answer and no audit entry', async () => {
    const account = await createAccount(service)
    const lead = await account.addColleague({ teamRole: 'admin' })
    const body = { ...slackConfig, signing_secret: secret }
    const refused = await lead.call('POST', '/notifications/configs', body)
    expect([refused.status, refused.body.code]).toEqual([403, 'account_admin_required'])
    const created = expectStatus(await account.admin.call('POST', '/notifications/configs', body), 201).body
    expect(created).toMatchObject({
      has_signing_secret: true,
      actions_url: `${service.settings.PUBLIC_BASE_URL}/api/v1/chat/${created.id}/actions`,
    })
    const path = `/notifications/configs/${created.id}`
    for (const signing_secret of [`${secret}1`, null])
      expectStatus(await lead.call('PATCH', path, { signing_secret }), 403)
    expectStatus(await lead.call('PATCH', path, { events_enabled: ['psa.push_failed'] }), 200)
    const listed = await account.admin.call('GET', '/notifications/configs')
    const audit = await account.admin.call('GET', '/accounts/me/audit-log')
    for (const { text } of [listed, audit]) expect(text).not.toContain(secret)
    const [row] = await service.sql<{ signing_secret: string }>(
      'select signing_secret from notification_configs where id = $1',
      [created.id],
    )
    expect(row?.signing_secret).toMatch(/^1\.[\w-]+\.[\w-]+$/)
    const removed = expectStatus(await account.admin.call('PATCH', path, { signing_secret: null }), 200)
    expect(removed.body.has_signing_secret).toBe(false)
  })

  it('NOT-111 belongs to Slack only', async () => {
    const { admin } = await createAccount(service)
    const others = [
      { ...slackConfig, channel: 'chat2_webhook' },
      { channel: 'email', email_addresses: ['a@northwind.example'] },
    ]
    for (const other of others) {
      const refused = await admin.call('POST', '/notifications/configs', { ...other, signing_secret: secret })
      expectStatus(refused, 422)
      expect(refused.body.errors[0].loc).toEqual(['body', 'signing_secret'])
    }
    for (const signing_secret of ['short', 'x'.repeat(201), 'with a space in the text'])
      expectStatus(
        await admin.call('POST', '/notifications/configs', { ...slackConfig, signing_secret }),
        422,
      )
    const { id } = await insertSignedConfig(service, admin)
    const moved = await admin.call('PATCH', `/notifications/configs/${id}`, { channel: 'chat2_webhook' })
    expectStatus(moved, 422)
    expect(moved.body.errors[0].loc).toEqual(['body', 'signing_secret'])
  })
})

describe('a press', () => {
  const answer = async (
    config: SignedConfig,
    headers?: Record<string, string>,
    bytes = writePress(config, somePress),
  ) => {
    const { status, text } = await sendPress(service, config, bytes, headers ?? signPress(config, bytes))
    return [status, text]
  }

  it('NOT-114 is refused alike if it is forged, late, unsigned or for an unknown config', async () => {
    const { admin } = await createAccount(service)
    const config = await insertSignedConfig(service, admin)
    const bytes = writePress(config, somePress)
    const signed = signPress(config, bytes)
    expect((await answer(config, signed, bytes))[0]).toBe(200)
    const { id: unsignedId } = expectStatus(
      await admin.call('POST', '/notifications/configs', slackConfig),
      201,
    ).body
    const forged = { ...config, secret: 'another' }
    const answers = await Promise.all([
      answer(config, signPress(forged, bytes), bytes),
      answer(config, signed, writePress(config, somePress)),
      answer(config, signPress(config, bytes, 301), bytes),
      answer(config, signPress(config, bytes, -301), bytes),
      answer(config, { ...signed, 'x-slack-request-timestamp': '1' }, bytes),
      answer(config, { ...signed, 'x-slack-signature': 'v0=' }, bytes),
      answer(config, { 'content-type': 'application/x-www-form-urlencoded' }, bytes),
      answer({ ...config, id: crypto.randomUUID() }, signed, bytes),
      answer({ ...config, id: unsignedId }, signPress({ ...config, secret: '' }, bytes), bytes),
    ])
    expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(answers[0]?.[0]).toBe(404)
  })

  it('NOT-114 is read up to 256 KB', async () => {
    const { admin } = await createAccount(service)
    const config = await insertSignedConfig(service, admin)
    const padded = (size: number) => {
      const bytes = writePress(config, somePress)
      return Uint8Array.from([...bytes, ...new TextEncoder().encode(`&x=${'y'.repeat(size)}`)])
    }
    expect((await answer(config, undefined, padded(200_000)))[0]).toBe(200)
    expect((await answer(config, undefined, padded(300_000)))[0]).toBe(413)
  })

  it('NOT-114 of something else is ignored', async () => {
    const { admin } = await createAccount(service)
    const config = await insertSignedConfig(service, admin)
    const bodies = [
      ...['open', 'second', 'toString'].map((kind) => writePress(config, { ...somePress, kind })),
      writePress(config, { ...somePress, deliveryId: 'x' }),
      ...['', 'payload=', 'payload={}', 'payload=%5B%5D', 'ssl_check=1'].map((text) =>
        new TextEncoder().encode(text),
      ),
    ]
    for (const bytes of bodies) {
      const { body } = expectStatus(await sendPress(service, config, bytes), 200)
      expect(body).toEqual({ result: 'ignored' })
    }
  })

  it('NOT-116 is answered at the host of the webhook only', async () => {
    const account = await createAccount(service)
    const config = await insertSignedConfig(service, account.admin)
    // The guard lets this one pass, but it is not the origin of the webhook.
    const elsewhere = `/chat/1/actions/${crypto.randomUUID()}`
    const local = service.localOrigin.replace('127.0.0.1', 'localhost') + elsewhere
    for (const responseUrl of [
      local,
      'http://127.0.0.1:1/answers',
      'https://evil.example/x',
      'file:///etc/passwd',
      'x',
    ]) {
      const { body } = await sendPress(service, config, writePress(config, { ...somePress, responseUrl }))
      expect(body).toEqual({ result: 'not_linked' })
    }
    const path = `/chat/1/actions/${crypto.randomUUID()}`
    const responseUrl = service.localOrigin + path
    await sendPress(service, config, writePress(config, { ...somePress, responseUrl }))
    await expect
      .poll(async () =>
        (await dashboard(service).listRecords('chat')).filter(
          (record: { path: string }) => record.path === path,
        ),
      )
      .toHaveLength(1)
    expect(JSON.stringify(await dashboard(service).listRecords('chat'))).not.toContain(elsewhere)
  })
})

describe('the message of a config', () => {
  const readMessage = async ({ webhookUrl }: SignedConfig, text: string) => {
    const path = new URL(webhookUrl).pathname
    const find = async () =>
      (await dashboard(service).listRecords('chat')).find(
        (record: { path: string; body: unknown }) =>
          record.path === path && JSON.stringify(record.body).includes(text),
      )
    await expect.poll(find, { timeout: 30_000 }).toBeDefined()
    return JSON.stringify((await find()).body)
  }
  const listen = (config: SignedConfig) =>
    service.sql(
      `update notification_configs set events_enabled = '["session.escalated", "approval.requested"]' where id = $1`,
      [config.id],
    )

  it('NOT-111 has links instead of buttons without a secret', async () => {
    const account = await createAccount(service)
    const config = await insertSignedConfig(service, account.admin)
    await service.sql('update notification_configs set signing_secret = null where id = $1', [config.id])
    await createDefaultPolicy(account.admin, [[notifyUser(account.admin)]])
    await createEscalation(await account.addColleague())
    const text = await readMessage(config, 'Pick up the session')
    expect(text).toContain('/acknowledge/')
    expect(text).not.toContain('"claim"')
  })

  it('NOT-112 names who has it after a press, and keeps the button that still makes sense', async () => {
    const account = await createAccount(service)
    const { admin } = account
    const [owner, first, second] = [
      await account.addColleague(),
      await account.addColleague(),
      await account.addColleague(),
    ]
    const config = await insertSignedConfig(service, admin)
    await createDefaultPolicy(admin, [[notifyUser(first)]])
    await createEscalation(owner)
    const deliveryId = /"value":"([0-9a-f-]{36})"/.exec(await readMessage(config, '"claim"'))?.[1] ?? ''
    const pressAs = async (person: Person, kind: string) => {
      const user = await linkPerson(service, config, person)
      const path = `/chat/1/actions/${crypto.randomUUID()}`
      const responseUrl = service.localOrigin + path
      const bytes = writePress(config, { kind, deliveryId, user, responseUrl })
      const { result } = (await sendPress(service, config, bytes)).body
      const find = async () =>
        (await dashboard(service).listRecords('chat')).filter(
          (record: { path: string }) => record.path === path,
        )
      await expect.poll(find).not.toEqual([])
      return [result, JSON.stringify((await find()).map(({ body }: { body: unknown }) => body))]
    }
    const [, acknowledged] = await pressAs(first, 'acknowledge')
    expect(acknowledged).toContain(`*Acknowledged by*`)
    expect(acknowledged).toContain(first.fullName)
    expect(acknowledged).toContain('"action_id":"claim"')
    expect(acknowledged).not.toContain('"action_id":"acknowledge"')
    const [, claimed] = await pressAs(second, 'claim')
    expect(claimed).toContain('*Taken by*')
    expect(claimed).not.toContain('"action_id":"claim"')
    // Whoever is late is told in private, and the message shows them and the others why.
    const [result, late] = await pressAs(first, 'claim')
    expect(result).toBe('refused')
    expect(late).toContain(`${second.fullName} has already claimed this handoff`)
    await expect.poll(async () => (await pressAs(first, 'claim'))[1]).toContain('*Taken by*')
  })

  it('APR-15 has Approve only if it shows the whole text, how often it counts and until when', async () => {
    const account = await createAccount(service)
    const runner = await account.addColleague()
    const config = await insertSignedConfig(service, account.admin)
    await listen(config)
    const { id } = await createGatedSession(runner)
    expectStatus(await runner.call('POST', `/sessions/${id}/approvals`, { comment: 'Please' }), 201)
    const whole = await readMessage(config, 'One answer to this step')
    expect(whole).toContain('"action_id":"approve"')
    expect(whole).toContain('Decide until')
    const other = await insertSignedConfig(service, account.admin)
    await listen(other)
    const long = await createGatedSession(runner, {
      roles: ['account_admin'],
    })
    await service.sql(
      `update tree_versions v set tree_structure = jsonb_set(tree_structure, '{steps,1,description}', to_jsonb(repeat('& ', 1100)))
         from sessions s where s.id = $1 and v.tree_id = s.tree_id`,
      [long.id],
    )
    expectStatus(await runner.call('POST', `/sessions/${long.id}/approvals`, { comment: 'Long' }), 201)
    const shortened = await readMessage(other, 'Long')
    expect(shortened).not.toContain('"action_id":"approve"')
    expect(shortened).toContain('Open the request')
  })

  it('NOT-113 shows its presser a link, by which nobody of another account is linked', async () => {
    const account = await createAccount(service)
    const config = await insertSignedConfig(service, account.admin)
    const stranger = (await createAccount(service)).admin
    const user = createChatUser()
    const path = `/chat/1/actions/${crypto.randomUUID()}`
    await sendPress(
      service,
      config,
      writePress(config, { ...somePress, user, responseUrl: service.localOrigin + path }),
    )
    const find = async () =>
      (await dashboard(service).listRecords('chat')).find((record: { path: string }) => record.path === path)
    await expect.poll(find).toBeDefined()
    const token = /token=([\w.-]+)/.exec(JSON.stringify((await find()).body))?.[1] ?? ''
    const refused = await stranger.call('POST', '/auth/chat-links', { token })
    expect([refused.status, refused.body.code]).toEqual([400, 'token_invalid_or_expired'])
    expectStatus(await stranger.call('GET', `/auth/chat-links/${token}`), 400)
    expectStatus(await account.admin.call('POST', '/auth/chat-links', { token }), 201)
  })
})
