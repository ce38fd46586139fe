import { Ratelimit } from '@upstash/ratelimit'
import { Redis } from '@upstash/redis'
import { expect, test } from 'vitest'
import { expectStatus } from '#test/support/expect-status.ts'
import { secrets, startTestServer } from './test-server.ts'

const createClient = (origin: string, token = secrets.redisToken) =>
  new Redis({ url: `${origin}/redis`, token, retry: false, enableTelemetry: false })

test('single commands return the stored values, including non-ASCII text', async () => {
  const redis = createClient((await startTestServer()).origin)
  expect(await redis.set('k', { name: 'Žofie ✓ 你好' }, { ex: 60 })).toBe('OK')
  expect(await redis.get('k')).toEqual({ name: 'Žofie ✓ 你好' })
  expect(await redis.get('absent')).toBeNull()
  expect(await redis.incr('n')).toBe(1)
  await redis.hset('h', { a: 1, b: 'two' })
  expect(await redis.hgetall('h')).toEqual({ a: 1, b: 'two' })
  expect(await redis.zadd('z', { score: 1.5, member: 'm' })).toBe(1)
  expect(await redis.zrange('z', 0, -1, { withScores: true })).toEqual(['m', 1.5])
  expect(await redis.scan(0)).toEqual(['0', expect.arrayContaining(['k', 'n', 'h', 'z'])])
})

test('a pipeline returns a result or an error for each command', async () => {
  const { call, origin } = await startTestServer()
  const redis = createClient(origin)
  expect(await redis.pipeline().set('a', 1).incr('a').get('a').exec()).toEqual(['OK', 2, 2])
  expect(await redis.pipeline().set('l', 'x').lpush('l', 'y').exec({ keepErrors: true })).toEqual([
    { result: 'OK', error: undefined },
    { result: undefined, error: expect.stringContaining('WRONGTYPE') },
  ])
  const response = await call('POST', `/redis/pipeline?_token=${secrets.redisToken}`, [
    ['NONSENSE'],
    ['GET', 'a'],
  ])
  expectStatus(response, 200)
  expect(await response.json()).toEqual([{ error: "ERR unknown command 'NONSENSE'" }, { result: '2' }])
})

test('a malformed transaction runs no command', async () => {
  const { call, origin } = await startTestServer()
  const redis = createClient(origin)
  expect(await redis.multi().set('t', 'x').append('t', 'y').get('t').exec()).toEqual(['OK', 2, 'xy'])
  const response = await call('POST', `/redis/multi-exec?_token=${secrets.redisToken}`, [
    ['SET', 't', 'z'],
    ['SET'],
  ])
  expectStatus(response, 400)
  expect(await redis.get('t')).toBe('xy')
})

test('EXPIRE with NX does not change an existing expiry', async () => {
  const redis = createClient((await startTestServer()).origin)
  const incrementAndExpire = () => redis.pipeline().incr('w').expire('w', 60, 'NX').exec()
  expect(await incrementAndExpire()).toEqual([1, 1])
  expect(await incrementAndExpire()).toEqual([2, 0])
})

test('the local Redis runs scripts by text and by hash, and returns NOSCRIPT for an unknown hash', async () => {
  const redis = createClient((await startTestServer()).origin)
  const script =
    '#!lua flags=allow-key-locking\nreturn {redis.call("INCRBY", KEYS[1], ARGV[1]), "a", {2}, false}'
  await expect(redis.evalsha('0000', ['s'], ['5'])).rejects.toThrow('NOSCRIPT')
  expect(await redis.eval(script, ['s'], ['5'])).toEqual([5, 'a', [2], null])
  const sha = await redis.scriptLoad(script)
  expect(await redis.evalsha(sha, ['s'], ['5'])).toEqual([10, 'a', [2], null])
  await expect(redis.eval('return redis.call("LPUSH", KEYS[1], "x")', ['s'], [])).rejects.toThrow('WRONGTYPE')
  await expect(redis.eval('return (', [], [])).rejects.toThrow('ERR Error compiling script')
})

test('the local Redis accepts commands in the path, and refuses a wrong token', async () => {
  const { call, origin } = await startTestServer()
  const token = `_token=${secrets.redisToken}`
  expect(await (await call('GET', `/redis/set/k%2F1/v?EX=60&${token}`)).json()).toEqual({ result: 'OK' })
  const response = await call('GET', `/redis/get/k%2F1?${token}`)
  expect(await response.json()).toEqual({ result: 'v' })
  expect(response.headers.get('upstash-sync-token')).toBeTruthy()
  const failed = await call('POST', `/redis/?${token}`, ['SET', 'k'])
  expect([failed.status, await failed.json()]).toEqual([
    400,
    { error: "ERR wrong number of arguments for 'set' command" },
  ])
  await expect(createClient(origin, 'other').get('k')).rejects.toThrow('Unauthorized')
})

test('two servers in one process have separate data', async () => {
  const [first, second] = [
    createClient((await startTestServer()).origin),
    createClient((await startTestServer()).origin),
  ]
  await first.set('k', 1)
  expect(await second.get('k')).toBeNull()
})

test.each([
  ['a fixed window', () => Ratelimit.fixedWindow(7, '1 h')],
  ['a sliding window', () => Ratelimit.slidingWindow(7, '1 h')],
  ['a token bucket', () => Ratelimit.tokenBucket(7, '1 h', 7)],
])('%s allows exactly its limit, even for concurrent calls', async (_, limiter) => {
  const redis = createClient((await startTestServer()).origin)
  const limit = new Ratelimit({ redis, limiter: limiter(), ephemeralCache: false, analytics: false })
  const sequential = []
  for (let i = 0; i < 10; i++) sequential.push((await limit.limit('one')).success)
  expect(sequential).toEqual([...Array(7).fill(true), ...Array(3).fill(false)])
  const concurrent = await Promise.all(Array.from({ length: 30 }, () => limit.limit('two')))
  expect(concurrent.filter(({ success }) => success)).toHaveLength(7)
})
