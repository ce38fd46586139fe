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
