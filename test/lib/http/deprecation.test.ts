import { describe, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { createApp } from '#http/app.ts'
import { addLink, announceRemoval, type Deprecation, describeRemoval } from '#http/deprecation.ts'
import { buildOpenApi } from '#http/openapi/document.ts'
import { operation } from '#http/operation.ts'
import { mountOperations } from '#http/request.ts'
import { toRouteGroup } from '#http/routes.ts'
import { writeMethod } from '#local/build/client-operations.ts'
import { Problem } from '#problem.ts'
import { createStubServices } from '#test/support/stub-services.ts'

const deprecated: Deprecation = {
  since: '2026-12-01',
  sunset: '2027-06-30',
  successor: 'GET /flows/{flow_id}',
}
const createOperation = (id: `${string}.${string}`, fields: object) =>
  operation({
    id,
    method: 'get',
    path: `/${id}`,
    summary: 'Get a thing',
    access: 'public',
    limit: 'none',
    ...fields,
    handle: async () => undefined,
  } as never)
const things = [
  createOperation('things.old', { deprecated }),
  createOperation('things.current', {}),
  createOperation('things.failing', { deprecated, handle: () => Promise.reject(new Problem('not_found')) }),
]

async function readHeaders(path: string) {
  const services = createStubServices()
  const app = createApp(services)
  mountOperations(app, [toRouteGroup(things)], services)
  const { headers } = await app.request(`http://api.test/api/v1/${path}`)
  return ['deprecation', 'sunset', 'link'].map((name) => headers.get(name))
}

it.each(['things.old', 'things.failing'])(
  'WIR-43 the answer of %s, which is deprecated, says since when, until when and what to call instead',
  async (id) => {
    expect(await readHeaders(id)).toEqual([
      '@1796083200',
      'Wed, 30 Jun 2027 00:00:00 GMT',
      '</api/v1/flows/{flow_id}>; rel="successor-version"',
    ])
  },
)

it('the answer of another operation has none of these headers', async () => {
  expect(await readHeaders('things.current')).toEqual([null, null, null])
})

it('the document and the typed client mark a deprecated operation', () => {
  const [old] = things
  const { paths } = buildOpenApi(things, [], '1') as { paths: Record<string, { get: object }> }
  expect(paths['/api/v1/things.old']?.get).toMatchObject({
    deprecated: true,
    description: 'Deprecated. Removed on 2027-06-30. Use `GET /flows/{flow_id}` instead.',
  })
  expect(paths['/api/v1/things.current']?.get).not.toHaveProperty('deprecated')
  expect(writeMethod(old as never)).toContain('@deprecated Removed on 2027-06-30.')
})

it('WIR-43 a deprecated operation lives for at least six months, and its successor exists', () => {
  const monthsLater = (day: string, months: number) =>
    new Date(new Date(day).setUTCMonth(new Date(day).getUTCMonth() + months))
  const names = new Set(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`))
  const wrong = operations.filter(
    ({ deprecated: removal }) =>
      removal &&
      (new Date(removal.sunset) < monthsLater(removal.since, 6) ||
        (removal.successor !== undefined && !names.has(removal.successor))),
  )
  expect(wrong.map(({ id }) => id)).toEqual([])
})

describe('the removal of an operation', () => {
  const createContext = (headers: Record<string, string> = {}) => ({ headers, get: () => headers })
  it('is announced with its dates and its successor', () => {
    const c = createContext({ link: '<a>; rel="next"' })
    announceRemoval(c, { since: '2026-12-01', sunset: '2027-06-30', successor: 'GET /trees' })
    expect(c.headers).toEqual({
      deprecation: '@1796083200',
      sunset: 'Wed, 30 Jun 2027 00:00:00 GMT',
      link: '<a>; rel="next", </api/v1/trees>; rel="successor-version"',
    })
  })
  it('has no link without a successor', () => {
    const c = createContext()
    announceRemoval(c, { since: '2026-12-01', sunset: '2027-06-30' })
    expect(c.headers).not.toHaveProperty('link')
    addLink(c, '<b>')
    expect(c.headers).toHaveProperty('link', '<b>')
  })
  it.each([
    [{ successor: 'GET /trees' }, 'Removed on 2027-06-30. Use `GET /trees` instead.'],
    [{}, 'Removed on 2027-06-30.'],
  ])('is documented: %j', (more, text) =>
    expect(describeRemoval({ since: '2026-12-01', sunset: '2027-06-30', ...more })).toBe(text),
  )
})
