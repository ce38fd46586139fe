import { concatBytes } from '#rules/text/bytes.ts'
import { type ImageStructure, maxParts } from './parts.ts'

const signatureLength = 8
const imageChunkTypes = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'fdAT'])
/** Chunks that change what is stored: transparency, orientation and colours. A valid file has one of each. */
const keptChunkTypes = new Set(['tRNS', 'eXIf', 'iCCP', 'sRGB', 'gAMA', 'cHRM'])
/** The channels of each colour type; a palette becomes colours: https://www.w3.org/TR/png-3/#3colourTypeBits */
const channels: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 3, 4: 2, 6: 4 }

interface Chunk {
  type: string
  from: number
  to: number
}

/** Yield a PNG's chunks. Stop early where the file is broken. */
function* readChunks(bytes: Uint8Array): Generator<Chunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = signatureLength, parts = 0; at + 12 <= bytes.length && parts < maxParts; parts++) {
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    const to = at + 12 + view.getUint32(at)
    if (to > bytes.length) return
    yield { type, from: at, to }
    at = to
  }
}

/**
 * Read a PNG's chunks. Return null unless it starts with IHDR, has a size and image data, and ends with IEND.
 */
export function readPngStructure(bytes: Uint8Array): ImageStructure | null {
  const otherParts: Uint8Array[] = []
  let header: Header | null = null
  let dataLength = 0
  let hasTransparency = false
  for (const { type, from, to } of readChunks(bytes)) {
    if ((type === 'IHDR') !== (from === signatureLength)) return null
    if (type === 'IHDR') header = readHeader(bytes.subarray(from + 8, to - 4))
    if (!header) return null
    if (type === 'IDAT') dataLength += to - from - 12
    if (type === 'tRNS') hasTransparency = true
    if (!imageChunkTypes.has(type)) otherParts.push(bytes.subarray(from, to))
    if (type !== 'IEND') continue
    if (dataLength === 0) return null
    const { width, height, depth, colour, isInterlaced } = header
    const samples = (channels[colour] ?? 4) + (hasTransparency ? 1 : 0)
    const heldBytes = isInterlaced ? width * height * samples * (depth > 8 ? 2 : 1) : 0
    return { width, height, end: to, otherParts: [...otherParts, bytes.subarray(to)], heldBytes }
  }
  return null
}

interface Header {
  width: number
  height: number
  depth: number
  colour: number
  isInterlaced: boolean
}

function readHeader(data: Uint8Array): Header | null {
  if (data.length !== 13) return null
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const [width, height] = [view.getUint32(0), view.getUint32(4)]
  if (width === 0 || height === 0) return null
  return {
    width,
    height,
    depth: view.getUint8(8),
    colour: view.getUint8(9),
    isInterlaced: view.getUint8(12) > 0,
  }
}

/**
 * Remove what a decoder would read but nobody sees: texts, whose compressed form takes seconds to expand,
 * frames of an animation, and every chunk that repeats one. Return anything but a PNG as it is.
 */
export function removePngExtras(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (!readPngStructure(bytes)) return bytes
  const parts = [bytes.subarray(0, signatureLength)]
  const seen = new Set<string>()
  for (const { type, from, to } of readChunks(bytes)) {
    const isKept =
      type === 'IDAT' ||
      ((imageChunkTypes.has(type) || keptChunkTypes.has(type)) && type !== 'fdAT' && !seen.has(type))
    seen.add(type)
    if (isKept) parts.push(bytes.subarray(from, to))
  }
  return concatBytes(parts)
}
