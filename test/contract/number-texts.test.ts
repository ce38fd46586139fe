import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseConfig, settings } from '#config.ts'
import { operations } from '#functions/operations.ts'
import type { C } from '#http/app.ts'
import { createParamsValidator, getQuerySchema } from '#http/validators.ts'
import { nodeSettings } from '#platform/node/settings.ts'
import { Problem } from '#problem.ts'
import { requireDecimals } from '#rules/text/decimal.ts'
import { request, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const otherTexts = [
  '0x10',
  '0b1',
  '1e1',
  '1E2',
  ' 5',
  '5 ',
  '+5',
  '',
  '١٢',
  '5,0',
  'Infinity',
  'NaN',
  '9007199254740993',
]

/** Return the numbers that a shape reads from texts, below defaults and the like. */
const listNumbers = (shape: z.ZodRawShape) =>
  Object.entries(shape).filter(([, schema]) => {
    let inner = schema as z.ZodType & { def: { innerType?: z.ZodType } }
    while (inner.def.innerType) inner = inner.def.innerType as typeof inner
    return inner instanceof z.ZodNumber
  })

const queries = operations
  .map((op) => [op.id, getQuerySchema(op)] as const)
  .filter(([, schema]) => listNumbers(schema.shape).length > 0)
const paths = operations.flatMap(({ id, params }) => {
  const names = params ? listNumbers(params.shape).map(([name]) => name) : []
  return params && names.length > 0 ? [[id, params as z.ZodObject, names] as const] : []
})

/** Return the status of a request whose path has a text for each number, and ids for the rest. */
async function sendPath(params: z.ZodObject, numbers: readonly string[], text: string) {
  const app = new Hono()
  const names = Object.keys(params.shape)
  app.get(names.map((name) => `/:${name}`).join(''), async (c) => {
    await createParamsValidator(params)(c as unknown as C)
    return c.body(null, 204)
  })
  app.onError((error, c) => c.body(null, error instanceof Problem ? (error.status as 404) : 500))
  const values = names.map((name) => (numbers.includes(name) ? encodeURIComponent(text) : uuid))
  return (await app.request(`/${values.join('/')}`)).status
}
const uuid = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d15'

describe('a number in a text', () => {
  it.each(queries)('WIR-82 of the query of %s is written in decimal digits', (_, schema) => {
    for (const [name] of listNumbers(schema.shape))
      for (const text of otherTexts) {
        const { error } = schema.safeParse(requireDecimals(schema.shape, { [name]: text }))
        expect([text, error?.issues.some(({ path }) => path[0] === name)]).toEqual([text, true])
      }
  })

  it.each(paths)('WIR-82 of the path of %s is written in decimal digits', async (_, params, names) => {
    for (const text of otherTexts) expect([text, await sendPath(params, names, text)]).toEqual([text, 404])
    expect(await sendPath(params, names, '12')).toBe(204)
  })

  it.each(listNumbers({ ...settings, ...nodeSettings }).map(([name, schema]) => [name, schema] as const))(
    'WIR-82 of the setting %s is written in decimal digits',
    (name, schema) => {
      for (const text of otherTexts) {
        const shape = { [name]: schema as z.ZodType }
        expect([text, z.object(shape).safeParse(requireDecimals(shape, { [name]: text })).success]).toEqual([
          text,
          false,
        ])
      }
    },
  )

  it('WIR-82 names a setting that is no decimal number, and takes those that are', async () => {
    const { settings: env } = await sharedService()
    const parse = (change: object) => () => parseConfig({ ...env, ...change })
    expect(parse({ REDIS_TIMEOUT_MS: '0x100' })).toThrow('REDIS_TIMEOUT_MS')
    expect(parse({ OUTBOUND_PORTS: '443,0x1F90' })).toThrow('OUTBOUND_PORTS')
    expect(
      parse({ REDIS_TIMEOUT_MS: '300', OTEL_TRACES_SAMPLER_ARG: '0.25', OUTBOUND_PORTS: '443, 8443' })(),
    ).toMatchObject({
      REDIS_TIMEOUT_MS: 300,
      OTEL_TRACES_SAMPLER_ARG: 0.25,
      OUTBOUND_PORTS: [443, 8443],
    })
  })

  it('WIR-82 answers 422 for another text, and takes names of JavaScript for unknown parameters', async () => {
    const service = await sharedService()
    const { admin } = await createAccount(service)
    for (const query of ['limit=0x10', 'limit=1e1', 'limit=%205', 'limit=', 'skip=9007199254740993'])
      expectStatus(await admin.call('GET', `/trees?${query}`), 422)
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const { body } = expectStatus(await admin.call('GET', `/trees?${name}=1`), 422)
      const types = body.errors.map(({ type }: { type: string }) => type)
      expect([name, types.includes('unknown_key'), types.includes('repeated')]).toEqual([name, true, false])
    }
    expectStatus(await admin.call('GET', '/trees?limit=10&skip=0'), 200)
  })

  it('WIR-82 refuses a key of a body that would be lost, and keeps other names of JavaScript', async () => {
    const service = await sharedService()
    const { admin } = await createAccount(service)
    const patch = (raw: string) =>
      request(service, 'PATCH', '/accounts/me/preferences', { raw, token: admin.token })
    for (const raw of ['{"__proto__": true}', '{"theme": {"a": [{"__proto__": 1}]}}'])
      expectStatus(await patch(raw), 422)
    expectStatus(await patch('{"constructor": 1, "toString": 2}'), 200)
    expect((await admin.call('GET', '/accounts/me/preferences')).text).toBe('{"toString":2,"constructor":1}')
  })
})
