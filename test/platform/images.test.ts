import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { convertV4MiniflareOptions, Miniflare, type RemoteProxyConnectionString } from 'miniflare'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createImagesRoutes } from '#local/vendors/images.ts'
import { type ImagesBinding, imagesConversion } from '#platform/cloudflare/images.ts'
import { sharpConversion } from '#platform/node/images.ts'
import { imageShapes } from '#test/support/hostile-images.ts'
import { concatBytes, copyBytes, createImage } from '#test/support/images.ts'
import { night } from '#test/support/night.ts'
import { convertImageShapes } from '#test/support/read-hostile-files.ts'
import { removeJpegMetadata } from '#vendors/uploads/jpeg.ts'
import type { UploadsPort } from '#vendors/uploads/uploads.ts'

type Conversion = Pick<UploadsPort, 'toJpeg' | 'pingDecoder'>
interface Decoder {
  conversion: Conversion
  close(): Promise<unknown>
}

const decoders: Record<string, () => Promise<Decoder>> = {
  async 'Cloudflare Images'() {
    const app = new Hono().route('/images', createImagesRoutes())
    const { promise, resolve } = Promise.withResolvers<number>()
    const server = serve(
      { fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false },
      ({ port }) => resolve(port),
    )
    const images = new URL(`http://127.0.0.1:${await promise}/images`) as RemoteProxyConnectionString
    const options = {
      modules: true,
      script: 'export default {}',
      images: { binding: 'IMAGES', remoteProxyConnectionString: images },
    }
    const miniflare = new Miniflare(convertV4MiniflareOptions(options))
    const { IMAGES } = await miniflare.getBindings<{ IMAGES: ImagesBinding }>()
    return {
      conversion: imagesConversion(IMAGES, 5000),
      async close() {
        await miniflare.dispose()
        server.close()
      },
    }
  },
  sharp: async () => ({ conversion: sharpConversion(5000), close: async () => {} }),
}

/** Convert an image that the decoder must accept. */
async function convert(
  { toJpeg }: Conversion,
  image: Uint8Array<ArrayBuffer>,
  maxSide = 100,
): Promise<Uint8Array<ArrayBuffer>> {
  const result = await toJpeg(image, maxSide, 'a')
  if (!result.ok) throw new Error(`The image is ${result.reason}`)
  return result.jpeg
}

/** Return the colours of the pixels of an image. */
async function readPixels(image: Uint8Array): Promise<number[]> {
  return [...(await sharp(image).raw().toBuffer())]
}

describe.each(Object.keys(decoders))('the image decoder of %s', (name) => {
  let decoder: Decoder
  let conversion: Conversion
  beforeAll(async () => {
    decoder = (await decoders[name]?.()) as Decoder
    conversion = decoder.conversion
  })
  afterAll(() => decoder.close())

  it.each(['png', 'jpeg', 'webp', 'gif'] as const)(
    'converts a %s into a JPEG whose sides have at most the given length',
    async (format) => {
      const jpeg = await convert(conversion, await createImage(format, 400, 100))
      expect(await sharp(jpeg).metadata()).toMatchObject({
        format: 'jpeg',
        width: 100,
        height: 25,
        space: 'srgb',
      })
    },
  )

  it('never enlarges an image', async () => {
    expect(await sharp(await convert(conversion, await createImage('png', 7, 5))).metadata()).toMatchObject({
      width: 7,
      height: 5,
    })
  })

  it('applies the orientation of the EXIF metadata', async () => {
    const image = await sharp(await createImage('jpeg', 60, 20))
      .withMetadata({ orientation: 6 })
      .toBuffer()
    const jpeg = removeJpegMetadata(await convert(conversion, copyBytes(image)))
    expect(await sharp(jpeg).metadata()).toMatchObject({ width: 20, height: 60 })
  })

  it('puts an image with transparency on white', async () => {
    expect(
      new Set(await readPixels(await convert(conversion, await createImage('png', 8, 8, { alpha: 0 })))),
    ).toEqual(new Set([255]))
  })

  it('converts with a quality of 85', async () => {
    const reference = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .jpeg({ quality: 85 })
      .toBuffer()
    expect(readQuantizationTables(await convert(conversion, await createImage('png', 8, 8)))).toEqual(
      readQuantizationTables(reference),
    )
  })

  it('converts the first frame of an animation', async () => {
    const frames = Buffer.concat([Buffer.alloc(30 * 20 * 3, 255), Buffer.alloc(30 * 20 * 3, 0)])
    const animation = sharp(frames, { raw: { width: 30, height: 40, channels: 3, pageHeight: 20 } })
    for (const image of [
      await animation.clone().gif().toBuffer(),
      await animation.clone().webp({ lossless: true }).toBuffer(),
    ]) {
      const jpeg = await convert(conversion, copyBytes(image))
      expect(await sharp(jpeg).metadata()).toMatchObject({ width: 30, height: 20 })
      expect(new Set(await readPixels(jpeg))).toEqual(new Set([255]))
    }
  })

  it('converts colours of other spaces to sRGB', async () => {
    const grey = copyBytes(
      await sharp(await createImage('png', 8, 8))
        .toColourspace('b-w')
        .png()
        .toBuffer(),
    )
    const cmyk = copyBytes(
      await sharp(await createImage('png', 8, 8))
        .toColourspace('cmyk')
        .jpeg()
        .toBuffer(),
    )
    expect((await sharp(cmyk).metadata()).space).toBe('cmyk')
    for (const image of [grey, cmyk])
      expect(['srgb', 'b-w']).toContain((await sharp(await convert(conversion, image)).metadata()).space)
  })

  it.each([
    ['nothing', async () => concatBytes('')],
    ['text', async () => concatBytes('<html>')],
    ['half of an image', async () => (await createImage('png', 60, 40, { noise: true })).slice(0, 2000)],
    [
      'a JPEG without image data',
      async () => concatBytes((await createImage('jpeg', 60, 40)).slice(0, 180), '\xff\xd9'),
    ],
  ])('reports %s as unreadable', async (_, create) => {
    expect(await conversion.toJpeg(await create(), 100, 'a')).toEqual({ ok: false, reason: 'unreadable' })
  })

  it('answers a ping', async () => {
    await expect(conversion.pingDecoder()).resolves.toBeUndefined()
  })
})

/** Return the quantization tables of a JPEG, which identify its quality. */
function readQuantizationTables(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes).toString('hex')
  return [...hex.matchAll(/ffdb(?:0043|0084)([0-9a-f]{130})/g)].map(([, table = '']) => table)
}

const nine = sharp(await createImage('png', 9, 9))
const tiff = copyBytes(await nine.clone().tiff().toBuffer())
const avif = copyBytes(await nine.clone().avif().toBuffer())

describe('the image decoder of sharp', () => {
  it.each([
    [
      'an SVG',
      concatBytes(
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
      ),
    ],
    ['a TIFF', tiff],
    ['an AVIF', avif],
    ['a PPM', concatBytes('P6 1 1 255\n', '\x01\x02\x03')],
    ['a PDF', concatBytes('%PDF-1.7\n', '\0'.repeat(60))],
  ])('reports %s as unreadable, because only four formats are enabled', async (_, image) => {
    expect(await sharpConversion(5000).toJpeg(image, 100, 'a')).toEqual({ ok: false, reason: 'unreadable' })
  })

  it('reports an image of more than 50 million pixels as unreadable without decoding it', async () => {
    const image = copyBytes(
      await sharp({ create: { width: 10_000, height: 5001, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    )
    expect(await sharpConversion(5000).toJpeg(image, 100, 'a')).toEqual({ ok: false, reason: 'unreadable' })
  })

  it('writes no metadata of the image', async () => {
    const exif = { IFD0: { Artist: 'Dana Reyes' } }
    const image = copyBytes(
      await sharp(await createImage('jpeg', 9, 9))
        .withExif(exif)
        .jpeg()
        .toBuffer(),
    )
    expect(Buffer.from(image).includes('Dana')).toBe(true)
    expect(Buffer.from(await convert(sharpConversion(5000), image)).includes('Dana')).toBe(false)
  })

  it('UPL-05 reports an image that takes too long as failed', async () => {
    const image = await createImage('png', 1500, 1500, { noise: true })
    expect(await sharpConversion(1).toJpeg(image, 1568, 'a')).toEqual({ ok: false, reason: 'failed' })
  })

  it('UPL-09 keeps no more of a picture of any shape than was counted by its header', {
    ...night,
    timeout: 180_000,
  }, async () => {
    const costs = await convertImageShapes(1000, 3000)
    expect(costs.length).toBe(imageShapes.length)
    // Besides, there are rows on their way and the smaller image.
    expect(costs.filter(({ mb, heldMb }) => mb > heldMb + 14)).toEqual([])
  })

  it('UPL-08 refuses images with 503 while too many wait, and converts again afterwards', async () => {
    const image = await createImage('png', 1000, 1000, { noise: true })
    const conversion = sharpConversion(40_000)
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) => conversion.toJpeg(image, 100, `account ${n}`)),
    )
    const refusals = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason)
    // Two run and sixteen wait.
    expect(refusals.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
      Array(12).fill([503, '10']),
    )
    expect((await conversion.toJpeg(image, 100, 'a')).ok).toBe(true)
  })

  it('UPL-08 converts one image of an account at once, and those of others beside it', async () => {
    const large = await createImage('png', 3000, 3000, { noise: true })
    const small = await createImage('png', 9, 9)
    const conversion = sharpConversion(40_000)
    const done: string[] = []
    const convertFor = async (image: Uint8Array<ArrayBuffer>, account: string) => {
      const { ok } = await conversion.toJpeg(image, 100, account)
      done.push(ok ? account : 'failed')
    }
    await Promise.all([
      ...Array.from({ length: 4 }, () => convertFor(large, 'busy')),
      convertFor(small, 'other'),
    ])
    expect(done).toEqual(['other', 'busy', 'busy', 'busy', 'busy'])
  })

  it('keeps nothing in the cache of libvips', async () => {
    await convert(sharpConversion(5000), await createImage('png', 500, 500, { noise: true }))
    expect(sharp.cache()).toMatchObject({
      memory: { current: 0, max: 0 },
      items: { current: 0, max: 0 },
      files: { current: 0, max: 0 },
    })
  })
})
