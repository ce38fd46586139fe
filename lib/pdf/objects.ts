// Numbered objects, and the file of them with the table of where they begin.

const encoder = new TextEncoder()

/** Bodies by number, from 1; one that is only reserved has none yet. */
export type Objects = (Uint8Array[] | undefined)[]

export function reserve(objects: Objects): number {
  return objects.push(undefined)
}

export function put(objects: Objects, number: number, body: string): void {
  objects[number - 1] = [encoder.encode(body)]
}

export function add(objects: Objects, body: string): number {
  return objects.push([encoder.encode(body)])
}

export function addStream(objects: Objects, head: string, data: Uint8Array): number {
  const begin = encoder.encode(`<<${head}/Length ${data.length}>>\nstream\n`)
  return objects.push([begin, data, encoder.encode('\nendstream')])
}

/** A stream that is packed first; `head` says what else there is to know of it. */
export async function addPacked(objects: Objects, data: Uint8Array | string, head = ''): Promise<number> {
  const bytes = typeof data === 'string' ? encoder.encode(data) : data
  return addStream(objects, `/Filter/FlateDecode${head}`, await deflated(bytes))
}

/** The whole file; `root` and `info` are numbers of objects. */
export function fileOf(objects: Objects, root: number, info: number): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [new Uint8Array([...encoder.encode('%PDF-1.7\n%'), 0xe2, 0xe3, 0xcf, 0xd3, 10])]
  let size = parts[0]?.length ?? 0
  const offsets = objects.map((body, index) => {
    const at = size
    for (const part of [encoder.encode(`${index + 1} 0 obj\n`), ...(body ?? []), encoder.encode('\nendobj\n')]) {
      parts.push(part)
      size += part.length
    }
    return at
  })
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const count = offsets.length + 1
  const trailer = `trailer\n<</Size ${count}/Root ${root} 0 R/Info ${info} 0 R>>\nstartxref\n${size}\n%%EOF\n`
  const end = encoder.encode(`xref\n0 ${count}\n0000000000 65535 f \n${table}${trailer}`)
  return joined([...parts, end], size + end.length)
}

export function joined(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** UTF-16 in hexadecimal digits. */
export function hex16(text: string): string {
  let hex = ''
  for (let n = 0; n < text.length; n++) hex += text.charCodeAt(n).toString(16).padStart(4, '0')
  return hex
}

/** A text as PDF writes it in strings. */
export function utf16(text: string): string {
  return `<feff${hex16(text)}>`
}

async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Response(bytes as Uint8Array<ArrayBuffer>).body?.pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(stream as ReadableStream).arrayBuffer())
}
