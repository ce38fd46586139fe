import { spend } from '#rules/budget.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })
const utf16 = new TextDecoder('utf-16le')

/** The upper half of code page 437, the one that the format names for entries without a flag for UTF-8. */
const upperHalf =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

const unicodePathId = 0x7075
// Version, and a checksum of the other name.
const unicodePathHeader = 5

/**
 * Read the name of an entry: as UTF-8, whatever the flags say; else from its field with the name in UTF-8 (4.6.9
 * of https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT); else by code page 437 (appendix D there).
 */
export function readEntryName(name: Uint8Array, extraFields: Uint8Array): string {
  return decodeUtf8(name) ?? findUnicodePath(extraFields) ?? decodeCodePage(name)
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

function findUnicodePath(fields: Uint8Array): string | undefined {
  const view = new DataView(fields.buffer, fields.byteOffset, fields.byteLength)
  for (let offset = 0; offset + 4 <= fields.length; ) {
    const start = offset + 4
    const end = start + view.getUint16(offset + 2, true)
    if (view.getUint16(offset, true) === unicodePathId && end <= fields.length)
      return decodeUtf8(fields.subarray(start + unicodePathHeader, end)) || undefined
    offset = end
  }
  return undefined
}

/** The UTF-16 code of each byte. */
const codePage = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 ? byte : upperHalf.charCodeAt(byte - 0x80),
)

/** Names may take most of an archive of 16 MiB. Joining their characters one by one takes 60 ns for each. */
function decodeCodePage(bytes: Uint8Array): string {
  spend(bytes.length)
  const codes = new Uint16Array(bytes.length)
  for (let at = 0; at < bytes.length; at++) codes[at] = codePage[bytes[at] as number] as number
  return utf16.decode(codes)
}
