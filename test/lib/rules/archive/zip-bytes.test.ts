import { expect, it } from 'vitest'
import { inflateRaw } from '#rules/archive/inflate.ts'
import { ArchiveError, type Entry, listEntries, readText } from '#rules/archive/zip.ts'
import { encodeEnd, encodeEntry, type ZipFile } from '#rules/archive/zip-writer.ts'

const at = new Date('2026-11-23T13:37:43Z')
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const content = new TextEncoder().encode('hi')

/** Write an archive of one file, in the bytes of which a test may change something. */
async function createArchive(
  file: ZipFile,
  change = (_directory: Uint8Array) => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const { bytes, directory } = await encodeEntry(file, 0, at)
  change(directory)
  const end = encodeEnd({ entries: 1, directoryBytes: directory.byteLength, offset: bytes.byteLength })
  return new Uint8Array(Buffer.concat([bytes, directory, end]))
}

// The fields are those of https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, sections 4.3.7, 4.3.12
// and 4.3.16.
it('DAT-01 writes a stored file as its header, name and content', async () => {
  const { bytes, directory } = await encodeEntry({ name: 'é', content, isStored: true }, 0x01020304, at)
  const header = ['1400', '0008', '0000', 'b56c775d', 'ac2a93d8', '02000000', '02000000', '0200'].join('')
  expect(toHex(bytes)).toBe(['504b0304', header, '0000', 'c3a9', '6869'].join(''))
  expect(toHex(directory)).toBe(
    ['504b0102', '2d00', header, '0000', '0000', '0000', '0000', '00000000', '04030201', 'c3a9'].join(''),
  )
})

it('DAT-01 writes the end of a small archive as its number of files, and the size and offset of the directory', () => {
  expect(toHex(encodeEnd({ entries: 3, directoryBytes: 0x010203, offset: 0x040506 }))).toBe(
    ['504b0506', '0000', '0000', '0300', '0300', '03020100', '06050400', '0000'].join(''),
  )
})

it('DAT-01 writes the ZIP64 records of a large archive', () => {
  const number = (value: number) => toHex(new Uint8Array(new BigUint64Array([BigInt(value)]).buffer))
  expect(toHex(encodeEnd({ entries: 70_000, directoryBytes: 7, offset: 9 }).subarray(0, 76))).toBe(
    [
      '504b0606',
      number(44),
      '2d00',
      '2d00',
      number(0),
      number(70_000),
      number(70_000),
      number(7),
      number(9),
    ].join('') + ['504b0607', '00000000', number(16), '01000000'].join(''),
  )
})

it.each([
  ['1980-01-01T00:00:00Z', 1980, 1, 1, 0, 0, 0],
  ['1980-01-01T00:00:01Z', 1980, 1, 1, 0, 0, 0],
  ['2026-11-30T23:59:59Z', 2026, 11, 30, 23, 59, 58],
  ['2107-12-31T01:02:02Z', 2107, 12, 31, 1, 2, 2],
])('DAT-01 writes the time %s in steps of two seconds', async (time, ...expected) => {
  const { bytes } = await encodeEntry({ name: 'a', content }, 0, new Date(time))
  const dosTime = new DataView(bytes.buffer, bytes.byteOffset).getUint32(10, true)
  const take = (shift: number, bits: number) => (dosTime >>> shift) & (2 ** bits - 1)
  expect([1980 + take(25, 7), take(21, 4), take(16, 5), take(11, 5), take(5, 6), 2 * take(0, 5)]).toEqual(
    expected,
  )
})

it('DAT-01 deflates a file, and stores one that asks for it', async () => {
  const zeros = new Uint8Array(1000)
  const list = async (isStored?: boolean) =>
    listEntries(
      await createArchive({ name: 'a', content: zeros, ...(isStored === undefined ? {} : { isStored }) }),
    )
  const stored = { name: 'a', method: 0, compressedSize: 1000, size: 1000, offset: 0 }
  expect(await list(true)).toEqual([stored])
  const deflated = { ...stored, method: 8, compressedSize: expect.any(Number) }
  expect([await list(false), await list()]).toEqual([[deflated], [deflated]])
  const archive = await createArchive({ name: 'a', content: zeros })
  const [entry] = listEntries(archive)
  expect(entry?.compressedSize).toBeLessThan(100)
  expect(await readText(archive, entry as Entry)).toBe('\0'.repeat(1000))
})

it('skips the extra field and the comment of a directory entry', async () => {
  const { bytes, directory } = await encodeEntry({ name: 'a', content, isStored: true }, 0, at)
  const view = new DataView(directory.buffer, directory.byteOffset)
  view.setUint16(30, 0x0101, true)
  view.setUint16(32, 0x0203, true)
  const second = (await encodeEntry({ name: 'b', content, isStored: true }, 0, at)).directory
  const both = Buffer.concat([directory, new Uint8Array(0x0101 + 0x0203), second])
  const end = encodeEnd({ entries: 2, directoryBytes: both.length, offset: bytes.byteLength })
  expect(listEntries(new Uint8Array(Buffer.concat([bytes, both, end]))).map(({ name }) => name)).toEqual([
    'a',
    'b',
  ])
})

it('reads the method and the offset of an entry as numbers of two and four bytes', async () => {
  const archive = await createArchive({ name: 'a', content, isStored: true }, (directory) => {
    const view = new DataView(directory.buffer, directory.byteOffset)
    view.setUint16(10, 0x0102, true)
    view.setUint32(42, 0x01020304, true)
  })
  expect(listEntries(archive)).toEqual([
    { name: 'a', method: 0x0102, compressedSize: 2, size: 2, offset: 0x01020304 },
  ])
})

it('skips the extra field of a local header', async () => {
  const { bytes } = await encodeEntry({ name: 'a', content, isStored: true }, 0, at)
  const header = Buffer.from(bytes.subarray(0, 31))
  header.writeUInt16LE(0x0102, 28)
  const archive = new Uint8Array(Buffer.concat([header, new Uint8Array(0x0102), content]))
  expect(await readText(archive, { name: 'a', method: 0, compressedSize: 2, size: 2, offset: 0 })).toBe('hi')
})

it.each([
  [0, 30, ''],
  [1, 30, null],
])('reads an empty entry at offset %i of %i bytes as %j', async (offset, size, text) => {
  const read = readText(new Uint8Array(size), { name: 'a', method: 0, compressedSize: 0, size: 0, offset })
  await (text === null ? expect(read).rejects.toThrow(ArchiveError) : expect(read).resolves.toBe(text))
})

it.each([
  [8 * 1024 * 1024, 'The document is damaged, or larger than it declares'],
  [8 * 1024 * 1024 + 1, 'The document is too large after decompression'],
])('refuses an entry of another size than the declared %i bytes', async (size, problem) => {
  const archive = await createArchive({ name: 'a', content, isStored: true })
  await expect(
    readText(archive, { name: 'a', method: 0, compressedSize: 2, size, offset: 0 }),
  ).rejects.toThrow(new ArchiveError(problem))
})

it.each([
  [200 * 1024 * 1024, null],
  [200 * 1024 * 1024 + 1, new ArchiveError('The document is too large after decompression')],
])('lists entries of %i bytes in total, or refuses them', async (size, problem) => {
  const archive = await createArchive({ name: 'a', content }, (directory) => {
    new DataView(directory.buffer, directory.byteOffset).setUint32(24, size, true)
  })
  if (problem) expect(() => listEntries(archive)).toThrow(problem)
  else expect(listEntries(archive)[0]?.size).toBe(size)
})

it.each([
  [2000, undefined],
  [2001, new ArchiveError('The document contains too many files')],
])('lists %i entries, or refuses them', async (entries, problem) => {
  const { bytes, directory } = await encodeEntry({ name: 'a', content }, 0, at)
  const end = encodeEnd({ entries, directoryBytes: entries * directory.byteLength, offset: bytes.byteLength })
  const archive = new Uint8Array(Buffer.concat([bytes, ...Array<Uint8Array>(entries).fill(directory), end]))
  if (problem) expect(() => listEntries(archive)).toThrow(problem)
  else expect(listEntries(archive)).toHaveLength(entries)
})

it.each([
  [1000, 'a'.repeat(1000)],
  [999, null],
])('inflateRaw reads at most %i bytes', async (maxBytes, text) => {
  const stream = new Blob(['a'.repeat(1000)]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  expect(await inflateRaw(new Uint8Array(await new Response(stream).arrayBuffer()), maxBytes)).toBe(text)
})

it('inflateRaw reads a text of several chunks', async () => {
  const text = 'abc'.repeat(100_000)
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  expect(
    (await inflateRaw(new Uint8Array(await new Response(stream).arrayBuffer()), text.length)) === text,
  ).toBe(true)
})
