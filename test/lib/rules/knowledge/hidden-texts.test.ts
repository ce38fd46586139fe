import { describe, expect, it } from 'vitest'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { readArticleFile } from '#rules/knowledge/article.ts'
import { buildWord } from '#test/support/knowledge.ts'
import { buildPdf, pdfText } from '#test/support/pdf-files.ts'

// Each way of hiding a text has twins that a reader sees. Of each document, “First” and “last” are seen.

type Case = [way: string, content: string]

/** Return the documents whose text of the case is read although it is hidden, or the other way round. */
async function findWrong(
  cases: readonly Case[],
  isSeen: boolean,
  build: (content: string) => { name: string; bytes: Uint8Array<ArrayBuffer> },
): Promise<string[]> {
  const wrong: string[] = []
  for (const [way, content] of cases) {
    const { blocks } = await runWithin(createBudget({ steps: jobSteps }), () =>
      readArticleFile({ ...build(content), type: '' }),
    )
    const text = blocks.map((block) => block.text).join('\n')
    const isRight = text.includes('First') && text.includes('last') && text.includes('case') === isSeen
    if (!isRight) wrong.push(`${way}: ${text}`)
  }
  return wrong
}

const toBytes = (text: string) => new Uint8Array(Buffer.from(text))

describe('KBI-12 of a Word document', () => {
  interface WordCase {
    styles?: string
    body?: string
  }
  const text = (content: string, properties = '') =>
    `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${content}</w:t></w:r>`
  const paragraph = (content: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`
  const style = (id: string, type: string, content: string, attributes = '') =>
    `<w:style w:type="${type}" w:styleId="${id}" ${attributes}>${content}</w:style>`
  const hide = '<w:rPr><w:vanish/></w:rPr>'
  const show = '<w:rPr><w:vanish w:val="0"/></w:rPr>'
  const defaults = (properties: string) =>
    `<w:docDefaults><w:rPrDefault>${properties}</w:rPrDefault></w:docDefaults>`
  const chain = (type: string, length: number, end: string) =>
    Array.from({ length }, (_, n) => style(`S${n}`, type, `<w:basedOn w:val="S${n + 1}"/>`)).join('') +
    style(`S${length}`, type, end)
  const table = (properties: string, cells: string) =>
    `<w:tbl><w:tblPr>${properties}</w:tblPr><w:tr>${cells}</w:tr></w:tbl>`
  const cell = (content: string, properties = '') =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text(content))}</w:tc>`
  const shape = (name: string, attributes: string, prefix = 'v') =>
    paragraph(
      `<w:r><w:pict><${prefix}:${name} ${attributes}><${prefix}:textbox><w:txbxContent>${paragraph(text('case'))}</w:txbxContent></${prefix}:textbox></${prefix}:${name}></w:pict></w:r>`,
    )
  // Seen whatever the styles say.
  const seen = (content: string) => paragraph(text(content, '<w:vanish w:val="0"/>'))
  const plain = paragraph(text('case'))
  const styledParagraph = paragraph(text('case'), '<w:pStyle w:val="S0"/>')
  const styledRun = paragraph(text('case', '<w:rStyle w:val="S0"/>'))
  const styledTable = table('<w:tblStyle w:val="S0"/>', cell('case') + cell('b'))
  const drawing = (hidden: string) =>
    paragraph(
      `<w:r><w:drawing><wp:inline><wpg:wgp><wps:wsp><wps:cNvPr id="1" ${hidden}/><wps:txbx><w:txbxContent>${plain}</w:txbxContent></wps:txbx></wps:wsp></wpg:wgp></wp:inline></w:drawing></w:r>`,
    )
  const write = (cases: Record<string, WordCase>) =>
    Object.entries(cases).map(([way, content]): Case => [way, JSON.stringify(content)])
  const build = (content: string) => {
    const { styles = '', body = plain } = JSON.parse(content) as WordCase
    return { name: 'a.docx', bytes: buildWord(seen('First') + body + seen('last'), { styles }) }
  }
  const depths = [1, 9, 10, 11, 40]

  it('what its defaults, styles, cells and shapes hide is left out', async () => {
    const ofStyles = depths.flatMap((depth): [string, WordCase][] => [
      [
        `a paragraph style ${depth} below`,
        { styles: chain('paragraph', depth, hide), body: styledParagraph },
      ],
      [`a run style ${depth} below`, { styles: chain('character', depth, hide), body: styledRun }],
      [`a table style ${depth} below`, { styles: chain('table', depth, hide), body: styledTable }],
    ])
    const cases = write({
      'the defaults': { styles: defaults(hide) },
      'the defaults, although a style shows it': {
        styles: defaults(hide) + style('S0', 'paragraph', show),
        body: styledParagraph,
      },
      'the style of all paragraphs': { styles: style('N', 'paragraph', hide, 'w:default="1"') },
      'the style of paragraphs without a known one': {
        styles: style('N', 'paragraph', hide, 'w:default="true"'),
        body: styledParagraph,
      },
      'the style of all runs': { styles: style('N', 'character', hide, 'w:default="1"') },
      'the style of all tables': {
        styles: style('N', 'table', hide, 'w:default="1"'),
        body: table('', cell('case') + cell('b')),
      },
      ...Object.fromEntries(ofStyles),
      'a style of which others have another link': {
        styles: style('S0', 'character', `<w:link w:val="S1"/>${hide}`) + style('S1', 'paragraph', ''),
        body: styledRun,
      },
      'a style that always hides': {
        styles: style('S0', 'character', '<w:rPr><w:specVanish/></w:rPr>'),
        body: styledRun,
      },
      'a text that is always hidden': { body: paragraph(text('case', '<w:specVanish/>')) },
      'a text that is hidden once': {
        body: paragraph(text('case', '<w:vanish/><w:specVanish w:val="0"/>')),
      },
      'a deleted cell': { body: table('', cell('case', '<w:cellDel w:id="1"/>') + cell('b')) },
      'a hidden run of a formula': {
        body: paragraph(
          `<m:oMath><m:r><w:rPr><w:vanish/></w:rPr><m:t>case</m:t></m:r><m:r><w:rPr><w:vanish w:val="0"/></w:rPr><m:t>x</m:t></m:r></m:oMath>`,
        ),
      },
      ...Object.fromEntries(
        ['shape', 'rect', 'group', 'roundrect'].flatMap((name) =>
          ['visibility:hidden', 'width:9pt; VISIBILITY : hidden', 'display:none'].map(
            (css): [string, WordCase] => [`a ${name} with ${css}`, { body: shape(name, `style="${css}"`) }],
          ),
        ),
      ),
      'a shape of a prefix of its own': {
        body: shape('shape', 'style="visibility:hidden" xmlns:x="urn:schemas-microsoft-com:vml"', 'x'),
      },
      'a property of a prefix of its own': {
        body: paragraph(
          text('case', '<x:vanish xmlns:x="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>'),
        ),
      },
      'a hidden shape of a group': { body: drawing('hidden="1"') },
    })
    expect(await findWrong(cases, false, build)).toEqual([])
  })

  it('what its defaults, styles, cells and shapes show stays', async () => {
    const cases = write({
      'the defaults': { styles: defaults(show) },
      'a text that is shown': {
        styles: defaults(hide),
        body: paragraph(text('case', '<w:vanish w:val="0"/>')),
      },
      'the style of all paragraphs': { styles: style('N', 'paragraph', show, 'w:default="1"') },
      'a style that is not that of all paragraphs': { styles: style('N', 'paragraph', hide) },
      'another style than that of all paragraphs': {
        styles: style('N', 'paragraph', hide, 'w:default="1"') + style('S0', 'paragraph', ''),
        body: styledParagraph,
      },
      'a style of tables, for a paragraph': { styles: style('N', 'table', hide, 'w:default="1"') },
      'a style of some rows': {
        styles: style('S0', 'table', `<w:tblStylePr w:type="lastRow">${hide}</w:tblStylePr>`),
        body: styledTable,
      },
      'styles that switch on and off': {
        styles: style('N', 'paragraph', hide, 'w:default="1"') + style('S0', 'character', hide),
        body: styledRun,
      },
      ...Object.fromEntries(
        depths.map((depth): [string, WordCase] => [
          `a style ${depth} below`,
          { styles: style('S0', 'paragraph', `<w:basedOn w:val="S1"/>${show}`) + chain('x', depth, hide) },
        ]),
      ),
      'styles in a circle': {
        styles:
          style('S0', 'paragraph', '<w:basedOn w:val="S1"/>') + style('S1', '', '<w:basedOn w:val="S0"/>'),
        body: styledParagraph,
      },
      'what only the view of a page on the web hides': { body: paragraph(text('case', '<w:webHidden/>')) },
      'a text that is not always hidden': { body: paragraph(text('case', '<w:specVanish w:val="0"/>')) },
      'the end of a paragraph': {
        body: paragraph(text('case'), '<w:rPr><w:vanish/><w:specVanish/></w:rPr>'),
      },
      'a cell beside a deleted one': { body: table('', cell('b', '<w:cellDel w:id="1"/>') + cell('case')) },
      'an added cell': { body: table('', cell('case', '<w:cellIns w:id="1"/>') + cell('b')) },
      'a cell that had been deleted': {
        body: table(
          '',
          cell('case', '<w:tcPrChange><w:tcPr><w:cellDel/></w:tcPr></w:tcPrChange>') + cell('b'),
        ),
      },
      'a row that had been hidden': {
        body: `<w:tbl><w:tr><w:trPr><w:trPrChange><w:trPr><w:hidden/></w:trPr></w:trPrChange></w:trPr>${cell('case')}${cell('b')}</w:tr></w:tbl>`,
      },
      'a shape': { body: shape('shape', 'style="visibility:visible;display:inline"') },
      'a shape without a style': { body: shape('rect', '') },
      'a shape of a group': { body: drawing('hidden="0"') },
      'a formula after a hidden text': {
        body: paragraph(`${text('x', '<w:vanish/>')}<m:oMath><m:r><m:t>case</m:t></m:r></m:oMath>`),
      },
    })
    expect(await findWrong(cases, true, build)).toEqual([])
  })
})

describe('KBI-12 of a page and of HTML in markdown', () => {
  const hidingStyles = [
    'display:none',
    'd\\69splay: none',
    'display:n\\6fne',
    'display:n\\00006F ne',
    'd\\69 splay: none',
    'DISPLAY:NONE !important',
    'display:none;display:bogus',
    'display/**/:/* a */none',
    'visib\\69lity:hidden',
    'visibility: hi\\64 den',
    'content-visibility:hidden',
    'position:absolute;clip:rect(0 0 0 0)',
    'position:absolute; clip: rect(1px, 1px, 1px, 1px)',
    'clip-path:inset(50%)',
    'text-indent:-9999px',
    'text-indent: -1000em',
    'position:absolute;left:-9999px',
    'margin-left:-10000px',
    'height:0;overflow:hidden',
    'overflow:hidden;max-height:0px',
    'overflow-y:clip; height: 0em !important',
  ]
  const showingStyles = [
    'color:red',
    'display:none;display:block',
    'display:block',
    'display:inline-b\\6cock',
    '/* display:none */color:red',
    'dis/**/play:none',
    'visibility:visible',
    'visibility:hidden;visibility:visible',
    'clip:auto',
    'clip:rect(0 90px 90px 0)',
    'clip-path:inset(5%)',
    'text-indent:-18pt',
    'margin-left:-36px',
    'left:-9px',
    'height:0',
    'overflow:hidden',
    'height:0.5em;overflow:hidden',
    'max-height:0;max-height:none;overflow:hidden',
    'opacity:0',
    'font-size:0',
    'x-display:none',
  ]
  const places = ['p', 'div', 'span', 'li', 'td']
  const put = (name: string, attributes: string) => {
    const element = `<${name} ${attributes}>case</${name}>`
    return name === 'li'
      ? `<ul>${element}</ul>`
      : name === 'td'
        ? `<table><tr>${element}</tr></table>`
        : element
  }
  const byStyle = (styles: readonly string[]) =>
    styles.flatMap((css) => places.map((name): Case => [`${name} with ${css}`, put(name, `style="${css}"`)]))
  const sheet = (rules: string, attributes = '') => `<style ${attributes}>${rules}</style>`
  const ruled = 'id="y" class="w x"'
  const byRules = (rules: readonly string[]) =>
    rules.flatMap((rule) =>
      places.map((name): Case => [`${name} by ${rule}`, sheet(rule) + put(name, ruled)]),
    )
  const hidingRules = [
    '.x{display:none}',
    '.w, .x { display : none }',
    '#y{visibility:hidden}',
    '.\\78{display:none}',
    '.x{d\\69splay:none',
    '@import "a.css"; .x{display:none}',
    '@media screen{.x{display:none}}',
    '@media print, screen{@layer a{.x{display:none}}}',
    '@supports (display:grid){.x{display:none}}',
    '@media print{.x{display:block}} .x{display:none}',
    '.x{display:block} .x{display:none}',
    '.x{display:none} span, p, div, li, td{display:block}',
    '.x{display:none!important} #y{display:block}',
    '.x{height:0} .w{overflow:hidden}',
    '.x{display:none} .x::after{display:block} .x .b{display:block}',
    '.x{text-indent:-9999px}',
    `${places.map((name) => `${name}.x`).join(',')}{display:none}`,
  ]
  const showingRules = [
    '.x{color:red}',
    '.z{display:none}',
    '#x{display:none}',
    '.X{display:none}',
    '.x{display:none} .x{display:block}',
    '#y{display:block} .x{display:none}',
    '.x{display:block!important} #y{display:none}',
    '@media print{.x{display:none}}',
    '@media (max-width:600px){.x{display:none}}',
    '@supports not (display:grid){.x{display:none}}',
    '@media screen and (max-width:600px){p{} .x{display:none}}',
    '.a .x{display:none}',
    '.x:hover{display:none}',
    '.x::before{display:none}',
    'p:not(.a, .x, .b){display:none}',
    '.a{.x{display:none}}',
    '/* .x{display:none} */ .x{color:red}',
    '@keyframes a{from{visibility:hidden}}',
    // What a reader can open.
    '.x{display:none} .x.open{display:block}',
    '.x{max-height:0;overflow:hidden} .open .x{max-height:none}',
    'body{display:none}',
    '.x{opacity:0}',
  ]
  const script = (code: string) => `<script>${code}</script>`
  const others = {
    hidden: [
      ['until it is found', '<p hidden="until-found">case</p>'],
      ['a template', '<template><p>case</p></template>'],
      ['a dialog', `<dialog><p>case ${'and words '.repeat(40)}</p></dialog>`],
      ['a dialog with the heading', '<dialog><h1>case</h1></dialog>'],
      ['a script of others', `${sheet('.x{display:none}')}${script('show("z")')}<p class=x>case</p>`],
    ] satisfies Case[],
    seen: [
      ['details', '<details><summary>More</summary><p>case</p></details>'],
      ['open details', '<details open><summary>More</summary><p>case</p></details>'],
      ['a panel', '<div class="tab-panel" hidden>case</div>'],
      ['a panel by rules', `${sheet('.tab-panel{display:none}')}<p class="tab-panel">case</p>`],
      ['a sheet for paper', `${sheet('.x{display:none}', 'media="print"')}<p class=x>case</p>`],
      ['a style of its own', `${sheet('.x{display:none}')}<p class=x style="display:block">case</p>`],
    ] satisfies Case[],
    seenOnPages: [
      ['a script', `${sheet('.x{display:none}')}${script('$(".x").show()')}<p class=x>case</p>`],
      ['without scripts', `<noscript>${sheet('.x{display:none}')}</noscript><p class=x>case</p>`],
      ['an open dialog', '<dialog open><h1>case</h1></dialog>'],
    ] satisfies Case[],
  }
  const page = (content: string) => ({
    name: 'a.html',
    bytes: toBytes(`<html><body><h1>Title</h1><p>First</p>${content}<p>last</p></body></html>`),
  })
  const markdown = (content: string) => ({
    name: 'a.md',
    bytes: toBytes(`# Title\n\nFirst\n\n${content}\n\nlast\n`),
  })
  const hidden = [...byStyle(hidingStyles), ...byRules(hidingRules), ...others.hidden]
  const seen = [...byStyle(showingStyles), ...byRules(showingRules), ...others.seen]
  it.each([
    ['a page', page, seen.concat(others.seenOnPages)],
    ['markdown', markdown, seen],
  ])('what styles and elements of %s hide is left out, the rest stays', async (_, build, seenCases) => {
    expect(await findWrong(hidden, false, build)).toEqual([])
    expect(await findWrong(seenCases, true, build)).toEqual([])
  })
})

describe('KBI-12 of a PDF', () => {
  const text = pdfText('case', 50, 500)
  const form = (box: string, matrix = '') => ({
    dict: `<</Subtype /Form ${box} ${matrix} /Resources <</Font <</F 3 0 R>>>>>>`,
    stream: text,
  })
  const build = (content: string) => {
    const [operators = '', box = '', matrix = ''] = content.split('|')
    const page = pdfText('First', 50, 700) + operators + pdfText('last', 50, 300)
    const resources = '/XObject <</X 10 0 R>>'
    return { name: 'a.pdf', bytes: buildPdf({ pages: [page], objects: [form(box, matrix)], resources }) }
  }
  const clip = (path: string, content = text) => `q ${path} n ${content} Q `
  it('what is outside of the part of the page that is painted is left out', async () => {
    const cases: Case[] = [
      ['beside it', clip('300 400 200 200 re W')],
      ['above it', clip('0 0 595 400 re W')],
      ['below it', clip('0 600 595 100 re W*')],
      ['with corners in another order', clip('595 400 -595 -400 re W')],
      ['of lines', clip('300 0 m 500 0 l 500 800 l h W')],
      ['of nothing', clip('50 490 0 40 re W')],
      ['in two, one after the other', clip('0 480 595 60 re W n 300 0 200 800 re W')],
      ['in two that share nothing', clip('0 0 60 800 re W n 61 0 200 800 re W')],
      ['in a matrix', clip('q 1 0 0 1 300 0 cm 0 0 200 800 re W n 1 0 0 1 -300 0 cm', `${text} Q`)],
      ['in a turned matrix', clip('0 1 -1 0 0 0 cm 0 -595 400 595 re W n 0 -1 1 0 0 0 cm')],
      ['that is painted too', `q 300 400 200 200 re W f ${text} Q `],
      ['of a form', '/X Do |/BBox [300 0 500 800]'],
      ['around a form', 'q 300 0 200 800 re W n /X Do Q |/BBox [0 0 595 842]'],
    ]
    expect(await findWrong(cases, false, build)).toEqual([])
  })
  it('what is in the part of the page that is painted stays', async () => {
    const cases: Case[] = [
      ['around it', clip('40 490 60 30 re W')],
      ['around a part of it', clip('0 0 55 800 re W')],
      ['around its upper half', clip('0 504 595 90 re W')],
      ['with corners in another order', clip('595 842 -595 -842 re W')],
      ['of several shapes', clip('300 400 9 9 re 40 490 60 30 re W')],
      ['of no shape', clip('W')],
      ['that has ended', `q 300 400 200 200 re W n Q ${text}`],
      ['of a shape that is only painted', `q 300 400 200 200 re f ${text} Q `],
      ['of the shape before', clip('40 490 60 30 re W n 300 400 9 9 re')],
      ['in a matrix', clip('2 0 0 2 0 0 cm 20 245 30 15 re W n .5 0 0 .5 0 0 cm')],
      ['in a turned matrix', clip('0 1 -1 0 0 0 cm 490 -595 30 595 re W n 0 -1 1 0 0 0 cm')],
      ['of a form', '/X Do |/BBox [0 0 595 842]'],
      ['of a form without one', '/X Do '],
      ['of a form that is moved', '/X Do |/BBox [40 490 100 520]|/Matrix [1 0 0 1 300 0]'],
      ['after a form', `/X Do ${text}|/BBox [300 0 500 800]`],
    ]
    expect(await findWrong(cases, true, build)).toEqual([])
  })
})
