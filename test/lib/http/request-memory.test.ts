import { request } from 'node:http'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { createApp } from '#http/app.ts'
import { type AnyOperation, operation } from '#http/operation.ts'
import { mountOperations } from '#http/request.ts'
import { toRouteGroup } from '#http/routes.ts'
import { serveHttp } from '#platform/node/server.ts'
import { createStubServices } from '#test/support/stub-services.ts'

const requests = 500
const id = '0197a000-0000-7000-8000-000000000001'
const countTeams = operation({
  id: 'probe.count',
  route: 'GET /probe',
  summary: 'Count my teams',
  access: 'user',
  limit: 'read',
  returns: z.strictObject({ count: z.int() }),
  handle: async ({ ctx }) => ({ count: (await ctx.db.selectFrom('teams').select('id').execute()).length }),
})

it('OBS-23 leaves nothing of a request in the old generation', async () => {
  const { port, close } = await serveProbe()
  onTestFinished(() => close(0))
  const callAll = async () => {
    for (let n = 0; n < requests; n++) expect(await callProbe(port)).toBe(200)
  }
  await callAll()
  const before = measureOldGeneration()
  await callAll()
  // Compiled code and caches of the runtime are a part of it.
  expect((measureOldGeneration() - before) / requests).toBeLessThan(2048)
})

function serveProbe() {
  const run = async (statements: readonly unknown[]) => statements.map(() => ({ rows: [], rowCount: 0 }))
  const services = createStubServices({ runtime: { run, begin: async () => Promise.reject(new Error()) } })
  const caller = { userId: id, accountId: id, signInId: id }
  Object.assign(services.ports, { tokens: { verify: async () => caller } })
  const app = createApp(services)
  mountOperations(app, [toRouteGroup([countTeams] as AnyOperation[])], services)
  return serveHttp(app, { port: 0, host: '127.0.0.1' })
}

/** Call the probe, and return the status. */
function callProbe(port: number): Promise<number | undefined> {
  const headers = { authorization: 'Bearer a.b.c' }
  return new Promise((resolve, reject) => {
    request({ port, path: '/api/v1/probe', headers }, (response) =>
      response.resume().on('end', () => resolve(response.statusCode)),
    )
      .on('error', reject)
      .end()
  })
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void

/** Return the bytes of the old generation, after collections of the young one that leave the old one as it is. */
function measureOldGeneration(): number {
  for (let n = 0; n < 3; n++) collect({ type: 'minor' })
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')
  return space?.space_used_size ?? 0
}
