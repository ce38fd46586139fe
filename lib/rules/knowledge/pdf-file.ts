import { inflateParts } from '#rules/archive/inflate.ts'
import { canSpend, pause, spend, spendBytes } from '#rules/budget.ts'
import { concatBytes } from '#rules/text/bytes.ts'
import { ArticleError } from './blocks.ts'
import { type DecryptStream, type ObjectId, openEncryption } from './pdf-encryption.ts'
import {
  createPdfParser,
  decodeHex,
  isName,
  isRef,
  isWord,
  type PdfDict,
  type PdfValue,
} from './pdf-syntax.ts'

// Finds the objects of a PDF file: ISO 32000-1, 7.5. Objects are looked for, instead of read by the table at
// the end of the file, because then damaged tables do not matter. Of several objects with one number the last
// is the newest.

type Bytes = Uint8Array<ArrayBuffer>

export interface PdfStream {
  dict: PdfDict
  /** As it is in the file. */
  data: Bytes
  id: ObjectId
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
  findCatalog(): PdfDict | undefined
  /** List the pages, at most `max` + 1. Throw an ArticleError if one is listed twice. */
  listPages(max: number): PdfPage[]
}

/** The dictionary of a page, with what it inherits. */
export interface PdfPage {
  get(key: string): PdfValue | undefined
}

/** Where an object is. Only objects that are used are kept in memory. */
interface Place {
  bytes: Bytes
  at: number
}

interface Contents {
  objects: Map<number, Place>
  /** The places of the dictionaries of streams, and of their data. */
  streams: Map<number, Place & { start: number; end: number; generation: number }>
  /** The streams that have objects in them. */
  packed: number[]
  root: PdfValue | undefined
  /** How the file is encrypted, with its id. */
  encryption: { dict: PdfValue; fileId: PdfValue | undefined } | null
  decrypt: DecryptStream | null
}

export const maxStreamBytes = 16 * 1024 * 1024
export const tooLargePdf = 'The PDF is too large after decompression'
const maxTreeDepth = 50
const maxReferences = 5
const maxFilters = 3
/** Steps of starting to decompress. */
const inflateSteps = 16_000
/** Decompressing a byte takes 20 ns, with the memory for it. */
const stepsPerInflatedByte = 2
/** Bytes of memory of an entry of a map, and of the place in it. */
const placeBytes = 120
/** Steps of such an entry. Most of them move the map when it grows. */
const placeSteps = 150
const inheritedKeys = ['MediaBox', 'CropBox', 'Resources', 'Rotate']

/** Open a PDF file. Throw an ArticleError if it is none, or needs a password. */
export async function openPdf(bytes: Bytes): Promise<PdfFile> {
  const contents = findObjects(bytes)
  const file = createFile(contents)
  const { encryption } = contents
  if (encryption) contents.decrypt = await openEncryption(file, encryption.dict, encryption.fileId)
  for (const ref of contents.packed) await addPackedObjects(contents, file, ref)
  return file
}

function findObjects(bytes: Bytes): Contents {
  spend(bytes.length * 4)
  // Each byte is one character.
  const text = new TextDecoder('latin1').decode(bytes)
  const contents: Contents = {
    objects: new Map(),
    streams: new Map(),
    packed: [],
    root: undefined,
    encryption: null,
    decrypt: null,
  }
  const addTrailer = (dict: PdfValue | undefined) => {
    if (!(dict instanceof Map)) return
    const encrypt = dict.get('Encrypt')
    if (encrypt !== undefined && encrypt !== null)
      contents.encryption = { dict: encrypt, fileId: dict.get('ID') ?? contents.encryption?.fileId }
    contents.root = dict.get('Root') ?? contents.root
  }
  const starts = /(?:^|[^\d])(\d{1,10})\s{1,10}(\d{1,5})\s{1,10}obj|trailer/g
  for (let match = starts.exec(text); match; match = starts.exec(text)) {
    const parser = createPdfParser(bytes, starts.lastIndex)
    const value = parser.next()
    if (match[1] === undefined) {
      addTrailer(value)
      // A long word would be read again from each trailer in it. The character before an object counts.
      if (isWord(value)) starts.lastIndex = Math.max(starts.lastIndex, parser.at - 1)
      continue
    }
    const number = Number(match[1])
    if (value === undefined || isWord(value)) continue
    const { lastIndex: at } = starts
    starts.lastIndex = parser.at
    spendBytes(placeBytes)
    spend(placeSteps)
    contents.objects.set(number, { bytes, at })
    const word = parser.next()
    if (!(value instanceof Map) || !isWord(word) || word.word !== 'stream') continue
    const start = skipLineEnd(bytes, parser.at)
    const end = findStreamEnd(text, start, value.get('Length'))
    spendBytes(placeBytes)
    contents.streams.set(number, { bytes, at, start, end, generation: Number(match[2]) })
    starts.lastIndex = Math.max(end, parser.at)
    const type = value.get('Type')
    if (!isName(type)) continue
    if (type.name === 'XRef') addTrailer(value)
    if (type.name === 'ObjStm') contents.packed.push(number)
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
async function addPackedObjects(contents: Contents, file: PdfFile, ref: number): Promise<void> {
  const stream = file.findStream({ ref })
  const place = contents.streams.get(ref)
  const content = stream && (await file.readStream(stream))
  const first = stream && file.readNumber(stream.dict.get('First'))
  if (!content || !place || first === undefined) return
  spendBytes(content.length)
  const header = createPdfParser(content)
  const count = Math.min(file.readNumber(stream.dict.get('N')) ?? 0, content.length)
  for (let n = 0; n < count && header.at < first; n++) {
    header.held = 0
    const number = header.next()
    const offset = header.next()
    if (typeof number !== 'number' || typeof offset !== 'number') return
    spendBytes(placeBytes)
    spend(placeSteps)
    const known = contents.objects.get(number)
    // An update of the file puts the objects that it changes behind the others, packed or not.
    const isNewer = known?.bytes === place.bytes && known.at > place.at
    if (!isNewer && !contents.streams.has(number))
      contents.objects.set(number, { bytes: content, at: first + offset })
  }
  await pause()
}

function createFile(contents: Contents): PdfFile {
  const { objects, streams, root } = contents
  const values = new Map<number, PdfValue | undefined>()
  const knownStreams = new Map<number, PdfStream>()
  const load = (ref: number): PdfValue | undefined => {
    if (values.has(ref)) return values.get(ref)
    const place = objects.get(ref)
    const value = place && readPlace(place)
    values.set(ref, value)
    return value
  }
  const resolve: PdfFile['resolve'] = (value) => {
    let current = value
    for (let n = 0; isRef(current) && n < maxReferences; n++) current = load(current.ref)
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
      if (!Array.isArray(array)) return []
      // Whoever asks goes through it, and many may ask for the same.
      spend(array.length)
      return array
    },
    readNumber(value) {
      const number = resolve(value)
      return typeof number === 'number' ? number : undefined
    },
    readName(value) {
      const name = resolve(value)
      return isName(name) ? name.name : undefined
    },
    findStream(value) {
      if (!isRef(value)) return undefined
      const known = knownStreams.get(value.ref)
      const place = streams.get(value.ref)
      if (known || !place) return known
      const dict = readPlace(place)
      const stream = {
        dict: dict instanceof Map ? dict : new Map<string, PdfValue>(),
        data: place.bytes.subarray(place.start, place.end),
        id: { number: value.ref, generation: place.generation },
      }
      knownStreams.set(value.ref, stream)
      return stream
    },
    readStream: (stream) => decodeStream(file, stream, contents.decrypt),
    findCatalog: () => file.readDict(root) ?? searchCatalog(file, objects.keys()),
    listPages(max) {
      const catalog = file.findCatalog()
      const list: PageList = { pages: [], max, visited: new Set() }
      if (catalog) addPages(file, catalog.get('Pages'), new Map(), list, 0)
      return list.pages
    },
  }
  return file
}

/** Read an object that stays in memory. */
function readPlace({ bytes, at }: Place): PdfValue | undefined {
  const parser = createPdfParser(bytes, at)
  const value = parser.next()
  spendBytes(parser.held)
  return value
}

function searchCatalog(file: PdfFile, refs: Iterable<number>): PdfDict | undefined {
  for (const ref of refs) {
    const dict = file.readDict({ ref })
    if (file.readName(dict?.get('Type')) === 'Catalog') return dict
  }
  return undefined
}

interface PageList {
  pages: PdfPage[]
  max: number
  /** The objects of the tree that were read. */
  visited: Set<number>
}

function addPages(
  file: PdfFile,
  node: PdfValue | undefined,
  inherited: PdfDict,
  list: PageList,
  depth: number,
): void {
  spend(100)
  const dict = file.readDict(node)
  if (!dict || depth > maxTreeDepth || list.pages.length > list.max) return
  if (isRef(node)) {
    if (list.visited.has(node.ref)) throw new ArticleError('The PDF is damaged: it has a page twice')
    list.visited.add(node.ref)
  }
  if (!dict.has('Kids')) {
    list.pages.push({ get: (key) => dict.get(key) ?? inherited.get(key) })
    return
  }
  const known: PdfDict = new Map(inherited)
  for (const key of inheritedKeys) {
    const value = dict.get(key)
    if (value !== undefined) known.set(key, value)
  }
  for (const kid of file.readArray(dict.get('Kids'))) addPages(file, kid, known, list, depth + 1)
}

async function decodeStream(
  file: PdfFile,
  { dict, data, id }: PdfStream,
  decrypt: DecryptStream | null,
): Promise<Bytes | null> {
  const filter = file.resolve(dict.get('Filter'))
  const filters = Array.isArray(filter) ? filter : filter === undefined ? [] : [filter]
  if (filters.length > maxFilters) return null
  let content: Bytes = decrypt ? await decrypt(data, dict, id) : data
  spend(data.length)
  for (const item of filters) {
    const name = file.readName(item)
    spend(content.length * 4)
    if (name === 'FlateDecode') content = await inflate(content)
    else if (name === 'ASCII85Decode') content = decodeAscii85(content)
    else if (name === 'ASCIIHexDecode') content = decodeHexStream(content)
    else if (name === 'LZWDecode') content = decodeLzw(content, readEarlyChange(file, dict))
    else if (name === 'RunLengthDecode') content = decodeRunLength(content)
    else if (name !== 'Crypt') return null
  }
  return content
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
  spend(inflateSteps)
  const chunks: Bytes[] = []
  let size = 0
  let isWhole = true
  try {
    for await (const part of inflateParts(data, format)) {
      size += part.byteLength
      const steps = part.byteLength * stepsPerInflatedByte
      if (size > maxStreamBytes || !canSpend(steps)) throw new ArticleError(tooLargePdf)
      spend(steps)
      chunks.push(part)
    }
  } catch (error) {
    if (error instanceof ArticleError) throw error
    isWhole = false
  }
  return { bytes: concatBytes(chunks), isWhole }
}

function readEarlyChange(file: PdfFile, dict: PdfDict): number {
  const parameters = file.resolve(dict.get('DecodeParms'))
  const [first] = Array.isArray(parameters) ? parameters : [parameters]
  return file.readNumber(file.readDict(first)?.get('EarlyChange')) ?? 1
}

/** Collects decoded bytes, which are counted. Throw an ArticleError for too many. */
function createOutput(): { write(bytes: Uint8Array): void; read(): Bytes } {
  let out = new Uint8Array(4096)
  let size = 0
  return {
    write(bytes) {
      spend(bytes.length + 1)
      if (size + bytes.length > maxStreamBytes) throw new ArticleError(tooLargePdf)
      if (size + bytes.length > out.length) {
        const larger = new Uint8Array(Math.max(out.length * 2, size + bytes.length))
        larger.set(out)
        out = larger
      }
      out.set(bytes, size)
      size += bytes.length
    },
    read: () => out.slice(0, size),
  }
}

const [clearTable, endOfData, maxCodes] = [256, 257, 4096]

/** Decompress LZW, as old programs write it: ISO 32000-1, 7.4.4. */
function decodeLzw(data: Bytes, earlyChange: number): Bytes {
  const output = createOutput()
  const single = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
  let table: Uint8Array[] = []
  let [held, bits, width] = [0, 0, 9]
  let last: Uint8Array | null = null
  for (const byte of data) {
    held = ((held << 8) | byte) & 0xffffff
    bits += 8
    if (bits < width) continue
    bits -= width
    const code = (held >> bits) & ((1 << width) - 1)
    if (code === endOfData) break
    if (code === clearTable) {
      table = []
      width = 9
      last = null
      continue
    }
    const known: Uint8Array | undefined = code < clearTable ? single[code] : table[code - endOfData - 1]
    const entry: Uint8Array | null = known ?? (last && concatBytes([last, last.slice(0, 1)]))
    if (!entry) break
    output.write(entry)
    if (last && table.length + endOfData + 1 < maxCodes) table.push(concatBytes([last, entry.slice(0, 1)]))
    last = entry
    const next = table.length + endOfData + 1 + (earlyChange === 0 ? 0 : 1)
    width = next >= 2048 ? 12 : next >= 1024 ? 11 : next >= 512 ? 10 : 9
  }
  return output.read()
}

/** Decode runs of bytes: ISO 32000-1, 7.4.5. */
function decodeRunLength(data: Bytes): Bytes {
  const output = createOutput()
  for (let at = 0; at < data.length; ) {
    const length = data[at] as number
    if (length === 128) break
    const run = length < 128 ? length + 1 : 257 - length
    output.write(
      length < 128 ? data.subarray(at + 1, at + 1 + run) : new Uint8Array(run).fill(data[at + 1] ?? 0),
    )
    at += length < 128 ? run + 1 : 2
  }
  return output.read()
}

function decodeAscii85(data: Bytes): Bytes {
  // Four bytes for five characters; a `z` alone stands for four zeros.
  const size = data.reduce((sum, byte) => sum + (byte === 0x7a ? 4 : 0.8), 4)
  if (size > maxStreamBytes) throw new ArticleError(tooLargePdf)
  spend(size)
  const out = new Uint8Array(Math.ceil(size))
  let end = 0
  let value = 0
  let count = 0
  const writeGroup = (bytes: number) => {
    for (let n = 0; n < bytes; n++) out[end++] = Math.floor(value / 256 ** (3 - n)) % 256
    value = 0
    count = 0
  }
  for (const byte of data) {
    if (byte === 0x7e) break
    if (byte === 0x7a && count === 0) end += 4
    else if (byte >= 0x21 && byte <= 0x75) {
      value = value * 85 + byte - 0x21
      count++
    }
    if (count === 5) writeGroup(4)
  }
  if (count > 1) {
    for (let n = count; n < 5; n++) value = value * 85 + 84
    writeGroup(count - 1)
  }
  return out.slice(0, end)
}

function decodeHexStream(data: Bytes): Bytes {
  const end = data.indexOf(0x3e)
  return decodeHex(end < 0 ? data : data.subarray(0, end))
}
