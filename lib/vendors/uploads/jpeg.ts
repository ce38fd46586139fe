import { concatBytes } from '#rules/text/bytes.ts'
import { type ImageStructure, maxParts } from './parts.ts'

// A decoder processes the whole progressive image again for each scan, so many scans would overload it.
const maxScans = 100

interface Segment {
  marker: number
  from: number
  to: number
}

const isStandalone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)

/**
 * Yield a JPEG's segments up to and including its end marker. The data of a scan belongs to no segment. Stop
 * early where the file is broken.
 */
function* readSegments(bytes: Uint8Array): Generator<Segment> {
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
      at = marker === 0xda ? findScanEnd(bytes, to) : to
    }
  }
}

/**
 * Return the offset of the next marker after a scan. Inside a scan, a data byte 0xff is followed by 0x00.
 * Restart markers are part of the scan.
 */
function findScanEnd(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0x00 && next !== 0xff && !isStandalone(next)) return at
  }
  return bytes.length
}

/** Read a JPEG's segments. Return null for an incomplete file, an unusual encoding or too many scans. */
export function readJpegStructure(bytes: Uint8Array): ImageStructure | null {
  const otherParts: Uint8Array[] = []
  let frame: Frame | null = null
  let scans = 0
  let heldBytes = 0
  for (const { marker, from, to } of readSegments(bytes)) {
    if (marker === 0xd9)
      return frame && scans > 0
        ? {
            width: frame.width,
            height: frame.height,
            end: to,
            otherParts: [...otherParts, bytes.subarray(to)],
            heldBytes,
          }
        : null
    if (marker === 0xda) {
      if (!frame || ++scans > maxScans) return null
      // The first scan tells whether there are more. Then the decoder keeps two bytes for each sample:
      // https://github.com/libjpeg-turbo/libjpeg-turbo/blob/main/src/jdinput.c
      const isWhole = (bytes[from + 4] ?? 0) < frame.components
      if (scans === 1 && (isWhole || frame.isProgressive)) heldBytes = 2 * frame.samples
    }
    if (marker >= 0xe0) otherParts.push(bytes.subarray(from, to))
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      // Accept one frame header: baseline, extended or progressive. After a zero height, a DNL marker would
      // define the height later.
      if (marker > 0xc2 || frame) return null
      frame = readFrame(bytes.subarray(from, to))
      if (!frame) return null
    }
  }
  return null
}

interface Frame {
  width: number
  height: number
  components: number
  /** Of all components together. */
  samples: number
  isProgressive: boolean
}

/** Read a frame header: https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.2.2 */
function readFrame(segment: Uint8Array): Frame | null {
  if (segment.length < 10) return null
  const [height, width] = [readUint16BE(segment, 5), readUint16BE(segment, 7)]
  if (width === 0 || height === 0) return null
  const components = Math.max(1, segment[9] ?? 0)
  // How often each component is sampled, across and down, as two halves of a byte.
  const sampling = Array.from({ length: components }, (_, index) => segment[11 + 3 * index] ?? 0x11)
  const across = sampling.map((factors) => Math.max(1, factors >> 4))
  const down = sampling.map((factors) => Math.max(1, factors & 15))
  const unit = across.reduce((sum, factor, index) => sum + factor * (down[index] ?? 1), 0)
  const largest = across.reduce((a, b) => Math.max(a, b)) * down.reduce((a, b) => Math.max(a, b))
  return {
    width,
    height,
    components,
    samples: (width * height * unit) / largest,
    isProgressive: segment[1] === 0xc2,
  }
}

function readUint16BE(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}

/** Remove a JPEG's metadata. Keep only the application segments for colour (JFIF, Adobe, ICC). */
export function removeJpegMetadata(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let copiedTo = 0
  for (const { marker, from, to } of readSegments(bytes)) {
    if (marker === 0xd9) parts.push(bytes.subarray(copiedTo, to))
    const isProfile =
      marker === 0xe2 && String.fromCharCode(...bytes.subarray(from + 4, from + 15)) === 'ICC_PROFILE'
    if (marker < 0xe1 || marker === 0xee || isProfile) continue
    parts.push(bytes.subarray(copiedTo, from))
    copiedTo = to
  }
  return concatBytes(parts)
}
