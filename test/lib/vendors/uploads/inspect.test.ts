import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { createJpeg as createLargeJpeg, type JpegShape } from '#test/support/hostile-images.ts'
import { concatBytes, copyBytes, createImage } from '#test/support/images.ts'
import { measureBestCpuTimeMs } from '#test/support/measure.ts'
import { casesByDay } from '#test/support/night.ts'
import { inspectImage } from '#vendors/uploads/inspect.ts'
import { removeJpegMetadata } from '#vendors/uploads/jpeg.ts'
import { maxParts } from '#vendors/uploads/parts.ts'
import { removePngExtras } from '#vendors/uploads/png.ts'

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
    for (const format of formats)
      expect(inspectImage(await createImage(format, 1, 1))).toMatchObject({ ok: true, width: 1, height: 1 })
    expect(
      inspectImage(copyBytes(await sharp(samples[0]).resize(1, 1).webp({ lossless: true }).toBuffer())),
    ).toMatchObject({ ok: true })
  })

  it('accepts fill bytes and markers without data between the segments of a JPEG', () => {
    const jpeg = samples[formats.indexOf('jpeg')] as Uint8Array<ArrayBuffer>
    // After the start marker: fill bytes, TEM and a restart marker (ITU T.81, B.1.1).
    const padded = concatBytes(
      jpeg.subarray(0, 2),
      new Uint8Array([0xff, 0xff, 0xff, 0x01, 0xff, 0xd0, 0xff, 0xd7]),
      jpeg.subarray(2),
    )
    expect(inspectImage(padded)).toEqual({ ok: true, width: 50, height: 30, end: jpeg.length + 8 })
    expect(
      inspectImage(concatBytes(jpeg.subarray(0, 2), new Uint8Array([0xff, 0xd8, 0, 0]), jpeg.subarray(2))).ok,
    ).toBe(false)
  })

  it('refuses an image that is cut at any position', () => {
    for (const bytes of samples) {
      for (let length = 0; length < bytes.length; length += 1 + Math.floor(length / 40)) {
        expect([length, inspectImage(bytes.subarray(0, length)).ok]).toEqual([length, false])
      }
    }
  })
})

const uint16LE = (value: number) => [value & 255, value >> 8]
const uint24LE = (value: number) => [...uint16LE(value & 0xffff), value >> 16]
const uint32BE = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
const toBytes = (...bytes: number[]) => new Uint8Array(bytes)

const pngStart = '\x89PNG\r\n\x1a\n'
const createChunk = (type: string, ...data: number[]) =>
  concatBytes(toBytes(...uint32BE(data.length)), type, toBytes(...data), '\0\0\0\0')
const createIhdr = (width: number, height: number, ...rest: number[]) =>
  createChunk('IHDR', ...uint32BE(width), ...uint32BE(height), 8, 2, 0, 0, 0, ...rest)
const createPng = (...chunks: Uint8Array[]) => concatBytes(pngStart, ...chunks)
const [pngData, pngEnd] = [createChunk('IDAT', 1), createChunk('IEND')]

const createGifScreen = (width: number, height: number, flags = 0) =>
  concatBytes('GIF89a', toBytes(...uint16LE(width), ...uint16LE(height), flags, 0, 0))
const createFrame = (left: number, top: number, width: number, height: number, flags = 0, table = 0) =>
  toBytes(
    0x2c,
    ...[left, top, width, height].flatMap(uint16LE),
    flags,
    ...new Array<number>(table).fill(0),
    2,
    1,
    0,
    0,
  )
const gifEnd = toBytes(0x3b)

const createSegment = (marker: number, ...data: number[]) =>
  toBytes(0xff, marker, 0, data.length + 2, ...data)
const createJpegSize = (width: number, height: number) => [
  8,
  height >> 8,
  height & 255,
  width >> 8,
  width & 255,
  0,
]
const jpegStart = toBytes(0xff, 0xd8)
const jpegScan = concatBytes(createSegment(0xda, 0), toBytes(1, 0xff, 0, 0xff, 0xd0, 2))
const jpegEnd = toBytes(0xff, 0xd9)
const createJpeg = (...segments: Uint8Array[]) => concatBytes(jpegStart, ...segments, jpegEnd)
const jpegFrame = createSegment(0xc0, ...createJpegSize(300, 2))

const createWebpChunk = (type: string, ...data: number[]) =>
  concatBytes(
    type,
    toBytes(...uint16LE(data.length), 0, 0),
    toBytes(...data),
    toBytes(...new Array<number>(data.length % 2).fill(0)),
  )
const createWebp = (...chunks: Uint8Array[]) => {
  const content = concatBytes('WEBP', ...chunks)
  return concatBytes('RIFF', toBytes(...uint16LE(content.length), 0, 0), content)
}
const createLossy = (width: number, height: number, start = 0x9d) =>
  createWebpChunk('VP8 ', 0, 0, 0, start, 1, 0x2a, ...uint16LE(width), ...uint16LE(height))
const createLossless = (width: number, height: number, start = 0x2f) => {
  const bits = (width - 1) | ((height - 1) << 14)
  return createWebpChunk('VP8L', start, bits & 255, (bits >>> 8) & 255, (bits >>> 16) & 255, bits >>> 24)
}
const createCanvas = (width: number, height: number) =>
  createWebpChunk('VP8X', 0, 0, 0, 0, ...uint24LE(width - 1), ...uint24LE(height - 1))

describe('the structure of an image', () => {
  it.each<[string, Uint8Array, [number, number] | string]>([
    ['a PNG', createPng(createIhdr(3, 2), pngData, pngEnd), [3, 2]],
    [
      'a PNG of 50,000 chunks',
      createPng(createIhdr(3, 2), ...new Array(maxParts - 3).fill(createChunk('teSt')), pngData, pngEnd),
      [3, 2],
    ],
    [
      'a PNG of 50,001 chunks',
      createPng(createIhdr(3, 2), ...new Array(maxParts - 2).fill(createChunk('teSt')), pngData, pngEnd),
      'broken',
    ],
    ['a PNG without width', createPng(createIhdr(0, 2), pngData, pngEnd), 'broken'],
    ['a PNG without height', createPng(createIhdr(3, 0), pngData, pngEnd), 'broken'],
    ['a PNG without data', createPng(createIhdr(3, 2), createChunk('IDAT'), pngEnd), 'broken'],
    ['a PNG without header', createPng(pngData, pngEnd), 'broken'],
    ['a PNG with two headers', createPng(createIhdr(3, 2), createIhdr(3, 2), pngData, pngEnd), 'broken'],
    ['a PNG with a long header', createPng(createIhdr(3, 2, 0), pngData, pngEnd), 'broken'],
    ['a PNG with a trailer', concatBytes(createPng(createIhdr(3, 2), pngData, pngEnd), 'x'), [3, 2]],
    [
      'a PNG with a script in its text',
      createPng(createIhdr(3, 2), createChunk('tEXt', ...Buffer.from('<Script')), pngData, pngEnd),
      'markup',
    ],
    [
      'a PNG with a script in its pixels',
      createPng(createIhdr(3, 2), createChunk('IDAT', ...Buffer.from('<script')), pngEnd),
      [3, 2],
    ],
    ['a PNG as wide as allowed', createPng(createIhdr(12_000, 4166), pngData, pngEnd), [12_000, 4166]],
    ['a PNG with too many pixels', createPng(createIhdr(12_000, 4167), pngData, pngEnd), 'pixels'],
    ['a PNG with 50,000,000 pixels', createPng(createIhdr(10_000, 5000), pngData, pngEnd), [10_000, 5000]],
    ['a PNG that is too wide', createPng(createIhdr(12_001, 1), pngData, pngEnd), 'pixels'],
    ['a PNG that is too high', createPng(createIhdr(1, 12_001), pngData, pngEnd), 'pixels'],
    ['a PNG as high as allowed', createPng(createIhdr(1, 12_000), pngData, pngEnd), [1, 12_000]],
    ['a GIF', concatBytes(createGifScreen(300, 2), createFrame(0, 0, 300, 2), gifEnd), [300, 2]],
    [
      'a GIF of the version 87a',
      concatBytes('GIF87a', createGifScreen(3, 2).slice(6), createFrame(0, 0, 3, 2), gifEnd),
      [3, 2],
    ],
    [
      'a GIF of the version 88a',
      concatBytes('GIF88a', createGifScreen(3, 2).slice(6), createFrame(0, 0, 3, 2), gifEnd),
      'type',
    ],
    [
      'a GIF with a global colour table',
      concatBytes(createGifScreen(3, 2, 0x81), new Uint8Array(12), createFrame(0, 0, 3, 2), gifEnd),
      [3, 2],
    ],
    [
      'a GIF with a local colour table',
      concatBytes(createGifScreen(3, 2), createFrame(0, 0, 3, 2, 0x80, 6), gifEnd),
      [3, 2],
    ],
    [
      'a GIF whose frame is in the corner',
      concatBytes(createGifScreen(3, 2), createFrame(2, 1, 1, 1), gifEnd),
      [3, 2],
    ],
    [
      'a GIF whose frame is too wide',
      concatBytes(createGifScreen(3, 2), createFrame(2, 1, 2, 1), gifEnd),
      'broken',
    ],
    [
      'a GIF whose frame is too high',
      concatBytes(createGifScreen(3, 2), createFrame(2, 1, 1, 2), gifEnd),
      'broken',
    ],
    ['a GIF without width', concatBytes(createGifScreen(0, 2), createFrame(0, 0, 0, 2), gifEnd), 'broken'],
    ['a GIF without height', concatBytes(createGifScreen(3, 0), createFrame(0, 0, 3, 0), gifEnd), 'broken'],
    ['a GIF without frame', concatBytes(createGifScreen(3, 2), gifEnd), 'broken'],
    [
      'a GIF with a trailer',
      concatBytes(createGifScreen(3, 2), createFrame(0, 0, 3, 2), gifEnd, '\0'),
      [3, 2],
    ],
    [
      'a GIF with an unknown block',
      concatBytes(createGifScreen(3, 2), '\x22\0\0', createFrame(0, 0, 3, 2), gifEnd),
      'broken',
    ],
    [
      'a GIF with a comment',
      concatBytes(createGifScreen(3, 2), '!\xfe\x02hi\0', createFrame(0, 0, 3, 2), gifEnd),
      [3, 2],
    ],
    [
      'a GIF with a page in a comment',
      concatBytes(createGifScreen(3, 2), '!\xfe\x05<html\0', createFrame(0, 0, 3, 2), gifEnd),
      'markup',
    ],
    ['a JPEG', createJpeg(jpegFrame, jpegScan), [300, 2]],
    [
      'a progressive JPEG',
      createJpeg(createSegment(0xc2, ...createJpegSize(3, 2)), jpegScan, jpegScan),
      [3, 2],
    ],
    ['a lossless JPEG', createJpeg(createSegment(0xc3, ...createJpegSize(3, 2)), jpegScan), 'broken'],
    ['a JPEG with two frames', createJpeg(jpegFrame, jpegFrame, jpegScan), 'broken'],
    [
      'a JPEG with a short frame',
      createJpeg(createSegment(0xc0, ...createJpegSize(3, 2).slice(1)), jpegScan),
      'broken',
    ],
    [
      'a JPEG with a table of codes',
      createJpeg(createSegment(0xc4), jpegFrame, createSegment(0xcc), jpegScan),
      [300, 2],
    ],
    ['a JPEG without width', createJpeg(createSegment(0xc0, ...createJpegSize(0, 2)), jpegScan), 'broken'],
    ['a JPEG without height', createJpeg(createSegment(0xc0, ...createJpegSize(3, 0)), jpegScan), 'broken'],
    ['a JPEG without frame', createJpeg(jpegScan), 'broken'],
    ['a JPEG without scan', createJpeg(jpegFrame), 'broken'],
    ['a JPEG of 100 scans', createJpeg(jpegFrame, ...new Array(100).fill(jpegScan)), [300, 2]],
    ['a JPEG of 101 scans', createJpeg(jpegFrame, ...new Array(101).fill(jpegScan)), 'broken'],
    [
      'a JPEG with a segment of no length',
      createJpeg(jpegFrame, toBytes(0xff, 0xe1, 0, 1), jpegScan),
      'broken',
    ],
    ['a JPEG with bytes between segments', createJpeg(jpegFrame, toBytes(0), jpegScan), 'broken'],
    ['a JPEG followed by zeros', concatBytes(createJpeg(jpegFrame, jpegScan), '\0\0'), [300, 2]],
    ['a JPEG followed by a JPEG', concatBytes(createJpeg(jpegFrame, jpegScan), '\xff\xd8x'), [300, 2]],
    [
      'a JPEG followed by a video',
      concatBytes(createJpeg(jpegFrame, jpegScan), '\0\0\0\x20ftypmp42'),
      [300, 2],
    ],
    ['a JPEG followed by text', concatBytes(createJpeg(jpegFrame, jpegScan), 'x'), [300, 2]],
    ['a JPEG followed by half a marker', concatBytes(createJpeg(jpegFrame, jpegScan), '\xff\xd9'), [300, 2]],
    [
      'a JPEG with a page in its metadata',
      createJpeg(createSegment(0xe0, ...Buffer.from('<!doctype')), jpegFrame, jpegScan),
      'markup',
    ],
    [
      'a JPEG with a page in its trailer',
      concatBytes(createJpeg(jpegFrame, jpegScan), '\xff\xd8<?php'),
      'markup',
    ],
    ['a lossy WebP', createWebp(createLossy(300, 2)), [300, 2]],
    ['a lossy WebP with scaling bits', createWebp(createLossy(0x4003, 0x8002)), [3, 2]],
    ['a lossy WebP with a wrong start', createWebp(createLossy(3, 2, 0x9c)), 'broken'],
    ['a lossless WebP', createWebp(createLossless(300, 700)), [300, 700]],
    ['a lossless WebP with a wrong start', createWebp(createLossless(3, 2, 0x2e)), 'broken'],
    ['a WebP with a larger canvas', createWebp(createCanvas(300, 2), createLossy(3, 70)), [300, 70]],
    ['a WebP with a canvas only', createWebp(createCanvas(300, 2)), 'broken'],
    [
      'a WebP of one frame of an animation',
      createWebp(createCanvas(300, 2), createWebpChunk('ANMF', 0)),
      [300, 2],
    ],
    ['a WebP without width', createWebp(createLossy(0, 2)), 'broken'],
    ['a WebP without height', createWebp(createLossy(3, 0)), 'broken'],
    [
      'a WebP that starts with metadata',
      createWebp(createWebpChunk('EXIF', 0, 0), createLossy(3, 2)),
      'broken',
    ],
    ['a WebP with odd metadata', createWebp(createLossy(3, 2), createWebpChunk('EXIF', 0)), [3, 2]],
    [
      'a WebP with a page in its metadata',
      createWebp(createLossy(3, 2), createWebpChunk('XMP ', ...Buffer.from('<svg'))),
      'markup',
    ],
    [
      'a WebP with a page in its pixels',
      createWebp(createLossy(3, 2), createWebpChunk('ALPH', ...Buffer.from('<svg'))),
      [3, 2],
    ],
    ['a WebP with a trailer', concatBytes(createWebp(createLossy(3, 2)), '\0\0'), [3, 2]],
    [
      'a PNG with a page in its trailer',
      concatBytes(createPng(createIhdr(3, 2), pngData, pngEnd), '<html'),
      'markup',
    ],
    [
      'a GIF with a page in its trailer',
      concatBytes(createGifScreen(3, 2), createFrame(0, 0, 3, 2), gifEnd, '<html'),
      'markup',
    ],
    ['a WebP with a page in its trailer', concatBytes(createWebp(createLossy(3, 2)), '<html'), 'markup'],
    ['a WebP that is longer than its file', createWebp(createLossy(3, 2)).slice(0, -1), 'broken'],
    ['a WebP with an incomplete chunk', createWebp(createLossy(3, 2), toBytes(0, 0)), 'broken'],
    ['a text', concatBytes('GIF'), 'type'],
  ])('UPL-06 %s is read or refused', (_, bytes, expected) => {
    const result = inspectImage(bytes)
    expect(result.ok ? [result.width, result.height] : result.reason).toEqual(expected)
  })

  const jpeg = (...[width, height, sampling, shape]: [number, number, JpegShape['sampling'], string]) =>
    createLargeJpeg({
      width,
      height,
      sampling,
      isProgressive: shape === 'progressive',
      isSplit: shape === 'split',
    })
  const [grey, half, full] = [
    [[1, 1]],
    [
      [2, 2],
      [1, 1],
      [1, 1],
    ],
    [
      [1, 1],
      [1, 1],
      [1, 1],
    ],
  ] as const
  const png = (side: number, depth: number, colour: number, interlace: number, ...chunks: Uint8Array[]) =>
    createPng(
      createChunk('IHDR', ...uint32BE(10_000), ...uint32BE(side), depth, colour, 0, 0, interlace),
      ...chunks,
      pngData,
      pngEnd,
    )
  it.each<[string, Uint8Array, boolean]>([
    ['a PNG of rows of 16 bits', png(5000, 16, 6, 0), true],
    ['an interlaced PNG of colours', png(5000, 8, 2, 1), true],
    ['an interlaced PNG of a palette', png(5000, 1, 3, 1, createChunk('PLTE', 1, 2, 3)), true],
    ['an interlaced PNG of a palette with transparency', png(4001, 1, 3, 1, createChunk('tRNS', 1)), false],
    ['an interlaced PNG with transparency', png(4000, 8, 6, 1), true],
    ['an interlaced PNG with transparency, one row more', png(4001, 8, 6, 1), false],
    ['an interlaced PNG of colours of 16 bits', png(2667, 16, 2, 1), false],
    ['an interlaced PNG of 16 bits and transparency', png(2001, 16, 6, 1), false],
    ['an interlaced grey PNG of 16 bits', png(5000, 16, 0, 1), true],
    ['an interlaced PNG of an unknown colour', png(4001, 8, 5, 1), false],
    ['the progressive JPEG of the largest camera', jpeg(10_000, 5000, half, 'progressive'), true],
    ['a progressive grey JPEG', jpeg(10_000, 5000, grey, 'progressive'), true],
    ['a baseline JPEG', jpeg(10_000, 5000, full, 'baseline'), true],
    ['a progressive JPEG of 24 million pixels', jpeg(6016, 4016, full, 'progressive'), true],
    ['a progressive JPEG of 27 million pixels', jpeg(10_000, 2700, full, 'progressive'), false],
    ['a baseline JPEG with a scan per component', jpeg(10_000, 2700, full, 'split'), false],
    ['a grey JPEG in one scan', jpeg(10_000, 5000, grey, 'split'), true],
    ['a GIF', concatBytes(createGifScreen(10_000, 4000), createFrame(0, 0, 9, 9), gifEnd), true],
    [
      'a GIF, one row more',
      concatBytes(createGifScreen(10_000, 4001), createFrame(0, 0, 9, 9), gifEnd),
      false,
    ],
    ['a lossy WebP', createWebp(createLossy(10_000, 5000)), true],
    [
      'a lossy WebP with transparency',
      createWebp(
        createWebpChunk('VP8X', ...Array(10).fill(0)),
        createWebpChunk('ALPH', 0),
        createLossy(10_000, 3201),
      ),
      false,
    ],
    ['a lossless WebP', createWebp(createLossless(10_000, 4000)), true],
    ['a lossless WebP, one row more', createWebp(createLossless(10_000, 4001)), false],
    ['an animated WebP', createWebp(createCanvas(10_000, 3201), createWebpChunk('ANMF', 0)), false],
  ])('UPL-09 a decoder keeps at most 160 MB: %s', (_, bytes, isTaken) => {
    expect(inspectImage(bytes)).toMatchObject(isTaken ? { ok: true } : { ok: false, reason: 'memory' })
  })

  it('UPL-10 a PNG keeps what changes its picture, once', () => {
    const header = createIhdr(3, 2)
    const chunk = (type: string, ...data: number[]) => createChunk(type, ...data)
    const kept = [
      header,
      chunk('iCCP', 1),
      chunk('gAMA', 1),
      chunk('eXIf', 1),
      chunk('tRNS', 1),
      pngData,
      pngData,
    ]
    const removed = [
      'zTXt',
      'iTXt',
      'tEXt',
      'iCCP',
      'eXIf',
      'tRNS',
      'acTL',
      'fcTL',
      'fdAT',
      'bKGD',
      'teSt',
    ].map((type) => chunk(type, 2))
    expect(removePngExtras(createPng(...kept, ...removed, pngEnd))).toEqual(createPng(...kept, pngEnd))
    expect(removePngExtras(samples[1] as Uint8Array<ArrayBuffer>)).toBe(samples[1])
  })

  it('a JPEG keeps its segments for colour, and loses all others', () => {
    const profile = createSegment(0xe2, ...Buffer.from('ICC_PROFILE'))
    const kept = [createSegment(0xe0, 1), createSegment(0xee, 2), profile, jpegFrame, jpegScan]
    const removed = [
      createSegment(0xe1, 3),
      createSegment(0xe2, 4),
      createSegment(0xed, 5),
      createSegment(0xef, 6),
      createSegment(0xfe, 7),
    ]
    const withMetadata = concatBytes(
      createJpeg(...kept.flatMap((segment, n) => [segment, removed[n] as Uint8Array])),
      'trailer',
    )
    expect(removeJpegMetadata(withMetadata)).toEqual(createJpeg(...kept))
  })
})

describe('hostile files', () => {
  it('inspectImage throws no exception for a corrupted file', () => {
    const corrupted = fc.tuple(
      fc.constantFrom(...samples),
      fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 8 }),
    )
    const expectNoException = (bytes: Uint8Array): void => {
      expect(() => inspectImage(bytes)).not.toThrow()
    }
    fc.assert(
      fc.property(corrupted, ([bytes, changes]) => {
        const copy = bytes.slice()
        for (const [position, byte] of changes) copy[position % copy.length] = byte
        expectNoException(copy)
      }),
      { numRuns: casesByDay(2000) },
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
    [
      'a JPEG of empty comments',
      concatBytes(jpeg.slice(0, 2), repeatToTenMebibytes(concatBytes('\xff\xfe\0\x02'))),
    ],
    [
      'a JPEG whose scan is fill bytes',
      concatBytes(jpeg.slice(0, scan + 14), Buffer.alloc(tenMebibytes, 0xff)),
    ],
    [
      'a JPEG whose scan is escaped bytes',
      concatBytes(jpeg.slice(0, scan + 14), repeatToTenMebibytes(concatBytes('\xff\0'))),
    ],
    ['a JPEG followed by zeros', concatBytes(jpeg, Buffer.alloc(tenMebibytes))],
    [
      'a JPEG followed by incomplete tags',
      concatBytes(jpeg, '\xff\xd8', repeatToTenMebibytes(concatBytes('<scrip'))),
    ],
    [
      'a GIF of empty extensions',
      concatBytes(gif.slice(0, 13), repeatToTenMebibytes(concatBytes('!\xfe\0'))),
    ],
  ])('inspectImage needs at most five times what going through the bytes of %s takes', async (_, bytes) => {
    const goThrough = () => bytes.reduce((sum, byte) => sum + byte, 0)
    const ms = await measureBestCpuTimeMs(() => inspectImage(bytes))
    expect(ms).toBeLessThan(5 * (await measureBestCpuTimeMs(goThrough)))
  })

  it('inspectImage refuses a JPEG with more than a hundred scans', () => {
    const scans = concatBytes(
      jpeg.slice(0, scan),
      ...Array.from({ length: 101 }, () => jpeg.slice(scan, -2)),
      jpeg.slice(-2),
    )
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
  expect([before.exif !== undefined, after.exif, after.icc?.length]).toEqual([
    true,
    undefined,
    before.icc?.length,
  ])
  expect(await sharp(cleaned).raw().toBuffer()).toEqual(await sharp(withMetadata).raw().toBuffer())
  const commented = concatBytes(withMetadata.slice(0, 2), '\xff\xfe\0\x06Dana', withMetadata.slice(2))
  expect(removeJpegMetadata(commented)).toEqual(cleaned)
})
