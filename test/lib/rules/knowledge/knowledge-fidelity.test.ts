import { describe, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { readArticleFile, readArticleText } from '#rules/knowledge/article.ts'
import { deriveTitle } from '#rules/knowledge/derive-title.ts'
import { toMarkdown } from '#rules/markup/markdown.ts'
import { buildZip, documentXml, docxParts } from '#test/support/knowledge.ts'
import { createReport } from '#test/support/report.ts'
import { renderText } from '#test/support/with-budget.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const readFile = (name: string, bytes: Uint8Array<ArrayBuffer>, type = '') =>
  runWithin(createBudget(), () => readArticleFile({ bytes, name, type }))
const listTexts = async (format: 'html' | 'markdown' | 'text', content: string) =>
  (await runWithin(createBudget(), () => readArticleText(format, 'T', content))).blocks.map(
    ({ text }) => text,
  )
/** Return what a text export shows of a description. */
const show = (markdown: string) =>
  renderText(createReport({ title: 'T', description: toMarkdown(markdown) }))
    .slice('T\n=\n\n'.length)
    .trimEnd()

describe('KBI-12 an article keeps its characters', () => {
  const nasty =
    'It is C:\\Users\\bob\\.cache\\_old and C:\\#temp. Set __debug__ = 1, *x*, [y](z), <b> & ~~n~~ a|b &amp; `c`'
  const escaped = nasty.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  it.each([
    ['html', `<p>${escaped}</p>`],
    ['html', `<p>${escaped.replaceAll('_', '<i>_</i>')}</p>`],
    ['text', nasty],
  ] as const)('of %s', async (format, content) => {
    const [text = ''] = await listTexts(format, content)
    expect(show(text)).toBe(nasty)
    expect(deriveTitle(text)).toBe('It is C:\\Users\\bob\\.cache\\_old and C:\\#temp.')
  })
  it('of a Word document', async () => {
    const { blocks } = await readDocxOf(paragraph(run(escaped)))
    expect(show(blocks[0]?.text ?? '')).toBe(nasty)
  })
  it.each([
    ['<p>1. is the first disk</p>', '1. is the first disk'],
    ['<ul><li>- is a dash<li># is a sign</ul>', '- - is a dash\n- # is a sign'],
    [
      '<table><tr><td>a|b *c*</td><td><code>d|e</code></td></tr><tr><td>_f_</td><td>g</td></tr></table>',
      'a|b *c* | d|e\n--------|----\n_f_     | g',
    ],
    ['<p><a href="https://x.example/_a_">[x]</a></p>', '[x] (https://x.example/_a_)'],
    ['<p>Run <code>del *_x*</code></p>', 'Run del *_x*'],
  ])('at every place of a page: %s', async (html, shown) => {
    expect(show((await listTexts('html', html)).join('\n'))).toBe(shown)
  })
  it.each([
    ['<pre><p>net stop spooler</p><p>net start spooler</p></pre>', 'net stop spooler\nnet start spooler'],
    ['<pre><div>a</div>\n<div>  b</div></pre>', 'a\n  b'],
    ['<pre><ul><li>a</li><li>b</li></ul></pre>', 'a\nb'],
    ['<pre>\na<br>b\n\nc\n</pre>', 'a\nb\n\nc'],
  ])('and the lines of its code: %s', async (html, code) => {
    expect(await listTexts('html', html)).toEqual([`\`\`\`\n${code}\n\`\`\``])
  })
  it('and a table with code of several lines', async () => {
    const html =
      '<table><tr><th>Step</th><th>Command</th></tr><tr><td>1</td><td><pre>a | b\nc</pre></td></tr></table>'
    expect(await listTexts('html', html)).toEqual([
      '| Step | Command |\n| --- | --- |\n| 1 | `a \\| b` `c` |',
    ])
  })
  it.each([
    ['<p><del>Call Bob</del> Call Eve</p>', 'Call Eve'],
    ['<p>Use <strike> port 21 </strike> port 22</p>', 'Use port 22'],
    ['<p>Use <span style="text-decoration: line-through">a</span> b</p>', 'Use b'],
    ['<del><p>Old</p></del><p>New</p>', 'New'],
    ['<p>10<sup>6</sup> H<sub>2</sub>O, once<sup>[1]</sup></p>', '10⁶ H₂O, once \\[1\\]'],
    ['<p><big>B</big> <acronym>A</acronym> <ruby>漢<rt>kan</rt></ruby></p>', 'B A 漢kan'],
    ['<ol><li value="9">x<li>y</ol>', '9. x|10. y'],
    ['<ol reversed><li>three</li><li>two</li></ol>', '2. three|1. two'],
    ['<ol type="a"><li>x<li>y</ol>', '1. a) x|2. b) y'],
  ])('and their meaning: %s', async (html, texts) => {
    expect((await listTexts('html', html)).join('|')).toBe(texts)
  })
  it('and code and tasks of the storage format of Confluence', async () => {
    const macro = (body: string) =>
      `<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">powershell</ac:parameter>${body}</ac:structured-macro>`
    const tasks =
      '<ac:task-list><ac:task><ac:task-id>7</ac:task-id><ac:task-status>complete</ac:task-status><ac:task-body>Done</ac:task-body></ac:task></ac:task-list>'
    const image = '<p>See <ac:image><ri:attachment ri:filename="x.png"/></ac:image></p>'
    const code = macro('<ac:plain-text-body><![CDATA[Restart-Service <Spooler>]]></ac:plain-text-body>')
    expect(await listTexts('html', `<ol><li>Run${code}</li></ol>${tasks}${image}`)).toEqual([
      '1. Run\n    ```\n    Restart-Service <Spooler>\n    ```',
      '- [x] Done',
      'See \\[image: x.png\\]',
    ])
  })
  it.each([
    [
      '1. See [the list]\n2. Go on\n\n## B\n\n1. [again][the List]\n\n[the list]: https://x.example/l\n',
      ['1. See [the list](https://x.example/l)', '2. Go on', 'B', '1. [again](https://x.example/l)'],
    ],
    ['Wait[^1] for it.\n\n[^1]: Only after a backup.\n', ['Wait (Only after a backup.) for it.']],
    ['One.\n\n<!-- internal\nask Bob -->\n\nTwo <!-- x -->end.', ['One.', 'Two end.']],
    ['Open <!-- no end', ['Open <!-- no end']],
    [
      '```\n[a]: https://x.example\n<!-- kept -->\n```\n\n[a]',
      ['```\n[a]: https://x.example\n<!-- kept -->\n```', '[a]'],
    ],
    ['[unused]: https://x.example/u', ['[unused]: https://x.example/u']],
    [`1. Look ![shot](data:image/png;base64,${'A'.repeat(3000)})\n`, ['1. Look [image: shot]']],
    ['1. Look ![shot][s]\n\n[s]: data:image/png;base64,AAAA\n', ['1. Look [image: shot]']],
  ])('and what markdown says elsewhere: %j', async (markdown, texts) => {
    expect(await listTexts('markdown', markdown)).toEqual(texts)
  })
  it('after a byte order mark', async () => {
    expect(await listTexts('markdown', '\ufeff---\ntitle: My\n---\n# H\n')).toEqual(['H'])
    expect(await listTexts('text', '\ufeff1. first\n2. second')).toEqual(['1. first', '2. second'])
  })
})

describe('KBI-13 the encoding of a file', () => {
  const central = Uint8Array.from([0x5a, 0x6d, 0xe1, 0xe8, 0x6b, 0x6e, 0xec, 0x74, 0x65])
  const html = (head: string) =>
    Uint8Array.from([...encode(head), ...encode('<p>'), ...central, ...encode('</p>')])
  it.each([
    ['a.html', html('<meta charset="windows-1250">'), '', 'Zmáčkněte', []],
    [
      'a.html',
      html('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">'),
      '',
      'Zmáčkněte',
      [],
    ],
    ['a.html', html('<?xml version="1.0" encoding="windows-1250"?>'), '', 'Zmáčkněte', []],
    ['a.txt', central, 'text/plain; charset=windows-1250', 'Zmáčkněte', []],
    ['a.txt', Uint8Array.from([0x5a, 0, 0x6d, 0, 0x69, 0]), '', 'Zmi', []],
    [
      'a.txt',
      central,
      '',
      'Zmáèknìte',
      [
        'The file does not declare its encoding and was read as Windows-1252. Save it as UTF-8 if letters are wrong.',
      ],
    ],
  ])('of %s is that which it declares', async (name, bytes, type, text, warnings) => {
    const article = await readFile(name, bytes, type)
    expect([article.blocks[0]?.text, article.warnings]).toEqual([text, warnings])
  })
})

const readDocxOf = (body: string, more: { name: string; content: string }[] = []) => {
  const names = new Set(more.map(({ name }) => name))
  return readFile(
    'a.docx',
    buildZip([...docxParts(documentXml(body)).filter(({ name }) => !names.has(name)), ...more]),
  )
}
const run = (content: string, properties = '') =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${content}</w:t></w:r>`
const paragraph = (content: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`
const xml = (root: string, content: string) =>
  `<w:${root} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${content}</w:${root}>`

describe('KBI-14 a Word document keeps its sense', () => {
  it('whatever the names of its files and its namespaces', async () => {
    const relation = (type: string, target: string) =>
      `<Relationships xmlns="r"><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`
    const style = '<x:style x:styleId="s"><x:name x:val="heading 2"/></x:style>'
    const names = 'xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main"'
    const parts = [
      { name: '_rels/.rels', content: relation('officeDocument', '/word/document2.xml') },
      { name: 'word/_rels/document2.xml.rels', content: relation('styles', 'styles9.xml') },
      { name: 'word/styles9.xml', content: `<x:styles ${names}>${style}</x:styles>` },
      {
        name: 'word/document2.xml',
        content: `<x:document ${names}><x:body><x:p><x:pPr><x:pStyle x:val="s"/></x:pPr><x:r><x:t>A</x:t></x:r></x:p></x:body></x:document>`,
      },
    ]
    expect((await readFile('a.docx', buildZip(parts))).blocks).toEqual([
      { kind: 'heading', level: 2, text: 'A' },
    ])
  })
  it('of headings and lists that its own styles define', async () => {
    const styles = [
      '<w:style w:styleId="h"><w:name w:val="KB Head"/><w:basedOn w:val="b"/></w:style><w:style w:styleId="b"><w:name w:val="heading 1"/></w:style>',
      '<w:style w:styleId="o"><w:name w:val="Kapitel"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>',
      '<w:style w:styleId="l"><w:name w:val="Schritt"/><w:pPr><w:numPr><w:numId w:val="4"/></w:numPr></w:pPr></w:style>',
    ].join('')
    const lists =
      '<w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="l"/></w:abstractNum><w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num><w:num w:numId="5"><w:abstractNumId w:val="1"/></w:num>'
    const styled = (style: string, text: string) => paragraph(run(text), `<w:pStyle w:val="${style}"/>`)
    const body =
      styled('h', 'A') +
      styled('o', 'B') +
      paragraph(run('C'), '<w:outlineLvl w:val="2"/>') +
      styled('l', 'one') +
      paragraph(run('two'), '<w:numPr><w:numId w:val="5"/></w:numPr>')
    const parts = [
      { name: 'word/styles.xml', content: xml('styles', styles) },
      { name: 'word/numbering.xml', content: xml('numbering', lists) },
    ]
    const { blocks } = await readDocxOf(body, parts)
    expect(blocks.map(({ level, text }) => [level, text])).toEqual([
      [1, 'A'],
      [2, 'B'],
      [3, 'C'],
      [0, '1. one'],
      [0, '2. two'],
    ])
  })
  it.each([
    [paragraph(run('10') + run('6', '<w:vertAlign w:val="superscript"/>')), '10⁶'],
    [
      paragraph(`<w:fldSimple w:instr=' HYPERLINK "https://simple.example" '>${run('link')}</w:fldSimple>`),
      'link (https://simple.example)',
    ],
    [
      paragraph(
        `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://field.example"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('link')}<w:r><w:fldChar w:fldCharType="end"/></w:r>`,
      ),
      'link (https://field.example)',
    ],
    [paragraph(`${run('a ')}<w:r><w:sym w:font="Wingdings" w:char="F0E0"/></w:r>${run(' b')}`), 'a → b'],
    [
      paragraph(`${run('Delete it')}<w:r><w:footnoteReference w:id="2"/></w:r>`),
      'Delete it (Only after a backup.)',
    ],
    [
      paragraph(
        run('Restart the server '),
        '<w:numPr><w:numId w:val="1"/></w:numPr><w:rPr><w:del w:id="1"/></w:rPr>',
      ) + paragraph(run('and wait'), '<w:numPr><w:numId w:val="1"/></w:numPr>'),
      '1. Restart the server and wait',
    ],
    [paragraph(run('a '), '<w:rPr><w:moveFrom w:id="1"/></w:rPr>') + paragraph(run('b')), 'a b'],
    [
      `<w:tbl><w:tr><w:tc>${paragraph(run('a'))}</w:tc><w:tc>${paragraph(run('b'))}</w:tc></w:tr><w:tr><w:trPr><w:del w:id="2"/></w:trPr><w:tc>${paragraph(run('c'))}</w:tc><w:tc>${paragraph(run('d'))}</w:tc></w:tr></w:tbl>`,
      '| a | b |\n| --- | --- |',
    ],
  ])('of %s', async (body, text) => {
    const footnotes = xml(
      'footnotes',
      `<w:footnote w:id="2">${paragraph(run('Only after a backup.'))}</w:footnote>`,
    )
    const { blocks, warnings } = await readDocxOf(body, [{ name: 'word/footnotes.xml', content: footnotes }])
    expect([blocks.map((block) => block.text), warnings]).toEqual([[text], []])
  })
  it.each([
    [run('old', '<w:strike/>') + run('new'), 'new', '1 struck-through text is not imported.'],
    [
      run('a', '<w:dstrike/>') + run('b', '<w:strike w:val="0"/>'),
      'b',
      '1 struck-through text is not imported.',
    ],
    [run('a') + run('hidden', '<w:vanish/>') + run('b'), 'ab', '1 hidden text is not imported.'],
  ])('and leaves out what does not apply: %s', async (runs, text, warning) => {
    const { blocks, warnings } = await readDocxOf(paragraph(runs))
    expect([blocks.map((block) => block.text), warnings]).toEqual([[text], [warning]])
  })
  it.each([
    ['http://schemas.openxmlformats.org/drawingml/2006/chart', 1],
    ['http://schemas.openxmlformats.org/drawingml/2006/diagram', 1],
    ['http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas', 1],
    ['http://schemas.microsoft.com/office/word/2010/wordprocessingGroup', 1],
    ['http://schemas.microsoft.com/office/word/2010/wordprocessingShape', 0],
  ])('and names a drawing: %s', async (uri, count) => {
    const drawing = `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Plan"/><a:graphic><a:graphicData uri="${uri}"/></a:graphic></wp:inline></w:drawing></w:r>`
    const { blocks, warnings } = await readDocxOf(paragraph(run('See') + drawing))
    expect([blocks[0]?.text.includes('image: Plan'), warnings.length]).toEqual([count === 1, count])
  })
  it('and names what it loses', async () => {
    const picture =
      '<w:r><w:drawing><wp:inline><wp:docPr name="Picture 1" descr="Error dialog"/><pic:pic/></wp:inline></w:drawing></w:r>'
    const body = paragraph(
      `${run('See')}${picture}<w:r><w:commentReference w:id="1"/></w:r><w:r><w:sym w:font="X" w:char="F123"/></w:r>`,
    )
    const { blocks, warnings } = await readDocxOf(`${body}<w:altChunk/>`)
    expect(blocks.map(({ text }) => text)).toEqual(['See \\[image: Error dialog\\]'])
    expect(warnings).toEqual([
      'Pictures are named, but not imported: “Error dialog”.',
      '1 comment is not imported.',
      '1 symbol of a special font is not imported.',
      '1 embedded document is not imported.',
    ])
  })
})
