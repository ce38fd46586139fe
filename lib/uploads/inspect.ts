import { walkGif } from './gif.ts'
import { walkJpeg } from './jpeg.ts'
import type { Walked } from './parts.ts'
import { walkPng } from './png.ts'
import { walkWebp } from './webp.ts'

export type Inspected =
  | { ok: true; width: number; height: number; end: number }
  | { ok: false; reason: 'type' | 'broken' | 'markup' | 'pixels' }

// As many as the largest phone cameras make; a picture is unpacked to four bytes for each.
export const maxPixels = 50_000_000
export const maxSide = 12_000

const kinds: [magic: RegExp, walk: (bytes: Uint8Array) => Walked | null][] = [
  [/^89504e470d0a1a0a/, walkPng],
  [/^ffd8ff/, walkJpeg],
  [/^474946383[79]61/, walkGif],
  [/^52494646.{8}57454250/, walkWebp],
]
const markup = /<(?:script|html|svg|!doctype|\?php)/i
const ascii = new TextDecoder('latin1')

/**
 * Judges a file by its bytes and without decoding it: one of four types, whole from its first to its last byte, nothing in it that a browser
 * could take for a page, and of a size that may be decoded. One walk along its structure, in a few milliseconds.
 */
export function inspect(bytes: Uint8Array): Inspected {
  const head = Array.from(bytes.subarray(0, 12), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const [, walk] = kinds.find(([magic]) => magic.test(head)) ?? []
  if (!walk) return { ok: false, reason: 'type' }
  const walked = walk(bytes)
  if (!walked) return { ok: false, reason: 'broken' }
  const { width, height, end, aside } = walked
  if (width > maxSide || height > maxSide || width * height > maxPixels) return { ok: false, reason: 'pixels' }
  if (aside.some((part) => markup.test(ascii.decode(part)))) return { ok: false, reason: 'markup' }
  return { ok: true, width, height, end }
}
