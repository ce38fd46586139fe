import { maxParts, type Walked } from './parts.ts'

// Each pass of a progressive picture goes over all of it again.
const maxScans = 100

interface Segment {
  marker: number
  from: number
  to: number
}

const isStandalone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)

/** A JPEG's segments up to its end marker, which is the last; what a scan carries counts to no segment. Ends early where the file is broken. */
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

/** Where the next marker stands behind a scan: 0xff is doubled by a zero in it, and restart markers belong to it. */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0x00 && next !== 0xff && !isStandalone(next)) return at
  }
  return bytes.length
}

/** Along a JPEG's segments; null when it is not whole, of a rare kind, or goes over its picture all too often. */
export function walkJpeg(bytes: Uint8Array): Walked | null {
  const aside: Uint8Array[] = []
  let size: { width: number; height: number } | null = null
  let scans = 0
  for (const { marker, from, to } of segmentsOf(bytes)) {
    if (marker === 0xd9)
      return size && scans > 0 && mayFollow(bytes.subarray(to)) ? { ...size, end: to, aside: [...aside, bytes.subarray(to)] } : null
    if (marker === 0xda && (!size || ++scans > maxScans)) return null
    if (marker >= 0xe0) aside.push(bytes.subarray(from, to))
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      // Baseline, extended and progressive, once; a height of zero would be told later.
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

/** What cameras leave behind a picture: padding, further pictures (previews, light maps), a short film. Anything else makes it two files in one. */
function mayFollow(rest: Uint8Array): boolean {
  if (rest[0] === 0xff && rest[1] === 0xd8) return true
  if (String.fromCharCode(...rest.subarray(4, 8)) === 'ftyp') return true
  return rest.every((byte) => byte === 0)
}

/** A JPEG without what its picture does not need: of the application segments only the colour ones stay (JFIF, Adobe, ICC). */
export function withoutMetadata(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let kept = 0
  for (const { marker, from, to } of segmentsOf(bytes)) {
    if (marker === 0xd9) parts.push(bytes.subarray(kept, to))
    const isProfile = marker === 0xe2 && String.fromCharCode(...bytes.subarray(from + 4, from + 15)) === 'ICC_PROFILE'
    if (marker < 0xe1 || marker === 0xee || isProfile) continue
    parts.push(bytes.subarray(kept, from))
    kept = to
  }
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
