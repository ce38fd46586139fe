import { type ImageStructure, maxParts } from './parts.ts'

// Each scan of a progressive image decodes all of it again.
const maxScans = 100

interface Segment {
  marker: number
  from: number
  to: number
}

const isStandalone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)

/** Yield a JPEG's segments up to and including its end marker. The data of a scan belongs to no segment. Stop early where the file is broken. */
function* segmentsOf(bytes: Uint8Array): Generator<Segment> {
  for (let at = 2, parts = 0; at + 1 < bytes.length && parts < maxParts; ) {
    if (bytes[at] !== 0xff) return
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at++
    else if (isStandalone(marker)) at += 2
    else if (marker === 0xd9) return yield { marker, from: at, to: at + 2 }
    else {
      const length = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)
      const to = at + 2 + length
      if (length < 2 || to > bytes.length) return
      parts++
      yield { marker, from: at, to }
      at = marker === 0xda ? endOfScan(bytes, to) : to
    }
  }
}

/** Return the offset of the next marker after a scan. In a scan 0xff is followed by zero, and restart markers belong to it. */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0x00 && next !== 0xff && !isStandalone(next)) return at
  }
  return bytes.length
}

/** Read a JPEG's segments. Return null when it is incomplete, of an unusual type, or has too many scans. */
export function readJpegStructure(bytes: Uint8Array): ImageStructure | null {
  const otherParts: Uint8Array[] = []
  let size: { width: number; height: number } | null = null
  let scans = 0
  for (const { marker, from, to } of segmentsOf(bytes)) {
    if (marker === 0xd9)
      return size && scans > 0 && isAllowedTrailer(bytes.subarray(to))
        ? { ...size, end: to, otherParts: [...otherParts, bytes.subarray(to)] }
        : null
    if (marker === 0xda && (!size || ++scans > maxScans)) return null
    if (marker >= 0xe0) otherParts.push(bytes.subarray(from, to))
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      // Only baseline, extended and progressive, and only once. A height of zero would mean that it is given later.
      if (marker > 0xc2 || size || to - from < 10) return null
      size = { height: word(bytes, from + 5), width: word(bytes, from + 7) }
      if (size.width === 0 || size.height === 0) return null
    }
  }
  return null
}

function word(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}

/** Whether a camera may append these bytes: padding, further images (previews, gain maps) or a short video. Anything else is a second file. */
function isAllowedTrailer(rest: Uint8Array): boolean {
  if (rest[0] === 0xff && rest[1] === 0xd8) return true
  if (String.fromCharCode(...rest.subarray(4, 8)) === 'ftyp') return true
  return rest.every((byte) => byte === 0)
}

/** Remove a JPEG's metadata. Of the application segments only those for colour stay (JFIF, Adobe, ICC). */
export function removeJpegMetadata(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let copied = 0
  for (const { marker, from, to } of segmentsOf(bytes)) {
    if (marker === 0xd9) parts.push(bytes.subarray(copied, to))
    const isProfile = marker === 0xe2 && String.fromCharCode(...bytes.subarray(from + 4, from + 15)) === 'ICC_PROFILE'
    if (marker < 0xe1 || marker === 0xee || isProfile) continue
    parts.push(bytes.subarray(copied, from))
    copied = to
  }
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
