import { describe, expect, it } from 'vitest'
import { addComposites, buildComposite } from '#rules/pdf/font-composites.ts'
import { createUsedGlyphs, embedFont, getGlyphCode } from '#rules/pdf/font-embedding.ts'
import { getGlyphExtent, subsetFont } from '#rules/pdf/font-subset.ts'
import type { FontSlice } from '#rules/pdf/fonts.ts'
import type { PdfObjects } from '#rules/pdf/objects.ts'
import { buildFont, buildGlyphTables, buildOutline } from '#test/support/stub-fonts.ts'

const createSlice = (font: Uint8Array, units = 1000): FontSlice => ({
  ...{ ascent: 900, descent: -300, box: [-10, -300, 1200, 950], units },
  ...{ glyphs: new Map(), isComplex: false, font },
})
const int16s = (bytes: Uint8Array) =>
  Array.from({ length: bytes.length / 2 }, (_, n) => Buffer.from(bytes).readInt16BE(n * 2))
const uint32s = (bytes: Uint8Array) =>
  Array.from({ length: bytes.length / 4 }, (_, n) => Buffer.from(bytes).readUInt32BE(n * 4))

/** Read the tables of a TrueType font in the order of its directory. */
function readTables(font: Uint8Array): [tag: string, data: Uint8Array][] {
  const buffer = Buffer.from(font)
  return Array.from({ length: buffer.readUInt16BE(4) }, (_, index) => {
    const entry = 12 + index * 16
    const offset = buffer.readUInt32BE(entry + 8)
    return [
      buffer.toString('latin1', entry, entry + 4),
      font.slice(offset, offset + buffer.readUInt32BE(entry + 12)),
    ]
  })
}

const boxes = [
  [0, 0, 10, 10],
  [10, -20, 110, 220],
  [-30, 5, 70, 50],
]
const simple = boxes.map((box, index) => buildOutline(1, box, [index]))
const maxp = new Uint8Array(32)
maxp.set([0, 1, 0, 0, 0, 8], 0)
maxp[29] = 1
const hmtx = new Uint8Array([1, 2, 3, 4])

describe('subsetFont', () => {
  // The flags of a component: 1 for arguments of two bytes, 8, 0x40 and 0x80 for a scale of 2, 4 and 8 bytes,
  // 0x20 for more components.
  const composites = [
    buildOutline(-1, [0, 0, 9, 9], [0x21, 1, 0, 0, 0x00, 2, 0]),
    buildOutline(
      -1,
      [0, 0, 9, 9],
      [0x29, 0, 0, 0, 0, 0x61, 0, 0, 0, 0, 0, 0xa1, 0, 0, 0, 0, 0, 0, 0, 0x01, 3, 0, 0],
    ),
    buildOutline(1, [0, 0, 9, 9], [0x21, 1, 0, 0, 0x00, 2, 0]),
  ]
  const outlines = [...simple, ...composites, new Uint8Array()]
  const build = (isLong: boolean) => {
    const { head, loca, glyf } = buildGlyphTables(outlines, isLong)
    return buildFont({
      GSUB: new Uint8Array([9]),
      head,
      maxp,
      hmtx,
      loca,
      glyf,
      cmap: new Uint8Array([8]),
      name: new Uint8Array([7]),
    })
  }
  const plainGlyph = (id: number) => ({ id, parts: [] })
  /** Return the ids of the glyphs that have an outline. */
  const listOutlines = (font: Uint8Array) => {
    const offsets = uint32s(new Map(readTables(font)).get('loca') ?? new Uint8Array())
    return offsets.flatMap((offset, id) => ((offsets[id + 1] ?? 0) > offset ? id : []))
  }

  it.each<[number[], number[]]>([
    [[], [0]],
    [[1], [0, 1]],
    [[3], [0, 1, 2, 3]],
    [[4], [0, 1, 2, 3, 4]],
    [[5], [0, 5]],
    [[6], [0]],
    [
      [2, 2],
      [0, 2],
    ],
  ])('keeps of the glyphs %j the outlines %j', (ids, kept) => {
    for (const isLong of [true, false]) {
      const { font, glyphIds } = subsetFont(createSlice(build(isLong)), ids.map(plainGlyph))
      expect([isLong, listOutlines(font), glyphIds]).toEqual([isLong, kept, ids])
    }
  })

  it('keeps the other tables except those for shaping, and aligns them', () => {
    const { font } = subsetFont(createSlice(build(false)), [plainGlyph(1)])
    const head = new Uint8Array(54)
    head[51] = 1
    expect(readTables(font)).toEqual([
      ['head', head],
      ['maxp', maxp],
      ['hmtx', hmtx],
      ['loca', new Uint8Array(new Uint32Array([0, 12, 24, 24, 24, 24, 24, 24].map((n) => n << 24)).buffer)],
      [
        'glyf',
        new Uint8Array([...buildOutline(1, boxes[0] ?? [], [0]), ...buildOutline(1, boxes[1] ?? [], [1])]),
      ],
      ['name', new Uint8Array([7])],
    ])
    const offsets = Array.from({ length: 6 }, (_, n) => Buffer.from(font).readUInt32BE(12 + n * 16 + 8))
    expect([font.slice(0, 6), offsets, font.length]).toEqual([
      new Uint8Array([0, 1, 0, 0, 0, 6]),
      [108, 164, 196, 200, 232, 256],
      260,
    ])
  })

  it('adds a glyph for parts, and the outlines of those', () => {
    const glyphs = [
      plainGlyph(0),
      { id: null, parts: [{ id: 1, x: 0, y: 5 }] },
      plainGlyph(6),
      {
        id: null,
        parts: [
          { id: 2, x: 3, y: 0 },
          { id: 6, x: 0, y: 0 },
        ],
      },
    ]
    const { font, glyphIds } = subsetFont(createSlice(build(true)), glyphs)
    const tables = new Map(readTables(font))
    expect(glyphIds).toEqual([0, 7, 6, 8])
    expect(listOutlines(font)).toEqual([0, 1, 2, 7, 8])
    expect(int16s(tables.get('glyf')?.slice(36) ?? new Uint8Array())).toEqual([
      ...[-1, 10, -15, 110, 225, 3, 1, 0, 5],
      ...[-1, -27, 5, 73, 50, 3, 2, 3, 0],
    ])
    expect(tables.get('maxp')?.[5]).toBe(10)
    expect(tables.get('hmtx')).toEqual(new Uint8Array([1, 2, 3, 4, 0, 10, 255, 229]))
    expect([maxp[5], hmtx.length]).toEqual([8, 4])
  })
})

describe('getGlyphExtent', () => {
  it('returns the leftmost and rightmost point in thousandths of the font size', () => {
    for (const isLong of [true, false]) {
      const slice = createSlice(
        buildFont({ ...buildGlyphTables([...simple, new Uint8Array(8)], isLong) }),
        2000,
      )
      expect([1, 2, 3, 4].map((id) => getGlyphExtent(slice, id))).toEqual([
        [5, 55],
        [-15, 35],
        [0, 0],
        [0, 0],
      ])
    }
  })

  it('reads an outline of no more than its bounding box', () => {
    const tables = buildGlyphTables([buildOutline(1, [4, 0, 8, 0], [])])
    expect(getGlyphExtent(createSlice(buildFont(tables)), 0)).toEqual([4, 8])
  })
})

describe('buildComposite', () => {
  const part = (id: number, x: number, y: number, box: number[]) => ({ id, x, y, box })

  it('places the parts, and surrounds them with a box', () => {
    const parts = [part(7, 100, 0, [1, 2, 3, 4]), part(9, -20, 50, [0, -5, 10, 8])]
    const { ids, outline, left } = buildComposite(parts)
    expect([ids, left, int16s(outline)]).toEqual([
      [7, 9],
      -20,
      [-1, -20, 2, 103, 58, 0x23, 7, 100, 0, 0x03, 9, -20, 50],
    ])
  })

  it('is empty without parts', () => {
    expect(buildComposite([])).toEqual({ ids: [], outline: new Uint8Array(), left: 0 })
  })

  it('limits positions to 16 bits', () => {
    const { outline, left } = buildComposite([part(1, -40_000, 40_000, [0, 0, 0, 0])])
    expect([left, int16s(outline)]).toEqual([
      -32_767,
      [-1, -32_767, 32_767, -32_767, 32_767, 3, 1, -32_767, 32_767],
    ])
  })
})

describe('addComposites', () => {
  it('returns the tables unchanged without composites', () => {
    const tables = { maxp, hmtx }
    expect(addComposites(maxp, hmtx, [])).toEqual(tables)
  })

  it('counts the glyphs, their parts and their depth', () => {
    const composite = (count: number) =>
      buildComposite(Array.from({ length: count }, (_, id) => ({ id, x: -2, y: 0, box: [0, 0, 1, 1] })))
    const added = addComposites(maxp, hmtx, [composite(3), composite(2)])
    const [glyphCount, components, depth] = [4, 28, 30].map((offset) =>
      Buffer.from(added.maxp).readUInt16BE(offset),
    )
    expect([glyphCount, components, depth, int16s(added.hmtx)]).toEqual([10, 3, 1, [258, 772, -2, -2]])
  })
})

describe('getGlyphCode', () => {
  const glyph = (id: number | null, text: string, width = 500, x = 0) => ({
    id,
    text,
    width,
    parts: id === null ? [{ id: 1, x, y: 0 }] : [],
  })

  it('gives a glyph one code for each text, width and position of its parts', () => {
    const used = createUsedGlyphs()
    const glyphs = [
      glyph(1, 'a'),
      glyph(2, 'b'),
      glyph(1, 'a'),
      glyph(1, 'A'),
      glyph(1, 'a', 400),
      glyph(null, 'a'),
      glyph(null, 'a', 500, 1),
    ]
    expect(glyphs.map((entry) => getGlyphCode(used, entry))).toEqual([
      '0001',
      '0002',
      '0001',
      '0003',
      '0004',
      '0005',
      '0006',
    ])
    expect(getGlyphCode(used, glyph(null, 'a'))).toBe('0005')
    expect(used.glyphs[0]).toEqual({ id: 0, parts: [], width: 0, text: '' })
  })

  it('gives the same parts the code that they have already', () => {
    const used = createUsedGlyphs()
    const parts = [{ id: 1, x: 0, y: 0 }]
    expect([
      getGlyphCode(used, { id: null, parts, text: 'a', width: 1 }),
      getGlyphCode(used, { id: null, parts, text: 'b', width: 1 }),
    ]).toEqual(['0001', '0001'])
  })

  it('shows the glyph for missing characters from the 32,000th glyph on', () => {
    const used = createUsedGlyphs()
    for (let id = 1; id < 31_999; id++) getGlyphCode(used, glyph(id, 'a'))
    expect(getGlyphCode(used, glyph(31_999, 'a'))).toBe((31_999).toString(16))
    expect(getGlyphCode(used, glyph(32_000, 'a'))).toBe('0000')
    expect(getGlyphCode(used, glyph(5, 'a'))).toBe('0005')
  })
})

describe('embedFont', () => {
  /** Return the text of each object. The data of its stream is decompressed. */
  async function readObjects(objects: PdfObjects): Promise<{ entries: string; data: Buffer }[]> {
    const decompress = async (bytes: Uint8Array) => {
      const stream = new Blob([new Uint8Array(bytes)])
        .stream()
        .pipeThrough(new DecompressionStream('deflate'))
      return Buffer.from(await new Response(stream).arrayBuffer())
    }
    return Promise.all(
      (objects as (Uint8Array[] | undefined)[]).map(async ([header = new Uint8Array(), data] = []) => ({
        entries: Buffer.from(header).toString(),
        data: data ? await decompress(data) : Buffer.alloc(0),
      })),
    )
  }
  const slice = createSlice(buildFont({ ...buildGlyphTables(simple), maxp, hmtx }))
  const embed = async (texts: string[]) => {
    const objects: PdfObjects = []
    const used = createUsedGlyphs()
    for (const [index, text] of texts.entries())
      getGlyphCode(used, { id: 1 + (index % 2), parts: [], width: 500, text })
    const number = await embedFont(objects, 12, slice, used)
    return { number, objects: await readObjects(objects) }
  }

  it('writes the font, the widths, and the text of each code', async () => {
    const { number, objects } = await embed(['a', 'ﬁ😀'])
    const [fontFile, descriptor, codeToGlyph, descendant, toUnicode, font] = objects
    expect(number).toBe(6)
    expect(fontFile?.entries).toMatch(
      new RegExp(`^<</Filter/FlateDecode/Length1 ${fontFile?.data.length}/Length \\d+>>\nstream\n$`),
    )
    expect(descriptor?.entries).toBe(
      '<</Type/FontDescriptor/FontName/ABCDEF+NotoSans12/Flags 4/FontBBox[-10 -300 1200 950]/ItalicAngle 0/Ascent 900/Descent -300/CapHeight 714/StemV 80/FontFile2 1 0 R>>',
    )
    expect([...(codeToGlyph?.data ?? [])]).toEqual([0, 0, 0, 1, 0, 2])
    expect(descendant?.entries).toContain('/FontDescriptor 2 0 R/W[0[0 500 500]]/CIDToGIDMap 3 0 R>>')
    expect(toUnicode?.data.toString()).toContain(
      '\n2 beginbfchar\n<0001><0061>\n<0002><fb01d83dde00>\nendbfchar\nendcmap ',
    )
    expect(font?.entries).toContain('/Encoding/Identity-H/DescendantFonts[4 0 R]/ToUnicode 5 0 R>>')
  })

  it('writes at most 100 lines of text in a block', async () => {
    const countLines = async (count: number) => {
      const { objects } = await embed(Array.from({ length: count }, (_, n) => `${n}`))
      return objects[4]?.data.toString().match(/\d+ (?=beginbfchar)/g)
    }
    expect(await countLines(100)).toEqual(['100 '])
    expect(await countLines(201)).toEqual(['100 ', '100 ', '1 '])
  })

  it('writes glyph ids of two bytes', async () => {
    const outlines = Array.from({ length: 600 }, () => buildOutline(1, [0, 0, 1, 1]))
    const objects: PdfObjects = []
    const used = createUsedGlyphs()
    getGlyphCode(used, { id: 0x1fe, parts: [], width: 1, text: 'a' })
    await embedFont(objects, 1, createSlice(buildFont({ ...buildGlyphTables(outlines), maxp, hmtx })), used)
    expect([...((await readObjects(objects))[2]?.data ?? [])]).toEqual([0, 0, 1, 0xfe])
  })
})
