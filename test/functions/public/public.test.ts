import { afterAll, expect, it } from 'vitest'
import { publicOperations } from '#functions/public/operations.ts'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postWithoutToken, randomIpAddress } from '#test/support/public-requests.ts'
import { serveOperations } from '#test/support/serve-operations.ts'

const service = await startOwnService({ GOOGLE_CLIENT_ID: 'google-client' })
afterAll(() => service.close())
const { listRecords, clearRecords, setFault, clearFaults, advanceClock } = dashboard(service)
const get = (path: string) =>
  request(service, 'GET', path, { headers: { 'cf-connecting-ip': randomIpAddress() } })

const exampleLead = {
  email: 'nora@fabrikam.example',
  name: 'Nora Lindt',
  company: 'Fabrikam',
  source: 'demo_request',
  message: 'Call me',
  seats: 40,
}
const postLead = (body: unknown, address = randomIpAddress()) =>
  postWithoutToken(service, '/sales-leads', body, address)
const selectLeads = (id: string) =>
  service.sql('select email, source, seats from sales_leads where id = $1', [id])

it('PUB-01 redirects a beta sign-up with any body to the registration page, and sends no e-mail', async () => {
  const mailCountBefore = (await listRecords('mail')).length
  const bodies: [string | Uint8Array | undefined, string][] = [
    [undefined, 'text/plain'],
    ['{"email":"a@b.example"}', 'application/json'],
    ['{broken', 'application/json'],
    ['email=a%40b.example', 'application/x-www-form-urlencoded'],
    [new Uint8Array([0, 255, 254]), 'application/octet-stream'],
  ]
  for (const [raw, type] of bodies) {
    const headers = {
      'cf-connecting-ip': randomIpAddress(),
      ...(raw === undefined ? {} : { 'content-type': type }),
    }
    const response = await request(service, 'POST', '/beta-signup', {
      ...(raw === undefined ? {} : { raw }),
      headers,
    })
    expect([type, response.status, response.headers.get('location'), response.text]).toEqual([
      type,
      307,
      '/register?from=beta',
      '',
    ])
  }
  expect(await listRecords('mail')).toHaveLength(mailCountBefore)
})

it('redirects POST /register to the registration page of the frontend with 303', async () => {
  const response = await fetch(`${service.api}/register?from=beta`, { method: 'POST', redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([
    303,
    `${service.settings.FRONTEND_URL}/register?from=beta`,
  ])
})

it('PUB-02 PUB-03 PUB-04 lists public plans in sort order, with their seats and without provider ids', async () => {
  await service.sql(
    `insert into plan_limits (plan, max_users) values ('zeta', 5), ('alpha', null), ('hidden', 1), ('old', 1)`,
  )
  await service.sql(`insert into plan_billing (plan, display_name, is_public, is_archived, sort_order, provider_product_id) values
    ('zeta', 'Zeta', true, false, 15, 'prod_zeta'), ('alpha', 'Alpha', true, false, 15, null),
    ('hidden', 'Hidden', false, false, 1, null), ('old', 'Old', true, true, 1, null)`)
  const { status, body, text } = await get('/plans/public')
  expect(status).toBe(200)
  expect(
    body.map(({ plan, max_seats }: { plan: string; max_seats: number | null }) => [plan, max_seats]),
  ).toEqual([
    ['free', 3],
    ['alpha', null],
    ['zeta', 5],
    ['pro', 10],
    ['team', 50],
  ])
  expect(body[3]).toMatchObject({
    display_name: 'Pro',
    monthly_price_cents: 4900,
    annual_price_cents: 49_000,
    currency: 'usd',
    sort_order: 20,
  })
  expect(text).not.toContain('prod_zeta')
})

it('PUB-05 returns the configuration of the sign-in page', async () => {
  const { body } = await get('/config/public')
  expect(body).toEqual({ self_serve_enabled: true, oauth_providers: expect.any(Array) })
})

const { GOOGLE_CLIENT_ID: _, MICROSOFT_CLIENT_ID: __, ...otherSettings } = service.settings
const serveWith = (settings: Record<string, string>) =>
  serveOperations(publicOperations, { ...otherSettings, ...settings })
const providerCases = [
  { server: await serveWith({}), config: { self_serve_enabled: true, oauth_providers: [] } },
  {
    server: await serveWith({ GOOGLE_CLIENT_ID: 'g' }),
    config: { self_serve_enabled: true, oauth_providers: ['google'] },
  },
  {
    server: await serveWith({ MICROSOFT_CLIENT_ID: 'm', SELF_SERVE_ENABLED: 'false' }),
    config: { self_serve_enabled: false, oauth_providers: ['microsoft'] },
  },
  {
    server: await serveWith({ GOOGLE_CLIENT_ID: 'g', MICROSOFT_CLIENT_ID: 'm' }),
    config: { self_serve_enabled: true, oauth_providers: ['google', 'microsoft'] },
  },
]

it('PUB-06 lists exactly the identity providers whose client id is set', async () => {
  for (const { server, config } of providerCases)
    expect((await request(server, 'GET', '/config/public')).body).toEqual(config)
  expect((await get('/config/public')).body.oauth_providers).toContain('google')
})

it('PUB-15 stores a lead from each source, and sends one e-mail and one analytics event per lead, the event without the name', async () => {
  await clearRecords('mail')
  await clearRecords('analytics')
  for (const source of ['pricing_page', 'contact_form', 'landing_page', 'demo_request', 'referral']) {
    const { status, body } = await postLead({ ...exampleLead, source })
    expect([status, Object.keys(body).sort()]).toEqual([201, ['id', 'received_at']])
    expect(await selectLeads(body.id)).toEqual([{ email: exampleLead.email, source, seats: 40 }])
  }
  await expect.poll(() => listRecords('mail')).toHaveLength(5)
  const [mail] = await listRecords('mail')
  expect(mail).toMatchObject({
    to: ['sales@supportflow.example'],
    reply_to: [exampleLead.email],
    subject: 'Sales lead: Fabrikam',
  })
  expect(mail.text).toContain('Call me')
  await expect.poll(() => listRecords('analytics')).toHaveLength(5)
  // They are sent after the responses, in any order.
  const capturedEvent = (await listRecords('analytics')).find(
    ({ request: sent }) => sent.properties.source === 'referral',
  )
  expect(capturedEvent).toMatchObject({
    status: 200,
    request: { event: 'sales_lead_created', properties: { source: 'referral', seats: 40 } },
  })
  expect(JSON.stringify(capturedEvent)).not.toContain('Nora')
})

it('PUB-08 refuses a lead with a missing or unknown source', async () => {
  for (const source of ['billboard', '', null, 'PRICING_PAGE', undefined]) {
    const response = await postLead({ ...exampleLead, source })
    expect([response.status, response.body.errors[0].loc]).toEqual([422, ['body', 'source']])
  }
})

it('accepts a lead of the maximum length and refuses invalid ones', async () => {
  expectStatus(
    await postLead({
      ...exampleLead,
      message: '漢'.repeat(4000),
      phone: 'x'.repeat(50),
      name: 'n'.repeat(200),
    }),
    201,
  )
  for (const invalid of [
    { message: 'x'.repeat(4001) },
    { email: 'nobody' },
    { seats: 0 },
    { name: ' ' },
    { seats: 1.5 },
  ])
    expectStatus(await postLead({ ...exampleLead, ...invalid }), 422)
})

it('PUB-09 allows exactly 5 leads per hour and IP address', async () => {
  const address = randomIpAddress()
  const responses = await Promise.all(Array.from({ length: 12 }, () => postLead(exampleLead, address)))
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(5)
  const rateLimited = responses.filter(({ status }) => status === 429)
  expect(rateLimited).toHaveLength(7)
  expect(rateLimited[0]?.body).toEqual({ detail: 'Rate limit exceeded: 5 per hour' })
  expect(Number(rateLimited[0]?.headers.get('retry-after'))).toBeGreaterThan(3500)
  expectStatus(await postLead(exampleLead), 201)
})

for (const mode of ['down', 'error', 'client_error', 'garbage', 'redirect'] as const) {
  it(`PUB-07 stores a lead while the mail, analytics and queue services have the fault ${mode}, and sends the e-mail later`, async () => {
    await clearRecords('mail')
    for (const vendor of ['resend', 'analytics', 'qstash']) await setFault({ service: vendor, mode })
    const { status, body } = await postLead({ ...exampleLead, company: `While ${mode}` })
    expect([status, (await selectLeads(body.id)).length]).toEqual([201, 1])
    await clearFaults()
    for (const seconds of [31, 121, 601]) await advanceClock(seconds)
    await expect
      .poll(async () =>
        (await listRecords('mail')).filter(({ subject }) => subject === `Sales lead: While ${mode}`),
      )
      .toHaveLength(1)
    expect((await listRecords('redirect')).filter(({ service }) => service === 'analytics')).toEqual([])
  })
}
