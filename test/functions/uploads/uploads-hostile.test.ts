import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readChecksums } from '#test/contract/row-checksums.ts'
import { dashboard, request, sharedService, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createJpeg, createPngChunk } from '#test/support/hostile-images.ts'
import { type Bytes, concatBytes, createImage, downloadUpload, uploadImage } from '#test/support/images.ts'
import { entries } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'

const htmlPage = '<html><script>alert(1)</script></html>'
const [png, jpeg, gif, webp] = [
  await createImage('png', 60, 40),
  await createImage('jpeg', 60, 40),
  await createImage('gif', 60, 40),
  await createImage('webp', 60, 40),
]

/** Copy a PNG and replace the size in its header. */
function replacePngSize(width: number, height: number, source = png): Bytes {
  const copy = source.slice()
  new DataView(copy.buffer).setUint32(16, width)
  new DataView(copy.buffer).setUint32(20, height)
  return copy
}

const jpegComment = concatBytes('\xff\xfe', String.fromCharCode(0, htmlPage.length + 2), htmlPage)
const jpegWithComment = concatBytes(jpeg.slice(0, 2), jpegComment, jpeg.slice(2))
const gifHeaderLength = 13 + ((gif[10] ?? 0) & 0x80 ? 3 * 2 ** (((gif[10] ?? 0) & 7) + 1) : 0)
const gifWithComment = concatBytes(
  gif.slice(0, gifHeaderLength),
  '!\xfe',
  String.fromCharCode(htmlPage.length),
  htmlPage,
  '\0',
  gif.slice(gifHeaderLength),
)
const hugeJpeg = jpeg.slice()
const jpegFrameOffset = Buffer.from(jpeg).indexOf(Buffer.from([0xff, 0xc0]))
hugeJpeg.set([0xff, 0xff, 0xff, 0xff], jpegFrameOffset + 5)
const hugeGif = gif.slice()
hugeGif.set([0xff, 0xff, 0xff, 0xff], 6)
const largeJpeg = createJpeg({
  width: 10_000,
  height: 4000,
  sampling: [
    [1, 1],
    [1, 1],
    [1, 1],
  ],
  isProgressive: true,
  isSplit: false,
})
const hostileFiles: [string, number, Bytes][] = [
  ['an empty file', 415, concatBytes('')],
  ['plain text', 415, concatBytes('hello')],
  ['an HTML page named .png', 415, concatBytes(htmlPage)],
  ['an SVG', 415, concatBytes('<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>')],
  ['a BMP', 415, concatBytes('BM', '\0'.repeat(60))],
  ['a PDF', 415, concatBytes('%PDF-1.7\n', '\0'.repeat(60))],
  ['a JPEG after the signature of a Windows program', 415, concatBytes('MZ', jpeg)],
  ['a PNG of 60000 x 60000 pixels', 422, replacePngSize(60_000, 60_000)],
  ['a PNG of 2^31 x 2^31 pixels', 422, replacePngSize(2 ** 31, 2 ** 31)],
  ['a PNG of 0 pixels', 422, replacePngSize(0, 0)],
  ['a PNG of 12001 x 1 pixels', 422, replacePngSize(12_001, 1)],
  ['a JPEG of 65535 x 65535 pixels', 422, hugeJpeg],
  ['a GIF of 65535 x 65535 pixels', 422, hugeGif],
  ['only the header of a PNG', 422, png.slice(0, 33)],
  ['half a PNG', 422, png.slice(0, png.length / 2)],
  ['half a JPEG', 422, jpeg.slice(0, jpeg.length / 2)],
  ['half a GIF', 422, gif.slice(0, gif.length / 2)],
  ['half a WebP', 422, webp.slice(0, webp.length / 2)],
  ['a PNG without its last byte', 422, png.slice(0, -1)],
  ['a JPEG without its end marker', 422, jpeg.slice(0, -2)],
  ['a JPEG followed by a page', 422, concatBytes(jpeg, htmlPage)],
  ['a WebP followed by a page', 422, concatBytes(webp, htmlPage)],
  ['a GIF followed by a script', 422, concatBytes(gif, '/*', htmlPage, '*/')],
  ['a JPEG with a page in a comment', 422, jpegWithComment],
  ['a GIF with a page in a comment', 422, gifWithComment],
  ['a JPEG followed by a second image and a page', 422, concatBytes(jpeg, jpeg, htmlPage)],
  ['a GIF that is a short script', 422, concatBytes('GIF89a=1;alert(1)//', '\0'.repeat(40))],
  [
    'a JPEG with invalid image data',
    422,
    concatBytes(jpeg.slice(0, jpegFrameOffset + 19), '\0'.repeat(200), '\xff\xd9'),
  ],
  ['a PNG with invalid image data', 422, corruptPngData()],
  ['a progressive JPEG that takes 240 MB', 422, largeJpeg],
]

function corruptPngData(): Bytes {
  const copy = png.slice()
  const dataOffset = Buffer.from(png).indexOf('IDAT')
  copy.fill(0x55, dataOffset + 4, dataOffset + 12)
  return copy
}

describe('hostile files', async () => {
  const service = await sharedService()
  it.each(hostileFiles)(
    'UPL-02 refuses %s with %i within a second, and stores nothing',
    { retry: 2 },
    async (_, status, bytes) => {
      const { admin, id } = await createAccount(service)
      await uploadImage(service, admin, concatBytes('warm-up'))
      const checksumsBefore = await readChecksums(service, id)
      const startedAt = performance.now()
      const response = await uploadImage(service, admin, bytes)
      const durationMs = performance.now() - startedAt
      expect([response.status, response.body.detail, durationMs < 1000]).toEqual([
        status,
        expect.any(String),
        true,
      ])
      expect(await readChecksums(service, id)).toEqual(checksumsBefore)
    },
  )

  it('UPL-02 refuses a form of 100,000 parts with 422 within a second', { retry: 2 }, async () => {
    const { admin } = await createAccount(service)
    const parts = Array.from(
      { length: 100_000 },
      (_, n) => `--x\r\ncontent-disposition: form-data; name="${n}"\r\n\r\n1\r\n`,
    )
    const raw = concatBytes([...parts, '--x--\r\n'].join(''))
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const startedAt = performance.now()
    const response = await request(service, 'POST', '/uploads', { token: admin.token, raw, headers })
    expect([response.status, response.body.errors.length, performance.now() - startedAt < 1000]).toEqual([
      422,
      1,
      true,
    ])
  })

  it.each<[string, Bytes]>([
    ['a JPEG', jpeg],
    ['a PNG', png],
    ['a GIF', gif],
    ['a WebP', webp],
  ])('UPL-06 %s with bytes after its end is stored without them', async (_, image) => {
    const { admin } = await createAccount(service)
    const trailers = [
      '\r\n',
      '\0'.repeat(512),
      '\0\0\0\x18ftypmp42trailer',
      'PK\x03\x04trailer',
      'SEFHtrailer',
      '\xff\xd9',
    ]
    for (const trailer of trailers) {
      const { status, body } = await uploadImage(service, admin, concatBytes(image, trailer))
      expect([status, body.width, body.height]).toEqual([201, 60, 40])
      expect(Buffer.from((await downloadUpload(service, admin, body.id)).bytes).includes('trailer')).toBe(
        false,
      )
    }
    expect((await uploadImage(service, admin, concatBytes(image, jpeg))).status).toBe(201)
  })

  it.each(['heic', 'heix', 'mif1', 'avif'])(
    'UPL-07 says how to send a photo of a phone: %s',
    async (brand) => {
      const { admin } = await createAccount(service)
      const response = await uploadImage(
        service,
        admin,
        concatBytes('\0\0\0\x18ftyp', brand, '\0'.repeat(40)),
        { name: 'IMG_1.HEIC' },
      )
      expect([response.status, response.body.detail]).toEqual([
        415,
        expect.stringContaining('Send it as JPEG'),
      ])
    },
  )
})

describe.each(entries)('images that would take too much, on %s', (platform) => {
  let service: Awaited<ReturnType<typeof startOwnService>>
  beforeAll(async () => {
    service = await startOwnService({}, { platform })
  })
  afterAll(() => service.close())

  it('UPL-09 is 422 too_many_pixels for what a decoder would keep, with how to save it', async () => {
    const { admin } = await createAccount(service)
    const { status, body } = await uploadImage(service, admin, largeJpeg)
    expect([status, body.errors]).toEqual([
      422,
      [{ loc: ['body', 'file'], msg: expect.stringContaining('baseline JPEG'), type: 'too_many_pixels' }],
    ])
  })

  it('UPL-10 a PNG with compressed texts is stored like one without', async () => {
    const { admin } = await createAccount(service)
    const text = concatBytes('a\0\0', deflateSync(Buffer.alloc(7_900_000)))
    const texts = Array.from({ length: 20 }, () => createPngChunk('zTXt', text))
    const hostile = concatBytes(png.slice(0, 33), ...texts, png.slice(33))
    const { status, body } = await uploadImage(service, admin, hostile)
    expect(status).toBe(201)
    expect(await downloadUpload(service, admin, body.id)).toMatchObject({
      bytes: (await downloadUpload(service, admin, (await uploadImage(service, admin, png)).body.id)).bytes,
    })
  })
})

describe('an upload while the image decoder fails', () => {
  let service: Awaited<ReturnType<typeof startOwnService>>
  beforeAll(async () => {
    service = await startOwnService({ UPLOAD_TIMEOUT_MS: '1000' }, { platform: 'cloudflare' })
  })
  afterAll(() => service.close())

  it.each(['down', 'error', 'garbage', 'hang'])(
    'UPL-05 returns 502 and stores nothing while the image decoder has the fault %s',
    async (mode) => {
      const { admin, id } = await createAccount(service)
      await dashboard(service).setFault({ service: 'images', mode })
      const checksumsBefore = await readChecksums(service, id)
      expectStatus(await uploadImage(service, admin, png), 502)
      expect(await readChecksums(service, id)).toEqual(checksumsBefore)
      await dashboard(service).clearFaults()
      expectStatus(await uploadImage(service, admin, png), 201)
    },
  )
})
