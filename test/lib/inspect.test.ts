import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { inspectImage } from '../../lib/uploads/inspect.ts'
import { removeJpegMetadata } from '../../lib/uploads/jpeg.ts'
import { concatBytes, copyBytes, createImage } from '../support/images.ts'
import { measureCpuTimeMs } from '../support/measure.ts'

const formats = ['png', 'jpeg', 'webp', 'gif'] as const
const samples = await Promise.all(formats.map((format) => createImage(format, 50, 30, { noise: true })))
const tenMebibytes = 10 * 1024 * 1024

describe('inspectImage', () => {
  it('accepts a complete image in every variant of its format, and returns its size', async () => {
    const source = sharp(samples[0]).resize(70, 45, { fit: 'fill' })
    const variants = [
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
    for (const [n, variant] of variants.entries()) {
      const bytes = copyBytes(await variant.toBuffer())
      expect([n, inspectImage(bytes)]).toEqual([n, { ok: true, width: 70, height: 45, end: bytes.length }])
    }
    for (const format of formats) expect(inspectImage(await createImage(format, 1, 1))).toMatchObject({ ok: true, width: 1, height: 1 })
    expect(inspectImage(copyBytes(await sharp(samples[0]).resize(1, 1).webp({ lossless: true }).toBuffer()))).toMatchObject({ ok: true })
  })

  it('accepts fill bytes and markers without data between the segments of a JPEG', () => {
    const jpeg = samples[formats.indexOf('jpeg')] as Uint8Array<ArrayBuffer>
    // After the start marker: fill bytes, TEM and a restart marker (ITU T.81, B.1.1).
    const padded = concatBytes(jpeg.subarray(0, 2), new Uint8Array([0xff, 0xff, 0xff, 0x01, 0xff, 0xd0, 0xff, 0xd7]), jpeg.subarray(2))
    expect(inspectImage(padded)).toEqual({ ok: true, width: 50, height: 30, end: jpeg.length + 8 })
    expect(inspectImage(concatBytes(jpeg.subarray(0, 2), new Uint8Array([0xff, 0xd8, 0, 0]), jpeg.subarray(2))).ok).toBe(false)
  })

  it('refuses an image that is cut at any position', () => {
    for (const bytes of samples) {
      for (let length = 0; length < bytes.length; length += 1 + Math.floor(length / 40)) {
        expect([length, inspectImage(bytes.subarray(0, length)).ok]).toEqual([length, false])
      }
    }
  })
})

describe('hostile files', () => {
  it('inspectImage throws no exception for a corrupted file', () => {
    const corrupted = fc.tuple(fc.constantFrom(...samples), fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 8 }))
    const expectNoException = (bytes: Uint8Array): void => {
      expect(() => inspectImage(bytes)).not.toThrow()
    }
    fc.assert(
      fc.property(corrupted, ([bytes, changes]) => {
        const copy = bytes.slice()
        for (const [position, byte] of changes) copy[position % copy.length] = byte
        expectNoException(copy)
      }),
      { numRuns: 2000 },
    )
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.uint8Array({ maxLength: 300 }), (bytes, rest) =>
        expectNoException(concatBytes(bytes.slice(0, 40), rest)),
      ),
    )
  })

  const [png, jpeg, , gif] = samples as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  const chunk = concatBytes('\0\0\0\0teSt\0\0\0\0')
  const scan = Buffer.from(jpeg).indexOf(Buffer.from([0xff, 0xda]))
  const repeatToTenMebibytes = (part: Uint8Array) => Buffer.alloc(tenMebibytes, part)
  it.each([
    ['a PNG of empty chunks', concatBytes(png.slice(0, 33), repeatToTenMebibytes(chunk))],
    ['a JPEG of fill bytes', concatBytes(jpeg.slice(0, 2), Buffer.alloc(tenMebibytes, 0xff))],
    ['a JPEG of empty comments', concatBytes(jpeg.slice(0, 2), repeatToTenMebibytes(concatBytes('\xff\xfe\0\x02')))],
    ['a JPEG whose scan is fill bytes', concatBytes(jpeg.slice(0, scan + 14), Buffer.alloc(tenMebibytes, 0xff))],
    ['a JPEG whose scan is escaped bytes', concatBytes(jpeg.slice(0, scan + 14), repeatToTenMebibytes(concatBytes('\xff\0')))],
    ['a JPEG followed by zeros', concatBytes(jpeg, Buffer.alloc(tenMebibytes))],
    ['a JPEG followed by incomplete tags', concatBytes(jpeg, '\xff\xd8', repeatToTenMebibytes(concatBytes('<scrip')))],
    ['a GIF of empty extensions', concatBytes(gif.slice(0, 13), repeatToTenMebibytes(concatBytes('!\xfe\0')))],
  ])('inspectImage needs less than 700 ms of CPU time for %s', (_, bytes) => {
    expect(measureCpuTimeMs(() => inspectImage(bytes))).toBeLessThan(700)
  })

  it('inspectImage refuses a JPEG with more than a hundred scans', () => {
    const scans = concatBytes(jpeg.slice(0, scan), ...Array.from({ length: 101 }, () => jpeg.slice(scan, -2)), jpeg.slice(-2))
    expect(inspectImage(scans)).toEqual({ ok: false, reason: 'broken' })
  })
})

it('removeJpegMetadata removes the metadata of a JPEG and keeps its pixels and colour profile', async () => {
  const withMetadata = copyBytes(
    await sharp(samples[0])
      .keepIccProfile()
      .withIccProfile('p3')
      .withExif({ IFD0: { Artist: 'Dana' } })
      .jpeg()
      .toBuffer(),
  )
  const cleaned = removeJpegMetadata(withMetadata)
  const [before, after] = [await sharp(withMetadata).metadata(), await sharp(cleaned).metadata()]
  expect([before.exif !== undefined, after.exif, after.icc?.length]).toEqual([true, undefined, before.icc?.length])
  expect(await sharp(cleaned).raw().toBuffer()).toEqual(await sharp(withMetadata).raw().toBuffer())
  const commented = concatBytes(withMetadata.slice(0, 2), '\xff\xfe\0\x06Dana', withMetadata.slice(2))
  expect(removeJpegMetadata(commented)).toEqual(cleaned)
})
