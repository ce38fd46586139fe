import { expect, it } from 'vitest'
import { request, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { postWithoutToken, randomIpAddress } from '#test/support/public-requests.ts'

const service = await sharedService()
const emailConfig = { channel: 'email', email_addresses: ['oncall@northwind.example'], events_enabled: [] }

it('WIR-01 serves operations under /api/v1 and nowhere else', async () => {
  const { admin } = await createAccount(service)
  expectStatus(await admin.call('GET', '/notifications'), 200)
  for (const path of ['/notifications', '/api/notifications', '/api/v2/notifications']) {
    const response = await fetch(service.api + path, { headers: { authorization: `Bearer ${admin.token}` } })
    expect([response.status, await response.json()]).toEqual([404, { detail: 'Not found' }])
  }
})

it('WIR-02 describes every error as {detail}', async () => {
  const { admin } = await createAccount(service)
  for (const response of [
    await request(service, 'GET', '/notifications'),
    await admin.call('GET', '/notifications?limit=0'),
    await admin.call('PATCH', `/notifications/${crypto.randomUUID()}/read`),
    await admin.call('GET', '/nowhere'),
  ]) {
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(typeof response.body.detail).toBe('string')
    expect(response.headers.get('content-type')).toContain('application/json')
  }
})

it('WIR-15 accepts a body of 1 MiB, and refuses a larger one with and without Content-Length', async () => {
  const { admin } = await createAccount(service)
  const token = admin.token
  const padBody = (bytes: number) => JSON.stringify(emailConfig).padEnd(bytes)
  expectStatus(
    await request(service, 'POST', '/notifications/configs', { token, raw: padBody(1024 * 1024) }),
    201,
  )
  expectStatus(
    await request(service, 'POST', '/notifications/configs', { token, raw: padBody(1024 * 1024 + 1) }),
    413,
  )
  const chunks = new ReadableStream({
    start(controller) {
      for (let n = 0; n < 17; n++) controller.enqueue(new Uint8Array(64 * 1024).fill(32))
      controller.close()
    },
  })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const chunked = await fetch(`${service.api}/api/v1/notifications/configs`, {
    method: 'POST',
    headers,
    body: chunks,
    duplex: 'half',
  } as RequestInit)
  expectStatus(chunked, 413)
})

it('WIR-16 refuses names over 200 characters, NUL characters and lone surrogates', async () => {
  const { admin } = await createAccount(service)
  expectStatus(await admin.call('PATCH', '/auth/me', { full_name: 'x'.repeat(200) }), 200)
  for (const full_name of ['x'.repeat(201), 'a\u0000b', 'a\ud800b', '', '   ']) {
    const response = await admin.call('PATCH', '/auth/me', { full_name })
    expectStatus(response, 422)
    expect(response.body.errors[0].loc).toEqual(['body', 'full_name'])
  }
  expectStatus(await admin.call('GET', '/notifications?skip=%00'), 422)
  expectStatus(await admin.call('PATCH', '/auth/me', JSON.parse('{"a\\u0000b": 1}')), 422)
})

it('refuses a body nested deeper than 32 levels, even 100,000 levels', async () => {
  const { admin } = await createAccount(service)
  for (const depth of [33, 100_000]) {
    const raw = `{"full_name":${'['.repeat(depth)}${']'.repeat(depth)}}`
    const response = await request(service, 'PATCH', '/auth/me', { token: admin.token, raw })
    expectStatus(response, 422)
    expect(response.body.errors[0].type).toBe('too_deep')
  }
})

it('WIR-12 returns 404 for a path parameter with NUL characters or invalid UTF-8', async () => {
  const headers = { 'cf-connecting-ip': '2001:db8:12::1' }
  for (const name of ['%00', 'a%00b', '%ff', '%ED%A0%80'])
    expect([name, (await request(service, 'GET', `/shared/${name}`, { headers })).status]).toEqual([
      name,
      404,
    ])
})

it('WIR-17 WIR-18 returns the rate limit, the remaining calls and the time to wait', async () => {
  const { admin } = await createAccount(service)
  const first = await admin.call('POST', '/notifications/configs/test', { config_id: crypto.randomUUID() })
  expectStatus(first, 404)
  expect([first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual(['5', '4'])
  for (let n = 0; n < 4; n++)
    await admin.call('POST', '/notifications/configs/test', { config_id: crypto.randomUUID() })
  const refused = await admin.call('POST', '/notifications/configs/test', { config_id: crypto.randomUUID() })
  expect([refused.status, refused.body]).toEqual([429, { detail: 'Rate limit exceeded: 5 per minute' }])
  expect(refused.headers.get('ratelimit-remaining')).toBe('0')
  for (const name of ['retry-after', 'ratelimit-reset']) {
    expect(Number(refused.headers.get(name))).toBeGreaterThan(50)
    expect(Number(refused.headers.get(name))).toBeLessThanOrEqual(60)
  }
})

it('WIR-19 limits the calls of each user, and on public operations of each client address', async () => {
  const { admin, addColleague } = await createAccount(service)
  const teamAdmin = await addColleague({ teamRole: 'admin' })
  const testConfig = (person: typeof admin) =>
    person.call('POST', '/notifications/configs/test', { config_id: crypto.randomUUID() })
  for (let n = 0; n < 5; n++) await testConfig(admin)
  expect([(await testConfig(admin)).status, (await testConfig(teamAdmin)).status]).toEqual([429, 404])
  const reset = (address: string) =>
    postWithoutToken(
      service,
      '/auth/reset-password',
      { token: 'x', new_password: 'copper-lantern-27' },
      address,
    )
  const [address, otherAddress] = [randomIpAddress(), randomIpAddress()]
  for (let n = 0; n < 5; n++) expectStatus(await reset(address), 400)
  expect([(await reset(address)).status, (await reset(otherAddress)).status]).toEqual([429, 400])
})

it('WIR-64 accepts 60 invalid leads an hour, and 5 of 32 valid ones besides them at the same moment', async () => {
  const address = randomIpAddress()
  const lead = (n: number) => ({
    name: 'Dana Reyes',
    company: 'Northwind',
    source: 'pricing_page',
    email: `lead-${n}@people.example`,
  })
  const submit = async (body: unknown) =>
    (await postWithoutToken(service, '/sales-leads', body, address)).status
  const invalid = Array.from({ length: 32 }, (_, n) => submit({ ...lead(n), email: '' }))
  const statuses = await Promise.all(Array.from({ length: 32 }, (_, n) => submit(lead(n))))
  expect(statuses.toSorted()).toEqual([...Array(5).fill(201), ...Array(27).fill(429)])
  expect(new Set(await Promise.all(invalid))).toEqual(new Set([422]))
  for (let n = 32; n < 60; n++) expect(await submit({ ...lead(n), email: '' })).toBe(422)
  expect(await submit({ ...lead(60), email: '' })).toBe(429)
})

it("WIR-22 gives every response an X-Request-Id, the caller's if it is valid", async () => {
  const { admin } = await createAccount(service)
  const requestId = `trace-${crypto.randomUUID()}`
  const traced = await admin.call('GET', '/notifications', undefined, { 'x-request-id': requestId })
  expect(traced.headers.get('x-request-id')).toBe(requestId)
  for (const invalidId of ['short', 'has spaces in it', 'x'.repeat(300), '<script>alert(1)</script>']) {
    const response = await admin.call('GET', '/nowhere', undefined, { 'x-request-id': invalidId })
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  }
})

it('WIR-27 ignores a token on a public operation, even an invalid one', async () => {
  const { admin } = await createAccount(service)
  for (const token of [admin.token, 'broken.token.here', 'x']) {
    const response = await request(service, 'POST', '/auth/login', {
      token,
      body: { email: 'nobody@x.example', password: 'wrong' },
      headers: { 'cf-connecting-ip': randomIpAddress() },
    })
    expect([response.status, response.body.detail]).toEqual([401, 'Incorrect email or password'])
  }
})

it('limits requests with invalid tokens to 300 per client address', async () => {
  const headers = { 'cf-connecting-ip': randomIpAddress() }
  const countsByStatus = new Map<number, number>()
  for (let round = 0; round < 10; round++) {
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => request(service, 'GET', '/auth/me', { token: 'a.b.c', headers })),
    )
    for (const { status } of responses) countsByStatus.set(status, (countsByStatus.get(status) ?? 0) + 1)
  }
  expect(Object.fromEntries(countsByStatus)).toEqual({ 401: 300, 429: 20 })
})

it('WIR-63 HEAD opens no stream and writes no document', async () => {
  const { admin } = await createAccount(service)
  const head = (path: string) =>
    fetch(`${service.api}/api/v1${path}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${admin.token}` },
    })
  const stream = await head('/ai-sessions/escalations/stream')
  expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'GET'])
  expect((await head('/trees')).status).toBe(200)
})
