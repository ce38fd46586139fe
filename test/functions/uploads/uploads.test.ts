import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { announce, bearer, request, shared } from '../../support/app.ts'
import { download, formOf, own, picture, upload } from '../../support/images.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()

describe('a stored image', () => {
  it.each(['png', 'jpeg', 'webp', 'gif'] as const)('UPL-01 is a JPEG of at most 1568 px, whatever it was: %s', async (kind) => {
    const { admin } = await newAccount(service)
    const { status, body } = await upload(service, admin, await picture(kind, 2400, 1000))
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        content_type: 'image/jpeg',
        width: 1568,
        height: 653,
        size: expect.any(Number),
        created_at: expect.any(String),
      },
    ])
    const { bytes, headers } = await download(service, admin, body.id)
    const { format, width, height } = await sharp(bytes).metadata()
    expect({ format, width, height, size: bytes.length }).toEqual({ format: 'jpeg', width: 1568, height: 653, size: body.size })
    expect(headers.get('content-type')).toBe('image/jpeg')
  })

  it('UPL-01 is not made larger, nor less than a pixel wide', async () => {
    const { admin } = await newAccount(service)
    expect((await upload(service, admin, await picture('png', 1, 1))).body).toMatchObject({ width: 1, height: 1 })
    expect((await upload(service, admin, await picture('png', 40, 11_000))).body).toMatchObject({ width: 6, height: 1568 })
  })

  it('UPL-01 has quality 85, and stands on white where it was transparent', async () => {
    const { admin } = await newAccount(service)
    const { body } = await upload(service, admin, await picture('png', 64, 64, { alpha: 0 }))
    const { bytes } = await download(service, admin, body.id)
    const [pixel] = [await sharp(bytes).raw().toBuffer()]
    expect([...pixel.subarray(0, 3)]).toEqual([255, 255, 255])
    const likewise = own(
      await sharp(await picture('png', 64, 64))
        .jpeg({ quality: 85 })
        .toBuffer(),
    )
    expect(quantization(bytes)).toEqual(quantization(likewise))
  })

  it('UPL-04 carries no metadata, and stands upright as its metadata said', async () => {
    const { admin } = await newAccount(service)
    const exif = { IFD0: { Copyright: 'Dana Reyes', Artist: 'Dana' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } }
    const plain = sharp(await picture('jpeg', 300, 200, { noise: true }))
    const photo = own(await plain.withMetadata({ orientation: 6 }).withExifMerge(exif).jpeg().toBuffer())
    expect((await sharp(photo).metadata()).exif?.includes('Dana Reyes')).toBe(true)
    const { body } = await upload(service, admin, photo)
    expect(body).toMatchObject({ width: 200, height: 300 })
    const { bytes } = await download(service, admin, body.id)
    const { exif: left, xmp, iptc, orientation } = await sharp(bytes).metadata()
    expect([left, xmp, iptc, orientation]).toEqual([undefined, undefined, undefined, undefined])
    expect(Buffer.from(bytes).includes('Dana')).toBe(false)
  })

  it('is the first frame of an animation', async () => {
    const { admin } = await newAccount(service)
    const frames = Buffer.concat([Buffer.alloc(30 * 20 * 3, 255), Buffer.alloc(30 * 20 * 3, 0)])
    const animation = sharp(frames, { raw: { width: 30, height: 40, channels: 3, pageHeight: 20 } })
    for (const image of [await animation.clone().gif().toBuffer(), await animation.clone().webp({ lossless: true }).toBuffer()]) {
      const { status, body } = await upload(service, admin, own(image))
      expect([status, body.width, body.height]).toEqual([201, 30, 20])
      const pixels = await sharp((await download(service, admin, body.id)).bytes)
        .raw()
        .toBuffer()
      expect(pixels[0]).toBeGreaterThan(250)
    }
  })

  it('is read by everybody of its account, kept by their own caches, and by nobody else', async () => {
    const [ours, theirs] = [await newAccount(service), await newAccount(service)]
    const { body } = await upload(service, ours.admin, await picture('png', 20, 20))
    const viewer = await ours.colleague({ role: 'viewer' })
    const { status, headers } = await download(service, viewer, body.id)
    expect([status, headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      200,
      'private, max-age=86400, immutable',
      'nosniff',
    ])
    const etag = headers.get('etag') ?? ''
    const again = await download(service, viewer, body.id, { 'if-none-match': etag })
    expect([again.status, again.bytes.length]).toEqual([304, 0])
    expectStatus(await download(service, theirs.admin, body.id, { 'if-none-match': etag }), 404)
    expectStatus(await upload(service, viewer, await picture('png', 20, 20)), 403)
  })
})

describe('UPL-02 the type', () => {
  it.each([
    ['a PNG named .txt', 'png', 'notes.txt', 'text/plain'],
    ['a GIF named .jpg', 'gif', 'photo.jpg', 'image/jpeg'],
    ['a WebP without a type', 'webp', 'photo', ''],
  ] as const)('UPL-02 is judged by content: %s is taken', async (_, kind, name, type) => {
    const { admin } = await newAccount(service)
    expectStatus(await upload(service, admin, await picture(kind, 20, 20), { name, type }), 201)
  })
})

it('UPL-03 WIR-15 refuses over 10 MiB, and takes what is a little below', { timeout: 60_000 }, async () => {
  const { admin } = await newAccount(service)
  const noise = await picture('png', 1820, 1820, { noise: true })
  expect(noise.length).toBeGreaterThan(9_000_000)
  expect(noise.length).toBeLessThan(10 * 1024 * 1024 - 1000)
  expectStatus(await upload(service, admin, noise), 201)
  const headers = { ...bearer(admin.token), 'content-type': 'multipart/form-data; boundary=x' }
  expectStatus(await announce(`${service.api}/api/v1/uploads`, 'POST', 10 * 1024 * 1024 + 1000, headers), 413)
})

it('WIR-24 stores one image for one key, however often it is sent', async () => {
  const { admin, id } = await newAccount(service)
  const image = await picture('png', 30, 30)
  const headers = { 'idempotency-key': 'once' }
  const [first, again] = [await upload(service, admin, image, { headers }), await upload(service, admin, image, { headers })]
  expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
  expect(await service.sql('select id from uploads where account_id = $1', [id])).toHaveLength(1)
  const other = await upload(service, admin, await picture('png', 31, 30), { headers })
  expect([other.status, other.body.errors[0].type]).toEqual([422, 'key_reused'])
})

it('wants a form with one file', async () => {
  const { admin } = await newAccount(service)
  const { token } = admin
  const { bytes, headers } = await formOf(await picture('png', 10, 10))
  const json = await request(service, 'POST', '/uploads', { token, body: { file: 'x' } })
  const torn = await request(service, 'POST', '/uploads', { token, raw: bytes.slice(0, 60), headers })
  expect([json.status, torn.status, (await request(service, 'POST', '/uploads', { token })).status]).toEqual([415, 422, 422])
})

/** A JPEG's quantization tables, which its quality decides. */
function quantization(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes).toString('hex')
  return [...hex.matchAll(/ffdb(?:0043|0084)([0-9a-f]{130})/g)].map(([, table = '']) => table)
}
