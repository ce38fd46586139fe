import { globSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withConnection } from '#db/migrate/connection.ts'
import { openRestRedis } from '#platform/cloudflare/redis.ts'
import { openPool } from '#platform/node/pool.ts'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { openAi } from '#vendors/ai/openai.ts'
import { stripeBilling } from '#vendors/billing/stripe.ts'
import { resendMail } from '#vendors/mail/resend.ts'
import { qstashQueue } from '#vendors/queue/qstash.ts'

// Whatever a client reads of the environment, another program may have put there.

const vendor = await startVendorServer()
const key = 'k'
const mail = { deliveryId: 'd', to: 'ada@example.com', subject: 's', html: 'h', text: 't', matter: null }
const completion = {
  ...{ name: 'a', version: 1, instructions: 'a', turns: [{ role: 'user' as const, text: 'a' }] },
  schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
  ...{ maxTokens: 100, effort: 'low' as const, timeoutMs: 3000 },
}
const references = { sign: async (id: string) => id, verify: async () => null }

/** A call with each client that sends requests, and an answer that it takes. */
const calls: Record<string, [answer: object, call: () => Promise<unknown>]> = {
  openai: [
    { id: 'c', choices: [{ message: { content: '{}' }, finish_reason: 'stop' }] },
    () => openAi({ key, baseUrl: vendor.origin, model: 'm' }).complete(completion),
  ],
  resend: [
    { data: [{ id: 'm' }] },
    async () => {
      const port = resendMail({ key, baseUrl: vendor.origin, from: 'a@example.com' })
      expect(await port.send([mail], 'i')).toMatchObject({ ok: true })
    },
  ],
  '@upstash/qstash': [
    [{ messageId: 'm' }],
    () =>
      qstashQueue({ url: vendor.origin, token: key, target: 'https://a.example' }).publish([
        { path: '/jobs/a/run', body: {} },
      ]),
  ],
  '@upstash/redis': [{ result: 'a' }, () => openRestRedis(vendor.origin, key, 2000).get('a')],
  stripe: [
    { id: 'cus', object: 'customer', deleted: true },
    () =>
      stripeBilling({
        secretKey: key,
        webhookSecret: 'w',
        baseUrl: vendor.origin,
        references,
      }).deleteCustomer('cus'),
  ],
}

const readers =
  /(?:\b(?:process\.env|env|environment|procEnv|safeEnv)\??\.|readEnv\('|ProcessEnvironment\(")([A-Z]\w+)/g
const ofThisMachine = new Set(['HOME', 'NODE_ENV', 'NODE_PG_FORCE_NATIVE'])

/** List the variables that the code of a package names. */
const listVariables = (name: string) =>
  globSync(`node_modules/${name}/**/*.{js,mjs,cjs}`).flatMap((path) =>
    Array.from(readFileSync(path, 'utf8').matchAll(readers), ([, variable = '']) => variable),
  )

/** `pg` makes the names of its options into those of libpq. */
const libpqVariables = Array.from(
  readFileSync('node_modules/pg/lib/connection-parameters.js', 'utf8').matchAll(
    /val\('(\w+)', config(?:, '(\w+)')?\)|env\.(PG\w+)/g,
  ),
  ([, option = '', named, read]) => named ?? read ?? `PG${option.toUpperCase()}`,
)

const url = 'postgres://app_runtime@127.0.0.1/support_flow'
const describeConnection = () =>
  JSON.stringify(Reflect.get(new pg.Client({ connectionString: url }), 'connectionParameters'))
const before = { ...process.env }
let expected = ''

beforeAll(() => {
  for (const name of libpqVariables) delete process.env[name]
  expected = describeConnection()
  for (const name of [...Object.keys(calls), 'graphile-worker', 'ioredis', 'nodemailer'].flatMap(
    listVariables,
  ))
    if (!ofThisMachine.has(name)) process.env[name] = 'http://other.example/x-other: other'
})
afterAll(() => {
  vendor.close()
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})

describe('WIR-93 the environment of another program', () => {
  it.each(Object.entries(calls))('changes nothing that %s sends', async (_, [body, call]) => {
    vendor.requests.length = 0
    vendor.answer = () => ({ headers: { 'content-type': 'application/json' }, body })
    await call()
    expect(vendor.requests).toHaveLength(1)
    expect(JSON.stringify(vendor.requests)).not.toContain('other')
  })

  it.each(
    Object.entries({
      'the service': async () => openPool({ connectionString: url }).end(),
      'a command': () => withConnection({ connectionString: 'postgres://a@127.0.0.1:1/a' }, async () => {}),
    }),
  )('changes nothing of the connection of %s', async (_, open) => {
    const wrong: string[] = []
    expect(libpqVariables).toEqual(expect.arrayContaining(['PGPORT', 'PGOPTIONS', 'PGAPPNAME', 'PGSSLMODE']))
    for (const name of libpqVariables) {
      process.env[name] = name === 'PGSSLMODE' ? 'no-verify' : name === 'PGPORT' ? '6543' : 'direct'
      await open().catch(() => {})
      const found = (() => {
        try {
          return describeConnection()
        } catch (error) {
          return String(error)
        }
      })()
      if (found !== expected) wrong.push(name)
      delete process.env[name]
    }
    expect(wrong.filter((name) => name !== 'PGPASSWORD')).toEqual([])
  })
})
