import { expect, it } from 'vitest'
import { parseConfig } from '#config.ts'
import { imagesConversion } from '#platform/cloudflare/images.ts'
import { r2Objects } from '#platform/cloudflare/r2.ts'
import { sampleSettings } from '#test/support/settings.ts'

const never = <T>() => new Promise<T>(() => {})
const silentBucket = {
  put: never,
  get: never<null>,
  head: never,
  delete: never<void>,
  list: never<{ objects: { key: string }[] }>,
}
const timeout = expect.objectContaining({ name: 'TimeoutError' })

it('UPL-05 ends every call to R2 and Images after 10 seconds', () => {
  const { UPLOAD_TIMEOUT_MS: _, ...settings } = sampleSettings
  expect(parseConfig(settings).UPLOAD_TIMEOUT_MS).toBe(10_000)
})

it.each([
  ['put', (r2: ReturnType<typeof r2Objects>) => r2.put('key', new Uint8Array())],
  ['get', (r2: ReturnType<typeof r2Objects>) => r2.get('key')],
  ['remove', (r2: ReturnType<typeof r2Objects>) => r2.remove('key')],
  ['ping', (r2: ReturnType<typeof r2Objects>) => r2.pingObjects()],
])('UPL-05 fails the call %s of an object store that does not answer', async (_, call) => {
  await expect(call(r2Objects(silentBucket, 20))).rejects.toEqual(timeout)
})

it('UPL-05 fails to read an object whose body stalls', async () => {
  const bucket = { ...silentBucket, get: async () => ({ arrayBuffer: never<ArrayBuffer> }) }
  await expect(r2Objects(bucket, 20).get('key')).rejects.toEqual(timeout)
})

it('UPL-05 reports a decoder that does not answer, or whose answer stalls, as failed and not as an unreadable image', async () => {
  const stalledResponse = new Response(new ReadableStream<Uint8Array>())
  for (const output of [never<{ response(): Response }>, async () => ({ response: () => stalledResponse })]) {
    const transformer = { transform: () => transformer, output }
    const { toJpeg, pingDecoder } = imagesConversion({ input: () => transformer, info: never }, 20)
    expect(await toJpeg(new Uint8Array(), 100, 'a')).toEqual({ ok: false, reason: 'failed' })
    await expect(pingDecoder()).rejects.toEqual(timeout)
  }
})
