// @module-tag behaviour
import { afterAll, aroundEach, describe, expect, it } from 'vitest'
import { releaseParts } from '#rules/audience.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { forClient, forTicket } from '#rules/release.ts'
import { agentIds } from '#test/support/runner.ts'
import { startSmtpServer } from '#test/support/smtp-server.ts'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { openArticles } from '#vendors/articles/open.ts'
import { stripeBilling } from '#vendors/billing/stripe.ts'
import { chatWebhooks } from '#vendors/chat/webhooks.ts'
import { smtpMail } from '#vendors/mail/smtp.ts'
import { readSentence, readWaitMs } from '#vendors/net/refusal.ts'
import { createPsaOpener } from '#vendors/psa/open.ts'
import type { PsaPort } from '#vendors/psa/psa.ts'
import { createRunnerOpener } from '#vendors/runner/open.ts'

// What another system says when it refuses arrives, whatever was asked of it and however it writes it. MCP
// servers have the same in mcp/mcp-dialects.test.ts.

const vendor = await startVendorServer()
afterAll(vendor.close)
aroundEach((runTest) => runWithin(createBudget({ steps: 1e9 }), runTest))

const guard = { findRefusal: async () => null }
const key = 'k-7Q2XW9ZV4T8R1'
const sentence = 'text must not exceed 2000 characters'
/** What nobody may see: the key of the call, a password, a line break and a character that hides text. */
const noise = `(${key})\r\n\u202e password: Hunter2secret!`

/** The error bodies of the vendors, each with the sentence. */
const bodies: Record<string, string> = {
  // https://developer.connectwise.com/Best_Practices/PSA_API_Requests
  connectwise: JSON.stringify({
    code: 'InvalidObject',
    message: 'ticketNote object is invalid',
    errors: [{ code: 'MaxLength', message: `${sentence} ${noise}`, resource: 'ticketNote', field: 'text' }],
  }),
  halopsa: JSON.stringify({ ClassName: 'System.Exception', Message: `${sentence} ${noise}`, Data: null }),
  'the list of a field': JSON.stringify({ text: [`${sentence} ${noise}`] }),
  detail: JSON.stringify({ detail: `${sentence} ${noise}` }),
  'the details of a field': JSON.stringify({
    detail: [{ loc: ['body', 'text'], msg: `${sentence} ${noise}` }],
  }),
  // https://jsonapi.org/format/#errors
  'JSON API': JSON.stringify({
    errors: [{ status: '422', title: 'Invalid', detail: `${sentence} ${noise}` }],
  }),
  OAuth: JSON.stringify({ error: 'invalid_request', error_description: `${sentence} ${noise}` }),
  'a nested error': JSON.stringify({ error: { code: 400, message: `${sentence} ${noise}` } }),
  'a text in JSON': JSON.stringify(`${sentence} ${noise}`),
  'a plain text': `${sentence} ${noise}`,
}

const ticket = forTicket('internal', 'a')
const psaCalls: Record<string, (port: PsaPort) => Promise<unknown>> = {
  checkCredentials: (port) => port.checkCredentials(),
  getTicket: (port) => port.getTicket('1'),
  addNote: (port) => port.addNote('1', ticket),
  updateTicket: (port) => port.updateTicket('1', { statusId: '2' }),
  createTicket: (port) =>
    port.createTicket({
      summary: forClient('a'),
      description: forClient('a'),
      companyId: '1',
      contactId: null,
      boardId: null,
      reference: 'r',
    }),
  addTimeEntry: (port) =>
    port.addTimeEntry({
      ticketId: '1',
      memberId: '1',
      startedAt: '2026-01-01T00:00:00Z',
      minutes: 5,
      note: ticket,
      reference: 'r',
    }),
}
const connectwise = () =>
  createPsaOpener(guard)({
    provider: 'connectwise',
    baseUrl: vendor.origin,
    identity: { company_id: 'c', client_id: 'i' },
    secrets: { public_key: 'public', private_key: key },
  })
const halopsa = () =>
  createPsaOpener(guard)({
    provider: 'halopsa',
    baseUrl: vendor.origin,
    identity: { client_id: 'demo', tenant: null, auth_url: null },
    secrets: { client_secret: key },
  })
const runner = () =>
  createRunnerOpener(guard)({ provider: 'tactical_rmm', baseUrl: vendor.origin, apiKey: key })
const script = { reference: 'r', title: 't', language: 'bash', script: 'echo' } as const
const articles = (name: 'hudu' | 'it_glue') =>
  openArticles({ vendor: name, baseUrl: vendor.origin, apiKey: key }, guard)
const billing = () =>
  stripeBilling({
    secretKey: key,
    webhookSecret: 'w',
    baseUrl: vendor.origin,
    references: { sign: async (id) => id, verify: async () => null },
  })
const toFailure = async (result: Promise<{ ok: boolean; error?: string; message?: string | null }>) => {
  const { ok, error, message } = await result
  if (!ok) throw new Error(error ?? message ?? '')
}
const mail = { deliveryId: 'd', to: 'ada@example.com', subject: 's', html: 'h', text: 't', matter: null }
const chat = releaseParts({ title: 'a', body: 'b', url: null })
const checkout = {
  priceId: 'p',
  email: 'ada@example.com',
  reference: 'r',
  customerId: null,
  successUrl: 'https://a.example/',
  cancelUrl: 'https://a.example/',
}

const operations: [string, string, () => Promise<unknown>][] = [
  ...Object.entries(psaCalls).flatMap(([name, call]): [string, string, () => Promise<unknown>][] => [
    ['connectwise', name, () => call(connectwise())],
    ['halopsa', name, () => call(halopsa())],
  ]),
  ['runner', 'checkCredentials', () => runner().checkCredentials()],
  ['runner', 'listAgents', () => runner().listAgents(undefined)],
  ['runner', 'storeScript', () => runner().storeScript(script)],
  ['runner', 'start', () => runner().start(agentIds.online, '1', 30)],
  ['runner', 'removeScript', () => runner().removeScript('r')],
  ...(['hudu', 'it_glue'] as const).flatMap((name): [string, string, () => Promise<unknown>][] => [
    [name, 'listPage', () => articles(name).listPage('')],
    [name, 'read', () => articles(name).read('1')],
  ]),
  ...([1, 2] as const).map((tool): [string, string, () => Promise<unknown>] => [
    `chat${tool}`,
    'send',
    () => toFailure(chatWebhooks().send(tool, `${vendor.origin}/hooks/${key}`, chat)),
  ]),
  ['stripe', 'createPortalUrl', () => toFailure(billing().createPortalUrl('cus', 'https://a.example/'))],
  ['stripe', 'createCheckoutUrl', () => toFailure(billing().createCheckoutUrl(checkout))],
  ['stripe', 'deleteCustomer', () => toFailure(billing().deleteCustomer('cus'))],
]

/** Stripe is read by its own client, which knows one shape. */
const shapesOf = (name: string) => (name === 'stripe' ? ['a nested error'] : Object.keys(bodies))

describe.each(operations)('%s: %s', (name, operation, call) => {
  it.each(
    shapesOf(name).flatMap((shape) =>
      (name === 'stripe' ? [400, 403] : [400, 403, 500]).map((status) => [status, shape] as const),
    ),
  )('says why after %i with the body of %s', async (status, shape) => {
    const isToken = (path: string) =>
      name === 'halopsa' && path.includes('token') && operation !== 'checkCredentials'
    vendor.answer = ({ path }) =>
      isToken(path)
        ? { body: { access_token: 'a', expires_in: 600 } }
        : { status, headers: { 'content-type': 'application/json' }, body: bodies[shape] ?? '' }
    const message = await call().then(
      () => 'no failure',
      (error: Error) => error.message,
    )
    expect(message).toContain(sentence)
    expect(message).not.toMatch(/Hunter2|[\p{Cc}\u202e]|k-7Q2/u)
    expect(message.length).toBeLessThan(400)
    if (status === 403 && name !== 'it_glue') expect(message).not.toMatch(/refused the (credentials|API key)/)
  })
})

describe('a mail server', () => {
  it.each(['onMailFrom', 'onRcptTo', 'onData', 'onAuth', 'onConnect'] as const)(
    'says why in %s',
    async (event) => {
      const refuse = (...given: unknown[]) => {
        const done = given.at(-1) as (error: Error) => void
        done(
          Object.assign(new Error(`${sentence} for ada@example.com`), {
            responseCode: event === 'onConnect' ? 421 : 552,
          }),
        )
      }
      const server = await startSmtpServer({ [event]: refuse })
      const { failures } = await smtpMail({ url: server.url, from: 'a@example.com', timeoutMs: 2000 }).send(
        [mail],
        'i',
      )
      await server.close()
      expect(failures?.get(0)?.error).toContain(sentence)
      expect(failures?.get(0)?.error).not.toContain('ada@')
    },
  )
})

describe('a sentence', () => {
  it.each([
    ['<html><title>502</title></html>', null],
    ['', null],
    ['{}', null],
    ['[]', null],
    ['null', null],
    ['7', null],
    ['{"error":"invalid_grant"}', 'invalid_grant'],
    ['no_service', 'no_service'],
    ['{"base_resp":{"status_msg":"The balance is too low"}}', 'The balance is too low'],
    ['The key sk-proj-ab****wxyz is wrong, ***abcd too.', 'The key … is wrong, … too'],
    [
      '{"code":"A","message":"One thing.","errors":[{"message":"Another <b>thing</b>."}]}',
      'One thing; Another thing',
    ],
    ['{"message":"It failed","error":{"message":"It failed"}}', 'It failed'],
    [JSON.stringify({ message: 'a b '.repeat(1000) }), expect.stringMatching(/^(a b )+.{0,3}…$/)],
    [`{"message":${'['.repeat(2000)}"a b"${']'.repeat(2000)}}`, null],
  ])('of %s is %s', async (body, expected) => {
    expect(await readSentence(body)).toEqual(expected)
  })

  it.each([
    ['Please try again in 28.1s.', 28_100],
    ['Try again in 6m0s', 360_000],
    ['retry after 2 minutes', 120_000],
    ['{"retryDelay":"30s"}', 30_000],
    ['{"retry_after": 1.5}', 1500],
    ['{"retry_after_ms": 1500}', 1500],
    ['try again in 40 days', 86_400_000],
    ['try again later', undefined],
    ['The limit is 60 requests', undefined],
    ['', undefined],
  ])('%s asks to wait %s ms', (body, ms) => {
    expect(readWaitMs(body)).toBe(ms)
  })
})
