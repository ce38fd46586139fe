import { describe, expect, it } from 'vitest'
import type { Glyph, TextKind } from '#rules/pdf/glyph.ts'
import { addWordBreaks, getLineBreak } from '#rules/pdf/line-breaks.ts'
import { addCodePoints, breakIntoLines } from '#rules/pdf/line-layout.ts'
import { createStubFonts } from '#test/support/stub-fonts.ts'

const breakText = (text: string, maxWidth: number, kind: TextKind = 'text') =>
  breakIntoLines(createStubFonts(), [{ text, style: {} }], kind, maxWidth)

describe('the lines of a text', () => {
  it.each<[string, number, TextKind, [text: string, width: number][]]>([
    ['ab cd', 2300, 'text', [['ab cd', 2300]]],
    [
      'ab cd',
      2299,
      'text',
      [
        ['ab ', 1000],
        ['cd', 1000],
      ],
    ],
    [
      'ab cd ef',
      2300,
      'text',
      [
        ['ab cd ', 2300],
        ['ef', 1000],
      ],
    ],
    [
      'ab   cd',
      1000,
      'text',
      [
        ['ab   ', 1000],
        ['cd', 1000],
      ],
    ],
    [
      'ab   cd',
      1000,
      'mono',
      [
        ['ab', 1000],
        ['  ', 0],
        [' ', 0],
        ['cd', 1000],
      ],
    ],
    [
      'abcde',
      1000,
      'text',
      [
        ['ab', 1000],
        ['cd', 1000],
        ['e', 500],
      ],
    ],
    [
      'abc',
      100,
      'text',
      [
        ['a', 500],
        ['b', 500],
        ['c', 500],
      ],
    ],
    [
      'a-bc',
      1000,
      'text',
      [
        ['a-', 1000],
        ['bc', 1000],
      ],
    ],
    [
      'a/b c',
      1500,
      'text',
      [
        ['a/b ', 1500],
        ['c', 500],
      ],
    ],
    [
      'a bc)',
      1500,
      'text',
      [
        ['a ', 500],
        ['bc)', 1500],
      ],
    ],
    [
      '漢字漢。字',
      1200,
      'text',
      [
        ['漢字', 800],
        ['漢。字', 1200],
      ],
    ],
    [
      'ab漢',
      1000,
      'text',
      [
        ['ab', 1000],
        ['漢', 400],
      ],
    ],
    [
      'x\u0301y',
      500,
      'text',
      [
        ['x\u0301', 500],
        ['y', 500],
      ],
    ],
    [
      '字\u0301字',
      400,
      'text',
      [
        ['字\u0301', 400],
        ['字', 400],
      ],
    ],
    ['', 100, 'text', [['', 0]]],
  ])('of %j in a width of %i as %s are %j', (text, maxWidth, kind, expected) => {
    const lines = breakText(text, maxWidth, kind)
    expect(lines.map(({ glyphs, width }) => [glyphs.map((glyph) => glyph.text).join(''), width])).toEqual(
      expected,
    )
  })

  it('may end inside of runs of different styles', () => {
    const runs = [
      { text: 'a', style: { bold: true } },
      { text: 'b c', style: { kind: 'mono' as const } },
    ]
    const [line] = breakIntoLines(createStubFonts(), runs, 'text', 5000)
    expect(line?.glyphs.map(({ text, style, width }) => [text, style, width])).toEqual([
      ['a', { bold: true, kind: 'text' }, 500],
      ['b', { kind: 'mono' }, 500],
      [' ', { kind: 'mono' }, 500],
      ['c', { kind: 'mono' }, 500],
    ])
  })
})

/**
 * Describe each glyph of the only line: its text, font, id, position, width and, if it is not 0, its level.
 */
function describeGlyphs(text: string, kind: TextKind = 'text'): string[] {
  const lines = breakIntoLines(createStubFonts(), [{ text, style: {} }], kind, 50_000)
  expect(lines).toHaveLength(1)
  return (lines[0]?.glyphs ?? []).map(
    ({ text, font, id, x, width, level }) =>
      `${text} ${font}.${id} ${x}+${width}${level ? ` level ${level}` : ''}`,
  )
}

describe('the glyphs of a line', () => {
  it.each<[string, string[]]>([
    ['a b', ['a 1.65 0+500', '  1.0 500+300', 'b 1.66 800+500']],
    [' a', ['  1.0 0+500', 'a 1.65 500+500']],
    ['漢 a', ['漢 3.0 0+400', '  3.6 400+300', 'a 1.65 700+500']],
    ['\tA', ['  1.0 0+500', '  1.0 500+300', '  1.0 800+300', '  1.0 1100+300', 'A 1.33 1400+500']],
    ['a\u200b\u0007\ufe0f\u00ad\u202eb', ['a 1.65 0+500', 'b 1.66 500+500']],
    ['☃e\u0301\ud800', ['□ 1.95 0+500', '□ 1.95 500+500', '□ 1.95 1000+500']],
    ['a\u200cb\u200d', ['a 1.65 0+500', '\u200c 1.0 500+40', 'b 1.66 540+500', '\u200d 1.0 1040+40']],
    ['\u200ca', ['□ 1.95 0+500', 'a 1.65 500+500']],
    // The outline of the accent is from -50 to 150.
    ['ก\u0301', ['ก 3.3 0+400', '\u0301 1.96 150+0']],
    ['ax\u0301', ['a 1.65 0+500', 'x 1.88 500+500', '\u0301 1.96 680+0']],
    ['\u0301', ['\u0301 1.96 0+0']],
    ['אב', ['א 2.0 500+500 level 1', 'ב 2.1 0+500 level 1']],
    [
      'אב 12',
      [
        'א 2.0 2000+500 level 1',
        'ב 2.1 1500+500 level 1',
        '  1.0 1000+500 level 1',
        '1 1.17 0+500 level 2',
        '2 1.18 500+500 level 2',
      ],
    ],
    ['(א', ['( 1.9 500+500 level 1', 'א 2.0 0+500 level 1']],
    ['a (א', ['a 1.65 0+500', '  1.0 500+300', '( 1.8 800+500', 'א 2.0 1300+500 level 1']],
    [
      'a אב b',
      [
        'a 1.65 0+500',
        '  1.0 500+300',
        'א 2.0 1300+500 level 1',
        'ב 2.1 800+500 level 1',
        '  1.0 1800+500',
        'b 1.66 2300+500',
      ],
    ],
  ])('of %j are %j', (text, expected) => {
    expect(describeGlyphs(text)).toEqual(expected)
  })

  it('are as wide as the space of the font in code', () => {
    expect(describeGlyphs('漢 a', 'mono')).toEqual(['漢 3.0 0+400', '  3.6 400+400', 'a 1.65 800+500'])
  })

  it('at the end of a line are spaces outside of its width', () => {
    const [left, right] = [breakText('a  ', 5000)[0], breakText('א  ', 5000)[0]]
    expect([left?.width, left?.isRightToLeft, left?.glyphs.map(({ x }) => x)]).toEqual([
      500,
      false,
      [0, 500, 800],
    ])
    expect([right?.width, right?.isRightToLeft]).toEqual([500, true])
    expect(right?.glyphs.map(({ x, level }) => [x, level])).toEqual([
      [0, 1],
      [-500, 1],
      [-300, 1],
    ])
  })
})

describe('getLineBreak', () => {
  it.each([
    [' ', 'space'],
    ['\u00a0', null],
    ['a', null],
    ['-', 'after'],
    ['\u2010', 'after'],
    ['\u2011', null],
    ['–', 'after'],
    ['/', 'after'],
    ['漢', 'after'],
    ['ก', null],
  ])('of %j is %j', (character, expected) => {
    expect(getLineBreak(character)).toBe(expected)
  })
})

describe('addWordBreaks', () => {
  const breakWords = (texts: string[]) => {
    const glyphs = texts.map(
      (text) => ({ text, sourceLength: text.length, lineBreak: getLineBreak(text) }) as Glyph,
    )
    addWordBreaks(glyphs, texts.join(''))
    return glyphs.map(({ lineBreak }) => lineBreak)
  }

  it('allows a line to end after each word of a script without spaces', () => {
    expect(breakWords(['สวัส', 'ดี', 'ครับ'])).toEqual([null, 'after', 'after'])
  })

  it('does not change other words and spaces', () => {
    expect(breakWords(['ab', ' ', 'cd'])).toEqual([null, 'space', null])
    expect(breakWords(['ab', ' ', 'ครับ', ' '])).toEqual([null, 'space', 'after', 'space'])
  })
})

describe('addCodePoints', () => {
  it('adds the characters as they are shown, a space and the square for missing ones', () => {
    const codes = new Set<number>()
    addCodePoints('\te\u0301\u200b\u200e😀\ud800', codes)
    expect([...codes].map((code) => String.fromCodePoint(code))).toEqual(['□', ' ', 'é', '😀', '\ufffd'])
  })
})
