import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { authorizationHeader, request, sendHeadersOnly, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { copyBytes, createImage, downloadUpload, encodeFileForm, uploadImage } from '#test/support/images.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

describe('a stored image', () => {
  it.each(['png', 'jpeg', 'webp', 'gif'] as const)(
    'UPL-01 is a JPEG with sides of at most 1568 px when a %s is uploaded',
    async (format) => {
      const { admin } = await createAccount(service)
      const { status, body } = await uploadImage(service, admin, await createImage(format, 2400, 1000))
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
      const { bytes, headers } = await downloadUpload(service, admin, body.id)
      const storedMetadata = await sharp(bytes).metadata()
      expect({
        format: storedMetadata.format,
        width: storedMetadata.width,
        height: storedMetadata.height,
        size: bytes.length,
      }).toEqual({
        format: 'jpeg',
        width: 1568,
        height: 653,
        size: body.size,
      })
      expect(headers.get('content-type')).toBe('image/jpeg')
    },
  )

  it('UPL-01 is never larger than the uploaded image, and has its aspect ratio', async () => {
    const { admin } = await createAccount(service)
    expect((await uploadImage(service, admin, await createImage('png', 1, 1))).body).toMatchObject({
      width: 1,
      height: 1,
    })
    expect((await uploadImage(service, admin, await createImage('png', 40, 11_000))).body).toMatchObject({
      width: 6,
      height: 1568,
    })
  })

  it('UPL-01 is a JPEG of quality 85 with white in place of transparent pixels', async () => {
    const { admin } = await createAccount(service)
    const { body } = await uploadImage(service, admin, await createImage('png', 64, 64, { alpha: 0 }))
    const { bytes } = await downloadUpload(service, admin, body.id)
    const pixels = await sharp(bytes).raw().toBuffer()
    expect([...pixels.subarray(0, 3)]).toEqual([255, 255, 255])
    const reference = copyBytes(
      await sharp(await createImage('png', 64, 64))
        .jpeg({ quality: 85 })
        .toBuffer(),
    )
    expect(readQuantizationTables(bytes)).toEqual(readQuantizationTables(reference))
  })

  it('UPL-04 has no metadata, and has the orientation of the EXIF metadata applied', async () => {
    const { admin } = await createAccount(service)
    const exif = {
      IFD0: { Copyright: 'Dana Reyes', Artist: 'Dana' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    }
    const plain = sharp(await createImage('jpeg', 300, 200, { noise: true }))
    const photo = copyBytes(
      await plain.withMetadata({ orientation: 6 }).withExifMerge(exif).jpeg().toBuffer(),
    )
    expect((await sharp(photo).metadata()).exif?.includes('Dana Reyes')).toBe(true)
    const { body } = await uploadImage(service, admin, photo)
    expect(body).toMatchObject({ width: 200, height: 300 })
    const { bytes } = await downloadUpload(service, admin, body.id)
    const storedMetadata = await sharp(bytes).metadata()
    expect([
      storedMetadata.exif,
      storedMetadata.xmp,
      storedMetadata.iptc,
      storedMetadata.orientation,
    ]).toEqual([undefined, undefined, undefined, undefined])
    expect(Buffer.from(bytes).includes('Dana')).toBe(false)
  })

  it('is the first frame of an uploaded animation', async () => {
    const { admin } = await createAccount(service)
    const frames = Buffer.concat([Buffer.alloc(30 * 20 * 3, 255), Buffer.alloc(30 * 20 * 3, 0)])
    const animation = sharp(frames, { raw: { width: 30, height: 40, channels: 3, pageHeight: 20 } })
    for (const image of [
      await animation.clone().gif().toBuffer(),
      await animation.clone().webp({ lossless: true }).toBuffer(),
    ]) {
      const { status, body } = await uploadImage(service, admin, copyBytes(image))
      expect([status, body.width, body.height]).toEqual([201, 30, 20])
      const pixels = await sharp((await downloadUpload(service, admin, body.id)).bytes)
        .raw()
        .toBuffer()
      expect(pixels[0]).toBeGreaterThan(250)
    }
  })

  it('can be downloaded and privately cached by every user of its account, and by no user of another account', async () => {
    const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
    const { body } = await uploadImage(service, account.admin, await createImage('png', 20, 20))
    const viewer = await account.addColleague({ role: 'viewer' })
    const { status, headers } = await downloadUpload(service, viewer, body.id)
    expect([status, headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      200,
      'private, no-cache',
      'nosniff',
    ])
    const etag = headers.get('etag') ?? ''
    const secondDownload = await downloadUpload(service, viewer, body.id, { 'if-none-match': etag })
    expect([secondDownload.status, secondDownload.bytes.length]).toEqual([304, 0])
    expectStatus(await downloadUpload(service, otherAccount.admin, body.id, { 'if-none-match': etag }), 404)
    expectStatus(await uploadImage(service, viewer, await createImage('png', 20, 20)), 403)
  })
})

describe('UPL-02 type of an image', () => {
  it.each([
    ['a PNG named .txt', 'png', 'notes.txt', 'text/plain'],
    ['a GIF named .jpg', 'gif', 'photo.jpg', 'image/jpeg'],
    ['a WebP without a type', 'webp', 'photo', ''],
  ] as const)('UPL-02 is recognised by the content of the file for %s', async (_, format, name, type) => {
    const { admin } = await createAccount(service)
    expectStatus(await uploadImage(service, admin, await createImage(format, 20, 20), { name, type }), 201)
  })
})

it('UPL-03 WIR-15 accepts an image of more than 9 MB, and refuses a body above 10 MiB with 413', {
  timeout: 60_000,
}, async () => {
  const { admin } = await createAccount(service)
  const noise = await createImage('png', 1820, 1820, { noise: true })
  expect(noise.length).toBeGreaterThan(9_000_000)
  expect(noise.length).toBeLessThan(10 * 1024 * 1024 - 1000)
  expectStatus(await uploadImage(service, admin, noise), 201)
  const headers = { ...authorizationHeader(admin.token), 'content-type': 'multipart/form-data; boundary=x' }
  expectStatus(
    await sendHeadersOnly(`${service.api}/api/v1/uploads`, 'POST', 10 * 1024 * 1024 + 1000, headers),
    413,
  )
})

it('WIR-24 stores one image per idempotency key, and rejects the key for another image', async () => {
  const { admin, id } = await createAccount(service)
  const image = await createImage('png', 30, 30)
  const headers = { 'idempotency-key': 'once' }
  const [first, repeated] = [
    await uploadImage(service, admin, image, { headers }),
    await uploadImage(service, admin, image, { headers }),
  ]
  expect([first.status, repeated.status, repeated.text]).toEqual([201, 201, first.text])
  expect(await service.sql('select id from uploads where account_id = $1', [id])).toHaveLength(1)
  const otherImage = await uploadImage(service, admin, await createImage('png', 31, 30), { headers })
  expect([otherImage.status, otherImage.body.errors[0].type]).toEqual([422, 'key_reused'])
})

it('refuses a JSON body with 415, and a truncated or missing form with 422', async () => {
  const { admin } = await createAccount(service)
  const { token } = admin
  const { bytes, headers } = await encodeFileForm(await createImage('png', 10, 10))
  const json = await request(service, 'POST', '/uploads', { token, body: { file: 'x' } })
  const truncated = await request(service, 'POST', '/uploads', { token, raw: bytes.slice(0, 60), headers })
  const empty = await request(service, 'POST', '/uploads', { token })
  expect([json.status, truncated.status, empty.status]).toEqual([415, 422, 422])
})

/** Return the quantization tables of a JPEG, which identify its quality. */
function readQuantizationTables(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes).toString('hex')
  return [...hex.matchAll(/ffdb(?:0043|0084)([0-9a-f]{130})/g)].map(([, table = '']) => table)
}
