import { concatBytes } from '#rules/text/bytes.ts'

// Writes PDF objects and the file that contains them. The syntax is that of ISO 32000-1.

const encoder = new TextEncoder()

/**
 * The object with number n is at index n - 1. A reserved object is undefined until it is set. A text of ASCII is
 * packed: compressed together with others, which is worth it for the many small ones of the structure.
 */
export type PdfObjects = (Uint8Array[] | string | undefined)[]

/** Return the number of an object that `setObject` sets later. */
export function reserveObject(objects: PdfObjects): number {
  return objects.push(undefined)
}

export function setObject(objects: PdfObjects, number: number, body: string): void {
  objects[number - 1] = [encoder.encode(body)]
}

export function setPackedObject(objects: PdfObjects, number: number, body: string): void {
  objects[number - 1] = body
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

/** How many objects a stream of objects has. */
const packSize = 2000

/**
 * Compress the packed objects into streams of objects. Return the stream of each and its place there, by its
 * number.
 */
async function packObjects(objects: PdfObjects): Promise<Map<number, [stream: number, place: number]>> {
  const packed = objects.flatMap((body, index) =>
    typeof body === 'string' ? { number: index + 1, body } : [],
  )
  const places = new Map<number, [number, number]>()
  for (let start = 0; start < packed.length; start += packSize) {
    const pack = packed.slice(start, start + packSize)
    let offset = 0
    const header = pack.map(({ number, body }) => {
      const entry = `${number} ${offset}`
      offset += body.length + 1
      return entry
    })
    const head = `${header.join(' ')}\n`
    const data = head + pack.map(({ body }) => body).join('\n')
    const entries = `/Type/ObjStm/N ${pack.length}/First ${head.length}`
    const stream = await addCompressedStream(objects, data, entries)
    for (const [place, { number }] of pack.entries()) places.set(number, [stream, place])
  }
  return places
}

/** Return the bytes of the file. `catalog` and `info` are object numbers. */
export async function serializeObjects(
  objects: PdfObjects,
  catalog: number,
  info: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const places = await packObjects(objects)
  // Four bytes above 127 in a comment mark the file as binary.
  const header = new Uint8Array([...encoder.encode('%PDF-1.7\n%'), 0xe2, 0xe3, 0xcf, 0xd3, 10])
  const parts: Uint8Array[] = [header]
  let size = header.length
  const write = (...bytes: Uint8Array[]) => {
    for (const part of bytes) {
      parts.push(part)
      size += part.length
    }
  }
  // An entry is a kind, a number of four bytes and one of two: 1 and an offset, or 2, a stream and a place.
  const references = new DataView(new ArrayBuffer((objects.length + 2) * 7))
  const refer = (number: number, kind: number, place: number, index: number) => {
    references.setUint8(number * 7, kind)
    references.setUint32(number * 7 + 1, place)
    references.setUint16(number * 7 + 5, index)
  }
  refer(0, 0, 0, 65_535)
  for (const [index, body] of objects.entries()) {
    const number = index + 1
    const packed = places.get(number)
    if (packed) refer(number, 2, ...packed)
    else {
      refer(number, 1, size, 0)
      write(
        encoder.encode(`${number} 0 obj\n`),
        ...((body ?? []) as Uint8Array[]),
        encoder.encode('\nendobj\n'),
      )
    }
  }
  const number = objects.length + 1
  const start = size
  refer(number, 1, start, 0)
  const entries = `/Type/XRef/Size ${number + 1}/W[1 4 2]/Root ${catalog} 0 R/Info ${info} 0 R`
  await addCompressedStream(objects, new Uint8Array(references.buffer), entries)
  write(encoder.encode(`${number} 0 obj\n`), ...(objects.at(-1) as Uint8Array[]))
  write(encoder.encode(`\nendobj\nstartxref\n${start}\n%%EOF\n`))
  return concatBytes(parts)
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
