// @module-tag mechanism
import { expect, it } from 'vitest'
import { toProblem } from '#http/app.ts'
import { staticAssets } from '#platform/cloudflare/assets.ts'
import { imagesConversion } from '#platform/cloudflare/images.ts'
import { r2Objects } from '#platform/cloudflare/r2.ts'

const bytes = new Uint8Array(1)
const objects = r2Objects(undefined, 1000)
const conversion = imagesConversion(undefined, 1000)

it.each<[string, () => Promise<unknown>]>([
  ['put', () => objects.put('a.jpg', bytes)],
  ['get', () => objects.get('a.jpg')],
  ['remove', () => objects.remove('a.jpg')],
  ['removeFolder', () => objects.removeFolder('a')],
  ['pingObjects', () => objects.pingObjects()],
])('a Worker without a bucket fails in %s', async (_, call) => {
  await expect(call()).rejects.toThrow('The Worker has no UPLOADS binding')
})

it('a Worker without image transformations fails, and reports no image as unreadable', async () => {
  await expect(conversion.toJpeg(bytes, 100, 'a')).rejects.toThrow('The Worker has no IMAGES binding')
  await expect(conversion.pingDecoder()).rejects.toThrow('The Worker has no IMAGES binding')
})

it.each([
  ['without static files', undefined],
  ['without the file', { fetch: async () => new Response(null, { status: 404 }) }],
])('a Worker %s says which file is missing', async (_, binding) => {
  await expect(staticAssets(binding).read('fonts/1.font')).rejects.toThrow(
    'The static asset fonts/1.font is missing',
  )
})

it.each<[string, () => Promise<Response>]>([
  ['answer 500', async () => new Response(null, { status: 500 })],
  ['answer 429', async () => new Response(null, { status: 429 })],
  ['fail', () => Promise.reject(new Error('Network connection lost.'))],
  ['fail without a known reason', () => Promise.reject(new Error('internal error'))],
  [
    'are cut',
    async () => new Response(new ReadableStream({ start: (body) => body.error(new Error('cut')) })),
  ],
  ['do not answer', () => new Promise(() => {})],
])('WIR-28 a Worker whose static files %s is 503', async (_, fetch) => {
  const error = await staticAssets({ fetch }, 50).read('fonts/1.font').catch(toProblem)
  expect(error).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
})
