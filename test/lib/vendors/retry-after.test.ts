import { globSync, readFileSync } from 'node:fs'
import { base64url } from 'jose'
import { afterAll, describe, expect, it } from 'vitest'
import { releaseParts } from '#rules/audience.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { toProviderProblem } from '#vendors/ai/ask.ts'
import { openAi } from '#vendors/ai/openai.ts'
import { planNext } from '#vendors/ai/providers.ts'
import { openArticles } from '#vendors/articles/open.ts'
import { chatWebhooks } from '#vendors/chat/webhooks.ts'
import { resendMail } from '#vendors/mail/resend.ts'
import { createMcpClient } from '#vendors/mcp/client.ts'
import { fetchPage } from '#vendors/net/page-fetcher.ts'
import { createPhoneOpener } from '#vendors/phone/open.ts'
import { createPsaOpener } from '#vendors/psa/open.ts'
import { createRunnerOpener } from '#vendors/runner/open.ts'
import { createMessageKey } from '#vendors/web-push/encrypt.ts'
import { httpWebPush } from '#vendors/web-push/http-web-push.ts'
import { httpWebhooks } from '#vendors/webhooks/http-webhooks.ts'

// A busy vendor may ask to wait for anything. Nobody waits longer than a day, or calls again at once.

const vendor = await startVendorServer()
afterAll(vendor.close)
const guard = { findRefusal: async () => null }
const key = 'k'
const daySeconds = 86_400

const waits: Record<string, string | string[]> = {
  'a date in the past': 'Wed, 21 Oct 2015 07:28:00 GMT',
  'a date in ten years': new Date(Date.now() + 3650 * 86_400_000).toUTCString(),
  'a date without end': 'Fri, 31 Dec 275760 00:00:00 GMT',
  'no time': '0',
  'less than no time': '-5',
  'an exponent': '1e9',
  'a long time': '999999999999',
  'a number without end': '9'.repeat(400),
  hexadecimal: '0x10',
  blank: ' ',
  text: 'soon, in 2050',
  'two headers': ['5', '10'],
  'two headers with a date': ['5', 'Wed, 21 Oct 2099 07:28:00 GMT'],
}
const shapes: Record<string, { headers?: Record<string, string | string[]>; body?: string }> = {
  ...Object.fromEntries(
    Object.entries(waits).map(([name, wait]) => [name, { headers: { 'retry-after': wait } }]),
  ),
  ...Object.fromEntries(
    ['0', '-5', '0x10', '1e400', '9'.repeat(400)].map((ms) => [
      `${ms.slice(0, 6)} ms`,
      { headers: { 'retry-after-ms': ms } },
    ]),
  ),
  'the tokens of an hour without end': { headers: { 'x-ratelimit-reset-tokens': '9'.repeat(400) } },
  'no time in the body': { body: '{"retry_after": 0, "message": "Slow down"}' },
  'no time in words': { body: 'Slow down. Try again in 0 seconds' },
  'a long time in the body': { body: `{"retry_after": ${'9'.repeat(400)}}` },
}

const psa = {
  connectwise: { company_id: 'c', client_id: 'i' },
  halopsa: { client_id: 'c', tenant: null, auth_url: null },
}
const sms = { id: crypto.randomUUID(), kind: 'sms', to: '+4930123456', text: releaseParts('a') } as const
const openPhone = createPhoneOpener(guard, httpWebhooks())
const completion = {
  ...{ name: 'a', version: 1, instructions: 'a', turns: [{ role: 'user' as const, text: 'a' }] },
  schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
  ...{ maxTokens: 100, effort: 'low' as const, timeoutMs: 3000 },
}
async function createSubscription() {
  const pair = await createMessageKey()
  const p256dh = base64url.encode(new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey)))
  return { endpoint: vendor.origin, p256dh, auth: base64url.encode(new Uint8Array(16)) }
}

const calls: Record<string, () => Promise<unknown>> = {
  connectwise: () =>
    createPsaOpener(guard)({
      ...{ provider: 'connectwise', baseUrl: vendor.origin, identity: psa.connectwise },
      secrets: { public_key: key, private_key: key },
    }).getTicket('1'),
  halopsa: () =>
    createPsaOpener(guard)({
      ...{
        provider: 'halopsa',
        baseUrl: vendor.origin,
        identity: psa.halopsa,
        secrets: { client_secret: key },
      },
    }).getTicket('1'),
  runner: () =>
    createRunnerOpener(guard)({ provider: 'tactical_rmm', baseUrl: vendor.origin, apiKey: key }).listAgents(
      undefined,
    ),
  hudu: () => openArticles({ vendor: 'hudu', baseUrl: vendor.origin, apiKey: key }, guard).read('1'),
  itGlue: () => openArticles({ vendor: 'it_glue', baseUrl: vendor.origin, apiKey: key }, guard).read('1'),
  chat1: () => chatWebhooks().send(1, vendor.origin, releaseParts({ title: 'a', body: 'b', url: null })),
  chat2: () => chatWebhooks().send(2, vendor.origin, releaseParts({ title: 'a', body: 'b', url: null })),
  webhooks: () =>
    httpWebhooks().send(vendor.origin, { id: 'a', payload: releaseParts('{}'), secrets: ['whsec_AAAA'] }),
  phone: () =>
    openPhone({
      ...{ provider: 'webhook', accountSid: null, apiKeySid: null },
      baseUrl: vendor.origin,
      sender: '+15005550006',
      secret: 'whsec_AAAA',
    }).send(sms),
  twilio: () =>
    openPhone({
      ...{ provider: 'twilio', baseUrl: vendor.origin, accountSid: 'AC1', apiKeySid: 'SK1' },
      ...{ secret: key, sender: '+15005550006' },
    }).send(sms),
  mail: () =>
    resendMail({ key, baseUrl: vendor.origin, from: 'a@example.com' }).send(
      [{ deliveryId: 'd', to: 'ada@example.com', subject: 's', html: 'h', text: 't', matter: null }],
      'i',
    ),
  webPush: async () =>
    httpWebPush({
      privateKey: base64url.encode(new Uint8Array(32).fill(7)),
      contact: 'mailto:a@example.com',
    }).send(
      await createSubscription(),
      releaseParts({ title: 'A', body: 'B', url: 'https://app.example/', topic: 'abc' }),
    ),
  page: () => fetchPage(guard, vendor.origin, { timeoutMs: 2000, maxBytes: 1000 }),
  model: () => openAi({ key, baseUrl: vendor.origin, model: 'm' }).complete(completion),
  mcp: () => createMcpClient(guard).listTools({ name: 'docs', url: vendor.origin, token: null }),
}

interface Said {
  isPostponed?: boolean
  retryAfterSeconds?: number
  retryAfterMs?: number
  result?: Said
}

/** Return what is wrong with the wait that a call has found, and with what is made of it. */
function findFault(said: Said): string | null {
  const { isPostponed, retryAfterSeconds, retryAfterMs } = said.result ?? said
  const seconds = retryAfterSeconds ?? (retryAfterMs === undefined ? undefined : retryAfterMs / 1000)
  if (isPostponed && !seconds) return 'is postponed by no time'
  if (seconds !== undefined && !(seconds >= 0 && seconds <= daySeconds)) return `waits ${seconds} s`
  const { 'retry-after': header = '1' } = toProviderProblem(said).headers
  if (!/^[1-9]\d{0,4}$/.test(header)) return `tells the caller to wait ${header} s`
  const plan = planNext(said, { remainingMs: 60_000, attemptsLeft: 1, hasNext: false })
  return plan?.step === 'repeat' && retryAfterMs === 0 && plan.waitMs === 0 ? 'repeats at once' : null
}

describe.each([429, 503])('WIR-92 a vendor that answers %i', (status) => {
  it.each(Object.entries(calls))('never makes %s wait for ever, or call again at once', async (_, call) => {
    const wrong: string[] = []
    for (const [shape, { headers, body = '' }] of Object.entries(shapes)) {
      vendor.requests.length = 0
      vendor.answer = ({ path }) =>
        path.endsWith('/token')
          ? { body: { access_token: 'a', expires_in: 600 } }
          : { status, headers: { ...headers } as Record<string, string>, body }
      const said = (await runWithin(createBudget({ steps: 1e9 }), call).catch(
        (error: unknown) => error,
      )) as Said
      const fault =
        findFault(said) ?? (vendor.requests.length > 4 ? `calls ${vendor.requests.length} times` : null)
      if (fault) wrong.push(`${shape}: ${fault}`)
    }
    expect(wrong).toEqual([])
  })
})

it('WIR-92 reads each Retry-After with one parser', () => {
  const readers = globSync('lib/vendors/**/*.ts').flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => /\.get\('retry-after'\)/.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  )
  expect(readers.length).toBeGreaterThan(5)
  expect(readers.filter((line) => !/parseRetryAfter(?:Ms)?\(/.test(line))).toEqual([])
})
