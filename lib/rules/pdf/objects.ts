import { concatBytes } from '#rules/text/bytes.ts'

// Writes PDF objects and the file that contains them. The syntax is that of ISO 32000-1.

const encoder = new TextEncoder()

/** The object with number n is at index n - 1. A reserved object is undefined until it is set. */
export type PdfObjects = (Uint8Array[] | undefined)[]

/** Return the number of an object that `setObject` sets later. */
export function reserveObject(objects: PdfObjects): number {
  return objects.push(undefined)
}

export function setObject(objects: PdfObjects, number: number, body: string): void {
  objects[number - 1] = [encoder.encode(body)]
}

/** Add an object and return its number. */
export function addObject(objects: PdfObjects, body: string): number {
  return objects.push([encoder.encode(body)])
}

/**
 * Add a stream object and return its number. `entries` are the entries of its dictionary, without the length.
 */
export function addStream(objects: PdfObjects, entries: string, data: Uint8Array): number {
  const header = encoder.encode(`<<${entries}/Length ${data.length}>>\nstream\n`)
  return objects.push([header, data, encoder.encode('\nendstream')])
}

/**
 * Compress the data, add it as a stream object and return its number. `entries` are further entries of its
 * dictionary.
 */
export async function addCompressedStream(
  objects: PdfObjects,
  data: Uint8Array | string,
  entries = '',
): Promise<number> {
  const bytes = typeof data === 'string' ? encoder.encode(data) : data
  return addStream(objects, `/Filter/FlateDecode${entries}`, await deflate(bytes))
}

/** Return the bytes of the file. `catalog` and `info` are object numbers. */
export function serializeObjects(
  objects: PdfObjects,
  catalog: number,
  info: number,
): Uint8Array<ArrayBuffer> {
  // Four bytes above 127 in a comment mark the file as binary.
  const header = new Uint8Array([...encoder.encode('%PDF-1.7\n%'), 0xe2, 0xe3, 0xcf, 0xd3, 10])
  const parts: Uint8Array[] = [header]
  let size = header.length
  const offsets = objects.map((body, index) => {
    const offset = size
    for (const part of [
      encoder.encode(`${index + 1} 0 obj\n`),
      ...(body ?? []),
      encoder.encode('\nendobj\n'),
    ]) {
      parts.push(part)
      size += part.length
    }
    return offset
  })
  const entryCount = offsets.length + 1
  const offsetEntries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const crossReferences = `xref\n0 ${entryCount}\n0000000000 65535 f \n${offsetEntries}`
  const trailer = `trailer\n<</Size ${entryCount}/Root ${catalog} 0 R/Info ${info} 0 R>>\nstartxref\n${size}\n%%EOF\n`
  const end = encoder.encode(crossReferences + trailer)
  return concatBytes([...parts, end])
}

/** Return the UTF-16 code units of a text as hexadecimal digits. */
export function toUtf16Hex(text: string): string {
  let hex = ''
  for (let index = 0; index < text.length; index++)
    hex += text.charCodeAt(index).toString(16).padStart(4, '0')
  return hex
}

/** Return a text as a PDF string in UTF-16 with a byte order mark. */
export function formatTextString(text: string): string {
  return `<feff${toUtf16Hex(text)}>`
}

async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Response(bytes as Uint8Array<ArrayBuffer>).body?.pipeThrough(
    new CompressionStream('deflate'),
  )
  return new Uint8Array(await new Response(stream as ReadableStream).arrayBuffer())
}
