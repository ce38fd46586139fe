import { type ImageStructure, maxParts } from './parts.ts'

const picture = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF'])
/**
 * What a decoder keeps of each pixel: the colours of a lossless picture, and of a lossy one only its
 * transparency, beside the colours from which it may be made. A frame of an animation may have either.
 */
const heldBytesPerPixel: Readonly<Record<string, number>> = { VP8L: 4, ALPH: 5, ANMF: 5 }

/** Read a WebP's chunks, which must fill it exactly. Return null when it is incomplete. */
export function readWebpStructure(file: Uint8Array): ImageStructure | null {
  const end = file.length < 25 ? 0 : new DataView(file.buffer, file.byteOffset).getUint32(4, true) + 8
  if (end < 25 || end > file.length) return null
  const bytes = file.subarray(0, end)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const otherParts: Uint8Array[] = []
  const size = { width: 0, height: 0 }
  let frames = 0
  let bytesPerPixel = 0
  let at = 12
  for (let parts = 0; at + 8 <= bytes.length && parts < maxParts; parts++) {
    const type = String.fromCharCode(...bytes.subarray(at, at + 4))
    const length = view.getUint32(at + 4, true)
    const next = at + 8 + length + (length % 2)
    if (next > bytes.length || (at === 12 && !type.startsWith('VP8'))) return null
    const frameSize = length >= (type === 'VP8L' ? 5 : 10) ? readSize(type, view, at + 8) : null
    if (frameSize === 'broken') return null
    if (frameSize)
      Object.assign(size, {
        width: Math.max(size.width, frameSize.width),
        height: Math.max(size.height, frameSize.height),
      })
    if (type === 'VP8 ' || type === 'VP8L' || type === 'ANMF') frames++
    bytesPerPixel = Math.max(bytesPerPixel, heldBytesPerPixel[type] ?? 0)
    if (!picture.has(type)) otherParts.push(bytes.subarray(at, next))
    at = next
  }
  return at === bytes.length && frames > 0 && size.width > 0 && size.height > 0
    ? {
        ...size,
        end,
        otherParts: [...otherParts, file.subarray(end)],
        heldBytes: size.width * size.height * bytesPerPixel,
      }
    : null
}

function readSize(
  type: string,
  view: DataView,
  at: number,
): { width: number; height: number } | 'broken' | null {
  const three = (from: number) => view.getUint16(from, true) | (view.getUint8(from + 2) << 16)
  if (type === 'VP8X') return { width: 1 + three(at + 4), height: 1 + three(at + 7) }
  if (type === 'VP8 ') {
    if (three(at + 3) !== 0x2a019d) return 'broken'
    return { width: view.getUint16(at + 6, true) & 0x3fff, height: view.getUint16(at + 8, true) & 0x3fff }
  }
  if (type !== 'VP8L') return null
  if (view.getUint8(at) !== 0x2f) return 'broken'
  const bits = view.getUint32(at + 1, true)
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
}
