import { readGifStructure } from './gif.ts'
import { readJpegStructure } from './jpeg.ts'
import type { ImageStructure } from './parts.ts'
import { readPngStructure } from './png.ts'
import { readWebpStructure } from './webp.ts'

export type InspectionResult =
  | { ok: true; width: number; height: number; end: number }
  | { ok: false; reason: 'type' | 'broken' | 'markup' | 'pixels' | 'memory' }

// The largest phone cameras produce this many.
export const maxPixels = 50_000_000
export const maxSide = 12_000
/**
 * What a decoder may keep of an image at once: 50 million pixels of three bytes, as in the largest progressive
 * JPEG of a camera. Rows on their way to the smaller image take up to as much again.
 */
export const maxHeldBytes = 160_000_000

const formats: [magic: RegExp, readStructure: (bytes: Uint8Array) => ImageStructure | null][] = [
  [/^89504e470d0a1a0a/, readPngStructure],
  [/^ffd8ff/, readJpegStructure],
  [/^474946383[79]61/, readGifStructure],
  [/^52494646.{8}57454250/, readWebpStructure],
]
/** Photos of phones, in a container of MPEG: ISO/IEC 23008-12, and AVIF. */
const phonePhoto = /^.{8}66747970(?:6865(?:69|76)|6d696631|6d736631|61766966)/

/** Return whether a file is a photo in the format of a phone that this service does not read. */
export function isPhonePhoto(bytes: Uint8Array): boolean {
  return phonePhoto.test(toHex(bytes.subarray(0, 12)))
}

const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

const markup = /<(?:script|html|svg|!doctype|\?php)/i
const ascii = new TextDecoder('latin1')

/** Read the structure of an image. Return undefined for another format, and null for a broken file. */
export function readImageStructure(bytes: Uint8Array): ImageStructure | null | undefined {
  const head = toHex(bytes.subarray(0, 12))
  return formats.find(([magic]) => magic.test(head))?.[1](bytes)
}

/**
 * Check an image by its bytes, without decoding it: one of four formats, complete, nothing that a browser
 * could read as a page, and a size that may be decoded. Phones and mail gateways add bytes after the end of
 * an image, which are not decoded. Take a few milliseconds.
 */
export function inspectImage(bytes: Uint8Array): InspectionResult {
  const structure = readImageStructure(bytes)
  if (structure === undefined) return { ok: false, reason: 'type' }
  if (!structure) return { ok: false, reason: 'broken' }
  const { width, height, end, otherParts, heldBytes } = structure
  if (width > maxSide || height > maxSide || width * height > maxPixels)
    return { ok: false, reason: 'pixels' }
  if (heldBytes > maxHeldBytes) return { ok: false, reason: 'memory' }
  if (otherParts.some((part) => markup.test(ascii.decode(part)))) return { ok: false, reason: 'markup' }
  return { ok: true, width, height, end }
}
