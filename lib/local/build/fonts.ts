import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { root } from '#local/root.ts'

const packages = join(root, 'node_modules/@fontsource')
// Increase this when the families or the output format change, so that existing fonts are built again.
const formatVersion = 'format 5'

/** Scripts whose letters change with their neighbours. */
const complexScripts = [
  'thai',
  'lao',
  'khmer',
  'myanmar',
  'devanagari',
  'bengali',
  'gurmukhi',
  'gujarati',
  'tamil',
  'telugu',
  'kannada',
  'malayalam',
  'sinhala',
]
const complexFamilies = ['hebrew', 'arabic', ...complexScripts].map((script) => `noto-sans-${script}`)

/**
 * Font families in order of preference, with a pattern of the files to use. The pattern leaves out files that
 * only repeat characters of other families.
 */
const families: [string, RegExp][] = [
  ['noto-sans', /-(?:latin|latin-ext|vietnamese|cyrillic|cyrillic-ext|greek|greek-ext)-400-/],
  ['noto-sans-hebrew', /-hebrew-hebrew-400-/],
  ['noto-sans-arabic', /-arabic-arabic-400-/],
  ...complexScripts.map((script): [string, RegExp] => [
    `noto-sans-${script}`,
    new RegExp(`-${script}-${script}-400-`),
  ]),
  ...['armenian', 'georgian', 'ethiopic'].map((script): [string, RegExp] => [
    `noto-sans-${script}`,
    new RegExp(`-${script}-${script}-400-`),
  ]),
  // The numbered files; together they have what the file of 2.5 MB beside them has.
  ...['sc', 'tc', 'jp', 'kr'].map((language): [string, RegExp] => [`noto-sans-${language}`, /-\d+-400-/]),
  ['noto-sans-math', /-400-/],
  ['noto-sans-symbols-2', /-400-/],
  ['noto-emoji', /-400-/],
  ['noto-sans-mono', /-400-/],
]
/**
 * The families that come first for a kind of text: Japanese shapes of Han characters, and a fixed width for
 * code.
 */
const preferredFamilies: Record<string, string[]> = {
  text: [],
  ja: ['noto-sans', 'noto-sans-hebrew', 'noto-sans-arabic', 'noto-sans-jp'],
  mono: ['noto-sans-mono'],
}

/**
 * Write the PDF fonts as slices, so that the Worker loads only what a text needs. `<n>.font` contains the
 * length of a JSON text in four bytes, that text, and a TrueType font. `<kind>-<plane>.map` contains two
 * bytes for each code point of a Unicode plane: the number of the slice that has the character, or 0.
 */
export async function buildFonts(target: string): Promise<void> {
  const stamp = `${formatVersion}: ${await readPackageVersions()}`
  if ((await readFile(join(target, 'stamp'), 'utf8').catch(() => '')) === stamp) return
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  const slices: Slice[] = [{ family: '', codes: [], bytes: Buffer.alloc(0) }]
  for (const [family, filePattern] of families) {
    const files = (await readdir(join(packages, family, 'files')))
      .filter((name) => name.endsWith('-normal.woff') && filePattern.test(name))
      .sort()
    for (const name of files) {
      slices.push({
        family,
        ...convertWoff(
          await readFile(join(packages, family, 'files', name)),
          complexFamilies.includes(family),
        ),
      })
    }
  }
  const used = new Set<number>()
  for (const [kind, preferred] of Object.entries(preferredFamilies)) {
    for (const [plane, map] of buildMaps(preferred, slices).entries()) {
      for (const index of map) used.add(index)
      await writeFile(join(target, `${kind}-${plane}.map`), new Uint8Array(map.buffer))
    }
  }
  // The characters of the others are in families that come first.
  for (const [index, { bytes }] of slices.entries())
    if (index > 0 && used.has(index)) await writeFile(join(target, `${index}.font`), bytes)
  await writeFile(join(target, 'stamp'), stamp)
}

async function readPackageVersions(): Promise<string> {
  const fontVersions = families.map(
    async ([family]) =>
      JSON.parse(await readFile(join(packages, family, 'package.json'), 'utf8')).version as string,
  )
  return (await Promise.all(fontVersions)).join(' ')
}

interface Slice {
  family: string
  codes: number[]
  bytes: Buffer
}

/** Return for each plane of Unicode the number of the slice of each character. */
function buildMaps(preferred: string[], slices: readonly Slice[]): Uint16Array<ArrayBuffer>[] {
  const planes = [0, 1, 2].map(() => new Uint16Array(65_536))
  const isPreferred = (family: string) => preferred.includes(family)
  const isFallback = (family: string) => !isPreferred(family) && family !== 'noto-sans-mono'
  for (const isInGroup of [isPreferred, isFallback]) {
    for (const [index, { family, codes }] of slices.entries()) {
      if (!isInGroup(family)) continue
      for (const code of codes) {
        const plane = planes[code >> 16]
        if (plane && plane[code & 0xffff] === 0) plane[code & 0xffff] = index
      }
    }
  }
  return planes
}

type Tables = Map<string, Buffer>

/** Convert a WOFF file to a slice and return the code points that it covers. */
function convertWoff(woff: Buffer, isComplex: boolean): { codes: number[]; bytes: Buffer } {
  const tables = readTables(woff)
  const table = (tag: string) => tables.get(tag) ?? Buffer.alloc(64)
  const [head, hhea, hmtx] = [table('head'), table('hhea'), table('hmtx')]
  const units = head.readUInt16BE(18)
  const scale = (value: number) => Math.round((value * 1000) / units)
  const metricCount = hhea.readUInt16BE(34)
  const glyphs = readCharacters(table('cmap')).flatMap(([code, glyph]) => [
    code,
    glyph,
    scale(hmtx.readUInt16BE(Math.min(glyph, metricCount - 1) * 4)),
  ])
  const box = [36, 38, 40, 42].map((offset) => scale(head.readInt16BE(offset)))
  const metrics = {
    ascent: scale(hhea.readInt16BE(4)),
    descent: scale(hhea.readInt16BE(6)),
    box,
    units,
    isComplex,
    glyphs,
  }
  const text = Buffer.from(JSON.stringify(metrics))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return {
    codes: glyphs.filter((_, index) => index % 3 === 0),
    bytes: Buffer.concat([
      length,
      text,
      buildTrueType(tables, isComplex ? [...pdfTables, ...shapingTables] : pdfTables),
    ]),
  }
}

/** Read the printable code points and their glyphs from a `cmap` table. */
function readCharacters(cmap: Buffer): [number, number][] {
  const glyphs = new Map<number, number>()
  for (let n = 0; n < cmap.readUInt16BE(2); n++) {
    const subtable = cmap.subarray(cmap.readUInt32BE(8 + n * 8))
    const format = subtable.readUInt16BE(0)
    // Other formats contain no characters that these two lack.
    const read = format === 12 ? readGroups : format === 4 ? readSegments : null
    for (const [code, glyph] of read?.(subtable) ?? []) if (glyph > 0 && code >= 0x20) glyphs.set(code, glyph)
  }
  return [...glyphs]
}

/** Read a `cmap` subtable of format 12. */
function* readGroups(table: Buffer): Generator<[number, number]> {
  for (let n = 0; n < table.readUInt32BE(12); n++) {
    const [first, last, glyph] = [16, 20, 24].map((offset) => table.readUInt32BE(offset + n * 12)) as [
      number,
      number,
      number,
    ]
    for (let code = first; code <= last; code++) yield [code, glyph + code - first]
  }
}

/** Read a `cmap` subtable of format 4. */
function* readSegments(table: Buffer): Generator<[number, number]> {
  const size = table.readUInt16BE(6)
  for (let n = 0; n < size; n += 2) {
    const [last, first, delta] = [14, 16 + size, 16 + size * 2].map((offset) =>
      table.readUInt16BE(offset + n),
    ) as [number, number, number]
    const rangePosition = 16 + size * 3 + n
    const range = table.readUInt16BE(rangePosition)
    for (let code = first; code <= last && code < 0xffff; code++) {
      const glyph = range === 0 ? code : table.readUInt16BE(rangePosition + range + (code - first) * 2)
      yield [code, glyph === 0 ? 0 : (glyph + delta) & 0xffff]
    }
  }
}

/** Read the tables of a WOFF file, inflated. */
function readTables(woff: Buffer): Tables {
  const tables: Tables = new Map()
  for (let n = 0; n < woff.readUInt16BE(12); n++) {
    const entry = 44 + n * 20
    const offset = woff.readUInt32BE(entry + 4)
    const packedLength = woff.readUInt32BE(entry + 8)
    const length = woff.readUInt32BE(entry + 12)
    const data = woff.subarray(offset, offset + packedLength)
    tables.set(woff.toString('latin1', entry, entry + 4), packedLength < length ? inflateSync(data) : data)
  }
  return tables
}

const pdfTables = ['cvt ', 'fpgm', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp', 'prep']

/** Tables that HarfBuzz reads. */
const shapingTables = ['GDEF', 'GPOS', 'GSUB', 'cmap']

/** Build a TrueType file with these tables. */
function buildTrueType(all: Tables, tags: readonly string[]): Buffer {
  const tables = tags.toSorted().flatMap((tag) => {
    const data = all.get(tag)
    return data ? [{ tag, data }] : []
  })
  const head = Buffer.alloc(12 + tables.length * 16)
  head.writeUInt32BE(0x10000)
  head.writeUInt16BE(tables.length, 4)
  let offset = head.length
  const bodies = tables.map(({ tag, data }, n) => {
    head.write(tag, 12 + n * 16, 'latin1')
    head.writeUInt32BE(offset, 20 + n * 16)
    head.writeUInt32BE(data.length, 24 + n * 16)
    const padded = Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)])
    offset += padded.length
    return padded
  })
  return Buffer.concat([head, ...bodies])
}
