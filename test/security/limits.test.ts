// @module-tag attack
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { operations } from '#functions/operations.ts'
import { toAddressBlock } from '#rules/text/address-block.ts'
import { dashboard, type OwnService, request, sharedService, startOwnService } from '#test/support/app.ts'
import { entries } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'
import { startRedisProxy, startTestRedis } from '#test/support/redis.ts'

const countStatus = (statuses: number[], status: number) =>
  statuses.filter((other) => other === status).length

describe('the limits while Redis is down', () => {
  let service: OwnService
  let admin: Person
  let configId: unknown
  beforeAll(async () => {
    service = await startOwnService({}, { platform: 'cloudflare' })
    ;({ admin } = await createAccount(service))
    const body = {
      channel: 'email',
      email_addresses: ['oncall@night.example'],
      events_enabled: ['session.escalated'],
    }
    configId = (await admin.call('POST', '/notifications/configs', body)).body.id
  })
  beforeEach(() => dashboard(service).setFault({ service: 'redis', mode: 'down' }))
  afterAll(() => service.close())

  it('let half of the test messages pass', async () => {
    const body = { config_id: configId }
    const statuses = []
    for (let n = 0; n < 15; n++)
      statuses.push((await admin.call('POST', '/notifications/configs/test', body)).status)
    expect([countStatus(statuses, 200), countStatus(statuses, 429)]).toEqual([2, 13])
  })

  it('let half of the invites pass', async () => {
    const invite = async (n: number) =>
      (await admin.call('POST', '/accounts/me/invites', { email: `p${n}@night.example`, role: 'viewer' }))
        .status
    const statuses = []
    for (let n = 0; n < 40; n++) statuses.push(await invite(n))
    expect(countStatus(statuses, 429)).toBe(35)
  })

  it('let 150 requests with a wrong token pass from one address', async () => {
    const headers = { 'cf-connecting-ip': '203.0.113.8', authorization: 'Bearer a.b.c' }
    const call = async () => (await request(service, 'GET', '/notifications', { headers })).status
    const statuses = await Promise.all(Array.from({ length: 320 }, call))
    expect([countStatus(statuses, 401), countStatus(statuses, 429)]).toEqual([150, 170])
  })
})

it.each(entries)(
  'WIR-49 on %s 30 of 200 calls at once pass while Redis is slow, none while it is down or back, and another account has its own limit',
  async (platform) => {
    const redis = await startRedisProxy(await startTestRedis())
    const service = await startOwnService({ REDIS_TIMEOUT_MS: '250', REDIS_URL: redis.url }, { platform })
    onTestFinished(() => service.close())
    const setFault = async (fault: 'slow' | 'down' | undefined) => {
      redis.setFault(fault)
      await dashboard(service).clearFaults()
      if (fault) await dashboard(service).setFault({ service: 'redis', mode: fault })
    }
    const [{ admin }, { admin: other }] = [await createAccount(service), await createAccount(service)]
    const countPassed = async (person: Person, calls: number) => {
      const burst = Array.from({ length: calls }, () => person.call('GET', '/analytics/me'))
      const statuses = (await Promise.all(burst)).map(({ status }) => status)
      return countStatus(statuses, 200)
    }
    await setFault('slow')
    const passed = [await countPassed(admin, 200), await countPassed(other, 50)]
    await setFault('down')
    passed.push(await countPassed(admin, 50))
    await setFault(undefined)
    passed.push(await countPassed(admin, 10))
    expect(passed).toEqual([30, 30, 0, 0])
  },
)

describe('an operation', () => {
  const listIds = (isListed: (op: (typeof operations)[number]) => boolean) =>
    operations.filter(isListed).map(({ id }) => id)

  it.each([
    ['that anyone may call', (op) => op.access === 'public' && op.limit !== 'none'],
    ['that signs in', (op) => op.id.startsWith('identity.')],
    ['that asks the model', (op) => (op.errors ?? []).includes('ai_provider_error')],
    [
      'that calls the billing provider',
      (op) => op.limit !== 'none' && (op.errors ?? []).includes('billing_provider_error'),
    ],
  ] satisfies [string, (op: (typeof operations)[number]) => boolean][])(
    '%s declares a strict limit',
    (_, isListed) => {
      const ids = listIds(isListed)
      expect(ids.length).toBeGreaterThan(0)
      expect(listIds((op) => ids.includes(op.id) && !op.strictLimit)).toEqual([])
    },
  )

  it('that sends mail to others declares a strict limit', () => {
    expect(listIds((op) => op.strictLimit === 'mail').sort()).toEqual([
      'accounts.delete',
      'accounts.invites.create',
      'accounts.invites.resend',
      'accounts.restore',
      'ai.escalations.acknowledge',
      'ai.escalations.claim',
      'ai.escalations.pickUp',
      'ai.handoffs.escalate',
      'authoring.proposals.approve',
      'authoring.proposals.reject',
      'feedback.create',
      'identity.emailChanges.create',
      'identity.phoneNumber.create',
      'maintenance.runs.create',
      'notifications.preferences.test',
      'notifications.retryDelivery',
      'notifications.testConfig',
      'oncall.substituteRequests.create',
      'runner.runs.requestApproval',
      'runner.runs.requestApprovalInAiSession',
      'scripts.approvals.request',
      'sessions.approvals.approve',
      'sessions.approvals.reject',
      'sessions.approvals.request',
    ])
  })
})

describe('the limit of an address', () => {
  it('counts the addresses of one IPv6 network of 64 bits together', async () => {
    const service = await sharedService()
    const network = `2001:db8:${Math.floor(Math.random() * 0xffff).toString(16)}:7`
    const login = (n: number) =>
      postWithoutToken(
        service,
        '/auth/login',
        { email: 'a@b.example', password: 'wrong' },
        `${network}::${n}`,
      )
    const statuses = (await Promise.all(Array.from({ length: 40 }, (_, n) => login(n + 1)))).map(
      ({ status }) => status,
    )
    expect(countStatus(statuses, 401)).toBeLessThanOrEqual(10)
    expect(countStatus(statuses, 429)).toBeGreaterThanOrEqual(30)
  })

  it.each([
    ['203.0.113.8', '203.0.113.8'],
    ['::ffff:203.0.113.8', '203.0.113.8'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['unknown', 'unknown'],
    ['a:b', 'a:b'],
  ])('counts the address %s as %s', (address, block) => {
    expect(toAddressBlock(address)).toBe(block)
  })
})
