import { ArticleError } from './blocks.ts'
import type { ArticleFormat } from './formats.ts'
import type { Losses } from './losses.ts'

type Bytes = Uint8Array<ArrayBuffer>

// C0 control characters other than white space. Text files have none; nearly every binary file has some. DEL
// and C1 are allowed.
const binaryCharacter = /[^\P{Cc}\t-\r\x7f-\x9f]/u

/**
 * Decode a text by its byte order mark, as UTF-8, by what it or its request declares, or else as
 * Windows-1252, which is noted as a guess.
 */
export function decodeText(
  bytes: Bytes,
  declared: { format: ArticleFormat; mediaType: string },
  losses: Losses,
): string {
  const text = decodeBytes(bytes, declared, losses)
  if (binaryCharacter.test(text)) throw new ArticleError('The content is not text', 'unsupported_format')
  return text
}

function decodeBytes(
  bytes: Bytes,
  { format, mediaType }: { format: ArticleFormat; mediaType: string },
  losses: Losses,
): string {
  const utf16 = findUtf16(bytes)
  if (utf16) return new TextDecoder(utf16).decode(bytes)
  const utf8 = decodeAs('utf-8', bytes)
  if (utf8 !== null) return utf8
  const labels = [
    /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(mediaType)?.[1],
    format === 'html' ? findDeclaredLabel(bytes) : undefined,
  ]
  for (const label of labels) {
    const text = label === undefined ? null : decodeAs(label, bytes)
    if (text !== null) return text
  }
  losses.isEncodingGuessed = true
  return new TextDecoder('windows-1252').decode(bytes)
}

/** Return null for an unknown label, and for bytes that are not in the encoding. */
function decodeAs(label: string, bytes: Bytes): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

const sampleLength = 2000

/** Without a mark, every second byte of a text in UTF-16 is mostly zero. */
function findUtf16(bytes: Bytes): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, sampleLength)
  const zeros = [0, 0] as [number, number]
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2 === 0 ? 0 : 1]++
  const many = sample.length * 0.3
  if (bytes.length % 2 === 1 || Math.max(zeros[0], zeros[1]) < many || Math.min(zeros[0], zeros[1]) > 0)
    return null
  return zeros[1] > 0 ? 'utf-16le' : 'utf-16be'
}

/** Return the label in `<meta charset>`, in its older form, or in the XML declaration. */
function findDeclaredLabel(bytes: Bytes): string | undefined {
  const start = new TextDecoder('windows-1252').decode(bytes.subarray(0, 4 * 1024))
  return (
    // Bounded: 4 KiB.
    /<meta\s[^>]{0,500}?charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(start)?.[1] ??
    /^<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i.exec(start)?.[1]
  )
}
