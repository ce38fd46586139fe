import { describe, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { type AnyOperation, getMaxBody, requiresToken } from '#http/operation.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { type Limit, parseRate } from '#vendors/cache/limiter.ts'
import { listCases, listSharedCases } from './cases.ts'
import type { Sample } from './fixture-rows.ts'
import { fixtures, getFixture } from './fixtures.ts'
import { createRequestSetup, mayWrite } from './request-setup.ts'
import {
  createPermittedCaller,
  createRefusedCaller,
  expectSuccess,
  hasOpenBody,
  hasUuidParams,
  mapIds,
  roles,
  send,
} from './requests.ts'
import { readChecksums } from './row-checksums.ts'

const service = await sharedService()
const malformedTokens = {
  scheme: { authorization: 'Basic ZGFuYTpzZWNyZXQ=' },
  token: { authorization: 'Bearer not.a.token' },
}

/** Create a valid request of the operation, and the token to send it with. */
async function createSetup(op: AnyOperation) {
  const setup = await createRequestSetup(service, op)
  return { ...setup, token: requiresToken(op) ? setup.person.token : null }
}

describe('list of operations', () => {
  it('every operation has a fixture, and every fixture has an operation', () => {
    const ids: string[] = operations.map(({ id }) => id)
    for (const op of operations) getFixture(op)
    expect(Object.keys(fixtures).filter((id) => !ids.includes(id))).toEqual([])
  })

  it('every operation has a unique id of the form group.verb or group.subgroup.verb, and a unique method and path', () => {
    const ids = operations.map(({ id }) => id)
    const routes = operations.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)
    expect([new Set(ids).size, new Set(routes).size]).toEqual([operations.length, operations.length])
    for (const id of ids) expect(id).toMatch(/^[a-z][a-zA-Z]*(\.[a-z][a-zA-Z]*){1,2}$/)
  })

  it('every operation declares exactly the parameters in its path', () => {
    for (const op of operations) {
      const inPath = [...op.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(Object.keys(op.params?.shape ?? {}), op.id).toEqual(inPath)
    }
  })
})

const roleList = Object.entries(roles)

describe.concurrent('access', () => {
  it.each(listCases())(
    '%s returns its success status and a body of its schema for a valid request',
    async (_, op) => {
      const { sample, token } = await createSetup(op)
      expectSuccess(op, await send(service, op, sample, { token }))
    },
  )

  it.each(listSharedCases(requiresToken))(
    'WIR-09 AUT-09 %s returns 401 with WWW-Authenticate for a missing or invalid Bearer token, and changes nothing',
    async (_, op) => {
      const { sample, rows, person } = await createSetup(op)
      const before = await rows()
      const tampered = `${person.token.slice(0, -8)}AAAAAAAA`
      for (const headers of [
        {},
        malformedTokens.scheme,
        malformedTokens.token,
        { authorization: person.token },
        { authorization: `Bearer ${tampered}` },
      ]) {
        const response = await send(service, op, sample, { headers: headers as Record<string, string> })
        expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
        expect(response.body).toEqual({ detail: 'Not authenticated' })
      }
      expect(await rows()).toEqual(before)
    },
  )

  it.each(listSharedCases((op) => !requiresToken(op)))(
    'WIR-27 %s ignores an Authorization header, even a malformed one',
    async (_, op) => {
      const { sample, person, account } = await createSetup(op)
      expectSuccess(op, await send(service, op, sample, { headers: malformedTokens.token }))
      for (const headers of [malformedTokens.scheme, { authorization: `Bearer ${person.token}` }]) {
        const nextSample = await getFixture(op)(service, await createPermittedCaller(op, account))
        expectSuccess(op, await send(service, op, nextSample, { headers }))
      }
    },
  )

  it.each(listSharedCases(requiresToken))(
    'WIR-04 %s succeeds for the roles that its access allows, and returns 403 to the others',
    async (_, op) => {
      const account = await createAccount(service)
      const createCaller = async ([name, { options }]: (typeof roleList)[number]) => {
        const person = await account.addColleague(options)
        return { name, person, sample: await getFixture(op)(service, person) }
      }
      const [granted, refused] = [true, false].map((isGranted) =>
        roleList.filter(([, { grants }]) => grants.includes(op.access) === isGranted),
      )
      const callers = []
      for (const role of refused ?? []) callers.push(await createCaller(role))
      const rows = async () => (mayWrite(op) ? await readChecksums(service, account.id) : {})
      const before = await rows()
      for (const { name, person, sample } of callers) {
        const response = await send(service, op, sample, { token: person.token })
        expect([name, response.status, response.body]).toEqual([name, 403, { detail: 'Not allowed' }])
      }
      expect(await rows()).toEqual(before)
      // After the others, because jobs after a success may change rows later.
      for (const role of granted ?? []) {
        const { name, person, sample } = await createCaller(role)
        expect((await send(service, op, sample, { token: person.token })).status, name).toBe(op.success)
      }
    },
  )

  it('NOT-09 every config operation returns 403 to viewers and engineers who are no team admin', async () => {
    const configOperations = operations.filter(
      ({ path }) => path.startsWith('/notifications/configs') || path.startsWith('/notifications/deliveries'),
    )
    expect(configOperations.length).toBeGreaterThanOrEqual(7)
    const account = await createAccount(service)
    for (const op of configOperations) {
      for (const role of ['viewer', 'engineer', 'admin'] as const) {
        const person = await account.addColleague({ role, teamRole: 'member' })
        const sample = await getFixture(op)(service, person)
        expect((await send(service, op, sample, { token: person.token })).status, `${op.id} by ${role}`).toBe(
          role === 'admin' ? op.success : 403,
        )
      }
    }
  })
})

describe.concurrent('request validation', () => {
  it.each(listSharedCases(hasUuidParams))('WIR-12 %s returns 404 for a malformed id', async (_, op) => {
    const { account, sample, token, rows } = await createSetup(op)
    const id = Object.values(sample.params ?? {})[0] ?? ''
    const malformed = [
      '1',
      'null',
      `${id}0`,
      id.slice(1),
      id.replaceAll('-', ''),
      `{${id}}`,
      `${id}'--`,
      '٣'.repeat(36),
    ]
    // The strictest limit of an operation with an id is 5 calls a minute.
    const second = await createPermittedCaller(op, account)
    const before = await rows()
    for (const [n, text] of malformed.entries()) {
      const response = await send(
        service,
        op,
        mapIds(sample, () => text),
        { token: n < 4 ? token : second.token },
      )
      expect([text, response.status, response.body]).toEqual([text, 404, { detail: 'Not found' }])
    }
    expect(await rows()).toEqual(before)
  })

  it.each(listSharedCases((op) => op.body && !hasOpenBody(op)))(
    'WIR-10 WIR-14 %s returns 422 for an unknown body field',
    async (_, op) => {
      const { sample, token, rows } = await createSetup(op)
      const before = await rows()
      const response = await send(
        service,
        op,
        { ...sample, body: { ...sample.body, zz_unknown: 1, 'zz also': [] } },
        { token },
      )
      expectStatus(response, 422)
      expect(response.body.errors).toEqual(
        ['zz_unknown', 'zz also'].map((key) => ({
          loc: ['body', key],
          msg: expect.any(String),
          type: expect.any(String),
        })),
      )
      expect(await rows()).toEqual(before)
    },
  )

  it.each(listSharedCases())('WIR-10 %s returns 422 for an unknown query parameter', async (_, op) => {
    const { sample, token, rows } = await createSetup(op)
    const before = await rows()
    const response = await send(
      service,
      op,
      { ...sample, query: { ...sample.query, zz_unknown: '1' } },
      { token },
    )
    expectStatus(response, 422)
    expect(response.body.errors).toEqual([
      { loc: ['query', 'zz_unknown'], msg: expect.any(String), type: expect.any(String) },
    ])
    expect(await rows()).toEqual(before)
  })

  it.each(listSharedCases((op) => op.body))(
    'WIR-13 %s returns 415 for another content type and 422 for malformed JSON',
    async (_, op) => {
      const { sample, token, rows } = await createSetup(op)
      const before = await rows()
      for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
        expect(
          (await send(service, op, sample, { token, headers: { 'content-type': type } })).status,
          type,
        ).toBe(415)
      }
      const response = await send(service, op, sample, { token, raw: '{"a": 1,' })
      expect([response.status, response.body.errors[0].loc]).toEqual([422, ['body']])
      expect(await rows()).toEqual(before)
    },
  )

  it.each(listSharedCases((op) => op.method !== 'get'))(
    '%s returns 413 for a body over its limit',
    async (_, op) => {
      const { sample, token, rows } = await createSetup(op)
      const before = await rows()
      const response = await send(service, op, sample, { token, size: getMaxBody(op) + 1 })
      expect([response.status, response.body]).toEqual([413, { detail: 'The body is too large' }])
      expect(await rows()).toEqual(before)
    },
  )
})

describe.concurrent('order of checks', () => {
  it.each(listSharedCases())(
    'WIR-11 %s returns the status of the first mistake when a request has several',
    async (_, op) => {
      const account = await createAccount(service)
      const [permitted, refused] = [
        await createPermittedCaller(op, account),
        await createRefusedCaller(op, account),
      ]
      const sample = await getFixture(op)(service, permitted)
      const mistakes = listMistakes(op, sample)
      for (let n = 0; n < mistakes.length; n++) {
        const statuses = mistakes.slice(n).map(({ status }) => status)
        const caller: Person | null =
          statuses.includes(401) || !requiresToken(op) ? null : statuses.includes(403) ? refused : permitted
        const { sample: request, ...rest } = applyMistakes(mistakes.slice(n), sample)
        const response = await send(service, op, request, { token: caller?.token ?? null, ...rest })
        expect([response.status, statuses], `${op.id} with mistakes ${statuses}`).toEqual([
          statuses[0],
          statuses,
        ])
      }
    },
  )

  it.each(listSharedCases((op) => requiresToken(op) && op.access !== 'user'))(
    'WIR-11 %s returns 429 before 403, and 401 before 429',
    async (_, op) => {
      const account = await createAccount(service)
      const refused = await createRefusedCaller(op, account)
      const request = {
        params: Object.fromEntries(
          Object.keys(op.params?.shape ?? {}).map((name) => [name, crypto.randomUUID()]),
        ),
      }
      const first = await send(service, op, request, { token: refused.token })
      expectStatus(first, 403)
      const max = Number(first.headers.get('ratelimit-limit'))
      if (max > 3) await addCountedCalls(op, refused, max, max - 3)
      for (let n = max > 3 ? max - 2 : 1; n < max; n++)
        expectStatus(await send(service, op, request, { token: refused.token }), 403)
      const over = await send(service, op, request, { token: refused.token })
      expect([
        over.status,
        over.headers.get('ratelimit-limit'),
        over.headers.get('ratelimit-remaining'),
      ]).toEqual([429, String(max), '0'])
      expectStatus(await send(service, op, request), 401)
    },
  )
})

/**
 * Count calls of a person against the limit of an operation, or against that of its invalid requests if `max`
 * is another.
 */
async function addCountedCalls(op: AnyOperation, { id }: Person, max: number, count: number): Promise<void> {
  const rate = parseRate(op.limit as Limit)
  const key = `${op.id}:${id}${max === rate.max ? '' : ':invalid'}`
  for (let n = 0; n < count; n++) await service.services?.limiter.count(key, { ...rate, max }, false)
}

interface BrokenRequest {
  sample: Sample
  headers?: Record<string, string>
  raw?: string
  size?: number
}
interface Mistake {
  status: number
  make?: (request: BrokenRequest) => Partial<BrokenRequest>
}

/** List the mistakes that one request can contain, in the order in which the operation must report them. */
function listMistakes(op: AnyOperation, sample: Sample): Mistake[] {
  const unknownId = crypto.randomUUID()
  const randomIds = mapIds(sample, () => unknownId)
  const malformedPath = Object.fromEntries(
    Object.keys(sample.params ?? {}).map((name) => [name, 'not-an-id']),
  )
  const all: (Mistake | false)[] = [
    requiresToken(op) && { status: 401 },
    requiresToken(op) && op.access !== 'user' && { status: 403 },
    hasUuidParams(op) && {
      status: 404,
      make: (request) => ({ sample: { ...request.sample, params: malformedPath } }),
    },
    op.method !== 'get' && { status: 413, make: () => ({ size: getMaxBody(op) + 1 }) },
    (op.body !== undefined || op.bodyFormat === 'file') && {
      status: 415,
      make: () => ({ raw: '{', headers: { 'content-type': 'text/plain' } }),
    },
    {
      status: 422,
      make: ({ sample }) => ({ sample: { ...sample, query: { ...sample.query, zz_unknown: '1' } } }),
    },
    hasUuidParams(op) && { status: 404, make: () => ({ sample: randomIds }) },
  ]
  return all.filter((mistake) => mistake !== false)
}

function applyMistakes(mistakes: readonly Mistake[], sample: Sample): BrokenRequest {
  let request: BrokenRequest = { sample }
  for (const { make } of mistakes.toReversed()) request = Object.assign(request, make?.(request))
  return request
}
