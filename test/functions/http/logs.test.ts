import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dashboard, request, startOwnService } from '../../support/app.ts'
import { expectStatus } from '../../support/expect-status.ts'
import { createAccount } from '../../support/people.ts'

type Line = Record<string, unknown> & { error?: Record<string, unknown> }
let service: Awaited<ReturnType<typeof startOwnService>>
beforeAll(async () => {
  service = await startOwnService()
})
afterAll(() => service.close())

const lines = () => service.log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line)
/** The lines of one request, as soon as there is one: they come a moment after the answer. */
async function linesOf(id: string | null): Promise<Line[]> {
  const found = () => lines().filter((line) => line.request_id === id)
  await expect.poll(() => found().length, { timeout: 5000 }).toBeGreaterThan(0)
  return found()
}

const planted = new Map<string, string>()
/** A word that occurs nowhere else, planted in `place`. */
function canary(place: string): string {
  const word = `canary${crypto.randomUUID().replaceAll('-', '')}`
  planted.set(word, place)
  return word
}

/** Waits for the line of one last request, so that all before it have come, and names the places whose canary any line repeats. */
async function leaks(): Promise<string[]> {
  const last = await request(service, 'GET', '/last')
  await linesOf(last.headers.get('x-request-id'))
  const everything = service.log.join('\n').toLowerCase()
  return [...planted].filter(([word]) => everything.includes(word)).map(([, place]) => place)
}

let address = 0
/** Each call from another address, so that no limit is met. */
const post = (path: string, body: unknown, headers = {}) =>
  request(service, 'POST', path, { body, headers: { 'cf-connecting-ip': `198.51.100.${++address}`, ...headers } })
const register = (change: object = {}) =>
  post('/auth/register', {
    email: `${canary('email')}@people.example`,
    password: canary('password'),
    full_name: canary('full_name'),
    ...change,
  })

describe('one line per request', () => {
  it('is JSON and says who asked for what, how it ended and how long it took', async () => {
    const { admin } = await createAccount(service)
    const answer = await admin.call('GET', '/notifications?limit=1')
    const line = await linesOf(answer.headers.get('x-request-id'))
    expect(line).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        request_id: answer.headers.get('x-request-id'),
        method: 'GET',
        operation: 'notifications.list',
        status: 200,
        ms: expect.any(Number),
        user_id: admin.id,
        account_id: admin.accountId,
      },
    ])
    expect(line[0]?.ms).toBeGreaterThanOrEqual(0)
  })

  it.each([
    ['GET', '/api/v1/notifications', 401, 'notifications.list'],
    ['POST', '/api/v1/auth/login', 422, 'identity.auth.login'],
    ['DELETE', '/api/v1/notifications', 405, null],
    ['GET', '/api/v1/nowhere', 404, null],
    ['GET', '/health', 200, null],
    ['GET', '/docs/', 200, null],
    ['POST', '/jobs/notifications/deliver', 401, 'jobs.deliver'],
  ])('is written for %s %s too, which is %i', async (method, path, status, operation) => {
    const answer = await fetch(service.api + path, { method })
    const found = await linesOf(answer.headers.get('x-request-id'))
    expect(found).toMatchObject([{ method, status, operation, user_id: null, account_id: null }])
    expect(found[0]).not.toHaveProperty('error')
  })

  it('names the kind and the place of what broke, for 5xx alone', async () => {
    const { admin } = await createAccount(service)
    await dashboard(service).setFault({ service: 'postgres', mode: 'down' })
    const answer = await admin.call('GET', '/notifications')
    expectStatus(answer, 503)
    const [line] = await linesOf(answer.headers.get('x-request-id'))
    expect(line).toMatchObject({ operation: 'notifications.list', status: 503, error: { name: 'NeonDbError', stack: expect.any(Array) } })
    expect(line?.error).not.toHaveProperty('message')
  })
})

it("is JSON too where a vendor's client complains of the queue, and where the cron finds no database", async () => {
  await dashboard(service).setFault({ service: 'qstash', mode: 'down' })
  expectStatus(await register(), 201)
  await expect.poll(() => service.log.some((line) => line.includes('effect_failed')), { timeout: 5000 }).toBe(true)
  await dashboard(service).setFault({ service: 'postgres', mode: 'down' })
  await service.stack.runCron().catch(() => undefined)
  expect(await leaks()).toEqual([])
  expect(service.log.filter((line) => !line.startsWith('{'))).toEqual([])
})

describe('WIR-22 the request id', () => {
  it.each(['abcdefgh', '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d11', 'a'.repeat(128), 'trace:1.2_3-4'])(
    "WIR-22 is the caller's own when it sent a sane one: %s",
    async (id) => {
      const answer = await request(service, 'GET', '/notifications', { headers: { 'x-request-id': id } })
      expect(answer.headers.get('x-request-id')).toBe(id)
      expect((await linesOf(id)).length).toBe(1)
    },
  )

  it.each(['short', 'a'.repeat(129), 'has a space', '"quoted-id"', '{"a":"b-c-d"}', 'slash/slash', 'é'.repeat(10), '%0d%0aset-cookie:x'])(
    'WIR-22 is made anew when it is not: %j',
    async (id) => {
      const answer = await request(service, 'GET', '/notifications', { headers: { 'x-request-id': id } })
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(lines().some((line) => line.request_id === id)).toBe(false)
    },
  )
})

describe('what is secret or personal is in no byte of any line', () => {
  it('when people register, sign in, refresh, change their password and sign out', async () => {
    const password = canary('password')
    const email = `${canary('email')}@people.example`
    const { body } = await register({ email, password, account_name: canary('account name') })
    const signed = await post('/auth/login', { email, password })
    for (const { access_token, refresh_token } of [body, signed.body]) {
      for (const part of [refresh_token, ...access_token.split('.').slice(1)]) planted.set(part.toLowerCase(), 'token')
    }
    await post('/auth/login', { email, password: canary('wrong password') })
    expectStatus(await register({ email }), 409)
    const headers = { authorization: `Bearer ${signed.body.access_token}` }
    await request(service, 'PATCH', '/auth/me', { body: { full_name: canary('full_name') }, headers })
    await post('/auth/change-password', { current_password: password, new_password: canary('new password') }, headers)
    await post('/auth/refresh', { refresh_token: body.refresh_token })
    await post('/auth/refresh', { refresh_token: canary('unknown refresh token') })
    await post('/auth/logout', { refresh_token: signed.body.refresh_token })
    await post('/auth/verify-email', { token: canary('mail token') })
    expect(await leaks()).toEqual([])
  })

  it('when a request is refused: headers, query, path and bodies of the wrong shape', async () => {
    const { admin } = await createAccount(service)
    for (const authorization of [`Bearer ${canary('token')}.a.b`, `Basic ${canary('basic')}`, canary('scheme')]) {
      expectStatus(await request(service, 'GET', '/notifications', { headers: { authorization } }), 401)
    }
    const named = { 'x-request-id': `${canary('request id')} !`, 'user-agent': canary('agent'), cookie: `a=${canary('cookie')}` }
    await admin.call('GET', `/notifications?${canary('query key')}=${canary('query value')}`, undefined, named)
    await admin.call('PATCH', `/notifications/${canary('path')}/read`)
    await request(service, 'GET', `/${canary('unknown path')}`)
    await register({ email: canary('bad email'), full_name: 7, [canary('unknown key')]: canary('unknown value') })
    await request(service, 'POST', '/auth/login', { raw: `{"password":"${canary('broken JSON')}` })
    await admin.call('POST', '/notifications/configs', { channel: canary('channel'), webhook_url: `http://x/${canary('bad webhook')}` })
    await admin.call('POST', '/notifications/mark-all-read', undefined, { 'idempotency-key': canary('key') })
    const signature = { 'upstash-signature': `${canary('signature')}.a.b` }
    await fetch(`${service.api}/jobs/notifications/deliver`, { method: 'POST', headers: signature, body: canary('job') })
    expect(await leaks()).toEqual([])
  })

  it('when channels are kept, tried and fail', async () => {
    const { admin } = await createAccount(service)
    const webhook = { channel: 'chat1_webhook', webhook_url: `${service.localOrigin}/chat/1/${canary('webhook')}` }
    const mail = { channel: 'email', email_addresses: [`${canary('address')}@people.example`] }
    await dashboard(service).setFault({ service: 'chat1', mode: 'down' })
    await dashboard(service).setFault({ service: 'resend', mode: 'error' })
    for (const config of [webhook, mail]) {
      const made = await admin.call('POST', '/notifications/configs', config)
      expect((await admin.call('POST', '/notifications/configs/test', { config_id: made.body.id })).body.success).toBe(false)
    }
    expect(await leaks()).toEqual([])
  })

  it('when the database is away, and what follows an answer fails', async () => {
    const { admin } = await createAccount(service)
    await dashboard(service).setFault({ service: 'qstash', mode: 'down' })
    expectStatus(await register(), 201)
    await dashboard(service).setFault({ service: 'postgres', mode: 'down' })
    const key = { 'idempotency-key': canary('key') }
    const config = { channel: 'email', email_addresses: [`${canary('address')}@people.example`] }
    const answers = await Promise.all([
      register(),
      post('/auth/login', { email: `${canary('email')}@people.example`, password: canary('password') }),
      admin.call('POST', '/notifications/configs', {
        channel: 'chat1_webhook',
        webhook_url: `${service.localOrigin}/chat/1/${canary('webhook')}`,
      }),
      admin.call('POST', '/notifications/configs', config, key),
    ])
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503])
    expect(await leaks()).toEqual([])
  })
})
