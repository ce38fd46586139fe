/** An answer has at most 8 MiB; this leaves room for the frame of a document. */
export const maxWrittenBytes = 7 * 1024 * 1024

/** An escaped quotation mark in HTML, or a control character in JSON. */
const maxEscapedBytes = 6
const escapedCharacters = new Set([0x22, 0x26, 0x27, 0x3c, 0x3e])

/** Return how many bytes a text has at most when it is written as a part of HTML or JSON. */
export function countWrittenBytes(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 0x80) bytes += 3
    else if (code === 0x0a) bytes += 2
    else bytes += code < 0x20 || escapedCharacters.has(code) ? maxEscapedBytes : 1
  }
  return bytes
}
