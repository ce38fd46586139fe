import { expect, it } from 'vitest'
import { createApp } from '#http/app.ts'
import { operation } from '#http/operation.ts'
import { mountOperations } from '#http/request.ts'
import { loadOperations, toRouteGroup, toRoutes } from '#http/routes.ts'
import { createStubOperation } from '#test/support/stub-operation.ts'
import { createStubServices } from '#test/support/stub-services.ts'

const greetings = [
  operation({
    id: 'greetings.send',
    route: 'POST /greetings/',
    summary: 's',
    access: 'public',
    limit: 'none',
    success: 204,
    handle: async () => {},
  }),
  operation({
    id: 'greetings.clear',
    route: 'DELETE /greetings/{name}',
    summary: 's',
    access: 'public',
    limit: 'none',
    handle: async () => {},
  }),
]

function createTestApp(load: () => Promise<typeof greetings>) {
  const services = createStubServices()
  const app = createApp(services)
  mountOperations(app, [{ routes: toRoutes(greetings), load }], services)
  return async (method: string, path: string) => (await app.request(`/api/v1${path}`, { method })).status
}

it('loads a group of operations by the first request to one of its routes, and not again', async () => {
  let loads = 0
  const call = createTestApp(async () => {
    loads++
    return greetings
  })
  expect([await call('GET', '/greetings/'), loads]).toEqual([405, 0])
  expect([await call('POST', '/greetings'), await call('DELETE', '/greetings/ada'), loads]).toEqual([
    204, 204, 1,
  ])
})

it('answers 500 while a group cannot be loaded, and loads it by a later request', async () => {
  const failures = [new Error('no such module')]
  const call = createTestApp(async () => {
    const failure = failures.pop()
    if (failure) throw failure
    return greetings
  })
  expect([await call('POST', '/greetings/'), await call('POST', '/greetings/')]).toEqual([500, 204])
})

it('answers 500 for an operation that its group does not contain', async () => {
  const call = createTestApp(async () => greetings.slice(0, 1))
  expect([await call('DELETE', '/greetings/ada'), await call('POST', '/greetings/')]).toEqual([500, 204])
})

it('routes are in the order of their operations', async () => {
  const operations = [
    createStubOperation({}),
    createStubOperation({ id: 'c.d', method: 'post', path: '/c/{id}' }),
  ]
  expect(toRoutes(operations)).toEqual({ 'a.b': 'GET /a', 'c.d': 'POST /c/{id}' })
  expect(await loadOperations([toRouteGroup(operations), toRouteGroup([])])).toEqual(operations)
})
