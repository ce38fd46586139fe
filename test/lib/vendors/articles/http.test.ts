import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { listen } from '#platform/node/server.ts'
import { createArticlesHttp } from '#vendors/articles/http.ts'

const guard = { findRefusal: async () => null }

it('KBI-24 a vendor that hangs is given up in time, and is not asked once the time of the slice is over', async () => {
  let calls = 0
  const server = createServer(() => void calls++)
  const baseUrl = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const get = createArticlesHttp({ vendor: 'hudu', baseUrl, apiKey: 'k' }, 'application/json', guard, {
    callMs: 400,
    totalMs: 400,
  })
  await expect(get('/', z.unknown())).rejects.toMatchObject({
    kind: 'other',
    message: 'Hudu: No answer within 0.4 s',
  })
  await expect(get('/', z.unknown())).rejects.toMatchObject({ kind: 'late', result: { ok: false } })
  expect(calls).toBe(1)
})
