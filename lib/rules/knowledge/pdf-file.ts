import { canSpend, pause, spend } from '#rules/budget.ts'
import { ArticleError } from './blocks.ts'
import { createPdfParser, isName, isRef, isWord, type PdfDict, type PdfValue } from './pdf-syntax.ts'

// Finds the objects of a PDF file: ISO 32000-1, 7.5. Objects are looked for, instead of read by the table at
// the end of the file, because then damaged tables do not matter. Of several objects with one number the last
// is the newest.

type Bytes = Uint8Array<ArrayBuffer>

export interface PdfStream {
  dict: PdfDict
  data: Bytes
}
export interface PdfFile {
  /** Return the value that a reference stands for, or the value itself. */
  resolve(value: PdfValue | undefined): PdfValue | undefined
  readDict(value: PdfValue | undefined): PdfDict | undefined
  readArray(value: PdfValue | undefined): PdfValue[]
  readNumber(value: PdfValue | undefined): number | undefined
  readName(value: PdfValue | undefined): string | undefined
  findStream(value: PdfValue | undefined): PdfStream | undefined
  /** Return the content of a stream, or null if its compression is unknown. */
  readStream(stream: PdfStream): Promise<Bytes | null>
  /** List the dictionaries of the pages with what they inherit, at most `max` + 1. */
  listPages(max: number): PdfDict[]
}

interface Contents {
  values: Map<number, PdfValue>
  streams: Map<number, PdfStream>
  root: PdfValue | undefined
}

export const maxStreamBytes = 16 * 1024 * 1024
export const tooLargePdf = 'The PDF is too large after decompression'
const maxTreeDepth = 50
const inheritedKeys = ['MediaBox', 'Resources', 'Rotate']

/** Open a PDF file. Throw an ArticleError if it is none, or encrypted. */
export async function openPdf(bytes: Bytes): Promise<PdfFile> {
  const contents = findObjects(bytes)
  const file = createFile(contents)
  for (const stream of [...contents.streams.values()])
    if (file.readName(stream.dict.get('Type')) === 'ObjStm') await addPackedObjects(contents, file, stream)
  return file
}

function findObjects(bytes: Bytes): Contents {
  spend(bytes.length * 4)
  // Each byte is one character.
  const text = new TextDecoder('latin1').decode(bytes)
  const contents: Contents = { values: new Map(), streams: new Map(), root: undefined }
  const addTrailer = (dict: PdfValue | undefined) => {
    if (!(dict instanceof Map)) return
    if (dict.has('Encrypt'))
      throw new ArticleError('The PDF is encrypted. Save it without a password and without restrictions')
    contents.root = dict.get('Root') ?? contents.root
  }
  const starts = /(?:^|[^\d])(\d{1,10})\s{1,10}\d{1,5}\s{1,10}obj|trailer/g
  for (let match = starts.exec(text); match; match = starts.exec(text)) {
    const parser = createPdfParser(bytes, starts.lastIndex)
    const value = parser.next()
    if (match[1] === undefined) {
      addTrailer(value)
      continue
    }
    const number = Number(match[1])
    if (value === undefined || isWord(value)) continue
    starts.lastIndex = parser.at
    contents.values.set(number, value)
    const word = parser.next()
    if (!(value instanceof Map) || !isWord(word) || word.word !== 'stream') continue
    const start = skipLineEnd(bytes, parser.at)
    const end = findStreamEnd(text, start, value.get('Length'))
    contents.streams.set(number, { dict: value, data: bytes.subarray(start, end) })
    starts.lastIndex = Math.max(end, parser.at)
    if (isName(value.get('Type')) && (value.get('Type') as { name: string }).name === 'XRef')
      addTrailer(value)
  }
  return contents
}

function skipLineEnd(bytes: Bytes, at: number): number {
  const afterReturn = bytes[at] === 13 ? at + 1 : at
  return bytes[afterReturn] === 10 ? afterReturn + 1 : afterReturn
}

function findStreamEnd(text: string, start: number, length: PdfValue | undefined): number {
  const declared = typeof length === 'number' ? start + length : -1
  if (declared >= start && /^\s{0,4}endstream/.test(text.slice(declared, declared + 13))) return declared
  const end = text.indexOf('endstream', start)
  return end < 0 ? text.length : end
}

/** Add the objects of an object stream: ISO 32000-1, 7.5.7. */
async function addPackedObjects(contents: Contents, file: PdfFile, stream: PdfStream): Promise<void> {
  const content = await file.readStream(stream)
  const first = file.readNumber(stream.dict.get('First'))
  if (!content || first === undefined) return
  const header = createPdfParser(content)
  const count = Math.min(file.readNumber(stream.dict.get('N')) ?? 0, content.length)
  for (let n = 0; n < count && header.at < first; n++) {
    const number = header.next()
    const offset = header.next()
    if (typeof number !== 'number' || typeof offset !== 'number') return
    const value = createPdfParser(content, first + offset).next()
    // An object that stands by itself is newer, or the same.
    if (value !== undefined && !contents.streams.has(number)) contents.values.set(number, value)
  }
  await pause()
}

function createFile({ values, streams, root }: Contents): PdfFile {
  const resolve: PdfFile['resolve'] = (value) => {
    let current = value
    for (let n = 0; isRef(current) && n < maxTreeDepth; n++) current = values.get(current.ref)
    return current
  }
  const file: PdfFile = {
    resolve,
    readDict(value) {
      const dict = resolve(value)
      return dict instanceof Map ? dict : undefined
    },
    readArray(value) {
      const array = resolve(value)
      return Array.isArray(array) ? array : []
    },
    readNumber(value) {
      const number = resolve(value)
      return typeof number === 'number' ? number : undefined
    },
    readName(value) {
      const name = resolve(value)
      return isName(name) ? name.name : undefined
    },
    findStream: (value) => (isRef(value) ? streams.get(value.ref) : undefined),
    readStream: (stream) => decodeStream(file, stream),
    listPages(max) {
      const catalog =
        file.readDict(root) ??
        [...values.values()].find(
          (value) => value instanceof Map && file.readName(value.get('Type')) === 'Catalog',
        )
      const pages: PdfDict[] = []
      if (catalog instanceof Map) addPages(file, catalog.get('Pages'), new Map(), { pages, max, depth: 0 })
      return pages
    },
  }
  return file
}

interface PageList {
  pages: PdfDict[]
  max: number
  depth: number
}

function addPages(file: PdfFile, node: PdfValue | undefined, inherited: PdfDict, list: PageList): void {
  spend(100)
  const dict = file.readDict(node)
  if (!dict || list.depth > maxTreeDepth || list.pages.length > list.max) return
  const own = inheritedKeys.flatMap((key) =>
    dict.has(key) ? [[key, dict.get(key)] as [string, PdfValue]] : [],
  )
  const known: PdfDict = new Map([...inherited, ...own])
  if (!dict.has('Kids')) return void list.pages.push(new Map([...known, ...dict]))
  for (const kid of file.readArray(dict.get('Kids')))
    addPages(file, kid, known, { ...list, depth: list.depth + 1 })
}

async function decodeStream(file: PdfFile, { dict, data }: PdfStream): Promise<Bytes | null> {
  const filter = file.resolve(dict.get('Filter'))
  const names = (Array.isArray(filter) ? filter : filter === undefined ? [] : [filter]).map((value) =>
    file.readName(value),
  )
  let content: Bytes | null = data
  spend(data.length)
  for (const name of names.slice(0, 3)) {
    if (content === null) return null
    spend(content.length * 4)
    if (name === 'FlateDecode') content = await inflate(content)
    else if (name === 'ASCII85Decode') content = decodeAscii85(content)
    else if (name === 'ASCIIHexDecode') content = decodeHex(content)
    else return null
  }
  return names.length > 3 ? null : content
}

/**
 * Decompress data. Return what is readable of damaged data. Damaged files lack the header or the checksum,
 * and workerd gives nothing of data with bytes after its end:
 * https://developers.cloudflare.com/workers/configuration/compatibility-flags/#strict-compression-checks
 */
async function inflate(data: Bytes): Promise<Bytes> {
  const ways = [
    ['deflate', data] as const,
    ['deflate-raw', data.subarray(2, -4)] as const,
    ['deflate-raw', data.subarray(2)] as const,
  ]
  let longestBytes: Bytes = new Uint8Array()
  for (const [format, part] of ways) {
    const { bytes, isWhole } = await inflateAs(format, part)
    if (isWhole) return bytes
    if (bytes.byteLength > longestBytes.byteLength) longestBytes = bytes
  }
  return longestBytes
}

async function inflateAs(
  format: 'deflate' | 'deflate-raw',
  data: Bytes,
): Promise<{ bytes: Bytes; isWhole: boolean }> {
  spend(10_000)
  const reader = new Blob([data]).stream().pipeThrough(new DecompressionStream(format)).getReader()
  const chunks: Bytes[] = []
  let size = 0
  let isWhole = true
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      isWhole = false
      return { done: true, value: undefined }
    })
    if (done || !value) break
    size += value.byteLength
    if (size > maxStreamBytes || !canSpend(value.byteLength)) {
      await reader.cancel().catch(() => {})
      throw new ArticleError(tooLargePdf)
    }
    spend(value.byteLength)
    chunks.push(value as Bytes)
  }
  return { bytes: new Uint8Array(await new Blob(chunks).arrayBuffer()), isWhole }
}

function decodeAscii85(data: Bytes): Bytes {
  const out = new Uint8Array(data.length * 4 + 8)
  let size = 0
  let group: number[] = []
  const writeGroup = (count: number) => {
    const padded = [...group, 84, 84, 84, 84].slice(0, 5)
    const value = padded.reduce((sum, digit) => sum * 85 + digit, 0)
    for (let n = 0; n < count; n++) out[size++] = Math.floor(value / 256 ** (3 - n)) % 256
    group = []
  }
  for (const byte of data) {
    if (byte === 0x7e) break
    if (byte === 0x7a && group.length === 0) size += 4
    else if (byte >= 0x21 && byte <= 0x75) group.push(byte - 0x21)
    if (group.length === 5) writeGroup(4)
  }
  if (group.length > 1) writeGroup(group.length - 1)
  return out.slice(0, size)
}

function decodeHex(data: Bytes): Bytes {
  const digits = new TextDecoder('latin1')
    .decode(data)
    .replace(/>[\s\S]*$/, '')
    .replace(/[^\da-f]/gi, '')
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
