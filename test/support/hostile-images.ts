import { crc32, deflateSync } from 'node:zlib'
import sharp, { type Sharp, type WebpOptions } from 'sharp'
import { type Bytes, concatBytes, copyBytes } from './images.ts'

// Pictures of any size from nothing: a few kilobytes that a decoder makes as large as their header says. They
// have every shape that the accepted formats know.

const uint16 = (value: number) => [value >> 8, value & 255]
const uint32 = (value: number) => [...uint16(value >>> 16), ...uint16(value & 0xffff)]
const toBytes = (...bytes: number[]) => new Uint8Array(bytes)

/**
 * The channels of a colour type, and its depths: https://www.w3.org/TR/png-3/#3colourTypeBits. Those of 2 and 4 bits
 * are decoded as that of one.
 */
export const pngColours = {
  0: { channels: 1, depths: [1, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
} as const

export interface PngShape {
  width: number
  height: number
  colour: keyof typeof pngColours
  depth: number
  isInterlaced: boolean
  hasTransparency: boolean
}

export function createPngChunk(type: string, data: Uint8Array | string): Bytes {
  const body = concatBytes(type, data)
  return concatBytes(toBytes(...uint32(body.length - 4)), body, toBytes(...uint32(crc32(body))))
}

/** The passes of Adam7, each from a column and a row, with steps: https://www.w3.org/TR/png-3/#8Interlace */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/** Create a PNG of zeros, with `chunks` after its header. */
export function createPng(
  { width, height, colour, depth, isInterlaced, hasTransparency }: PngShape,
  chunks: readonly Uint8Array[] = [],
): Bytes {
  const bits = pngColours[colour].channels * depth
  const measurePass = (columns: number, rows: number) =>
    columns === 0 ? 0 : rows * (1 + Math.ceil((columns * bits) / 8))
  const size = isInterlaced
    ? passes.reduce((sum, [left, top, dx, dy]) => {
        const [columns, rows] = [Math.ceil((width - left) / dx), Math.ceil((height - top) / dy)]
        return sum + measurePass(Math.max(0, columns), Math.max(0, rows))
      }, 0)
    : measurePass(width, height)
  const header = [...uint32(width), ...uint32(height), depth, colour, 0, 0, Number(isInterlaced)]
  return concatBytes(
    '\x89PNG\r\n\x1a\n',
    createPngChunk('IHDR', toBytes(...header)),
    ...chunks,
    ...(colour === 3 ? [createPngChunk('PLTE', toBytes(200, 30, 30))] : []),
    ...(hasTransparency
      ? [createPngChunk('tRNS', colour === 2 ? '\0\0\0\0\0\0' : colour === 3 ? '\x80' : '\0\0')]
      : []),
    createPngChunk('IDAT', deflateSync(Buffer.alloc(size), { level: 1 })),
    createPngChunk('IEND', ''),
  )
}

export interface JpegShape {
  width: number
  height: number
  /** How often each component is sampled, across and down. */
  sampling: readonly (readonly [across: number, down: number])[]
  isProgressive: boolean
  /** A scan per component, rather than one for all of them. */
  isSplit: boolean
  /** Scans after those that define the picture. */
  moreScans?: number
}

/** Create a JPEG of one colour (ITU T.81). Each of its codes is one bit long. */
export function createJpeg(shape: JpegShape): Bytes {
  const { width, height, sampling, isProgressive, isSplit, moreScans = 0 } = shape
  const segment = (marker: number, ...data: number[]) =>
    toBytes(0xff, marker, ...uint16(data.length + 2), ...data)
  const largest = [0, 1].map((side) => Math.max(...sampling.map((factors) => factors[side] ?? 1)))
  const [across = 1, down = 1] = largest
  const columns = Math.ceil(width / (8 * across))
  const rows = Math.ceil(height / (8 * down))
  const ids = sampling.map((_, index) => index + 1)
  /** Blocks of a scan of one component: those that the picture covers. */
  const countBlocks = (id: number) => {
    const [h, v] = sampling[id - 1] ?? [1, 1]
    return Math.ceil(Math.ceil((width * h) / across) / 8) * Math.ceil(Math.ceil((height * v) / down) / 8)
  }
  const scan = (members: number[], [from, to, approximation]: readonly number[], bits: number) =>
    concatBytes(
      segment(
        0xda,
        members.length,
        ...members.flatMap((id) => [id, 0]),
        from ?? 0,
        to ?? 0,
        approximation ?? 0,
      ),
      new Uint8Array(Math.ceil(bits / 8)),
    )
  // A block takes a bit for its first value, and in a baseline scan one for the end of the others.
  const bitsPerBlock = isProgressive ? 1 : 2
  const selection = isProgressive ? [0, 0, 0] : [0, 63, 0]
  const unit = sampling.reduce((sum, [h, v]) => sum + h * v, 0)
  const isSingle = sampling.length === 1
  const scans =
    isSplit || isSingle
      ? ids.map((id) => scan([id], selection, countBlocks(id) * bitsPerBlock))
      : [scan(ids, selection, columns * rows * unit * bitsPerBlock)]
  // One code ends 16,384 blocks: a one-bit code, and 14 bits that say how many more.
  const more = Array.from({ length: moreScans }, (_, index) =>
    scan([1 + (index % ids.length)], [1, 63, 0], Math.ceil(countBlocks(1) / 16_384) * 15),
  )
  const table = (kind: number, value: number) => segment(0xc4, kind, 1, ...Array(15).fill(0), value)
  return concatBytes(
    '\xff\xd8',
    segment(0xdb, 0, ...Array(64).fill(1)),
    segment(
      isProgressive ? 0xc2 : 0xc0,
      8,
      ...uint16(height),
      ...uint16(width),
      sampling.length,
      ...sampling.flatMap(([h, v], index) => [index + 1, h * 16 + v, 0]),
    ),
    table(0x00, 0),
    table(0x10, isProgressive ? 0xe0 : 0),
    ...scans,
    ...more,
    '\xff\xd9',
  )
}

const uint24 = (value: number) => [value & 255, (value >> 8) & 255, value >> 16]

/** Make a WebP of one picture the only frame of an animation (RFC 9649, 2.7.1.1). */
function toAnimation(still: Bytes, width: number, height: number): Bytes {
  const chunk = (type: string, data: Uint8Array) =>
    concatBytes(type, toBytes(...uint24(data.length), data.length >>> 24), data, '\0'.repeat(data.length % 2))
  const size = [...uint24(width - 1), ...uint24(height - 1)]
  const canvas = chunk('VP8X', toBytes(0x12, 0, 0, 0, ...size))
  const picture = still.subarray(Buffer.from(still.subarray(12, 16)).toString() === 'VP8X' ? 30 : 12)
  const frame = chunk('ANMF', concatBytes(toBytes(0, 0, 0, 0, 0, 0, ...size, 1, 0, 0, 0), picture))
  return chunk('RIFF', concatBytes('WEBP', canvas, chunk('ANIM', new Uint8Array(6)), frame))
}

export interface ImageShape {
  name: string
  create(width: number, height: number): Bytes | Promise<Bytes>
}

const noYes = [false, true]
const pngShapes: ImageShape[] = Object.entries(pngColours).flatMap(([name, { depths }]) =>
  depths.flatMap((depth) =>
    noYes.flatMap((isInterlaced) =>
      // A colour type with transparency has no chunk for it.
      noYes.slice(0, Number(name) > 3 ? 1 : 2).map((hasTransparency) => {
        const shape = { colour: Number(name) as PngShape['colour'], depth, isInterlaced, hasTransparency }
        return {
          name: `PNG ${JSON.stringify(shape)}`,
          create: (width: number, height: number) => createPng({ width, height, ...shape }),
        }
      }),
    ),
  ),
)
const samplings: JpegShape['sampling'][] = [
  [[1, 1]],
  [
    [2, 2],
    [1, 1],
    [1, 1],
  ],
  [
    [4, 1],
    [1, 1],
    [1, 1],
  ],
  [
    [1, 1],
    [1, 1],
    [1, 1],
  ],
  [
    [1, 1],
    [1, 1],
    [1, 1],
    [1, 1],
  ],
]
const jpegShapes: ImageShape[] = samplings.flatMap((sampling) =>
  noYes.flatMap((isProgressive) =>
    noYes.map((isSplit) => {
      const shape = { sampling, isProgressive, isSplit }
      return {
        name: `JPEG ${JSON.stringify(shape)}`,
        create: (width: number, height: number) => createJpeg({ width, height, ...shape }),
      }
    }),
  ),
)

/** Encode a picture in which no colour repeats for long, and so no encoder finds a palette. */
async function encode(width: number, height: number, write: (image: Sharp) => Sharp): Promise<Bytes> {
  const side = Math.min(1000, width, height)
  const tile = Buffer.alloc(
    side * side * 4,
    Buffer.from(Array.from({ length: 999 }, (_, n) => (n * 7919) % 251)),
  )
  const background = { r: 200, g: 30, b: 30, alpha: 0.5 }
  const image = sharp({ create: { width, height, channels: 4, background } }).composite([
    { input: tile, raw: { width: side, height: side, channels: 4 }, tile: true },
  ])
  return copyBytes(await write(image).toBuffer())
}
const webp = (options: WebpOptions) => (image: Sharp) => image.webp({ effort: 0, ...options })
const withoutAlpha = (image: Sharp) => image.removeAlpha()
const encodings: Record<string, (image: Sharp) => Sharp> = {
  lossy: (image) => webp({})(withoutAlpha(image)),
  'lossy with transparency': webp({}),
  lossless: (image) => webp({ lossless: true })(withoutAlpha(image)),
  'lossless with transparency': webp({ lossless: true }),
}
const webpShapes: ImageShape[] = Object.entries(encodings).flatMap(([name, write]) => [
  { name: `WebP ${name}`, create: (width, height) => encode(width, height, write) },
  {
    name: `WebP ${name}, animated`,
    create: async (width, height) => toAnimation(await encode(width, height, write), width, height),
  },
])

export const imageShapes: ImageShape[] = [
  ...pngShapes,
  ...jpegShapes,
  ...webpShapes,
  { name: 'GIF', create: (width, height) => encode(width, height, (image) => image.gif({ effort: 1 })) },
]
