import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rowsOf } from '../../contract/rows.ts'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService, request, shared } from '../../support/app.ts'
import { type Bytes, joined, picture, upload } from '../../support/images.ts'
import { newAccount } from '../../support/people.ts'

const page = '<html><script>alert(1)</script></html>'
const [png, jpeg, gif, webp] = [
  await picture('png', 60, 40),
  await picture('jpeg', 60, 40),
  await picture('gif', 60, 40),
  await picture('webp', 60, 40),
]

/** A PNG's header that claims a size, and nothing of the picture. */
function claiming(width: number, height: number, source = png): Bytes {
  const copy = source.slice()
  new DataView(copy.buffer).setUint32(16, width)
  new DataView(copy.buffer).setUint32(20, height)
  return copy
}

/** A JPEG or GIF with a comment in it. */
const comment = joined('\xff\xfe', String.fromCharCode(0, page.length + 2), page)
const jpegComment = joined(jpeg.slice(0, 2), comment, jpeg.slice(2))
const gifHead = 13 + ((gif[10] ?? 0) & 0x80 ? 3 * 2 ** (((gif[10] ?? 0) & 7) + 1) : 0)
const gifComment = joined(gif.slice(0, gifHead), '!\xfe', String.fromCharCode(page.length), page, '\0', gif.slice(gifHead))
const hugeJpeg = jpeg.slice()
const frame = Buffer.from(jpeg).indexOf(Buffer.from([0xff, 0xc0]))
hugeJpeg.set([0xff, 0xff, 0xff, 0xff], frame + 5)
const hugeGif = gif.slice()
hugeGif.set([0xff, 0xff, 0xff, 0xff], 6)
const wrong: [string, number, Bytes][] = [
  ['nothing', 415, joined('')],
  ['a text', 415, joined('hello')],
  ['a page named .png', 415, joined(page)],
  ['an SVG', 415, joined('<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>')],
  ['a BMP', 415, joined('BM', '\0'.repeat(60))],
  ['a PDF', 415, joined('%PDF-1.7\n', '\0'.repeat(60))],
  ['a JPEG named as a program', 415, joined('MZ', jpeg)],
  ['a PNG of 60000 x 60000 pixels', 422, claiming(60_000, 60_000)],
  ['a PNG of 2^31 pixels a side', 422, claiming(2 ** 31, 2 ** 31)],
  ['a PNG of 0 pixels', 422, claiming(0, 0)],
  ['a PNG of 12001 x 1 pixels', 422, claiming(12_001, 1)],
  ['a JPEG of 65535 x 65535 pixels', 422, hugeJpeg],
  ['a GIF of 65535 x 65535 pixels', 422, hugeGif],
  ['the header of a PNG alone', 422, png.slice(0, 33)],
  ['half a PNG', 422, png.slice(0, png.length / 2)],
  ['half a JPEG', 422, jpeg.slice(0, jpeg.length / 2)],
  ['half a GIF', 422, gif.slice(0, gif.length / 2)],
  ['half a WebP', 422, webp.slice(0, webp.length / 2)],
  ['a PNG without its last byte', 422, png.slice(0, -1)],
  ['a JPEG without its end', 422, jpeg.slice(0, -2)],
  ['a JPEG with a page behind it', 422, joined(jpeg, page)],
  ['a PNG with an archive behind it', 422, joined(png, 'PK\x03\x04', '\0'.repeat(40))],
  ['a WebP with a page behind it', 422, joined(webp, page)],
  ['a GIF with a script behind it', 422, joined(gif, '/*', page, '*/')],
  ['a JPEG with a page in a comment', 422, jpegComment],
  ['a GIF with a page in a comment', 422, gifComment],
  ['a JPEG with a page behind a second picture', 422, joined(jpeg, jpeg, page)],
  ['a GIF that is a script', 422, joined('GIF89a/*', gif.slice(8), '*/=1;alert(1)')],
  ['a GIF that is a short script', 422, joined('GIF89a=1;alert(1)//', '\0'.repeat(40))],
  ['a JPEG whose picture is noise of nothing', 422, joined(jpeg.slice(0, frame + 19), '\0'.repeat(200), '\xff\xd9')],
  ['a PNG whose picture is broken', 422, brokenPicture()],
]

function brokenPicture(): Bytes {
  const copy = png.slice()
  const data = Buffer.from(png).indexOf('IDAT')
  copy.fill(0x55, data + 4, data + 12)
  return copy
}

describe('what is no image, or more than one', () => {
  const service = shared()
  it.each(wrong)('UPL-02 %s is %i at once, and nothing is kept', async (_, status, bytes) => {
    const { admin, id } = await newAccount(service)
    await upload(service, admin, joined('warm'))
    const before = await rowsOf(service, id)
    const started = performance.now()
    const answer = await upload(service, admin, bytes)
    const ms = performance.now() - started
    expect([answer.status, answer.body.detail, ms < 1000]).toEqual([status, expect.any(String), true])
    expect(await rowsOf(service, id)).toEqual(before)
  })

  it('UPL-02 a form of a hundred thousand parts is 422 at once', async () => {
    const { admin } = await newAccount(service)
    const parts = Array.from({ length: 100_000 }, (_, n) => `--x\r\ncontent-disposition: form-data; name="${n}"\r\n\r\n1\r\n`)
    const raw = joined([...parts, '--x--\r\n'].join(''))
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const started = performance.now()
    const answer = await request(service, 'POST', '/uploads', { token: admin.token, raw, headers })
    expect([answer.status, answer.body.errors.length, performance.now() - started < 1000]).toEqual([422, 1, true])
  })

  it('takes what cameras leave behind a picture, and keeps none of it', async () => {
    const { admin } = await newAccount(service)
    for (const rest of [joined('\0'.repeat(512)), jpeg, joined('\0\0\0\x18ftypmp42', '\0'.repeat(40))]) {
      const answer = await upload(service, admin, joined(jpeg, rest))
      expect([answer.status, answer.body.width, answer.body.height]).toEqual([201, 60, 40])
    }
  })
})

describe('when the decoder is away', () => {
  let service: Awaited<ReturnType<typeof ownService>>
  beforeAll(async () => {
    service = await ownService()
  })
  afterAll(() => service.close())

  it.each(['down', 'error', 'garbage'])('says 502 and keeps nothing on %s', async (mode) => {
    const { admin, id } = await newAccount(service)
    await desk(service).fault({ service: 'images', mode })
    const before = await rowsOf(service, id)
    expectStatus(await upload(service, admin, png), 502)
    expect(await rowsOf(service, id)).toEqual(before)
    await desk(service).lift()
    expectStatus(await upload(service, admin, png), 201)
  })
})
