import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { inspectImage } from '../../lib/uploads/inspect.ts'
import { removeJpegMetadata } from '../../lib/uploads/jpeg.ts'
import { concatBytes, copyBytes, createImage } from '../support/images.ts'
import { cpuTimeMs } from '../support/measure.ts'

const kinds = ['png', 'jpeg', 'webp', 'gif'] as const
const samples = await Promise.all(kinds.map((kind) => createImage(kind, 50, 30, { noise: true })))
const megabytes = 10 * 1024 * 1024

describe('a whole image', () => {
  it('has the size it says, in every way its format is written', async () => {
    const source = sharp(samples[0]).resize(70, 45, { fit: 'fill' })
    const ways = [
      source.clone().png({ palette: true }),
      source.clone().png({ progressive: true }),
      source.clone().jpeg({ progressive: true }),
      source.clone().jpeg({ mozjpeg: true, chromaSubsampling: '4:4:4' }),
      source.clone().greyscale().jpeg(),
      source.clone().webp({ lossless: true }),
      source.clone().ensureAlpha(0.5).webp(),
      source
        .clone()
        .withMetadata()
        .withExif({ IFD0: { Copyright: 'x' } })
        .webp(),
      source.clone().gif({ colours: 4 }),
    ]
    for (const [n, way] of ways.entries()) {
      const bytes = copyBytes(await way.toBuffer())
      expect([n, inspectImage(bytes)]).toEqual([n, { ok: true, width: 70, height: 45, end: bytes.length }])
    }
    for (const kind of kinds) expect(inspectImage(await createImage(kind, 1, 1))).toMatchObject({ ok: true, width: 1, height: 1 })
    expect(inspectImage(copyBytes(await sharp(samples[0]).resize(1, 1).webp({ lossless: true }).toBuffer()))).toMatchObject({ ok: true })
  })

  it('is not whole any more wherever it is cut', () => {
    for (const bytes of samples) {
      for (let length = 0; length < bytes.length; length += 1 + Math.floor(length / 40)) {
        expect([length, inspectImage(bytes.subarray(0, length)).ok]).toEqual([length, false])
      }
    }
  })
})

describe('a hostile file', () => {
  it('is judged without an exception, whatever its bytes', () => {
    const torn = fc.tuple(fc.constantFrom(...samples), fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 8 }))
    const judge = (bytes: Uint8Array) => expect(() => inspectImage(bytes)).not.toThrow()
    fc.assert(
      fc.property(torn, ([bytes, changes]) => {
        const copy = bytes.slice()
        for (const [at, byte] of changes) copy[at % copy.length] = byte
        judge(copy)
      }),
      { numRuns: 2000 },
    )
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.uint8Array({ maxLength: 300 }), (bytes, rest) =>
        judge(concatBytes(bytes.slice(0, 40), rest)),
      ),
    )
  })

  const [png, jpeg, , gif] = samples as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  const chunk = concatBytes('\0\0\0\0teSt\0\0\0\0')
  const scan = Buffer.from(jpeg).indexOf(Buffer.from([0xff, 0xda]))
  const repeated = (part: Uint8Array) => Buffer.alloc(megabytes, part)
  it.each([
    ['a PNG of nothing but empty chunks', concatBytes(png.slice(0, 33), repeated(chunk))],
    ['a JPEG of fill bytes', concatBytes(jpeg.slice(0, 2), Buffer.alloc(megabytes, 0xff))],
    ['a JPEG of empty comments', concatBytes(jpeg.slice(0, 2), repeated(concatBytes('\xff\xfe\0\x02')))],
    ['a JPEG whose scan is fill bytes', concatBytes(jpeg.slice(0, scan + 14), Buffer.alloc(megabytes, 0xff))],
    ['a JPEG whose scan is escaped bytes', concatBytes(jpeg.slice(0, scan + 14), repeated(concatBytes('\xff\0')))],
    ['a JPEG with zeros behind it', concatBytes(jpeg, Buffer.alloc(megabytes))],
    ['a JPEG with half tags behind it', concatBytes(jpeg, '\xff\xd8', repeated(concatBytes('<scrip')))],
    ['a GIF of empty extensions', concatBytes(gif.slice(0, 13), repeated(concatBytes('!\xfe\0')))],
  ])('takes no time: %s', (_, bytes) => {
    expect(cpuTimeMs(() => inspectImage(bytes))).toBeLessThan(700)
  })

  it('may not go over its picture a hundred times', () => {
    const scans = concatBytes(jpeg.slice(0, scan), ...Array.from({ length: 101 }, () => jpeg.slice(scan, -2)), jpeg.slice(-2))
    expect(inspectImage(scans)).toEqual({ ok: false, reason: 'broken' })
  })
})

it('takes metadata out of a JPEG and leaves picture and colours', async () => {
  const dressed = copyBytes(
    await sharp(samples[0])
      .keepIccProfile()
      .withIccProfile('p3')
      .withExif({ IFD0: { Artist: 'Dana' } })
      .jpeg()
      .toBuffer(),
  )
  const bare = removeJpegMetadata(dressed)
  const [before, after] = [await sharp(dressed).metadata(), await sharp(bare).metadata()]
  expect([before.exif !== undefined, after.exif, after.icc?.length]).toEqual([true, undefined, before.icc?.length])
  expect(await sharp(bare).raw().toBuffer()).toEqual(await sharp(dressed).raw().toBuffer())
  const commented = concatBytes(dressed.slice(0, 2), '\xff\xfe\0\x06Dana', dressed.slice(2))
  expect(removeJpegMetadata(commented)).toEqual(bare)
})
