import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'

const packages = join(import.meta.dirname, '../../node_modules/@fontsource')
const made = 'made by 3'

/** Families in the order they are asked for a character; of some only the files that the others have not. */
const families: [string, RegExp][] = [
  ['noto-sans', /-(?:latin|latin-ext|vietnamese|cyrillic|cyrillic-ext|greek|greek-ext)-400-/],
  ['noto-sans-hebrew', /-hebrew-hebrew-400-/],
  ['noto-sans-arabic', /-arabic-arabic-400-/],
  ['noto-sans-sc', /-400-/],
  ['noto-sans-tc', /-400-/],
  ['noto-sans-jp', /-400-/],
  ['noto-sans-kr', /-400-/],
  ['noto-sans-math', /-400-/],
  ['noto-sans-symbols-2', /-400-/],
  ['noto-sans-mono', /-400-/],
]
/** Orders by what a text is: Han has other shapes in Japanese, and code has one width. */
const orders: Record<string, string[]> = {
  text: [],
  ja: ['noto-sans', 'noto-sans-hebrew', 'noto-sans-arabic', 'noto-sans-jp'],
  mono: ['noto-sans-mono'],
}

/**
 * Writes the fonts of the PDF as slices: `<n>.font` is the length of a JSON text in four bytes, that text, and a TrueType font; and
 * `<order>-<plane>.map` says by two bytes for each code point of a plane which slice has it, 0 for none.
 */
export async function buildFonts(target: string): Promise<void> {
  const stamp = `${made}: ${await versions()}`
  if ((await readFile(join(target, 'stamp'), 'utf8').catch(() => '')) === stamp) return
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  const slices: { family: string; codes: number[] }[] = [{ family: '', codes: [] }]
  for (const [family, wanted] of families) {
    const files = (await readdir(join(packages, family, 'files')))
      .filter((name) => name.endsWith('-normal.woff') && wanted.test(name))
      .sort()
    for (const name of files) {
      const { codes, bytes } = sliceOf(await readFile(join(packages, family, 'files', name)))
      await writeFile(join(target, `${slices.length}.font`), bytes)
      slices.push({ family, codes })
    }
  }
  for (const [order, first] of Object.entries(orders)) await writeMaps(target, order, first, slices)
  await writeFile(join(target, 'stamp'), stamp)
}

async function versions(): Promise<string> {
  const found = families.map(
    async ([family]) => JSON.parse(await readFile(join(packages, family, 'package.json'), 'utf8')).version as string,
  )
  return (await Promise.all(found)).join(' ')
}

async function writeMaps(target: string, order: string, first: string[], slices: { family: string; codes: number[] }[]): Promise<void> {
  const planes = [0, 1, 2].map(() => new Uint16Array(65_536))
  const isFirst = (family: string) => first.includes(family)
  const usual = (family: string) => !isFirst(family) && family !== 'noto-sans-mono'
  for (const wanted of [isFirst, usual]) {
    for (const [index, { family, codes }] of slices.entries()) {
      if (!wanted(family)) continue
      for (const code of codes) {
        const plane = planes[code >> 16]
        if (plane && plane[code & 0xffff] === 0) plane[code & 0xffff] = index
      }
    }
  }
  for (const [index, plane] of planes.entries()) await writeFile(join(target, `${order}-${index}.map`), new Uint8Array(plane.buffer))
}

type Tables = Map<string, Buffer>

function sliceOf(woff: Buffer): { codes: number[]; bytes: Buffer } {
  const tables = tablesOf(woff)
  const table = (tag: string) => tables.get(tag) ?? Buffer.alloc(64)
  const [head, hhea, hmtx] = [table('head'), table('hhea'), table('hmtx')]
  const units = head.readUInt16BE(18)
  const scale = (value: number) => Math.round((value * 1000) / units)
  const wide = hhea.readUInt16BE(34)
  const glyphs = charactersOf(table('cmap')).flatMap(([code, glyph]) => [
    code,
    glyph,
    scale(hmtx.readUInt16BE(Math.min(glyph, wide - 1) * 4)),
  ])
  const box = [36, 38, 40, 42].map((at) => scale(head.readInt16BE(at)))
  const about = { ascent: scale(hhea.readInt16BE(4)), descent: scale(hhea.readInt16BE(6)), box, units, glyphs }
  const text = Buffer.from(JSON.stringify(about))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return { codes: glyphs.filter((_, index) => index % 3 === 0), bytes: Buffer.concat([length, text, trueTypeOf(tables)]) }
}

/** Code points and their glyphs. */
function charactersOf(cmap: Buffer): [number, number][] {
  const found = new Map<number, number>()
  for (let n = 0; n < cmap.readUInt16BE(2); n++) {
    const at = cmap.readUInt32BE(8 + n * 8)
    const format = cmap.readUInt16BE(at)
    const read = format === 12 ? groupsOf : format === 4 ? segmentsOf : null
    for (const [code, glyph] of read?.(cmap.subarray(at)) ?? []) if (glyph > 0 && code >= 0x20) found.set(code, glyph)
  }
  return [...found]
}

function* groupsOf(table: Buffer): Generator<[number, number]> {
  for (let n = 0; n < table.readUInt32BE(12); n++) {
    const [first, last, glyph] = [16, 20, 24].map((at) => table.readUInt32BE(at + n * 12)) as [number, number, number]
    for (let code = first; code <= last; code++) yield [code, glyph + code - first]
  }
}

function* segmentsOf(table: Buffer): Generator<[number, number]> {
  const size = table.readUInt16BE(6)
  for (let n = 0; n < size; n += 2) {
    const [last, first, delta] = [14, 16 + size, 16 + size * 2].map((at) => table.readUInt16BE(at + n)) as [number, number, number]
    const rangeAt = 16 + size * 3 + n
    const range = table.readUInt16BE(rangeAt)
    for (let code = first; code <= last && code < 0xffff; code++) {
      const glyph = range === 0 ? code : table.readUInt16BE(rangeAt + range + (code - first) * 2)
      yield [code, glyph === 0 ? 0 : (glyph + delta) & 0xffff]
    }
  }
}

function tablesOf(woff: Buffer): Tables {
  const tables: Tables = new Map()
  for (let n = 0; n < woff.readUInt16BE(12); n++) {
    const at = 44 + n * 20
    const [offset, packed, length] = [4, 8, 12].map((more) => woff.readUInt32BE(at + more)) as [number, number, number]
    const data = woff.subarray(offset, offset + packed)
    tables.set(woff.toString('latin1', at, at + 4), packed < length ? inflateSync(data) : data)
  }
  return tables
}

const kept = ['cvt ', 'fpgm', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp', 'prep']

/** A font of the tables that a PDF needs. */
function trueTypeOf(all: Tables): Buffer {
  const tables = kept.flatMap((tag) => [all.get(tag)].flatMap((data) => (data ? [{ tag, data }] : [])))
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
