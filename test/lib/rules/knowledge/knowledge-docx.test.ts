import { describe, expect, it } from 'vitest'
import { ArticleError, maxArticleLength } from '#rules/knowledge/blocks.ts'
import { readDocx } from '#rules/knowledge/docx.ts'
import { parseNumbering } from '#rules/knowledge/docx-numbering.ts'
import { parseLinkTargets, parseListDepth, parseStyles, walkDocxXml } from '#rules/knowledge/docx-parts.ts'
import { createLosses, describeLosses } from '#rules/knowledge/losses.ts'
import {
  buildDocx,
  buildZip,
  documentXml,
  docxLink,
  docxParagraph,
  docxParts,
  docxSpanTable,
  docxTable,
} from '#test/support/knowledge.ts'

const listBlocks = async (body: string) =>
  (await readDocx(buildDocx(body))).map(({ kind, level, text }) => [kind, level, text])
const paragraph = (runs: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${runs}</w:p>`
const run = (content: string) => `<w:r>${content}</w:r>`
const text = (content: string) => run(`<w:t xml:space="preserve">${content}</w:t>`)
const code = (content: string) => docxParagraph(content, 'Quelltext')
const field = (instruction: string, result: string) =>
  `${run('<w:fldChar w:fldCharType="begin"/>')}${instruction}${run('<w:fldChar w:fldCharType="separate"/>')}${result}${run('<w:fldChar w:fldCharType="end"/>')}`
const instruction = (content: string) => run(`<w:instrText>${content}</w:instrText>`)
const drawing = (properties: string, content: string) =>
  run(
    `<w:drawing><wp:anchor><wp:docPr id="1" ${properties}/><w:txbxContent>${content}</w:txbxContent></wp:anchor></w:drawing>`,
  )
const row = (properties: string, content: string) =>
  `<w:tr><w:trPr>${properties}</w:trPr><w:tc>${docxParagraph(content)}</w:tc><w:tc>${docxParagraph('b')}</w:tc></w:tr>`

describe('KBI-12 what Word does not show', () => {
  it.each([
    [
      'the second of several alternatives',
      `<w:p>${run(`<mc:AlternateContent><mc:Choice>${text('A')}<mc:AlternateContent><mc:Choice>${text('B')}</mc:Choice><mc:Fallback>${text('X')}</mc:Fallback></mc:AlternateContent></mc:Choice><mc:Choice>${text('X')}</mc:Choice></mc:AlternateContent>`)}${text('C')}</w:p>`,
      ['ABC'],
    ],
    [
      'what a tracked deletion has beside its text',
      `<w:p>${text('A')}<w:del>${run('<w:tab/>')}<m:oMath><m:r><m:t>X</m:t></m:r></m:oMath>${text('X')}</w:del>${text('B')}</w:p>`,
      ['AB'],
    ],
    [
      'a field in the instruction of another one',
      `<w:p>${field(instruction('IF ') + field(instruction('MERGEFIELD a'), text('X')), text('A'))}${text('B')}</w:p>`,
      ['AB'],
    ],
    [
      'a field that is in an instruction without an end',
      `<w:p>${text('A')}${run('<w:fldChar w:fldCharType="begin"/>')}${text('X')}</w:p>${docxParagraph('B')}`,
      ['A', 'B'],
    ],
    [
      'a hidden drawing',
      `<w:p>${text('A')}${drawing('hidden="1"', docxParagraph('X'))}${drawing('hidden="0"', docxParagraph('B'))}</w:p>`,
      ['B', 'A'],
    ],
    [
      'a hidden row',
      `<w:tbl>${row('', 'A')}${row('<w:hidden/>', 'X')}${row('<w:hidden w:val="0"/>', 'C')}</w:tbl>`,
      ['| A | b |\n| --- | --- |\n| C | b |'],
    ],
  ])('KBI-12 %s is left out', async (_, body, expected) => {
    expect((await listBlocks(body)).map(([, , words]) => words)).toEqual(expected)
  })

  it('KBI-12 KBI-14 hidden, struck and deleted texts of a footnote are left out', async () => {
    const hide = (property: string) => `<w:r><w:rPr><w:${property}/></w:rPr><w:t>X</w:t></w:r>`
    const runs = [
      text('A '),
      hide('vanish'),
      hide('strike'),
      `<w:moveFrom>${text('X')}</w:moveFrom>`,
      `<w:p><w:pPr><w:pStyle w:val="Unseen"/></w:pPr>${text('X')}</w:p>`,
      `<mc:AlternateContent><mc:Choice>${text('B')}</mc:Choice><mc:Fallback>${text('X')}</mc:Fallback></mc:AlternateContent>`,
    ]
    const root = (name: string, content: string) =>
      `<w:${name} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">${content}</w:${name}>`
    const parts: Record<string, string> = {
      'word/footnotes.xml': root('footnotes', `<w:footnote w:id="1">${runs.join('')}</w:footnote>`),
      'word/styles.xml': root('styles', '<w:style w:styleId="Unseen"><w:vanish/></w:style>'),
    }
    const document = documentXml(`<w:p>${text('Text')}${run('<w:footnoteReference w:id="1"/>')}</w:p>`)
    const files = docxParts(document).filter(({ name }) => !(name in parts))
    for (const [name, content] of Object.entries(parts)) files.push({ name, content })
    const losses = createLosses()
    expect((await readDocx(buildZip(files), losses)).map((block) => block.text)).toEqual(['Text (A B)'])
    expect(describeLosses(losses)).toEqual([
      '2 hidden texts are not imported.',
      '1 struck-through text is not imported.',
    ])
  })
})

describe('a paragraph of a Word document', () => {
  it.each([
    ['berschrift2', ['heading', 2, 'A b']],
    ['Heading3', ['heading', 3, 'A b']],
    ['heading 6', ['heading', 6, 'A b']],
    ['Heading7', ['text', 0, 'A b']],
    ['Title', ['heading', 1, 'A b']],
    ['Subtitle', ['text', 0, 'A b']],
    ['HTML Preformatted', ['code', 0, '```\n A  b\n```']],
    ['Macro Text', ['code', 0, '```\n A  b\n```']],
    ['List Bullet', ['item', 0, '- A b']],
    ['List Bullet 2', ['item', 0, '    - A b']],
    ['ListBullet', ['text', 0, 'A b']],
    ['List Number', ['item', 0, '1. A b']],
    ['list number 5', ['item', 0, `${' '.repeat(16)}1. A b`]],
  ])('of the style %s becomes the block %j', async (style, block) => {
    expect(await listBlocks(docxParagraph(' A  b', style))).toEqual([block])
  })

  it.each([
    ['a style without a value', '<w:pStyle/>', ['text', 0, 'A']],
    ['a list without a number', '<w:numPr><w:numId/></w:numPr>', ['text', 0, 'A']],
    ['list 0, which means no list', '<w:numPr><w:numId w:val="0"/></w:numPr>', ['text', 0, 'A']],
    ['an unknown list', '<w:numPr><w:numId w:val="9"/></w:numPr>', ['item', 0, '- A']],
    ['a list without a depth', '<w:numPr><w:numId w:val="1"/></w:numPr>', ['item', 0, '1. A']],
    [
      'a depth that is no number',
      '<w:numPr><w:ilvl w:val="x"/><w:numId w:val="1"/></w:numPr>',
      ['item', 0, '1. A'],
    ],
    [
      'a depth of 8',
      '<w:numPr><w:ilvl w:val="8"/><w:numId w:val="2"/></w:numPr>',
      ['item', 0, `${' '.repeat(32)}- A`],
    ],
    [
      'the style before a tracked change',
      '<w:pPrChange><w:pPr><w:pStyle w:val="Title"/></w:pPr></w:pPrChange>',
      ['text', 0, 'A'],
    ],
  ])('has %s', async (_, properties, block) => {
    expect(await listBlocks(paragraph(text('A'), properties))).toEqual([block])
  })

  it.each([
    [text('A') + run('<w:tab/>') + text('B'), 'A B'],
    [text('A') + run('<w:br/>') + text('B'), 'A\nB'],
    [text('A') + run('<w:cr/>') + text('B'), 'A\nB'],
    [text('A') + run('<w:noBreakHyphen/>') + text('B'), 'A-B'],
    [run('<w:instrText>PAGE</w:instrText>') + text('A') + run('<w:instrText>PAGE</w:instrText>'), 'A'],
    [
      `<w:moveFrom>${text('A')}<w:moveFrom>${text('B')}</w:moveFrom>${text('C')}</w:moveFrom>${text('D')}`,
      'D',
    ],
    [`${text('A')}<w:rPrChange>${run('<w:tab/>')}</w:rPrChange>${text('B')}`, 'AB'],
    [`${text('A')}<__proto__>${text('B')}</__proto__><constructor>${text('C')}</constructor>`, 'ABC'],
    ['<w:hyperlink r:id="rId9"></w:hyperlink>', '(https://kb.example.com/4711)'],
    [`<w:hyperlink>${text('A')}</w:hyperlink>`, 'A'],
    [`<w:hyperlink r:id="rId8">${text('A')}</w:hyperlink>`, 'A'],
    [
      `<w:hyperlink r:id="rId9">${text('https://kb.example.com')}${text('/4711 ')}</w:hyperlink>`,
      'https://kb.example.com/4711',
    ],
  ])('reads of %s the text %j', async (content, expected) => {
    expect(await listBlocks(paragraph(content))).toEqual([['text', 0, expected]])
  })

  it('follows the text box that it contains', async () => {
    const body = paragraph(text('Outer ') + run(docxParagraph('Inner', 'berschrift1')) + text('text'))
    expect(await listBlocks(body)).toEqual([
      ['heading', 1, 'Inner'],
      ['text', 0, 'Outer text'],
    ])
  })

  it('has the address of a link after its text', async () => {
    expect(await listBlocks(docxLink('https://kb.example.com/4711') + docxLink('it'))).toEqual([
      ['text', 0, 'See https://kb.example.com/4711'],
      ['text', 0, 'See it (https://kb.example.com/4711)'],
    ])
  })

  it('may have spaces that are collapsed, up to twice the length of an article', async () => {
    const body = (spaces: number) => paragraph(text(`A${' '.repeat(spaces)}`))
    expect(await listBlocks(body(2 * maxArticleLength - 1))).toEqual([['text', 0, 'A']])
    await expect(listBlocks(body(2 * maxArticleLength))).rejects.toThrow(
      'The article has more than 900,000 characters',
    )
  })
})

describe('the code of a Word document', () => {
  it('is one block until a paragraph or a table follows', async () => {
    const table = docxTable([['A', 'B']])
    const body = [
      code('one'),
      code(''),
      code('  two'),
      docxParagraph('Text'),
      code('three'),
      table,
      code('four'),
    ].join('')
    expect(await listBlocks(body)).toEqual([
      ['code', 0, '```\none\n\n  two\n```'],
      ['text', 0, 'Text'],
      ['code', 0, '```\nthree\n```'],
      ['table', 0, '| A | B |\n| --- | --- |'],
      ['code', 0, '```\nfour\n```'],
    ])
  })

  it('keeps its tabs', async () => {
    expect(await listBlocks(paragraph(run('<w:tab/>') + text('x'), '<w:pStyle w:val="Quelltext"/>'))).toEqual(
      [['code', 0, '```\n\tx\n```']],
    )
  })
})

describe('the lists of a Word document', () => {
  const numbering = (depth: number) =>
    `<w:abstractNum w:abstractNumId="7">${[0, depth].map((ilvl) => `<w:lvl w:ilvl="${ilvl}"><w:numFmt w:val="decimal"/></w:lvl>`).join('')}</w:abstractNum>`
  const list = '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>'
  const listTexts = async (depth: number, body: string) => {
    const parts = docxParts(documentXml(body)).map((part) =>
      part.name === 'word/numbering.xml'
        ? { ...part, content: `<w:numbering xmlns:w="w">${numbering(depth)}${list}</w:numbering>` }
        : part,
    )
    return (await readDocx(buildZip(parts))).map((block) => block.text)
  }

  it.each([1, 2, 8])('restart the numbers of level %i below each item', async (depth) => {
    const items = [0, depth, depth, 0, depth].map((level) => docxParagraph('x', '', [1, level])).join('')
    const indent = ' '.repeat(4 * depth)
    expect(await listTexts(depth, items)).toEqual([
      `1. x\n${indent}1. x\n${indent}2. x`,
      `2. x\n${indent}1. x`,
    ])
  })

  it('continue their numbers after a paragraph, and count apart from each other', async () => {
    const body = [
      docxParagraph('a', '', [1, 0]),
      docxParagraph('Text'),
      docxParagraph('b', '', [1, 0]),
      docxParagraph('c', 'List Number'),
      docxParagraph('d', '', [2, 0]),
    ]
    expect(await listTexts(1, body.join(''))).toEqual(['1. a', 'Text', '2. b', '1. c', '- d'])
  })
})

describe('a table of a Word document', () => {
  it('has empty cells where a cell covers several columns', async () => {
    const table = docxSpanTable([
      [{ text: 'A', columns: 2 }, { text: 'B' }],
      [{ text: 'C' }, { text: 'D' }, { text: 'E' }],
    ])
    expect(await listBlocks(table)).toEqual([['table', 0, '| A | | B |\n| --- | --- | --- |\n| C | D | E |']])
  })

  it.each(['0', '1000', 'x', ''])('ignores the column count %j', async (columns) => {
    const table = docxTable([['A', 'B']]).replace(
      '<w:tc>',
      `<w:tc><w:tcPr><w:gridSpan w:val="${columns}"/></w:tcPr>`,
    )
    expect(await listBlocks(table)).toEqual([['table', 0, '| A | B |\n| --- | --- |']])
  })

  it('joins the paragraphs of a cell', async () => {
    const table = docxTable([['A', 'B']]).replace('<w:tc>', `<w:tc>${docxParagraph('')}${docxParagraph('0')}`)
    expect(await listBlocks(table)).toEqual([['table', 0, '| 0 A | B |\n| --- | --- |']])
  })

  it('joins the rows and cells of a table in a cell', async () => {
    const inner = docxTable([
      ['a', 'b'],
      ['', 'c'],
      ['', ''],
    ])
    const table = docxTable([['A', 'B']]).replace('</w:tc>', `${inner}</w:tc>`)
    expect(await listBlocks(table)).toEqual([['table', 0, '| A a, b; c | B |\n| --- | --- |']])
  })

  it('with one column is a frame around its paragraphs', async () => {
    const inner = docxTable([['a', 'b']])
    const table = docxTable([[docxParagraph('A', 'berschrift1')], ['B']]).replace(
      '</w:tbl>',
      `<w:tr><w:tc>${inner}</w:tc></w:tr></w:tbl>`,
    )
    expect(await listBlocks(table)).toEqual([
      ['heading', 1, 'A'],
      ['text', 0, 'B'],
      ['text', 0, 'a'],
      ['text', 0, 'b'],
    ])
  })

  it('has no rows or cells outside of it', async () => {
    const body = `<w:gridSpan w:val="2"/><w:tr><w:tc>${docxParagraph('A')}</w:tc></w:tr><w:tbl><w:tc>${docxParagraph('B')}</w:tc></w:tbl>`
    expect(await listBlocks(body)).toEqual([
      ['text', 0, 'A'],
      ['text', 0, 'B'],
    ])
  })
})

describe('a file that is no Word document', () => {
  const readKind = (bytes: Uint8Array<ArrayBuffer>) =>
    readDocx(bytes).then(
      () => 'read',
      (error: unknown) => (error instanceof ArticleError ? error.kind : error),
    )

  it('is refused as another format if it has no document, and as invalid if it is damaged', async () => {
    expect(await readKind(buildZip([{ name: 'xl/workbook.xml', content: '<a/>' }]))).toBe(
      'unsupported_format',
    )
    expect(await readKind(buildZip([{ name: 'word/document.xml', content: '<a>' }]))).toBe('invalid')
    expect(await readKind(buildDocx('').slice(0, 100))).toBe('invalid')
    expect(await readKind(buildZip([{ name: 'word/document.xml', content: '<a/>' }]))).toBe('read')
  })
})

describe('the parts of a Word document', () => {
  it.each([
    ['0', 0],
    ['8', 8],
    ['9', 0],
    ['-1', 0],
    ['10', 0],
    [undefined, 0],
  ])('have of the list level %j the depth %i', (value, depth) => {
    expect(parseListDepth(value)).toBe(depth)
  })

  it('may be nested 300 levels deep', () => {
    const countTags = (depth: number) => {
      let count = 0
      walkDocxXml('<a>'.repeat(depth) + '</a>'.repeat(depth), { onOpenTag: () => count++ })
      return count
    }
    expect(countTags(300)).toBe(300)
    expect(() => countTags(301)).toThrow(new ArticleError('The document is nested too deeply'))
  })

  it('have links to the web and to e-mail addresses of at most 2,000 characters', () => {
    const target = (length: number) => 'https://x.example/'.padEnd(length, 'a')
    const links = [
      '<Relationship Id="a" Target="http://x.example"/>',
      '<Relationship Id="b" Target="MAILTO:it@x.example"/>',
      '<Relationship Id="c" Target="file:///etc/passwd"/>',
      '<Relationship Id="d" Target="media/https:1.png"/>',
      '<Relationship Id="e"/>',
      '<Relationship Target="https://x.example"/>',
      '<Other Id="f" Target="https://x.example"/>',
      `<Relationship Id="g" Target="${target(2000)}"/>`,
      `<Relationship Id="h" Target="${target(2001)}"/>`,
    ]
    expect([...parseLinkTargets(`<Relationships>${links.join('')}</Relationships>`)]).toEqual([
      ['a', 'http://x.example'],
      ['b', 'MAILTO:it@x.example'],
      ['g', target(2000)],
    ])
    expect(parseLinkTargets(undefined).size).toBe(0)
  })

  it('have names of styles, up to 100 characters', () => {
    const styles = [
      '<w:name w:val="no style"/>',
      '<w:style w:styleId="a"><w:name w:val="heading 1"/></w:style>',
      '<w:style w:styleId="b"><w:name/></w:style>',
      '<w:style><w:name w:val="no id"/></w:style>',
      `<w:style w:styleId="c"><w:name w:val="${'x'.repeat(101)}"/></w:style>`,
    ]
    expect(
      Array.from(
        parseStyles(`<w:styles xmlns:w="w">${styles.join('')}</w:styles>`).byId,
        ([id, { name }]) => [id, name],
      ),
    ).toEqual([
      ['a', 'heading 1'],
      ['b', ''],
      ['c', 'x'.repeat(100)],
    ])
  })

  it('have lists that are numbered on the levels whose format is neither a bullet nor none', () => {
    const level = (depth: string, format: string) => `<w:lvl w:ilvl="${depth}"><w:numFmt ${format}/></w:lvl>`
    const lists = [
      `<w:abstractNum w:abstractNumId="7">${level('0', 'w:val="decimal"')}${level('1', 'w:val="bullet"')}${level('2', 'w:val="none"')}${level('3', '')}${level('8', 'w:val="lowerRoman"')}</w:abstractNum>`,
      `<w:abstractNum w:abstractNumId="8">${level('2', 'w:val="upperLetter"')}</w:abstractNum>`,
      '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>',
      '<w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>',
      '<w:num w:numId="3"><w:abstractNumId w:val="9"/></w:num>',
      '<w:num w:numId="4"><w:abstractNumId/></w:num>',
      '<w:num w:numId="5"><w:abstractNumId w:val="8"/></w:num>',
    ]
    const { isOrdered } = parseNumbering(
      `<w:numbering xmlns:w="w">${lists.join('')}</w:numbering>`,
      new Map(),
    )
    const places = ['1', '2', '3', '4', '5'].flatMap((list) =>
      Array.from({ length: 9 }, (_, depth) => [list, depth] as const),
    )
    expect(
      places.filter(([list, depth]) => isOrdered(list, depth)).map(([list, depth]) => `${list} ${depth}`),
    ).toEqual(['1 0', '1 8', '2 2', '5 2'])
  })
})

describe('KBI-25 the numbers that Word writes itself', () => {
  const level = (depth: number, format: string, text: string, more = '') =>
    `<w:lvl w:ilvl="${depth}">${more}<w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`
  const definition = (id: number, ...levels: string[]) =>
    `<w:abstractNum w:abstractNumId="${id}">${levels.join('')}</w:abstractNum>`
  const list = (id: number, of: number, override = '') =>
    `<w:num w:numId="${id}"><w:abstractNumId w:val="${of}"/>${override}</w:num>`
  const start = (count: number) => `<w:start w:val="${count}"/>`
  const readTexts = async (numbering: string, body: string) => {
    const parts = docxParts(documentXml(body)).map((part) =>
      part.name === 'word/numbering.xml'
        ? { ...part, content: `<w:numbering xmlns:w="w">${numbering}</w:numbering>` }
        : part,
    )
    return (await readDocx(buildZip(parts))).map((block) => block.text)
  }
  const headings = (...depths: number[]) =>
    depths.map((depth) => docxParagraph('x', 'berschrift1', [1, depth])).join('')

  it.each([
    ['decimal', '%1.', ['1. x', '2. x', '3. x']],
    ['upperLetter', 'Method %1:', ['Method A: x', 'Method B: x', 'Method C: x']],
    ['upperRoman', '%1)', ['I) x', 'II) x', 'III) x']],
    ['decimalZero', '%1', ['01 x', '02 x', '03 x']],
    ['lowerLetter', '', ['x', 'x', 'x']],
    ['bullet', '·', ['x', 'x', 'x']],
    ['unknownFormat', 'Step %1', ['Step 1 x', 'Step 2 x', 'Step 3 x']],
  ])('stand before headings: %s %s', async (format, text, expected) => {
    expect(await readTexts(definition(7, level(0, format, text)) + list(1, 7), headings(0, 0, 0))).toEqual(
      expected,
    )
  })

  it('stand before headings of several levels, which count on below each other', async () => {
    const levels = [
      level(0, 'decimal', '%1.'),
      level(1, 'decimal', '%1.%2'),
      level(2, 'lowerRoman', '%1.%2.%3'),
    ]
    expect(await readTexts(definition(7, ...levels) + list(1, 7), headings(0, 1, 1, 0, 2, 1))).toEqual([
      ...['1. x', '1.1 x', '1.2 x', '2. x', '2.1.i x', '2.2 x'],
    ])
  })

  it('come from the level of the style, and stay with headings of a list that starts again', async () => {
    const numbering =
      definition(
        7,
        level(0, 'decimal', '%1.'),
        level(1, 'decimal', 'Part %2:', '<w:pStyle w:val="berschrift2"/>'),
      ) +
      list(1, 7) +
      list(2, 7, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>')
    const styled =
      '<w:p><w:pPr><w:pStyle w:val="berschrift2"/><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>y</w:t></w:r></w:p>'
    const again = [docxParagraph('z', 'berschrift1', [2, 0]), docxParagraph('z', 'berschrift1', [2, 0])].join(
      '',
    )
    expect(await readTexts(numbering, styled + again)).toEqual(['Part 1: y', '5. z', '6. z'])
  })

  it('count items from their start, and keep words that texts may name', async () => {
    const body = [0, 0].map((depth) => docxParagraph('x', '', [1, depth])).join('')
    expect(await readTexts(definition(7, level(0, 'decimal', '%1.', start(3))) + list(1, 7), body)).toEqual([
      '3. x',
      '4. x',
    ])
    expect(await readTexts(definition(7, level(0, 'decimal', 'Step %1:')) + list(1, 7), body)).toEqual([
      '1. Step 1: x',
      '2. Step 2: x',
    ])
    expect(await readTexts(definition(7, level(0, 'lowerLetter', '%1)')) + list(1, 7), body)).toEqual([
      '1. x',
      '2. x',
    ])
  })

  it('stay short for a hostile level', async () => {
    const level0 = level(0, 'lowerLetter', '%1'.repeat(5000), start(9_999_999))
    const [text = ''] = await readTexts(definition(7, level0) + list(1, 7), headings(0))
    expect(text.length).toBeLessThan(500)
  })
})
