import { type ImageStructure, maxParts } from './parts.ts'

const imageChunkTypes = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'fdAT'])

/**
 * Read a PNG's chunks. Return null unless it starts with IHDR, has a size and image data, and ends with IEND.
 */
export function readPngStructure(bytes: Uint8Array): ImageStructure | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const otherParts: Uint8Array[] = []
  let size: { width: number; height: number } | null = null
  let dataLength = 0
  for (let at = 8, parts = 0; at + 12 <= bytes.length && parts < maxParts; parts++) {
    const length = view.getUint32(at)
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    const next = at + 12 + length
    if (next > bytes.length || (type === 'IHDR') !== (at === 8)) return null
    if (type === 'IHDR') {
      if (length !== 13) return null
      size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) }
      if (size.width === 0 || size.height === 0) return null
    }
    if (type === 'IDAT') dataLength += length
    if (!imageChunkTypes.has(type)) otherParts.push(bytes.subarray(at, next))
    if (type === 'IEND')
      return size && dataLength > 0
        ? { ...size, end: next, otherParts: [...otherParts, bytes.subarray(next)] }
        : null
    at = next
  }
  return null
}
