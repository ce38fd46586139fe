import { expect, it } from 'vitest'
import { type FontAssets, loadFonts } from '#rules/pdf/fonts.ts'
import type { TextKind } from '#rules/pdf/glyph.ts'

/**
 * Return font files: the character n of a map has the slice n, and the glyph n of it is n thousandths wide.
 */
function createAssets(slice: (index: number) => object = () => ({})) {
  const reads: string[] = []
  let [openReads, mostOpenReads] = [0, 0]
  const assets: FontAssets = {
    async read(path) {
      reads.push(path)
      mostOpenReads = Math.max(mostOpenReads, ++openReads)
      await Promise.resolve()
      openReads--
      if (path.endsWith('.map'))
        return new Uint8Array(new Uint16Array(65_536).map((_, code) => (code < 9000 ? code : 0)).buffer)
          .buffer
      const index = Number(/\d+/.exec(path)?.[0])
      const json = Buffer.from(
        JSON.stringify({
          isComplex: false,
          units: 1000,
          glyphs: [index, 1, index, 7, 2, 9],
          ...slice(index),
        }),
      )
      const length = Buffer.alloc(4)
      length.writeUInt32BE(json.length)
      return new Uint8Array(Buffer.concat([length, json, Buffer.from([index % 256])])).buffer
    },
    loadHarfBuzz: () => Promise.reject(new Error('HarfBuzz was loaded')),
  }
  return { assets, reads, countMostOpenReads: () => mostOpenReads }
}
// Files stay in memory for all tests of a process. So each test uses characters of its own, and no kind or
// slice that really exists.
const [stubKind, otherKind] = ['stub', 'other'] as unknown as [TextKind, TextKind]
const load = (assets: FontAssets, kind: TextKind, codes: number[]) =>
  loadFonts(assets, new Map([[kind, new Set(codes)]]))

it('finds the font and the glyphs of each character', async () => {
  const { assets, reads } = createAssets()
  const fonts = await load(assets, stubKind, [8001, 8002, 9000])
  expect(reads.filter((path) => path.endsWith('.font')).sort()).toEqual([
    'fonts/8001.font',
    'fonts/8002.font',
  ])
  expect(fonts.find(8001, stubKind)).toEqual({ index: 8001, slice: fonts.getSlice(8001) })
  expect([fonts.find(9000, stubKind), fonts.find(8001, otherKind), fonts.find(8003, stubKind)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(fonts.getSlice(8001)).toEqual({
    ...{ isComplex: false, units: 1000 },
    glyphs: new Map([
      [8001, { id: 1, width: 8001 }],
      [7, { id: 2, width: 9 }],
    ]),
    font: new Uint8Array([8001 % 256]),
  })
  expect(fonts.shaper.shape(8001, new Uint8Array(), 'a', false)).toEqual([])
})

it('reads the map of each kind and plane once, up to plane 2', async () => {
  const { assets, reads } = createAssets()
  await load(assets, otherKind, [0x18011, 0x28012, 0x38013])
  expect(reads.filter((path) => path.endsWith('.map'))).toEqual(['fonts/other-1.map', 'fonts/other-2.map'])
  await load(assets, otherKind, [0x18011])
  expect(reads.filter((path) => path.endsWith('.map'))).toHaveLength(2)
})

it('opens at most six files at once, and reads each of them once', async () => {
  const { assets, reads, countMostOpenReads } = createAssets()
  const codes = Array.from({ length: 20 }, (_, n) => 8100 + n)
  await load(assets, stubKind, codes)
  expect(reads.filter((path) => path.endsWith('.font'))).toHaveLength(20)
  expect(countMostOpenReads()).toBe(6)
})

it('keeps 40 slices in memory, and drops the one that was read first', async () => {
  const { assets, reads } = createAssets()
  const readSlices = async (codes: number[]) => {
    reads.length = 0
    for (const code of codes) await load(assets, stubKind, [code])
    return reads.filter((path) => path.endsWith('.font'))
  }
  const codes = Array.from({ length: 41 }, (_, n) => 8200 + n)
  expect(await readSlices(codes.slice(0, 40))).toHaveLength(40)
  expect(await readSlices(codes.slice(0, 40))).toEqual([])
  expect(await readSlices(codes.slice(40))).toEqual(['fonts/8240.font'])
  expect(await readSlices(codes.slice(1))).toEqual([])
  expect(await readSlices(codes.slice(0, 1))).toEqual(['fonts/8200.font'])
})

it('loads HarfBuzz only for a slice whose letters change with their neighbours', async () => {
  const { assets } = createAssets((index) => ({ isComplex: index === 8300 }))
  await load(assets, stubKind, [8301])
  await expect(load(assets, stubKind, [8300, 8301])).rejects.toThrow('HarfBuzz was loaded')
})
