import { afterAll, describe, expect, it } from 'vitest'
import { startLocalServer } from '#local/server.ts'
import { phoneCredentials } from '#local/vendors/phone/credentials.ts'
import { releaseParts } from '#rules/audience.ts'
import { secrets } from '#test/local/test-server.ts'
import { startVendorServer, type VendorAnswer } from '#test/support/vendor-server.ts'
import { createPhoneOpener } from '#vendors/phone/open.ts'
import { type PhoneChannel, type PhoneGateway, phoneChannels, phoneProviders } from '#vendors/phone/phone.ts'
import { writeTwiml } from '#vendors/phone/twilio.ts'
import { httpWebhooks } from '#vendors/webhooks/http-webhooks.ts'

const local = await startLocalServer({ port: 0, secrets, redisName: 'phone' })
afterAll(() => local.close())

const open = createPhoneOpener({ findRefusal: async () => null }, httpWebhooks())
const { accountSid, apiKeySid, secret, webhookSecret } = phoneCredentials
const shared = { sender: '+15005550006' }
const gateways: Record<'twilio' | 'webhook', (origin: string) => PhoneGateway> = {
  twilio: (origin) => ({
    ...shared,
    provider: 'twilio',
    baseUrl: `${origin}/twilio`,
    accountSid,
    apiKeySid,
    secret,
  }),
  webhook: (origin) => ({
    ...shared,
    provider: 'webhook',
    baseUrl: `${origin}/phone`,
    accountSid: null,
    apiKeySid: null,
    secret: webhookSecret,
  }),
}
const createMessage = (kind: PhoneChannel, to = '+4930123456', text = 'An escalation waits for you') => ({
  id: crypto.randomUUID(),
  kind,
  to,
  text: releaseParts(text),
})
const providersAndKinds = phoneProviders.flatMap((provider) =>
  phoneChannels.map((kind) => [provider, kind] as const),
)

describe.each(providersAndKinds)('%s %s', (provider, kind) => {
  const send = (gateway: Partial<PhoneGateway>, ...message: [to?: string, text?: string]) =>
    open({ ...gateways[provider](local.origin), ...gateway }).send(createMessage(kind, ...message))

  it('PHO-02 sends what the gateway takes, signed in as it asks', async () => {
    local.dashboard.records.clear('phone')
    const text = 'A & B <are> "down": 50 %'
    expect(await send({}, undefined, text)).toMatchObject({ ok: true })
    const said = provider === 'twilio' && kind === 'voice' ? `${text}\n${text}` : text
    expect(local.dashboard.records.list('phone')).toMatchObject([
      { provider, kind, to: '+4930123456', from: '+15005550006', text: said, refused: undefined },
    ])
    const wrong = provider === 'twilio' ? 'wrong-secret' : `whsec_${Buffer.alloc(32).toString('base64')}`
    const refused = await send({ secret: wrong })
    expect(refused).toMatchObject({ ok: false, status: 401, isGatewayFault: true })
    expect(refused).not.toHaveProperty('gone')
  })
})

describe('Twilio', () => {
  const send = (kind: PhoneChannel, to: string) =>
    open(gateways.twilio(local.origin)).send(createMessage(kind, to))

  it.each([
    ['sms', '+15005550001', 'The number is invalid'],
    ['sms', '+15005550009', 'takes no text messages'],
    ['sms', '+15005550004', 'has answered STOP'],
    ['voice', '+15005550001', 'The number is invalid'],
    ['voice', '+15005550004', 'cannot be called'],
  ] as const)('PHO-03 gives up a %s to %s', async (kind, to, error) => {
    const result = await send(kind, to)
    expect(result).toMatchObject({ ok: false, gone: true, error: expect.stringContaining(error) })
    expect(result).not.toHaveProperty('isGatewayFault')
    expect(JSON.stringify(result)).not.toContain(to)
  })

  it('PHO-02 says a text twice, escaped', () => {
    const say = '<Say>A &#38; B &#60;Dial&#62;</Say>'
    expect(writeTwiml('A & B <Dial>')).toBe(
      `<Response><Pause length="1"/>${say}<Pause length="1"/>${say}</Response>`,
    )
  })

  it('PHO-02 signs in as the account without an API key', async () => {
    const gateway = { ...gateways.twilio(local.origin), apiKeySid: null }
    expect(await open(gateway).send(createMessage('sms'))).toMatchObject({ ok: true })
  })
})

/** What a gateway may answer, and what becomes of the message beside another attempt. */
const answers: Record<string, [answer: VendorAnswer, outcome: object]> = {
  'too many requests': [
    { status: 429, body: { code: 20429, message: 'Too many requests' } },
    { isPostponed: true, retryAfterSeconds: 30 },
  ],
  'too many requests with a time': [
    { status: 429, headers: { 'retry-after': '7' } },
    { isPostponed: true, retryAfterSeconds: 7 },
  ],
  'an internal error': [{ status: 500, body: { code: 20500, message: 'Internal error' } }, {}],
  'a page of a proxy': [
    { status: 503, body: '<html>Down</html>', headers: { 'retry-after': '9' } },
    { retryAfterSeconds: 9 },
  ],
  'a wrong sender': [{ status: 400, body: { code: 21606, message: 'The From number is not yours.' } }, {}],
  'wrong credentials': [{ status: 401, body: { code: 20003, message: 'Authenticate' } }, {}],
  'a closed account': [{ status: 403, body: { code: 20005, message: 'Account not active' } }, {}],
  'a long page': [{ status: 404, body: 'x'.repeat(200_000) }, {}],
  'a redirect': [{ status: 302, headers: { location: 'https://evil.example/' } }, {}],
}

describe.each(providersAndKinds)('%s %s', (provider, kind) => {
  it.each(Object.entries(answers))('PHO-03 attempts again after %s', async (_, [answer, outcome]) => {
    const vendor = await startVendorServer()
    vendor.answer = () => answer
    const result = await open(gateways[provider](vendor.origin)).send(createMessage(kind))
    vendor.close()
    expect(result).toMatchObject({ ok: false, status: answer.status, isGatewayFault: true, ...outcome })
    expect(result).not.toHaveProperty('gone')
    expect(vendor.requests).toHaveLength(1)
    for (const hidden of [secret, webhookSecret, '+4930123456', 'evil.example'])
      expect(JSON.stringify(result)).not.toContain(hidden)
  })

  it('PHO-03 repeats after a connection that breaks: a message that arrives twice is better than none', async () => {
    local.faults.set({ service: 'phone', mode: 'down', times: 1 })
    const result = await open(gateways[provider](local.origin)).send(createMessage(kind))
    expect(result).toMatchObject({ ok: false, status: null, isGatewayFault: true })
    expect(result).not.toHaveProperty('gone')
  })
})
