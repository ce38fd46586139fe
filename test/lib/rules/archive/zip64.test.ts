import { expect, it } from 'vitest'
import { encodeEnd, encodeEntry } from '#rules/archive/zip-writer.ts'

const gibibyte = 2 ** 30

// The offsets are those of https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, sections 4.3.14 to
// 4.3.16 and 4.5.3.
it('DAT-01 the end of an archive of more than 65,535 files and 4 GiB has the ZIP64 records', () => {
  const end = encodeEnd({ entries: 70_000, directoryBytes: 5 * gibibyte, offset: 6 * gibibyte })
  const view = new DataView(end.buffer, end.byteOffset, end.byteLength)
  const read64 = (offset: number) => Number(view.getBigUint64(offset, true))
  expect(view.getUint32(0, true)).toBe(0x06064b50)
  expect([24, 32, 40, 48].map(read64)).toEqual([70_000, 70_000, 5 * gibibyte, 6 * gibibyte])
  const locator = 56
  expect([view.getUint32(locator, true), read64(locator + 8)]).toEqual([0x07064b50, 11 * gibibyte])
  const record = locator + 20
  expect(view.getUint32(record, true)).toBe(0x06054b50)
  expect([
    view.getUint16(record + 10, true),
    view.getUint32(record + 12, true),
    view.getUint32(record + 16, true),
  ]).toEqual([0xffff, 0xffffffff, 0xffffffff])
  expect(end.byteLength).toBe(record + 22)
})

it('DAT-01 an entry beyond 4 GiB has its offset in the ZIP64 field of the directory', async () => {
  const content = new TextEncoder().encode('{}')
  const { directory } = await encodeEntry(
    { name: 'a.jsonl', content },
    5 * gibibyte,
    new Date('2026-11-22T12:00:00Z'),
  )
  const view = new DataView(directory.buffer, directory.byteOffset, directory.byteLength)
  const [nameLength, extraLength] = [view.getUint16(28, true), view.getUint16(30, true)]
  expect([nameLength, view.getUint32(42, true)]).toEqual([7, 0xffffffff])
  const extra = 46 + nameLength
  expect([
    view.getUint16(extra, true),
    view.getUint16(extra + 2, true),
    Number(view.getBigUint64(extra + 4, true)),
  ]).toEqual([1, 8, 5 * gibibyte])
  expect(directory.byteLength).toBe(extra + extraLength)
})

it.each([
  [0xfffffffe, 20, 0],
  [0xffffffff, 45, 12],
])(
  'DAT-01 an entry at offset %i needs version %i to extract, and %i bytes of extra field',
  async (offset, version, extraLength) => {
    const content = new TextEncoder().encode('{}')
    const { bytes, directory } = await encodeEntry(
      { name: 'a.jsonl', content },
      offset,
      new Date('2026-11-22T12:00:00Z'),
    )
    const [entry, record] = [bytes, directory].map(
      (part) => new DataView(part.buffer, part.byteOffset, part.byteLength),
    )
    expect([entry?.getUint16(4, true), record?.getUint16(6, true), record?.getUint16(30, true)]).toEqual([
      version,
      version,
      extraLength,
    ])
  },
)

it.each([
  [{ entries: 0xfffe, directoryBytes: 0xfffffffe, offset: 0xfffffffe }, 22],
  [{ entries: 0xffff, directoryBytes: 1, offset: 1 }, 98],
  [{ entries: 1, directoryBytes: 0xffffffff, offset: 1 }, 98],
  [{ entries: 1, directoryBytes: 1, offset: 0xffffffff }, 98],
])('DAT-01 the end of an archive with %o has %i bytes', (archive, size) => {
  expect(encodeEnd(archive).byteLength).toBe(size)
})

it('DAT-01 a file that is compressed already is stored as it is, and any other is compressed', async () => {
  const content = new TextEncoder().encode('a'.repeat(100))
  const at = new Date('2026-11-22T12:00:00Z')
  const entries = await Promise.all([
    encodeEntry({ name: 'a.jpg', content, isStored: true }, 0, at),
    encodeEntry({ name: 'b.json', content, isStored: false }, 0, at),
    encodeEntry({ name: 'c.json', content }, 0, at),
  ])
  const methods = entries.map(({ bytes }) => new DataView(bytes.buffer, bytes.byteOffset).getUint16(8, true))
  expect([methods, entries.map(({ bytes }) => Buffer.from(bytes).includes('a'.repeat(100)))]).toEqual([
    [0, 8, 8],
    [true, false, false],
  ])
})
