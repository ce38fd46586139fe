import { describe, expect, it } from 'vitest'
import type { ShapedGlyph } from '#rules/pdf/harfbuzz.ts'
import { breakIntoLines } from '#rules/pdf/line-layout.ts'
import { createStubFonts } from '#test/support/stub-fonts.ts'

describe('the glyphs of a script that needs shaping', () => {
  const shaped = (id: number, cluster: number, { advance = 1000, dx = 0, dy = 0 } = {}): ShapedGlyph => ({
    id,
    cluster,
    advance,
    dx,
    dy,
  })
  const layOut = (text: string, glyphs: ShapedGlyph[]) => {
    const calls: unknown[] = []
    const fonts = createStubFonts((...call) => {
      calls.push(call)
      return glyphs
    })
    const [line] = breakIntoLines(fonts, [{ text, style: {} }], 'text', 50_000)
    return {
      calls,
      glyphs: (line?.glyphs ?? []).map(({ text, id, parts, width, isMark }) => ({
        text,
        id,
        parts,
        width,
        isMark,
      })),
    }
  }
  const plain = { parts: [], isMark: false }

  it('are those of HarfBuzz, in thousandths of the font size', () => {
    expect(layOut('aकख', [shaped(10, 0), shaped(11, 1, { advance: 401 })])).toEqual({
      calls: [['कख', false]],
      glyphs: [
        { ...plain, text: 'a', id: 65, width: 500 },
        { ...plain, text: 'क', id: 10, width: 500 },
        { ...plain, text: 'ख', id: 11, width: 201 },
      ],
    })
  })

  it('are one glyph for each cluster', () => {
    const parts = [shaped(1, 0), shaped(2, 0, { advance: 500, dx: 10, dy: 20 }), shaped(3, 2)]
    expect(layOut('क\u093fख', parts).glyphs).toEqual([
      {
        text: 'क\u093f',
        id: null,
        parts: [
          { id: 1, x: 0, y: 0 },
          { id: 2, x: 1010, y: 20 },
        ],
        width: 750,
        isMark: false,
      },
      { ...plain, text: 'ख', id: 3, width: 500 },
    ])
  })

  it.each([{ dx: 1 }, { dy: -1 }])('have a part if the glyph is moved by %j', (offset) => {
    expect(layOut('क', [shaped(1, 0, offset)]).glyphs).toEqual([
      {
        text: 'क',
        id: null,
        parts: [{ id: 1, x: offset.dx ?? 0, y: offset.dy ?? 0 }],
        width: 500,
        isMark: false,
      },
    ])
  })

  it('have at most 32 parts', () => {
    const [glyph] = layOut(
      'क',
      Array.from({ length: 33 }, (_, id) => shaped(id, 0)),
    ).glyphs
    expect([glyph?.parts.length, glyph?.width]).toEqual([32, 16_500])
  })

  it.each<[string, unknown[]]>([
    [
      'कख कb',
      [
        ['कख', false],
        ['क', false],
      ],
    ],
    ['क\u200dख', [['क\u200dख', false]]],
    ['कक\u0301', [['कक', false]]],
    ['कक', [['कक', false]]],
  ])('of %j are shaped in the parts %j', (text, calls) => {
    expect(layOut(text, []).calls).toEqual(calls)
  })

  it('are shaped once for each word', () => {
    expect(layOut('क ख क', [shaped(1, 0)]).calls).toEqual([
      ['क', false],
      ['ख', false],
    ])
  })

  it('have one character each from right to left', () => {
    const glyphs = [shaped(3, 2), shaped(2, 0, { advance: 0, dx: 5 }), shaped(1, 0)]
    const parts = [
      { id: 2, x: 5, y: 0 },
      { id: 1, x: 0, y: 0 },
    ]
    expect(layOut('س\u064bل', glyphs)).toEqual({
      calls: [['س\u064bل', true]],
      glyphs: [
        { text: 'س', id: null, parts, width: 500, isMark: false },
        { text: '\u064b', id: null, parts: [], width: 0, isMark: true },
        { ...plain, text: 'ل', id: 3, width: 500 },
      ],
    })
  })

  it('have positions of the right order from right to left', () => {
    const fonts = createStubFonts(() => [shaped(3, 1), shaped(1, 0)])
    const [line] = breakIntoLines(fonts, [{ text: 'سل', style: {} }], 'text', 50_000)
    expect(line?.glyphs.map(({ text, x, level, sourceLength }) => [text, x, level, sourceLength])).toEqual([
      ['س', 500, 1, 1],
      ['ل', 0, 1, 1],
    ])
  })
})
