import { describe, expect, it } from 'vitest'
import { readDocx } from '#rules/knowledge/docx.ts'
import { createLosses } from '#rules/knowledge/losses.ts'
import { buildWord } from '#test/support/knowledge.ts'

async function read(body: string, parts = {}) {
  const losses = createLosses()
  const blocks = await readDocx(buildWord(body, parts), losses)
  return { texts: blocks.map(({ kind, text }) => `${kind}: ${text}`), lost: [...losses.others] }
}
const text = (content: string, properties = '') =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${content}</w:t></w:r>`
const paragraph = (content: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`

describe('KBI-12 text that is struck through or hidden in Word', () => {
  const settings = ['none', 'on', 'off', 'inherited'] as const
  const isOn = { none: false, on: true, off: false, inherited: true }
  const write = (property: string, setting: (typeof settings)[number]) =>
    setting === 'on' ? `<w:${property}/>` : setting === 'off' ? `<w:${property} w:val="0"/>` : ''
  const style = (id: string, property: string, setting: (typeof settings)[number]) =>
    `<w:style w:styleId="${id}"><w:basedOn w:val="${setting === 'inherited' ? 'Base' : 'None'}"/><w:rPr>${write(property, setting)}</w:rPr></w:style>`
  const cases = ['strike', 'dstrike', 'vanish'].flatMap((property) =>
    settings.flatMap((ofParagraph) =>
      settings.flatMap((ofRun) =>
        (['none', 'on', 'off'] as const).map((direct) => ({ property, ofParagraph, ofRun, direct })),
      ),
    ),
  )
  it('is left out as the styles of its paragraph and run, and the run itself, say', async () => {
    const wrong: string[] = []
    for (const { property, ofParagraph, ofRun, direct } of cases) {
      const styles =
        `<w:style w:styleId="Base"><w:rPr><w:${property}/></w:rPr></w:style>` +
        style('P', property, ofParagraph) +
        style('R', property, ofRun)
      const body = paragraph(
        text('old', `<w:rStyle w:val="R"/>${write(property, direct)}`),
        '<w:pStyle w:val="P"/>',
      )
      const isLost = direct === 'none' ? isOn[ofParagraph] !== isOn[ofRun] : isOn[direct]
      const { texts, lost } = await read(body, { styles })
      if ((texts.length === 0) !== isLost || (lost.length === 1) !== isLost)
        wrong.push(`${property} ${ofParagraph} ${ofRun} ${direct}: ${texts}`)
    }
    expect(wrong).toEqual([])
  })
})

describe('KBI-14 a check list in Word', () => {
  const control = (state: string, sign: string) =>
    `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="${state}"/><w14:checkedState w14:val="2612"/></w14:checkbox></w:sdtPr><w:sdtContent>${sign}</w:sdtContent></w:sdt>`
  const form = (state: string) =>
    `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox>${state}</w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
  const symbol = (code: string) => `<w:r><w:sym w:font="Wingdings" w:char="${code}"/></w:r>`
  const boxes: [string, boolean, string][] = [
    ['a control', false, control('0', text('☐'))],
    ['a control', true, control('1', text('☒'))],
    ['a control with signs of its own', true, control('true', symbol('F0FC'))],
    ['a control with signs of its own', false, control('false', text('o'))],
    ['a form', false, form('')],
    ['a form', false, form('<w:default w:val="0"/>')],
    ['a form', true, form('<w:default w:val="1"/>')],
    ['a form', false, form('<w:default w:val="1"/><w:checked w:val="0"/>')],
    ['a form', true, form('<w:default w:val="0"/><w:checked/>')],
    ['a symbol', false, symbol('F0A8')],
    ['a symbol', true, symbol('F0FE')],
    ['a letter of Wingdings', false, text('\uf06f')],
    ['a letter of Wingdings', true, text('\uf0fe')],
    ['a sign', false, text('☐')],
    ['a sign', true, text('☑')],
  ]
  it.each(boxes)('has tasks by %s, ticked: %s', async (_, isTicked, box) => {
    const task = isTicked ? '[x] Call' : '[ ] Call'
    const list = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    const numbering =
      '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    const { texts, lost } = await read(
      paragraph(box + text(' Call')) + paragraph(box + text('\tCall')) + paragraph(box + text('Call'), list),
      { numbering },
    )
    expect({ texts, lost }).toEqual({
      texts: [`item: - ${task}`, `item: - ${task}`, `item: 1. ${task}`],
      lost: [],
    })
  })

  it.each(['\uf0a8', '\uf06f', '☐', '❑', '□'])('has tasks by the bullet %j', async (bullet) => {
    const numbering = `<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="${bullet}"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`
    const list = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    const { texts } = await read(paragraph(text('Call'), list), { numbering })
    expect(texts).toEqual(['item: - [ ] Call'])
  })
})

describe('KBI-14 a formula in Word', () => {
  const r = (content: string) => `<m:r><m:rPr/><m:t>${content}</m:t></m:r>`
  const e = (content: string, name = 'e') => `<m:${name}>${content}</m:${name}>`
  const sum = `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>${e(r('i=1'), 'sub')}${e(r('n'), 'sup')}${e(r('i'))}</m:nary>`
  it.each([
    ['a fraction', `<m:f>${e(r('used'), 'num')}${e(r('a+b'), 'den')}</m:f>`, 'used/(a+b)'],
    [
      'a binomial',
      `<m:f><m:fPr><m:type m:val="noBar"/></m:fPr>${e(r('n'), 'num')}${e(r('k'), 'den')}</m:f>`,
      '(n k)',
    ],
    ['powers', `<m:sSup>${e(r('2'))}${e(r('32-n'), 'sup')}</m:sSup>${r('-2')}`, '2^(32-n)-2'],
    ['an index', `<m:sSubSup>${e(r('x'))}${e(r('i'), 'sub')}${e(r('2'), 'sup')}</m:sSubSup>`, 'x_i^2'],
    ['a root', `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>${e(r('x'))}</m:rad>`, '√(x)'],
    ['a third root', `<m:rad>${e(r('3'), 'deg')}${e(r('x'))}</m:rad>`, 'root 3 of (x)'],
    ['a sum', sum, '∑\\_(i=1)^n i'],
    [
      'brackets',
      `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>${e(r('x'))}</m:d>`,
      '\\[x\\]',
    ],
    ['a function', `<m:func>${e(r('log'), 'fName')}${e(r('x'))}</m:func>`, 'log x'],
    [
      'a matrix',
      `<m:m>${e(e(r('a')) + e(r('b')), 'mr')}${e(e(r('c')) + e(r('d')), 'mr')}</m:m>`,
      '\\[a, b; c, d\\]',
    ],
    ['an unknown part', `<m:box>${e(r('x'))}</m:box>`, 'x'],
  ])('is written as text: %s', async (_, formula, expected) => {
    const inline = await read(paragraph(`${text('a ')}<m:oMath>${formula}</m:oMath>${text(' b')}`))
    expect(inline.texts).toEqual([`text: a ${expected} b`])
    const alone = await read(paragraph(`<m:oMathPara><m:oMath>${formula}</m:oMath></m:oMathPara>`))
    expect(alone.texts).toEqual([`text: ${expected}`])
  })
})
