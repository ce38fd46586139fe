import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createAiSession, insertAiSession } from '#test/support/ai.ts'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { escalateSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'

// What somebody would try who uses the service to send e-mails to strangers.
const service = await startOwnService()
const { stack } = service
const { listRecords, clearRecords, setFault, advanceClock } = dashboard(service)
afterAll(() => service.close())
beforeEach(() => clearRecords('mail'))

const bait = 'URGENT: your mailbox closes today, log in at https://evil.example/login'
const stranger = () => `s-${crypto.randomUUID()}@strangers.example`
const listStrangers = (count: number) => Array.from({ length: count }, stranger)
const waitForDeliveries = () => stack.localServer.qstash.waitUntilSettled()
const listMails = async (pattern = /@strangers\.example$/) => {
  await waitForDeliveries()
  return (await listRecords('mail')).filter(({ to }) => pattern.test(to[0]))
}
const unverify = (person: Person) =>
  service.sql('update users set email_verified_at = null where id = $1', [person.id])
const setUsed = (account: TestAccount, sent: number) =>
  service.sql(
    `insert into mail_counts (account_id, day, sent) values ($1, date_trunc('day', app.now(), 'UTC'), $2)
     on conflict (account_id, day) do update set sent = excluded.sent`,
    [account.id, sent],
  )
const readCounts = async (account: TestAccount) =>
  (
    await service.sql('select sent, refused from mail_counts where account_id = $1 order by day desc', [
      account.id,
    ])
  )[0]

/** Create an e-mail config with strangers, by default for escalations. */
async function createConfig(
  { admin }: TestAccount,
  addresses: string[],
  events_enabled = ['session.escalated'],
) {
  const config = { channel: 'email', email_addresses: addresses, events_enabled }
  return expectStatus(await admin.call('POST', '/notifications/configs', config), 201).body.id as string
}
const readLog = async ({ admin }: TestAccount, configId: string) =>
  (await admin.call('GET', `/notifications/configs/${configId}/deliveries`)).body

async function escalate(person: Person, problem_summary = 'VPN is down') {
  const { id } = await createAiSession(person, { problem_summary })
  await escalateSession(person, id)
}

describe('senders', () => {
  it('NOT-55 sends none of the 160 mails of somebody who registered a minute ago and names himself like a phishing mail', async () => {
    const email = `attacker-${crypto.randomUUID()}@evil.example`
    const fields = { email, password: 'violet-tractor-81', full_name: bait, account_name: bait }
    const { body } = expectStatus(await postWithoutToken(service, '/auth/register', fields), 201)
    const call = (method: string, path: string, content?: unknown) =>
      request(service, method, path, {
        token: body.access_token,
        ...(content === undefined ? {} : { body: content }),
      })
    const configs = await runConcurrently(() => {
      const config = {
        channel: 'email',
        email_addresses: listStrangers(20),
        events_enabled: ['session.escalated'],
      }
      return call('POST', '/notifications/configs', config)
    }, 8)
    const session = await call('POST', '/ai-sessions', { session_type: 'chat', problem_summary: bait })
    const invite = await call('POST', '/accounts/me/invites', { email: stranger(), role: 'viewer' })
    expect(await listMails()).toEqual([])
    expect(countByStatus(configs)).toEqual({ 403: 8 })
    for (const response of [...configs, session, invite])
      expect([response.status, response.body.code]).toEqual([403, 'email_not_verified'])
  })

  it('NOT-55 holds back what an unverified engineer causes, and shows it in the delivery log', async () => {
    const account = await createAccount(service)
    const configId = await createConfig(account, [stranger()])
    const engineer = await account.addColleague()
    const { id } = await createAiSession(engineer, { problem_summary: 'VPN is down' })
    await unverify(engineer)
    await escalateSession(engineer, id)
    expect(await listMails(/@(strangers|people)\.example$/)).toEqual([])
    expect(await readLog(account, configId)).toMatchObject([
      {
        state: 'failed',
        attempts: 0,
        next_attempt_at: null,
        last_error: 'The sender has not verified their e-mail address',
      },
    ])
  })

  it('NOT-55 holds back mails through a config whose author is unverified, whoever causes them', async () => {
    const account = await createAccount(service)
    const configId = await createConfig(account, [stranger()])
    const engineer = await account.addColleague()
    await unverify(account.admin)
    await escalate(engineer)
    expect(await listMails()).toEqual([])
    expect(await readLog(account, configId)).toMatchObject([{ state: 'failed' }])
  })

  it('NOT-55 holds back what a job sends about the work of an unverified engineer', async () => {
    const account = await createAccount(service)
    const events = ['handoff.assessment_ready', 'psa.push_failed', 'maintenance.run_failed']
    const configId = await createConfig(account, [stranger()], events)
    const engineer = await account.addColleague()
    const { id } = await createAiSession(engineer, { problem_summary: bait })
    await unverify(engineer)
    await escalateSession(engineer, id)
    await waitForDeliveries()
    const job = { actorId: null, causedById: engineer.id, teamId: null }
    const failure = { reason: bait, ownerId: engineer.id }
    const push = { source: 'session', sessionId: crypto.randomUUID(), psaTicketId: '1' } as const
    await stack.emitEvent(account.id, { key: 'psa.push_failed', ...job, ...failure, ...push })
    await stack.emitEvent(account.id, {
      key: 'maintenance.run_failed',
      ...job,
      ...failure,
      scheduleId: crypto.randomUUID(),
      scheduleName: bait,
    })
    expect(await listMails()).toEqual([])
    expect(await readLog(account, configId)).toMatchObject([
      { state: 'failed' },
      { state: 'failed' },
      { state: 'failed' },
    ])
  })

  it('NOT-55 refuses a test message, a retry, an invite sent again and a change of addresses by an unverified admin', async () => {
    const account = await createAccount(service)
    const { admin } = account
    const configId = await createConfig(account, [stranger()])
    const invite = expectStatus(
      await admin.call('POST', '/accounts/me/invites', { email: stranger(), role: 'viewer' }),
      201,
    )
    await waitForDeliveries()
    await setFault({ service: 'resend', mode: 'client_error', times: 1 })
    await admin.call('POST', '/notifications/configs/test', { config_id: configId })
    const [{ id: deliveryId }] = await readLog(account, configId)
    await waitForDeliveries()
    await clearRecords('mail')
    await unverify(admin)
    for (const [method, path, body] of [
      ['POST', '/notifications/configs/test', { config_id: configId }],
      ['POST', `/notifications/deliveries/${deliveryId}/retry`, undefined],
      ['POST', `/accounts/me/invites/${invite.body.id}/resend`, undefined],
      ['PATCH', `/notifications/configs/${configId}`, { email_addresses: [stranger()] }],
      ['PATCH', `/notifications/configs/${configId}`, { events_enabled: ['proposal.submitted'] }],
    ] as const) {
      const response = await admin.call(method, path, body)
      expect([path, response.status, response.body?.code]).toEqual([path, 403, 'email_not_verified'])
    }
    expect(await listMails()).toEqual([])
  })

  it('NOT-55 sends no receipt of feedback to an address that nobody has verified', async () => {
    const { admin } = await createAccount(service)
    await unverify(admin)
    expectStatus(await admin.call('POST', '/feedback', { subject: bait, message: bait }), 201)
    expect(await listMails(new RegExp(admin.email))).toEqual([])
  })
})

describe('limits', () => {
  it('NOT-56 stores at most 10 configs, also when 32 are created at once', async () => {
    const account = await createAccount(service)
    const leads = await Promise.all(
      Array.from({ length: 4 }, () => account.addColleague({ teamRole: 'admin' })),
    )
    const config = { channel: 'email', email_addresses: [stranger()], events_enabled: [] }
    const responses = await runConcurrently((n) =>
      (leads[n % 4] as Person).call('POST', '/notifications/configs', config),
    )
    expect(countByStatus(responses)).toEqual({ 201: 10, 409: 22 })
    expect(responses.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'limit_reached',
      resource: 'notification_configs',
      used: 10,
      limit: 10,
    })
    expect((await account.admin.call('GET', '/notifications/configs')).body).toHaveLength(10)
  })

  it('NOT-57 sends exactly what is left of the daily limit when 32 escalations arrive at once, and logs the others as failed', async () => {
    const account = await createAccount(service)
    const configId = await createConfig(account, [stranger()])
    // 50 during a trial. Each escalation also mails the admin, so the 32 of them want 64 mails, and 10 are
    // left.
    await setUsed(account, 40)
    const engineers = await Promise.all(Array.from({ length: 32 }, () => account.addColleague()))
    const sessions = await Promise.all(engineers.map((engineer) => insertAiSession(service, engineer)))
    await runConcurrently((n) => escalateSession(engineers[n] as Person, sessions[n] as string))
    const mails = await listMails(/@(strangers|people)\.example$/)
    expect(mails).toHaveLength(10)
    expect(await readCounts(account)).toEqual({ sent: 50, refused: 54 })
    const log = await readLog(account, configId)
    expect(log).toHaveLength(32)
    for (const delivery of log.filter(({ state }: { state: string }) => state === 'failed'))
      expect(delivery.last_error).toBe('The account has reached its limit of 50 e-mails per day')
    expect(log.filter(({ state }: { state: string }) => state === 'delivered')).toHaveLength(
      mails.filter(({ to }) => to[0].endsWith('@strangers.example')).length,
    )
  })

  it('NOT-57 counts every recipient of a config, and sends a delivery to all of them or to nobody', async () => {
    const account = await createAccount(service)
    const engineer = await account.addColleague()
    await createConfig(account, listStrangers(20))
    await setUsed(account, 31)
    await escalate(engineer)
    expect(await listMails()).toHaveLength(0)
    await setUsed(account, 30)
    await escalate(engineer)
    expect(await listMails()).toHaveLength(20)
  })

  it('NOT-57 refuses invites and test messages with 409 beyond the daily limit, and allows them the next day', async () => {
    const account = await createAccount(service)
    const { admin } = account
    const configId = await createConfig(account, [stranger()])
    const invite = expectStatus(
      await admin.call('POST', '/accounts/me/invites', { email: stranger(), role: 'viewer' }),
      201,
    )
    await setUsed(account, 50)
    const tryAll = async () => [
      await admin.call('POST', '/notifications/configs/test', { config_id: configId }),
      await admin.call('POST', '/accounts/me/invites', { email: stranger(), role: 'viewer' }),
      await admin.call('POST', `/accounts/me/invites/${invite.body.id}/resend`),
    ]
    const problem = { code: 'limit_reached', resource: 'mails_per_day', used: 50, limit: 50 }
    for (const response of await tryAll())
      expect([response.status, response.body]).toMatchObject([409, problem])
    expect((await admin.call('GET', '/accounts/me/invites')).body).toHaveLength(1)
    await advanceClock(86_400)
    expect((await tryAll()).map(({ status }) => status)).toEqual([200, 201, 202])
  })

  it('NOT-57 never counts or holds back mails about the own sign-in', async () => {
    const account = await createAccount(service)
    await setUsed(account, 50)
    await unverify(account.admin)
    expectStatus(await account.admin.call('POST', '/auth/resend-verification'), 202)
    expectStatus(
      await postWithoutToken(service, '/auth/forgot-password', { email: account.admin.email }),
      202,
    )
    expect(await listMails(new RegExp(account.admin.email))).toHaveLength(2)
    expect(await readCounts(account)).toMatchObject({ sent: 50 })
  })
})

describe('names and links', () => {
  it('NOT-58 puts no link of a name or a title into a subject, and no clickable one into a mail to a stranger', async () => {
    const account = await createAccount(service)
    await service.sql('update accounts set name = $2 where id = $1', [
      account.id,
      'Mail\u202eadmin www.evil.example/a evil.example',
    ])
    await service.sql('update users set full_name = $2 where id = $1', [account.admin.id, bait])
    await createConfig(account, [stranger()])
    const engineer = await account.addColleague()
    await service.sql('update users set full_name = $2 where id = $1', [
      engineer.id,
      `${bait}\r\nBcc: a@b.example`,
    ])
    await escalate(engineer, `${bait} or at evil.example/login now`)
    expectStatus(
      await account.admin.call('POST', '/accounts/me/invites', { email: stranger(), role: 'viewer' }),
      201,
    )
    const mails = await listMails()
    expect(mails.map(({ subject }) => subject).sort()).toEqual([
      'URGENT: your mailbox closes today, log in at [link] Bcc: a@b example escalated: URGENT: your mailbox closes today, log in at [link]',
      'URGENT: your mailbox closes today, log in at [link] invites you to Mailadmin [link] evil example',
    ])
    for (const { html, text } of mails)
      expect(`${html}${text}`).not.toMatch(/https:\/\/evil|evil\.example\/|www\.evil/)
    expect(
      mails.some(({ text }) =>
        text.includes('https[:]//evil[.]example/login or at evil[.]example/login now'),
      ),
    ).toBe(true)
  })
})

describe('unsubscribing', () => {
  const pathOf = (mail: { headers: Record<string, string> }) =>
    /<[^>]*\/api\/v1(\/unsubscribe\/[^>]+)>/.exec(mail.headers['List-Unsubscribe'] ?? '')?.[1] ?? ''
  const oneClick = (path: string, method = 'POST') =>
    request(service, method, path, {
      ...(method === 'POST'
        ? {
            raw: 'List-Unsubscribe=One-Click',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
          }
        : {}),
    })

  async function setUp(address = stranger()) {
    const account = await createAccount(service)
    const configId = await createConfig(account, [address])
    const test = () => account.admin.call('POST', '/notifications/configs/test', { config_id: configId })
    expectStatus(await test(), 200)
    const mail = (await listMails()).find(({ to }) => to[0] === address)
    await clearRecords('mail')
    return { account, configId, address, test, mail, path: pathOf(mail) }
  }

  it('NOT-59 says to an address of no member who set it up and offers to unsubscribe with one click, to a member not', async () => {
    const { account, mail } = await setUp()
    expect(mail.headers).toMatchObject({ 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' })
    const reason = `${account.admin.fullName} set up this address to receive notifications of the account “Test account” in Support Flow.`
    for (const part of [mail.html, mail.text]) expect(part).toContain(reason)
    expect(mail.text).toContain(
      `Never send me e-mails again: ${service.settings.PUBLIC_BASE_URL}/api/v1${pathOf(mail)}`,
    )
    await escalate(await account.addColleague())
    const [toMember] = await listMails(new RegExp(account.admin.email))
    expect([toMember.headers['List-Unsubscribe'], toMember.text.includes('unsubscribe')]).toEqual([
      undefined,
      false,
    ])
    expectStatus(
      await account.admin.call('POST', '/accounts/me/invites', { email: stranger(), role: 'viewer' }),
      201,
    )
    const invite = (await listMails()).find(({ subject }) => subject.includes('invites you'))
    expect(invite.text).toContain(
      `${account.admin.fullName} invited this address to the account “Test account” in Support Flow.`,
    )
    expect(pathOf(invite)).not.toBe('')
  })

  it('NOT-60 unsubscribes with one click from every account, and shows refused deliveries in the log', async () => {
    const { test, path, address, account, configId } = await setUp()
    expectStatus(await oneClick(path, 'GET'), 200)
    expectStatus(await test(), 200)
    expect(await listMails()).toHaveLength(1)
    await clearRecords('mail')
    expect([(await oneClick(path)).status, (await oneClick(path)).status]).toEqual([200, 200])
    expect((await test()).body).toEqual({
      success: false,
      message: 'Every recipient has unsubscribed, or their address takes no e-mails',
    })
    expect((await readLog(account, configId))[0]).toMatchObject({
      state: 'failed',
      attempts: 1,
      last_error: 'Every recipient has unsubscribed, or their address takes no e-mails',
    })
    const other = await createAccount(service)
    const spelled = address.toUpperCase()
    const otherId = await createConfig(other, [spelled, stranger()])
    expectStatus(await other.admin.call('POST', '/notifications/configs/test', { config_id: otherId }), 200)
    expectStatus(
      await other.admin.call('POST', '/accounts/me/invites', { email: address, role: 'viewer' }),
      201,
    )
    expect((await listMails(/./)).map(({ to }) => to[0].toLowerCase())).not.toContain(address)
    expect((await readLog(other, otherId))[0]).toMatchObject({
      state: 'delivered',
      last_error: expect.stringContaining('1 of 2 recipients'),
    })
  })

  it('NOT-60 shows a page that only offers to unsubscribe, whose form the browser may submit', async () => {
    const { path } = await setUp()
    const page = await oneClick(path, 'GET')
    expect(page.text).toContain('<form method="post">')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'; sandbox allow-forms")
    expect(page.headers.get('content-type')).toContain('text/html')
  })

  it('NOT-60 refuses forged links, and unsubscribes no other address', async () => {
    const [first, second] = [await setUp(), await setUp()]
    const [head, claims, signature] = first.path.replace('/unsubscribe/', '').split('.')
    const otherClaims = second.path.replace('/unsubscribe/', '').split('.')[1]
    const token = first.account.admin.token
    for (const forged of [
      `${head}.${otherClaims}.${signature}`,
      `${head}.${claims}.`,
      `${head}.${claims}.x${signature}`,
      token,
      'x',
    ])
      for (const method of ['GET', 'POST', 'DELETE'])
        expect([method, (await oneClick(`/unsubscribe/${forged}`, method)).body?.code]).toEqual([
          method,
          'token_invalid_or_expired',
        ])
    await oneClick(first.path)
    expect((await second.test()).body.success).toBe(true)
  })

  it('NOT-61 subscribes an address again with its own link or when it is verified, but not when somebody else registers it', async () => {
    const { test, path, address } = await setUp()
    await oneClick(path)
    expect((await test()).body.success).toBe(false)
    expect([(await oneClick(path, 'DELETE')).status, (await oneClick(path, 'DELETE')).status]).toEqual([
      204, 204,
    ])
    expect((await test()).body.success).toBe(true)
    await oneClick(path)
    const fields = {
      email: address,
      password: 'violet-tractor-81',
      full_name: 'Not Me',
      account_name: 'Not mine',
    }
    expectStatus(await postWithoutToken(service, '/auth/register', fields), 201)
    expect((await test()).body.success).toBe(false)
    const link = await dashboard(service).waitForLink(address, /verify-email\?token=([\w-]+)/)
    expectStatus(await postWithoutToken(service, '/auth/verify-email', { token: link }), 204)
    expect((await test()).body.success).toBe(true)
  })

  it('NOT-60 still sends mails about the own sign-in to an unsubscribed address', async () => {
    const { admin } = await createAccount(service)
    const { path } = await setUp(admin.email.replace('@people.example', '@strangers.example'))
    await service.sql('update users set email = $2 where id = $1', [
      admin.id,
      admin.email.replace('@people.example', '@strangers.example'),
    ])
    await oneClick(path)
    expectStatus(
      await postWithoutToken(service, '/auth/forgot-password', {
        email: admin.email.replace('@people.example', '@strangers.example'),
      }),
      202,
    )
    expect(await listMails()).toHaveLength(1)
  })
})
