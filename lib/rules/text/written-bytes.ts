/** An answer has at most 8 MiB; this leaves room for the frame of a document. */
export const maxWrittenBytes = 7 * 1024 * 1024

/** An escaped quotation mark in HTML, or a control character in JSON. */
const maxEscapedBytes = 6
/** Bytes of each ASCII character. A table, because this runs for every character of an export. */
const asciiBytes = Uint8Array.from({ length: 0x80 }, (_, code) => {
  if (code === 0x0a) return 2
  return code < 0x20 || '"&\'<>'.includes(String.fromCharCode(code)) ? maxEscapedBytes : 1
})
const maxCharacterBytes = 3

/** Return how many bytes a text has at most when it is written as a part of HTML or JSON. */
export function countWrittenBytes(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    bytes += code < 0x80 ? (asciiBytes[code] as number) : maxCharacterBytes
  }
  return bytes
}

/** Stands for stored content that takes too much work, or too much room, to be shown. */
export const shortenedMark = '… (shortened: the report is too large)'
