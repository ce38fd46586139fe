import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { root } from '#local/root.ts'
import { getFixture } from '#test/contract/fixtures.ts'
import { hasUuidParams, send } from '#test/contract/requests.ts'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { randomIpAddress } from '#test/support/public-requests.ts'
import { traceResetMail } from '#test/support/traces.ts'

type LogLine = Record<string, unknown> & { error?: Record<string, unknown> }
let service: Awaited<ReturnType<typeof startOwnService>>
beforeAll(async () => {
  service = await startOwnService({}, { databaseFaults: true })
})
afterAll(() => service.close())

const readLines = () =>
  service.log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogLine)
/** Wait for the log lines of one request, which are written shortly after the response. */
async function waitForLines(id: string | null): Promise<LogLine[]> {
  const findLines = () => readLines().filter((line) => line.request_id === id)
  await expect.poll(() => findLines().length, { timeout: 5000 }).toBeGreaterThan(0)
  return findLines()
}

const plantedCanaries = new Map<string, string>()
/** Return a unique word and remember the place that the test puts it in. No log line may contain it. */
function plantCanary(place: string): string {
  const word = `canary${crypto.randomUUID().replaceAll('-', '')}`
  plantedCanaries.set(word, place)
  return word
}

/**
 * Return the places whose canary is in the log. Wait for the line of one more request, so that all earlier
 * lines are written.
 */
async function findLeaks(): Promise<string[]> {
  const last = await request(service, 'GET', '/last')
  await waitForLines(last.headers.get('x-request-id'))
  const log = service.log.join('\n').toLowerCase()
  return [...plantedCanaries].filter(([word]) => log.includes(word)).map(([, place]) => place)
}

/** Post from a new IP address, so that no rate limit is reached. */
const post = (path: string, body: unknown, headers = {}) =>
  request(service, 'POST', path, { body, headers: { 'cf-connecting-ip': randomIpAddress(), ...headers } })
const register = (fields: object = {}) =>
  post('/auth/register', {
    email: `${plantCanary('email')}@people.example`,
    password: plantCanary('password'),
    full_name: plantCanary('full_name'),
    ...fields,
  })

it('OBS-01 the line of a request, the line of its job and the e-mail that the job sends have the trace of the caller', async () => {
  expect(await traceResetMail(service)).toEqual({
    logged: ['identity.credentials.requestPasswordReset', 'jobs.deliver'],
    mails: ['Reset your password'],
  })
})

describe('one line per request', () => {
  it('writes one JSON line per request with the caller, the operation, the status, the duration and the counted work', async () => {
    const { admin } = await createAccount(service)
    const response = await admin.call('GET', '/notifications?limit=1')
    const requestLines = await waitForLines(response.headers.get('x-request-id'))
    expect(requestLines).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: 'info',
        request_id: response.headers.get('x-request-id'),
        method: 'GET',
        operation: 'notifications.list',
        status: 200,
        ms: expect.any(Number),
        work_steps: 0,
        user_id: admin.id,
        account_id: admin.accountId,
        trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    ])
    expect(requestLines[0]?.ms).toBeGreaterThanOrEqual(0)
  })

  it.each([
    ['GET', '/api/v1/notifications', 401, 'notifications.list'],
    ['POST', '/api/v1/auth/login', 422, 'identity.auth.login'],
    ['DELETE', '/api/v1/notifications', 405, null],
    ['GET', '/api/v1/nowhere', 404, null],
    ['GET', '/health', 200, null],
    ['GET', '/docs/', 200, null],
    ['POST', '/jobs/notifications/deliver', 401, 'jobs.deliver'],
  ])('writes one line for %s %s with status %i', async (method, path, status, operation) => {
    const response = await fetch(service.api + path, { method })
    const requestLines = await waitForLines(response.headers.get('x-request-id'))
    expect(requestLines).toMatchObject([{ method, status, operation, user_id: null, account_id: null }])
    expect(requestLines[0]).not.toHaveProperty('error')
  })

  it.each([
    ['GET', '/health', '/health'],
    ['POST', '/register?code=Pa55', '/register'],
    ['GET', '/docs/Pa55', '/docs/*'],
    ['POST', '/api/v1/shared/Pa55', '/api/v1/shared/:token'],
    ['GET', '/Pa55', null],
    ['GET', '/api/v1/Pa55', null],
  ])(
    'OBS-19 names the pattern of %s %s, which is no operation, and nothing of an unknown path',
    async (method, path, logged) => {
      const response = await fetch(service.api + path, { method, redirect: 'manual' })
      const [line] = await waitForLines(response.headers.get('x-request-id'))
      expect(line).toMatchObject({ operation: null, path: logged })
    },
  )

  it('OBS-19 has the address of a client that is refused, and of no other', async () => {
    const { admin } = await createAccount(service)
    const findAddress = async ({ headers }: { headers: Headers }) =>
      (await waitForLines(headers.get('x-request-id')))[0]?.client_address
    const refused = await request(service, 'GET', '/auth/me', {
      headers: { 'cf-connecting-ip': '203.0.113.7' },
    })
    expect([await findAddress(refused), await findAddress(await admin.call('GET', '/auth/me'))]).toEqual([
      expect.any(String),
      undefined,
    ])
  })

  it('writes the name and the stack of the error of a 5xx, but not its message', async () => {
    const { admin } = await createAccount(service)
    await dashboard(service).setFault({ service: 'postgres', mode: 'down' })
    const response = await admin.call('GET', '/notifications')
    expectStatus(response, 503)
    const [line] = await waitForLines(response.headers.get('x-request-id'))
    expect(line).toMatchObject({
      operation: 'notifications.list',
      status: 503,
      level: 'error',
      error: { name: 'Error', stack: expect.any(Array) },
    })
    expect(line?.error).not.toHaveProperty('message')
  })
})

it("logs only JSON when the queue vendor's client reports an error, or the cron job has no database", async () => {
  await dashboard(service).setFault({ service: 'qstash', mode: 'down' })
  expectStatus(await register(), 201)
  await expect
    .poll(() => service.log.some((line) => line.includes('effect_failed')), { timeout: 5000 })
    .toBe(true)
  await dashboard(service).setFault({ service: 'postgres', mode: 'down' })
  await service.stack.runCron().catch(() => undefined)
  expect(await findLeaks()).toEqual([])
  expect(service.log.filter((line) => !line.startsWith('{'))).toEqual([])
})

it('WIR-73 names the origin of a page that may not call, and of no other', async () => {
  const findOrigin = async (origin: string) => {
    const response = await request(service, 'GET', '/auth/me', { headers: { origin } })
    const [line] = await waitForLines(response.headers.get('x-request-id'))
    return (line as { refused_origin?: string }).refused_origin
  }
  expect(
    await Promise.all(
      ['https://other.example', 'http://localhost:5173', service.api, 'not an origin'].map(findOrigin),
    ),
  ).toEqual(['https://other.example', ...[undefined, undefined, undefined]])
})

describe('WIR-22 request id', () => {
  it.each(['abcdefgh', '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d11', 'a'.repeat(128), 'trace:1.2_3-4'])(
    "WIR-22 uses the caller's request id if it is valid: %s",
    async (id) => {
      const response = await request(service, 'GET', '/notifications', { headers: { 'x-request-id': id } })
      expect(response.headers.get('x-request-id')).toBe(id)
      expect((await waitForLines(id)).length).toBe(1)
    },
  )

  it.each([
    'short',
    'a'.repeat(129),
    'has a space',
    '"quoted-id"',
    '{"a":"b-c-d"}',
    'slash/slash',
    'é'.repeat(10),
    '%0d%0aset-cookie:x',
  ])("WIR-22 generates a request id if the caller's is invalid: %j", async (id) => {
    const response = await request(service, 'GET', '/notifications', { headers: { 'x-request-id': id } })
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(readLines().some((line) => line.request_id === id)).toBe(false)
  })
})

describe('secrets and personal data', () => {
  it('logs no personal data when users register, sign in, refresh, change their password and sign out', async () => {
    const password = plantCanary('password')
    const email = `${plantCanary('email')}@people.example`
    const { body } = await register({ email, password, account_name: plantCanary('account name') })
    const signedIn = await post('/auth/login', { email, password })
    for (const { access_token, refresh_token } of [body, signedIn.body]) {
      for (const part of [refresh_token, ...access_token.split('.').slice(1)])
        plantedCanaries.set(part.toLowerCase(), 'token')
    }
    await post('/auth/login', { email, password: plantCanary('wrong password') })
    expectStatus(await register({ email }), 409)
    const headers = { authorization: `Bearer ${signedIn.body.access_token}` }
    await request(service, 'PATCH', '/auth/me', { body: { full_name: plantCanary('full_name') }, headers })
    await post(
      '/auth/change-password',
      { current_password: password, new_password: plantCanary('new password') },
      headers,
    )
    await post('/auth/refresh', { refresh_token: body.refresh_token })
    await post('/auth/refresh', { refresh_token: plantCanary('unknown refresh token') })
    await post('/auth/logout', { refresh_token: signedIn.body.refresh_token })
    await post('/auth/verify-email', { token: plantCanary('mail token') })
    expect(await findLeaks()).toEqual([])
  })

  it('logs no part of a request that is refused for its headers, query, path or body', async () => {
    const { admin } = await createAccount(service)
    for (const authorization of [
      `Bearer ${plantCanary('token')}.a.b`,
      `Basic ${plantCanary('basic')}`,
      plantCanary('scheme'),
    ]) {
      expectStatus(await request(service, 'GET', '/notifications', { headers: { authorization } }), 401)
    }
    const headers = {
      'x-request-id': `${plantCanary('request id')} !`,
      'user-agent': plantCanary('agent'),
      cookie: `a=${plantCanary('cookie')}`,
    }
    await admin.call(
      'GET',
      `/notifications?${plantCanary('query key')}=${plantCanary('query value')}`,
      undefined,
      headers,
    )
    await admin.call('PATCH', `/notifications/${plantCanary('path')}/read`)
    await request(service, 'GET', `/${plantCanary('unknown path')}`)
    await register({
      email: plantCanary('bad email'),
      full_name: 7,
      [plantCanary('unknown key')]: plantCanary('unknown value'),
    })
    await request(service, 'POST', '/auth/login', { raw: `{"password":"${plantCanary('broken JSON')}` })
    await admin.call('POST', '/notifications/configs', {
      channel: plantCanary('channel'),
      webhook_url: `http://x/${plantCanary('bad webhook')}`,
    })
    await admin.call('POST', '/notifications/mark-all-read', undefined, {
      'idempotency-key': plantCanary('key'),
    })
    const signature = { 'upstash-signature': `${plantCanary('signature')}.a.b` }
    await fetch(`${service.api}/jobs/notifications/deliver`, {
      method: 'POST',
      headers: signature,
      body: plantCanary('job'),
    })
    expect(await findLeaks()).toEqual([])
  })

  it('logs no code, token or name that is part of a path, whether the request succeeds or fails', async () => {
    const withCodes = operations.filter((op) => op.params && !hasUuidParams(op))
    expect(withCodes.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/shared/{token}', '/accounts/invites/{code}/lookup']),
    )
    const { admin, addColleague } = await createAccount(service)
    const superAdmin = await addColleague({ role: 'admin', superAdmin: true })
    const requests = withCodes.map(async (op) => {
      const { token } = op.access === 'super_admin' ? superAdmin : admin
      const sample = await getFixture(op)(service, op.access === 'super_admin' ? superAdmin : admin)
      for (const code of Object.values(sample.params ?? {}))
        if (code.length > 12) plantedCanaries.set(code.toLowerCase(), op.path)
      const unknown = {
        ...sample,
        params: Object.fromEntries(
          Object.keys(sample.params ?? {}).map((name) => [name, plantCanary(op.path)]),
        ),
      }
      return { op, sample, unknown, token }
    })
    const samples = await Promise.all(requests)
    for (const { op, sample, unknown, token } of samples) {
      expectStatus(await send(service, op, sample, { token }), op.success)
      const { status } = await send(service, op, unknown, { token })
      // A machine that the service has never seen has an empty list of runs.
      if (op.id !== 'runner.agents.listRuns') expect(status).toBeGreaterThanOrEqual(400)
    }
    await dashboard(service).setFault({ service: 'postgres', mode: 'down' })
    // A page that needs no row is shown.
    for (const { op, sample, token } of samples)
      expect([503, op.success]).toContain((await send(service, op, sample, { token })).status)
    expect(await findLeaks()).toEqual([])
  })

  it('logs no address of a notification config whose test fails', async () => {
    const { admin } = await createAccount(service)
    const webhook = {
      channel: 'chat1_webhook',
      webhook_url: `${service.localOrigin}/chat/1/${plantCanary('webhook')}`,
    }
    const mail = { channel: 'email', email_addresses: [`${plantCanary('address')}@people.example`] }
    await dashboard(service).setFault({ service: 'chat1', mode: 'down' })
    await dashboard(service).setFault({ service: 'resend', mode: 'error' })
    for (const config of [webhook, mail]) {
      const created = await admin.call('POST', '/notifications/configs', config)
      expect(
        (await admin.call('POST', '/notifications/configs/test', { config_id: created.body.id })).body
          .success,
      ).toBe(false)
    }
    expect(await findLeaks()).toEqual([])
  })

  it('logs no personal data when the database or the queue fails', async () => {
    const { admin } = await createAccount(service)
    await dashboard(service).setFault({ service: 'qstash', mode: 'down' })
    expectStatus(await register(), 201)
    await dashboard(service).setFault({ service: 'postgres', mode: 'down' })
    const headers = { 'idempotency-key': plantCanary('key') }
    const config = { channel: 'email', email_addresses: [`${plantCanary('address')}@people.example`] }
    const responses = await Promise.all([
      register(),
      post('/auth/login', {
        email: `${plantCanary('email')}@people.example`,
        password: plantCanary('password'),
      }),
      admin.call('POST', '/notifications/configs', {
        channel: 'chat1_webhook',
        webhook_url: `${service.localOrigin}/chat/1/${plantCanary('webhook')}`,
      }),
      admin.call('POST', '/notifications/configs', config, headers),
    ])
    expect(responses.map(({ status }) => status)).toEqual([503, 503, 503, 503])
    expect(await findLeaks()).toEqual([])
  })
})

it('switches off the invocation logs and traces of the platform, which contain the URL of each request', () => {
  const config = readFileSync(join(root, 'wrangler.toml'), 'utf8')
  expect(config).toMatch(/\[observability\.logs\]\nenabled = true\ninvocation_logs = false\n/)
  expect(config).toMatch(/\[observability\.traces\]\nenabled = false\n/)
  expect(config).toMatch(/\nredact_query_string = true\n/)
})
