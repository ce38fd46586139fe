// @module-tag mechanism
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { createNodeServices } from '#platform/node/services.ts'
import { parseNodeConfig } from '#platform/node/settings.ts'
import { sampleSettings } from '#test/support/settings.ts'
import { startVendorServer } from '#test/support/vendor-server.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)
const unset = { REDIS_URL: undefined, OBJECTS_DIR: undefined, QSTASH_TOKEN: undefined }
const withoutQstash = { QSTASH_CURRENT_SIGNING_KEY: undefined, QSTASH_NEXT_SIGNING_KEY: undefined }

/** Create the services of a process whose database is never called. */
function open(changes: Record<string, string | undefined>) {
  const config = parseNodeConfig({
    ...sampleSettings,
    ...unset,
    ...withoutQstash,
    OBJECTS_DIR: 'objects',
    ...changes,
  })
  const node = createNodeServices(config, { log: () => {} })
  onTestFinished(() => node.close())
  return node
}
const s3 = {
  ...{ OBJECTS_DIR: undefined, S3_ENDPOINT: vendor.origin, S3_BUCKET: 'uploads', S3_REGION: 'eu-central-1' },
  ...{ S3_ACCESS_KEY_ID: 'id-1', S3_SECRET_ACCESS_KEY: 'secret' },
}

it.each([
  [{}, ['redis', 'hub']],
  [{ REDIS_URL: 'redis://127.0.0.1:1' }, []],
])('with %j the process itself is %j', (changes, inProcess) =>
  expect(open(changes).services.inProcess).toEqual(inProcess),
)

it('objects are stored in the bucket of the settings', async () => {
  await open(s3).services.ports.uploads.put('a.jpg', new Uint8Array(1))
  expect(vendor.requests.map(({ method, path }) => [method, path])).toEqual([['PUT', '/uploads/a.jpg']])
  expect(vendor.requests[0]?.headers.authorization).toMatch(/Credential=id-1\/\d{8}\/eu-central-1\/s3\//)
})

it('an answer of 300 is no success', async () => {
  vendor.answer = () => ({ status: 300 })
  await expect(open(s3).services.ports.uploads.put('a.jpg', new Uint8Array(1))).rejects.toThrow(
    'PutObject: the object store answered 300 without a code',
  )
})

it('without QStash the queue starts no worker by itself, and has nothing to stop', async () => {
  const lines: object[] = []
  const { queue } = createNodeServices(
    parseNodeConfig({ ...sampleSettings, ...unset, ...withoutQstash, OBJECTS_DIR: 'x' }),
    {
      log: (line) => lines.push(line),
    },
  )
  await queue.stop(0)
  await queue.port.publish([])
  await queue.close()
  expect(lines).toEqual([])
})

it('with QStash messages are sent to it', async () => {
  vendor.requests.length = 0
  vendor.answer = () => ({ body: [{ messageId: 'm' }] })
  const keys = { QSTASH_CURRENT_SIGNING_KEY: 'a', QSTASH_NEXT_SIGNING_KEY: 'b' }
  const { queue } = open({ QSTASH_TOKEN: 'token', QSTASH_URL: vendor.origin, ...keys })
  await queue.start({ run: async () => {}, cron: async () => {}, sweep: async () => {} })
  await queue.port.publish([{ path: '/jobs/psa/push', body: {} }])
  await queue.stop(0)
  expect(vendor.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token'])
})
