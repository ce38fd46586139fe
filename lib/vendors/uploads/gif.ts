import { type ImageStructure, maxParts } from './parts.ts'

/** Read a GIF's blocks up to its trailer. Return null when it is incomplete or a frame exceeds the screen. */
export function readGifStructure(bytes: Uint8Array): ImageStructure | null {
  const word = (at: number) => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
  const [width, height] = [word(6), word(8)]
  if (bytes.length < 14 || width === 0 || height === 0) return null
  const otherParts: Uint8Array[] = []
  let frames = 0
  for (let at = 13 + tableSize(bytes[10]), parts = 0; at < bytes.length && parts < maxParts; parts++) {
    const kind = bytes[at]
    if (kind === 0x3b)
      return frames > 0
        ? {
            width,
            height,
            end: at + 1,
            otherParts: [...otherParts, bytes.subarray(at + 1)],
            // Each frame changes the picture of four channels that the earlier ones have left.
            heldBytes: width * height * 4,
          }
        : null
    let data = at + 2
    if (kind === 0x2c) {
      if (word(at + 1) + word(at + 5) > width || word(at + 3) + word(at + 7) > height) return null
      frames++
      data = at + 11 + tableSize(bytes[at + 9])
    } else if (kind !== 0x21) return null
    const next = endOfBlocks(bytes, data)
    if (next === null) return null
    if (kind === 0x21) otherParts.push(bytes.subarray(at, next))
    at = next
  }
  return null
}

/** Return the size of a colour table in bytes, from the flags before it. */
function tableSize(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

function endOfBlocks(bytes: Uint8Array, from: number): number | null {
  for (let at = from; at < bytes.length; ) {
    const length = bytes[at] ?? 0
    at += 1 + length
    if (length === 0) return at
  }
  return null
}
