import { readGifStructure } from './gif.ts'
import { readJpegStructure } from './jpeg.ts'
import type { ImageStructure } from './parts.ts'
import { readPngStructure } from './png.ts'
import { readWebpStructure } from './webp.ts'

export type InspectionResult =
  | { ok: true; width: number; height: number; end: number }
  | { ok: false; reason: 'type' | 'broken' | 'markup' | 'pixels' }

// The largest phone cameras produce this many. Decoding takes four bytes per pixel.
export const maxPixels = 50_000_000
export const maxSide = 12_000

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

/**
 * Check an image by its bytes, without decoding it: one of four formats, complete, nothing that a browser
 * could read as a page, and a size that may be decoded. Phones and mail gateways add bytes after the end of
 * an image, which are not decoded. Take a few milliseconds.
 */
export function inspectImage(bytes: Uint8Array): InspectionResult {
  const head = toHex(bytes.subarray(0, 12))
  const [, readStructure] = formats.find(([magic]) => magic.test(head)) ?? []
  if (!readStructure) return { ok: false, reason: 'type' }
  const structure = readStructure(bytes)
  if (!structure) return { ok: false, reason: 'broken' }
  const { width, height, end, otherParts } = structure
  if (width > maxSide || height > maxSide || width * height > maxPixels)
    return { ok: false, reason: 'pixels' }
  if (otherParts.some((part) => markup.test(ascii.decode(part)))) return { ok: false, reason: 'markup' }
  return { ok: true, width, height, end }
}
