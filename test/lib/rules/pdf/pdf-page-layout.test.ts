import { expect, it } from 'vitest'
import {
  addSpace,
  contentBottom,
  contentTop,
  createPageLayout,
  drawRule,
  type PageLayout,
  requireSpace,
  type TextStyle,
  toRuns,
  writeImage,
  writeLines,
  writeText,
} from '#rules/pdf/page-layout.ts'
import { writeTable } from '#rules/pdf/table-layout.ts'
import { createStubFonts, listOperators } from '#test/support/stub-fonts.ts'

const plain: TextStyle = { size: 10, colour: '0 0 0' }

/** Return the drawing operators of each page, and the position after them. */
function draw(write: (layout: PageLayout) => void) {
  const layout = createPageLayout(createStubFonts(), 'text')
  write(layout)
  return { pages: listOperators(layout.document), y: Math.round(layout.y * 100) / 100 }
}

/**
 * Return the operators of a line of text. Characters get their codes in the order in which they are used
 * first.
 */
const text = (x: number, y: number, codes: string, { font = 1, style = '0 Tr' } = {}) =>
  `BT\n0 0 0 rg ${style} /F${font} 10 Tf 1 0 0 1 ${x} ${y} Tm [<${codes}>] TJ\nET`
const bold = { style: '0 0 0 RG 2 Tr 0.28 w' }

it.each<[string, string, Partial<TextStyle>, string[], number]>([
  [
    'every line below the one before it',
    'ab\r\nba\rc',
    {},
    [text(54, 743.8, '00010002'), text(54, 729.6, '00020001'), text(54, 715.4, '0003')],
    715.4,
  ],
  ['nothing for an empty line', '', {}, [], 743.8],
  ['space below it', 'a', { spaceAfter: 5 }, [text(54, 743.8, '0001')], 738.8],
  ['bold text at its indentation', 'a', { bold: true, indent: 10 }, [text(64, 743.8, '0001', bold)], 743.8],
  [
    'a background that is wider than the text, and bars',
    'a',
    { indent: 20, background: '1 1 0', bars: [0, 8] },
    [
      '0.8 0.84 0.88 rg 54 739.8 2 14.2 re f',
      '0.8 0.84 0.88 rg 62 739.8 2 14.2 re f',
      '1 1 0 rg 74 739.8 467 14.2 re f',
      text(80, 743.8, '0001'),
    ],
    743.8,
  ],
  ['Hebrew at the right margin', 'אב', { indent: 20 }, [text(531, 743.8, '00010002', { font: 2 })], 743.8],
  [
    'Hebrew with a background',
    'א',
    { background: '1 1 0' },
    ['1 1 0 rg 54 739.8 487 14.2 re f', text(530, 743.8, '0001', { font: 2 })],
    743.8,
  ],
  ['97 characters in the width of the page', 'a'.repeat(97), {}, [text(54, 743.8, '0001'.repeat(97))], 743.8],
  [
    'a long word in two lines',
    'a'.repeat(98),
    {},
    [text(54, 743.8, '0001'.repeat(97)), text(54, 729.6, '0001')],
    729.6,
  ],
])('writeText draws %s', (_, content, style, operators, y) => {
  expect(draw((layout) => writeText(layout, content, { ...plain, ...style }))).toEqual({
    pages: [operators],
    y,
  })
})

it('writeLines draws runs of different styles', () => {
  const runs = [
    { text: 'a', style: { bold: true } },
    { text: 'b', style: { italic: true } },
    { text: 'cd', style: { struck: true } },
    { text: 'e', style: { colour: '1 0 0' } },
    { text: 'f', style: { colour: '1 0 0', bold: true } },
  ]
  const [style, size, origin] = ['0 0 0 rg 0 Tr /F1 10 Tf', '10 Tf', '743.8 Tm']
  expect(draw((layout) => writeLines(layout, [runs], plain)).pages).toEqual([
    [
      [
        'BT',
        `0 0 0 rg 0 0 0 RG 2 Tr 0.28 w /F1 ${size} 1 0 0 1 54 ${origin} [<0001>] TJ`,
        `${style} 1 0 0.2 1 59 ${origin} [<0002>] TJ`,
        `${style} 1 0 0 1 64 ${origin} [<00030004>] TJ`,
        `1 0 0 rg 0 Tr /F1 ${size} 1 0 0 1 74 ${origin} [<0005>] TJ`,
        `1 0 0 rg 1 0 0 RG 2 Tr 0.28 w /F1 ${size} 1 0 0 1 79 ${origin} [<0006>] TJ`,
        'ET',
      ].join('\n'),
      '0 G 0.6 w 64 746.6 m 74 746.6 l S',
    ],
  ])
})

it('writeLines adds the space after the last line only', () => {
  expect(draw((layout) => writeLines(layout, [toRuns(''), toRuns('')], { ...plain, spaceAfter: 3 })).y).toBe(
    726.6,
  )
})

it('requireSpace starts a page only if too little is left above the lower margin', () => {
  const { pages, y } = draw((layout) => {
    addSpace(layout, 100)
    expect(requireSpace(layout, contentTop - contentBottom - 100)).toBe(false)
    expect(layout.y).toBe(contentTop - 100)
    expect(requireSpace(layout, contentTop - contentBottom - 99)).toBe(true)
  })
  expect([pages, y]).toEqual([[[], []], 758])
})

it('starts a page for a line that has too little space below it', () => {
  const write = (minSpaceBelow: number) =>
    draw((layout) => {
      layout.y = contentBottom + 34.2
      writeText(layout, 'a', { ...plain, minSpaceBelow })
    }).pages
  expect(write(20)).toEqual([[text(54, 94, '0001')]])
  expect(write(21)).toEqual([[], [text(54, 743.8, '0001')]])
})

it('writeImage scales an image to the screen size, the width of the text or 360 points, and stores it once', () => {
  const image = { jpeg: new Uint8Array(), width: 400, height: 200 }
  const layout = createPageLayout(createStubFonts(), 'text')
  writeImage(layout, image, { indent: 10, description: 'Plan' })
  writeImage(layout, { ...image, width: 1000 }, { indent: 10, description: 'Plan' })
  writeImage(layout, image, { indent: 0, description: 'Plan' })
  writeImage(layout, { ...image, width: 100, height: 720 }, { indent: 0, description: 'Plan' })
  expect(listOperators(layout.document)).toEqual([
    [
      'q 300 0 0 150 64 608 cm /I0 Do Q',
      'q 477 0 0 95.4 64 508.6 cm /I1 Do Q',
      'q 300 0 0 150 54 354.6 cm /I0 Do Q',
    ],
    ['q 50 0 0 360 54 398 cm /I2 Do Q'],
  ])
  expect(layout.document.images.map(({ width }) => width)).toEqual([400, 1000, 100])
  expect(layout.y).toBe(394)
})

it('writeImage starts a page for an image that does not fit together with the gap below it', () => {
  const write = (space: number) =>
    draw((layout) => {
      layout.y = contentBottom + space
      writeImage(
        layout,
        { jpeg: new Uint8Array(), width: 100, height: 100 },
        { indent: 0, description: 'Plan' },
      )
    }).pages
  expect(write(79)).toEqual([['q 75 0 0 75 54 78 cm /I0 Do Q']])
  expect(write(78)).toEqual([[], ['q 75 0 0 75 54 683 cm /I0 Do Q']])
})

it('drawRule draws a line to the right margin', () => {
  const { pages, y } = draw((layout) => {
    drawRule(layout, '1 0 0')
    drawRule(layout, '1 0 0', 10)
    layout.y = contentBottom + 8
    drawRule(layout, '1 0 0')
    drawRule(layout, '1 0 0')
  })
  expect(pages).toEqual([
    [
      '1 0 0 RG 0.8 w 54 754 m 541 754 l S',
      '1 0 0 RG 0.8 w 64 746 m 541 746 l S',
      '1 0 0 RG 0.8 w 54 78 m 541 78 l S',
    ],
    ['1 0 0 RG 0.8 w 54 754 m 541 754 l S'],
  ])
  expect(y).toBe(750)
})

const border = (box: string) => `0.8 0.84 0.88 RG 0.6 w ${box} re S`
const header = (box: string) => [`0.955 0.965 0.975 rg ${box} re f`, border(box)]
const write = (rows: string[][], style: Partial<TextStyle> = {}, y = contentTop) =>
  draw((layout) => {
    layout.y = y
    writeTable(
      layout,
      rows.map((row) => row.map(toRuns)),
      { ...plain, ...style },
    )
  })

it('writeTable makes columns as wide as their longest cell, and the header bold', () => {
  expect(
    write([
      ['a', 'bb'],
      ['אב', 'd'],
    ]),
  ).toEqual({
    pages: [
      [
        ...header('54 731.8 19 22.2'),
        text(58, 740, '0001', bold),
        ...header('73 731.8 19 22.2'),
        text(77, 740, '00020002', bold),
        border('54 709.6 19 22.2'),
        text(59, 717.8, '00010002', { font: 2 }),
        border('73 709.6 19 22.2'),
        text(77, 717.8, '0003'),
      ],
    ],
    y: 703.6,
  })
})

it('writeTable aligns right-to-left text at the right end of its cell', () => {
  expect(write([['aaa'], ['א']]).pages[0]?.at(-1)).toBe(text(69, 717.8, '0001', { font: 2 }))
})

it('writeTable shrinks only wide columns to the width of the page, and draws missing cells empty', () => {
  expect(write([['a', 'b'.repeat(200)], ['c']], { indent: 30 })).toEqual({
    pages: [
      [
        ...header('84 703.4 14 50.6'),
        text(88, 740, '0001', bold),
        ...header('98 703.4 443 50.6'),
        text(102, 740, '0002'.repeat(87), bold),
        text(102, 725.8, '0002'.repeat(87), bold),
        text(102, 711.6, '0002'.repeat(26), bold),
        border('84 681.2 14 22.2'),
        text(88, 689.4, '0003'),
        border('98 681.2 443 22.2'),
      ],
    ],
    y: 675.2,
  })
})

it('writeTable gives wide columns the same width', () => {
  const [row = []] = write([['a'.repeat(90), 'b', 'c'.repeat(80)]]).pages
  expect(row.filter((operator) => operator.endsWith('re S'))).toEqual([
    border('54 717.6 236.5 36.4'),
    border('290.5 717.6 14 36.4'),
    border('304.5 717.6 236.5 36.4'),
  ])
})

it('writeTable continues a row on the next page', () => {
  const { pages } = write([['a'.repeat(190)]], {}, contentBottom + 4 + 22.2)
  expect(pages).toEqual([
    [...header('54 74 487 22.2'), text(58, 82.2, '0001'.repeat(95), bold)],
    [...header('54 735.8 487 22.2'), text(58, 744, '0001'.repeat(95), bold)],
  ])
  const [first, second] = write([['a']], {}, contentBottom + 4 + 22.1).pages
  expect([first, second?.length]).toEqual([[], 3])
})

it('SES-69 a table has a header with scopes, and a row that continues on the next page is one row', () => {
  const layout = createPageLayout(createStubFonts(), 'text')
  layout.y = contentBottom + 60
  const rows = [['a', 'b'], ['a'.repeat(900)]].map((row) => row.map(toRuns))
  writeTable(layout, rows, plain)
  const [table] = layout.document.structure.children
  expect(table?.children.map(({ type, children }) => [type, ...children.map((cell) => cell.type)])).toEqual([
    ['TR', 'TH', 'TH'],
    ['TR', 'TD', 'TD'],
  ])
  expect(table?.children[0]?.children[0]?.entries).toBe('/A<</O/Table/Scope/Column>>')
  const shown = layout.document.pages.map((page) => new Set(page.map(({ element }) => element)))
  expect(shown.map((elements) => elements.has(table?.children[1]?.children[0] ?? null))).toEqual([true, true])
})

it('SES-69 no level of headings is left out, and those within a text are below that of the text', () => {
  const layout = createPageLayout(createStubFonts(), 'text')
  for (const heading of [1, 'within', 3, 'within', 1, 2] as const)
    writeText(layout, 'a', { ...plain, heading })
  expect(layout.document.structure.children.map(({ type }) => type)).toEqual([
    ...['H1', 'H2', 'H2', 'H3', 'H1', 'H2'],
  ])
  expect(layout.document.bookmarks.map(({ level }) => level)).toEqual([1, 2, 1, 2])
})
