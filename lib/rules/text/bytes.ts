/** Return the bytes of all parts, in their order. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, { byteLength }) => size + byteLength, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

/** A call takes a limited number of arguments. */
const maxArguments = 4096

/** Return the text of UTF-16 code units, or of bytes that are each one character. */
export function decodeUnits(units: Uint8Array | Uint16Array): string {
  const parts: string[] = []
  for (let at = 0; at < units.length; at += maxArguments) {
    // `apply` takes a list as it is, a sixth of the time of `...`, which asks it for each unit.
    const chunk = units.subarray(at, at + maxArguments) as unknown as number[]
    parts.push(String.fromCharCode.apply(null, chunk))
  }
  return parts.join('')
}

const chunkSize = 0x6000

export function encodeBase64(bytes: Uint8Array): string {
  let encoded = ''
  // `btoa` reads one character per byte. The chunk size is divisible by three, so the chunks join without padding.
  for (let start = 0; start < bytes.length; start += chunkSize)
    encoded += btoa(decodeUnits(bytes.subarray(start, start + chunkSize)))
  return encoded
}

/**
 * Decode base64. Throw a DOMException for a text that is none. `Uint8Array.from` would make a text of each byte,
 * which takes a second for 10 MB.
 */
export function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

// RFC 8259, section 8.1: JSON is UTF-8. Without `fatal` a client that sends another encoding would lose
// letters without a word.
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decode UTF-8, or return undefined for bytes of another encoding. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** The error for bytes of another encoding. */
export const notUtf8 = {
  msg: 'must be UTF-8; save or send the text in this encoding',
  type: 'invalid_encoding',
} as const

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/** Return the CRC-32 of the bytes, as zlib and ZIP compute it. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}
