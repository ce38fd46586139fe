import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { root } from '#local/root.ts'
import { s3Objects } from '#platform/node/objects-s3.ts'
import { releaseParts } from '#rules/audience.ts'
import { openAi } from '#vendors/ai/openai.ts'
import { posthogAnalytics } from '#vendors/analytics/posthog.ts'
import { identityProvider } from '#vendors/auth/oidc.ts'
import { createAccountReferences } from '#vendors/billing/account-reference.ts'
import { stripeBilling } from '#vendors/billing/stripe.ts'
import { chatWebhooks } from '#vendors/chat/webhooks.ts'
import { resendMail } from '#vendors/mail/resend.ts'
import { dnsOverHttps } from '#vendors/net/dns.ts'
import { outboundGuard } from '#vendors/net/guard.ts'
import { createPsaOpener } from '#vendors/psa/open.ts'
import { qstashQueue } from '#vendors/queue/qstash.ts'

/** What the far side does. `trickle` sends a byte every 100 ms, for ever. */
type Behaviour = 'endless' | 'trickle' | 'redirect' | 'hang' | 'reset'

const sentBytes = new Map<string, number>()
const waitingCalls = new Map<string, Promise<Outcome>>()
const followedRedirects: string[] = []

// The first segment of the path is the behaviour, the second the port under test.
const server = createServer((request, response) => {
  const [, behaviour, port = ''] = (request.url ?? '').split('/')
  request.resume()
  if (behaviour === 'elsewhere') {
    followedRedirects.push(`redirect/${port}`)
    response.end('{}')
  } else respond[behaviour as Behaviour]?.(response, `${behaviour}/${port}`)
})
let origin = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  // The calls that wait for a time-out wait together.
  for (const behaviour of ['trickle', 'hang'] as const)
    for (const name of Object.keys(calls))
      waitingCalls.set(toKey(behaviour, name), measureCall(behaviour, name))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const respond: Record<Behaviour, (response: ServerResponse, key: string) => void> = {
  endless: (response, key) => {
    const chunk = Buffer.alloc(64 * 1024, ' ')
    response.writeHead(200, { 'content-type': 'application/json' })
    const send = () => {
      while (!response.destroyed) {
        sentBytes.set(key, (sentBytes.get(key) ?? 0) + chunk.length)
        if (!response.write(chunk)) return void response.once('drain', send)
      }
    }
    send()
  },
  trickle: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 100)
    response.once('close', () => clearInterval(timer))
  },
  redirect: (response, key) =>
    void response.writeHead(307, { location: `${origin}/elsewhere/${key.split('/')[1]}` }).end('{}'),
  hang: () => {},
  reset: (response) => void response.socket?.destroy(),
}

interface OutboundCall {
  /** Call the far side. Return the error that a caller or an operator sees, or null. */
  call(baseUrl: string): Promise<string | null>
  /** The most that may be read of one answer. */
  maxBytes: number
  maxSeconds: number
}

const catchError = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => String(error),
  )
const message = { title: 'Title', body: 'Body', url: null }
const mail = {
  deliveryId: 'd1',
  to: 'a@example.com',
  subject: 'Subject',
  html: 'Text',
  text: 'Text',
  matter: null,
}
const noDns = { resolve: async () => [] }
const completion = {
  version: 1,
  name: 'n',
  instructions: 'i',
  turns: [],
  schema: z.toJSONSchema(z.object({ a: z.string() })),
  effort: 'low' as const,
  maxTokens: 9,
  timeoutMs: 3000,
}
const openPsa = (baseUrl: string) =>
  createPsaOpener(outboundGuard(noDns, { allowedOrigin: new URL(baseUrl).origin }))
const s3 = { bucket: 'b', region: 'r', accessKeyId: 'a', secretAccessKey: 's' }
const kilobytes = (count: number) => count * 1024
const megabytes = (count: number) => count * 1024 * 1024

const calls: Record<string, OutboundCall> = {
  chat: {
    call: async (url) => {
      const result = await chatWebhooks().send(1, url, releaseParts(message))
      return result.ok ? null : result.error
    },
    maxBytes: kilobytes(64),
    maxSeconds: 10,
  },
  mail: {
    call: async (baseUrl) => {
      const result = await resendMail({ key: 'k', baseUrl, from: 'a@example.com' }).send([mail], 'key')
      return result.ok ? null : result.error
    },
    maxBytes: kilobytes(64),
    maxSeconds: 10,
  },
  'mail check': {
    call: (baseUrl) => catchError(resendMail({ key: 'k', baseUrl, from: 'a' }).ping()),
    maxBytes: kilobytes(64),
    maxSeconds: 10,
  },
  connectwise: {
    call: (baseUrl) => {
      const identity = { company_id: 'c', client_id: 'i' }
      const secrets = { public_key: 'p', private_key: 's' }
      return catchError(
        openPsa(baseUrl)({ provider: 'connectwise', baseUrl, identity, secrets }).listBoards(),
      )
    },
    maxBytes: megabytes(8),
    maxSeconds: 10,
  },
  halopsa: {
    call: (baseUrl) => {
      const identity = { client_id: 'i', tenant: null }
      return catchError(
        openPsa(baseUrl)({
          provider: 'halopsa',
          baseUrl,
          identity,
          secrets: { client_secret: 's' },
        }).listBoards(),
      )
    },
    maxBytes: megabytes(8),
    maxSeconds: 10,
  },
  ai: {
    call: (baseUrl) => catchError(openAi({ key: 'k', baseUrl, model: 'm' }).complete(completion)),
    maxBytes: megabytes(4),
    maxSeconds: 3,
  },
  'streamed ai': {
    call: (baseUrl) =>
      catchError(openAi({ key: 'k', baseUrl, model: 'm' }).complete({ ...completion, onText: () => {} })),
    maxBytes: megabytes(4),
    maxSeconds: 3,
  },
  billing: {
    call: async (baseUrl) => {
      const result = await stripeBilling({
        secretKey: 'k',
        webhookSecret: 's',
        baseUrl,
        references: createAccountReferences([]),
      }).getSubscription('sub_1')
      return result.ok ? null : result.reason
    },
    // The client repeats a failed call once.
    maxBytes: 2 * megabytes(1),
    maxSeconds: 12,
  },
  dns: {
    call: async (url) =>
      (await dnsOverHttps(url).resolve('example.com')) === null ? 'No server answered' : null,
    // A and AAAA.
    maxBytes: 2 * kilobytes(64),
    maxSeconds: 2,
  },
  'sign-in': {
    call: (issuer) => {
      const provider = identityProvider({
        name: 'google',
        issuer,
        clientId: 'c',
        clientSecret: 's',
        redirectUri: 'https://app.example.com',
      })
      return catchError(provider.authorizationUrl({ state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) }))
    },
    maxBytes: kilobytes(512),
    maxSeconds: 8,
  },
  queue: {
    call: (url) =>
      catchError(
        qstashQueue({ url, token: 't', target: 'https://api.example.com' }).publish([
          { path: '/jobs/a/b', body: {} },
        ]),
      ),
    maxBytes: megabytes(1),
    maxSeconds: 3,
  },
  'queue check': {
    call: (url) => catchError(qstashQueue({ url, token: 't', target: 'https://api.example.com' }).ping()),
    maxBytes: megabytes(1),
    maxSeconds: 3,
  },
  analytics: {
    call: (url) =>
      catchError(
        posthogAnalytics({ url, key: 'k' }).capture({ event: 'e', subject: 's', properties: {} } as never),
      ),
    maxBytes: kilobytes(64),
    maxSeconds: 3,
  },
  'objects in S3': {
    call: (endpoint) =>
      catchError(s3Objects({ ...s3, endpoint }, 3000).get('00000000-0000-7000-8000-000000000001.jpg')),
    maxBytes: megabytes(16),
    maxSeconds: 4,
  },
}
// The kernel and the HTTP client buffer a few megabytes of what was sent but not read.
const bufferedBytes = megabytes(16)

interface Outcome {
  error: string | null
  seconds: number
}

const toKey = (behaviour: Behaviour, name: string) => `${behaviour}/${encodeURIComponent(name)}`

async function measureCall(behaviour: Behaviour, name: string): Promise<Outcome> {
  const startedAt = performance.now()
  const error = (await calls[name]?.call(`${origin}/${toKey(behaviour, name)}`)) ?? null
  return { error, seconds: (performance.now() - startedAt) / 1000 }
}

describe.each(Object.entries(calls))('the port of %s', (name, { maxBytes, maxSeconds }) => {
  it.each<Behaviour>(['endless', 'trickle', 'redirect', 'hang', 'reset'])(
    'WIR-33 fails in limited time and memory when the far side is: %s',
    async (behaviour) => {
      const key = toKey(behaviour, name)
      const { error, seconds } = await (waitingCalls.get(key) ?? measureCall(behaviour, name))
      expect(error).toMatch(/^[\w\s'.,:()/-]{4,200}$/)
      expect(seconds).toBeLessThan(maxSeconds + 3)
      expect(sentBytes.get(key) ?? 0).toBeLessThan(maxBytes + bufferedBytes)
      expect(followedRedirects).not.toContain(key)
    },
  )
})

it('WIR-33 has one place that calls fetch, beside the bindings of the platforms', () => {
  const lib = join(root, 'lib')
  const files = readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('local'),
  )
  const callers = files.filter((file) => /(?<![\w.])fetch\(/.test(readFileSync(join(lib, file), 'utf8')))
  // The typed client runs in its callers' programs, not in the service.
  expect(callers.filter((file) => !/^(platform|client)\//.test(file))).toEqual([
    'vendors/net/bounded-fetch.ts',
  ])
})

describe('the DNS cache', () => {
  it('WIR-34 repeats addresses for their TTL, at most one minute, and a missing name for five seconds', async () => {
    const asked: string[] = []
    let now = 0
    const names: Record<string, { Status: number; Answer?: object[] }> = {
      'short.example': { Status: 0, Answer: [{ type: 1, data: '192.0.2.1', TTL: 30 }] },
      'long.example': { Status: 0, Answer: [{ type: 1, data: '192.0.2.2', TTL: 86_400 }] },
      'alias.example': {
        Status: 0,
        Answer: [
          { type: 5, data: 'x.', TTL: 10 },
          { type: 1, data: '192.0.2.3', TTL: 50 },
        ],
      },
      'missing.example': { Status: 3 },
    }
    const dnsServer = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://dns')
      const name = searchParams.get('name') ?? ''
      if (searchParams.get('type') === 'A') asked.push(name)
      response.end(
        JSON.stringify(
          searchParams.get('type') === 'A' || name === 'missing.example'
            ? names[name]
            : { ...names[name], Status: 0 },
        ),
      )
    })
    await new Promise<void>((resolve) => dnsServer.listen(0, '127.0.0.1', resolve))
    try {
      const resolver = dnsOverHttps(
        `http://127.0.0.1:${(dnsServer.address() as AddressInfo).port}`,
        () => now,
      )
      for (const [name, lifetime] of [
        ['short.example', 30],
        ['long.example', 60],
        ['alias.example', 10],
        ['missing.example', 5],
      ] as const) {
        asked.length = 0
        const first = await resolver.resolve(name)
        now += lifetime * 1000 - 1
        expect([name, await resolver.resolve(name), asked.length]).toEqual([name, first, 1])
        now += 1
        await resolver.resolve(name)
        expect([name, asked.length]).toEqual([name, 2])
      }
    } finally {
      dnsServer.close()
    }
  })
})
