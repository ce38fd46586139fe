// @module-tag mechanism
import { createServer, type IncomingMessage } from 'node:http'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { openRestRedis } from '#platform/cloudflare/redis.ts'
import { listen } from '#platform/node/server.ts'

const requests: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = []
let status = 200
const server = createServer(({ method, url, headers }, response) => {
  requests.push({ method, url, headers })
  if (status === 0) return response.destroy()
  return response.writeHead(status, { 'upstash-sync-token': 'a1' }).end('{"result":"7"}')
})
const redis = openRestRedis(`http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`, 't', 1000)
afterAll(() => server.closeAllConnections())
beforeEach(() => {
  status = 200
  requests.length = 0
})

it('sends each command as one request, without telemetry and without asking for an encoding', async () => {
  expect(await Promise.all([redis.get('a'), redis.get('b')])).toEqual(['7', '7'])
  await redis.set('a', '1', 60)
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(Array(3).fill('POST /'))
  const names = requests.flatMap(({ headers }) =>
    Object.keys(headers).filter((name) => name.startsWith('upstash')),
  )
  expect(names).toEqual([])
})

it.each([
  ['an error', 500],
  ['no answer', 0],
])('does not repeat a command that got %s', async (_, failure) => {
  status = failure
  await expect(redis.get('a')).rejects.toThrow()
  expect(requests).toHaveLength(1)
})
