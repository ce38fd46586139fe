import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { inflateRaw } from '#rules/archive/inflate.ts'
import { ArchiveError, isZip, listEntries, readText, readZip, type ZipLimits } from '#rules/archive/zip.ts'
import { crc32 } from '#rules/text/bytes.ts'

interface Member {
  name: string
  text: string
  flags?: number
  method?: number
  /** The size that the directory declares. */
  size?: number
}

/** Write an archive whose members are stored without compression. */
function createArchive(members: readonly Member[], comment = ''): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, text, flags = 0, method = 0, size = text.length } of members) {
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50)
    entry.writeUInt16LE(flags, 8)
    entry.writeUInt16LE(method, 10)
    entry.writeUInt32LE(text.length, 20)
    entry.writeUInt32LE(size, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(offset, 42)
    parts.push(local, Buffer.from(name + text))
    directory.push(entry, Buffer.from(name))
    offset += 30 + name.length + text.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(offset, 16)
  return new Uint8Array(Buffer.concat([...parts, ...directory, end, Buffer.from(comment)]))
}

const limits: ZipLimits = { entries: 2, entryBytes: 3, totalBytes: 5 }
const list = (members: readonly Member[]) =>
  listEntries(createArchive(members), limits).map(({ name }) => name)
const damaged = new ArchiveError('The document is damaged')

describe('listEntries', () => {
  it('lists the members of an archive with a comment', () => {
    const archive = createArchive([{ name: 'a', text: '1' }], 'x'.repeat(65_535))
    expect(listEntries(archive)).toEqual([{ name: 'a', method: 0, compressedSize: 1, size: 1, offset: 0 }])
    expect(() => listEntries(createArchive([{ name: 'a', text: '1' }], 'x'.repeat(65_536)))).toThrow(damaged)
  })

  it('accepts an archive at its limits, and refuses one above them', () => {
    expect(
      list([
        { name: 'a', text: '12' },
        { name: 'b', text: '345' },
      ]),
    ).toEqual(['a', 'b'])
    const tooLarge = new ArchiveError('The document is too large after decompression')
    expect(() =>
      list([
        { name: 'a', text: '123' },
        { name: 'b', text: '456' },
      ]),
    ).toThrow(tooLarge)
    const names = ['a', 'b', 'c']
    expect(() => list(names.map((name) => ({ name, text: '' })))).toThrow(
      new ArchiveError('The document contains too many files'),
    )
  })

  it('refuses an encrypted member', () => {
    expect(() => list([{ name: 'a', text: '1', flags: 1 }])).toThrow(
      new ArchiveError('The document is encrypted'),
    )
    expect(list([{ name: 'a', text: '1', flags: 2 }])).toEqual(['a'])
  })

  it('refuses an archive whose directory does not begin with a record', () => {
    const archive = createArchive([{ name: 'a', text: '1' }])
    archive[32] = 0
    expect(() => listEntries(archive)).toThrow(damaged)
  })

  it('refuses an archive without members, and one whose directory is cut off', () => {
    expect(() => list([])).toThrow(damaged)
    const archive = createArchive([{ name: 'a', text: '1' }])
    archive[archive.length - 6] = 200
    expect(() => listEntries(archive)).toThrow(damaged)
    expect(() => listEntries(new Uint8Array(22))).toThrow(damaged)
  })
})

describe('readText', () => {
  const read = (member: Member) => {
    const archive = createArchive([member])
    return readText(archive, listEntries(archive)[0] as ReturnType<typeof listEntries>[number], limits)
  }
  const larger = new ArchiveError('The document is damaged, or larger than it declares')

  it('reads a member up to the limit', async () => {
    expect(await read({ name: 'a', text: '123' })).toBe('123')
    await expect(read({ name: 'a', text: '1234' })).rejects.toThrow(
      new ArchiveError('The document is too large after decompression'),
    )
  })

  it.each([
    ['a'.repeat(50), 50, 'a'.repeat(50)],
    ['a'.repeat(50), 51, 'a'.repeat(50)],
    ['a'.repeat(50), 49, null],
    ['', 0, ''],
    ['a', 0, null],
  ])('decompresses %j of at most %i bytes', async (text, maxBytes, result) => {
    expect(await inflateRaw(new Uint8Array(deflateRawSync(text)), maxBytes)).toBe(result)
  })

  it.each([
    ['with another size than it declares', { name: 'a', text: '12', size: 3 }],
    ['with an unknown method', { name: 'a', text: '12', method: 12 }],
    ['whose compressed content is damaged', { name: 'a', text: '~', method: 8 }],
  ])('refuses a member %s', async (_, member) => {
    await expect(read(member)).rejects.toThrow(larger)
  })

  it.each([{ offset: 100 }, { compressedSize: 1000 }])(
    'refuses a member that ends after the archive: %j',
    async (fields) => {
      const archive = createArchive([{ name: 'a', text: '1' }])
      await expect(
        readText(archive, { name: 'a', method: 0, compressedSize: 1, size: 1, offset: 0, ...fields }),
      ).rejects.toThrow(larger)
    },
  )
})

it('readZip reads the first of the named members', async () => {
  const archive = createArchive([
    { name: 'a', text: '1' },
    { name: 'b', text: '2' },
    { name: 'a', text: '3' },
  ])
  expect(await readZip(archive, ['a', 'c'])).toEqual(new Map([['a', '1']]))
})

it('isZip recognizes the first four bytes', () => {
  expect(isZip(createArchive([{ name: 'a', text: '1' }]))).toBe(true)
  for (let index = 0; index < 4; index++) {
    const bytes = createArchive([{ name: 'a', text: '1' }])
    bytes[index] = 9
    expect(isZip(bytes)).toBe(false)
  }
})

it('crc32 returns the checksum of the specification', () => {
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926)
})
