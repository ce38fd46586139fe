import { describe, expect, it } from 'vitest'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { readArticleFile } from '#rules/knowledge/article.ts'
import { buildWord } from '#test/support/knowledge.ts'
import { buildPdf, pdfText } from '#test/support/pdf-files.ts'

// What public reports say of other readers of documents, tried on ours. test/reports.tsv has what came of each.

const read = (bytes: Uint8Array<ArrayBuffer>, name: string) =>
  runWithin(createBudget({ steps: jobSteps }), () => readArticleFile({ bytes, name, type: '' }))
async function describeFile(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<string[]> {
  const { blocks, warnings } = await read(bytes, name)
  return [...blocks.map(({ kind, level, text }) => `${kind}${level || ''}: ${text}`), ...warnings]
}
const utf8 = (text: string) => new Uint8Array(Buffer.from(text))

const t = (text: string, properties = '') =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`
const p = (content: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`
const list = (id: number, depth = 0) =>
  `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="${id}"/></w:numPr>`
const level = (depth: number, format: string, text: string, more = '') =>
  `<w:lvl w:ilvl="${depth}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/>${more}</w:lvl>`
const numbering = `<w:abstractNum w:abstractNumId="1">${level(0, 'decimal', '%1.')}${level(1, 'decimal', '%1.%2')}</w:abstractNum>
  <w:abstractNum w:abstractNumId="2">${level(0, 'bullet', '•')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>
  <w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>`
const style = (id: string, name: string, more = '') =>
  `<w:style w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`
const table = (...cells: string[]) =>
  `<w:tbl>${cells.map((cell) => `<w:tr><w:tc>${p(t('k'))}</w:tc><w:tc>${cell}</w:tc></w:tr>`).join('')}</w:tbl>`
const box = (text: string) =>
  `<w:drawing><a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:txbx><w:txbxContent>${p(t(text))}</w:txbxContent></wps:txbx></a:graphicData></a:graphic></w:drawing>`

describe('KBI-14 reports about Word documents', () => {
  const cases: [string, string, string[]][] = [
    [
      'microsoft/markitdown#1415',
      p(t('A'), list(1)) + table(p(t('v')), p(t('w'))) + p(t('B'), list(1)),
      ['item: 1. A', 'table: | k | v |\n| --- | --- |\n| k | w |', 'item: 2. B'],
    ],
    [
      'dead8309/markitdown-ts#11',
      table(p(t('v')), p(t('A'), list(1)) + p(t('B'), list(1)) + p(t('C'), list(2))),
      ['table: | k | v |\n| --- | --- |\n| k | 1. A 2. B • C |'],
    ],
    [
      'docling-project/docling#1212',
      p(t('Purpose'), `<w:pStyle w:val="h1"/>${list(1)}`) +
        p(t('Scope'), `<w:pStyle w:val="h2"/>${list(1, 1)}`),
      ['heading1: 1. Purpose', 'heading2: 1.1 Scope'],
    ],
    [
      'docling-project/docling#1586',
      p(
        `${t('Before')}<w:r><mc:AlternateContent><mc:Choice Requires="wps">${box('Proposal 1')}</mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>${p(t('Proposal 1'))}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`,
      ),
      ['text: Proposal 1', 'text: Before'],
    ],
    [
      'jgm/pandoc#9222',
      p(t('A'), '<w:pStyle w:val="L"/>') + p(t('B'), '<w:pStyle w:val="L"/>'),
      ['item: - A', 'item: - B'],
    ],
    [
      'docling-project/docling#291',
      table(p(t('v')), p(t('outer')) + table(p(t('x')), p(t('y')))),
      ['table: | k | v |\n| --- | --- |\n| k | outer k, x; k, y |'],
    ],
    [
      'bokuweb/docx-rs#794',
      p(`<w:moveTo>${t('moved')}</w:moveTo>`) + p(t('stays')) + p(`<w:moveFrom>${t('moved')}</w:moveFrom>`),
      ['text: moved', 'text: stays'],
    ],
    [
      'developer0hye/office2pdf#583',
      p(
        `${t('a ')}<w:ins>${t('new')}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>`,
      ),
      ['text: a new'],
    ],
    [
      'jgm/pandoc#2242',
      p(`${t('static void ')}<w:smartTag w:element="place">${t('Main')}</w:smartTag>${t('()')}`),
      ['text: static void Main()'],
    ],
    [
      'mwilliamson/python-mammoth#163',
      p(
        `${t('a')}<mc:AlternateContent><mc:Choice Requires="wpsCustomData"><wpsCustomData:diagonals/></mc:Choice></mc:AlternateContent>${t('b')}`,
      ),
      ['text: ab'],
    ],
    [
      'microsoft/markitdown#192',
      `<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr><w:sdtContent>${p(t('Contents'), '<w:pStyle w:val="toch"/>')}${p(`${t('1.1 Install')}<w:r><w:tab/></w:r>${t('3')}`, '<w:pStyle w:val="toc1"/>')}</w:sdtContent></w:sdt>${p(t('List of figures'))}${p(t('Figure 1 4'), '<w:pStyle w:val="tof"/>')}${p(t('Open it.'))}`,
      ['text: List of figures', 'text: Open it.'],
    ],
  ]
  const styles =
    style('h1', 'heading 1') +
    style('h2', 'heading 2') +
    style('toc1', 'toc 1') +
    style('toch', 'TOC Heading') +
    style('tof', 'table of figures') +
    style('L', 'Steps', '<w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr>')
  it.each(cases)('%s', async (_, body, expected) => {
    expect(await describeFile(buildWord(body, { styles, numbering }), 'a.docx')).toEqual(expected)
  })
})

describe('KBI-18 reports about PDFs', () => {
  const page = (content: string, parts = {}) => buildPdf({ pages: [content], ...parts })
  const raw = (content: string, from: RegExp, to: string) =>
    new Uint8Array(Buffer.from(Buffer.from(page(content)).toString('latin1').replace(from, to), 'latin1'))
  // By the codes of 9 bits at first: ISO 32000-1, 7.4.4.
  const lzw = (text: string) => {
    const bits = [256, ...Buffer.from(text, 'latin1'), 257]
      .map((code) => code.toString(2).padStart(9, '0'))
      .join('')
    return Uint8Array.from(bits.match(/.{1,8}/g) ?? [], (byte) => Number.parseInt(byte.padEnd(8, '0'), 2))
  }
  const packed = (filter: string, stream: Uint8Array) =>
    page('/X Do', {
      objects: [
        {
          dict: `<</Subtype /Form /Filter /${filter} /Resources <</Font <</F 3 0 R>>>>>>`,
          stream: new Uint8Array(stream),
        },
      ],
      resources: '/XObject <</X 10 0 R>>',
    })
  const line = pdfText('Open it', 50, 700)
  const cases: [string, () => Uint8Array<ArrayBuffer>, string[]][] = [
    [
      'jsvine/pdfplumber#1230',
      () => page(`BT /F 10 Tf 50 700 Td (Sec. 5) Tj 3 Tr (AA) Tj 0 Tr ( Open it) Tj ET`),
      ['text: Sec. 5 Open it', '1 hidden text is not imported.'],
    ],
    [
      'firecrawl/pdf-inspector#351',
      () => page(`BT 3 Tr /F 10 Tf 50 700 Td (Open it) Tj ET`),
      ['text: Open it'],
    ],
    [
      'euske/pdfminer#70',
      () =>
        page(
          pdfText('Strike', 50, 700, 20) +
            pdfText('Strike', 50.4, 699.7, 20) +
            pdfText('Open it and read it', 50, 660),
        ),
      ['heading1: Strike', 'text: Open it and read it'],
    ],
    [
      'paulocoutinhox/pdfium-lib#157',
      () =>
        raw(
          `BT /F 10 Tf 0 1 -1 0 100 50 Tm (Open it) Tj 0 -12 Td (and read) Tj ET`,
          /\/Type \/Page \/Parent/,
          '/Type /Page /Rotate 90 /Parent',
        ),
      ['text: Open it and read'],
    ],
    [
      'yfedoseev/pdf_oxide#813',
      () => page(`BT /F 10 Tf 0 1 -1 0 100 50 Tm (Open it) Tj 0 -12 Td (and read) Tj ET`),
      ['text: Open it and read'],
    ],
    ['py-pdf/pypdf#3032', () => packed('LZWDecode', lzw(line)), ['text: Open it']],
    [
      'py-pdf/pypdf#2138',
      () =>
        page(
          'q 1 0 0 1 50 700 cm BT /F 10 Tf 1 0 0 1 0 9 Tm [(Company:)] TJ ET Q q 1 0 0 1 98 700 cm BT /F 10 Tf 1 0 0 1 0 9 Tm [(EAGLE)] TJ ET Q',
        ),
      ['text: Company: EAGLE'],
    ],
    [
      'py-pdf/pypdf#1424',
      () => page('BT /F 10 Tf 50 700 Td [(applic)-20(ations ar)15(e)] TJ ET'),
      ['text: applications are'],
    ],
    ['mozilla/pdf.js#9105', () => raw(line, /endobj/g, ''), ['text: Open it']],
    ['dhdaines/playa#160', () => raw(line, /\nendstream/g, '\nendstrea'), ['text: Open it']],
    [
      'open-legal-products/mike#387',
      () =>
        raw(`${line}`, /\/Type \/Page \/Parent/, '/Type /Page /Annots [10 0 R] /Parent').length > 0
          ? new Uint8Array(
              Buffer.from(
                Buffer.from(
                  page(line, {
                    objects: [
                      {
                        dict: '<</Subtype /Widget /FT /Tx /V (10.0.0.1) /Rect [200 690 300 710] /AP <</N 11 0 R>>>>',
                      },
                      {
                        dict: '<</Subtype /Form /BBox [0 0 100 20] /Resources <</Font <</F 3 0 R>>>>>>',
                        stream: '/Tx BMC q BT /F 10 Tf 2 10 Td (10.0.0.1) Tj ET Q EMC',
                      },
                    ],
                  }),
                )
                  .toString('latin1')
                  .replace('/Type /Page /Parent', '/Type /Page /Annots [10 0 R] /Parent'),
                'latin1',
              ),
            )
          : page(line),
      ['text: Open it 10.0.0.1'],
    ],
  ]
  it.each(cases)('%s', async (_, build, expected) => {
    expect(await describeFile(build(), 'a.pdf')).toEqual(expected)
  })
})

describe('KBI-12 reports about markdown and HTML', () => {
  const macro = (name: string, content: string) =>
    `<ac:structured-macro ac:name="${name}">${content}</ac:structured-macro>`
  const plain = (text: string) => `<ac:plain-text-body><![CDATA[${text}]]></ac:plain-text-body>`
  const cases: [string, 'md' | 'html', string, string[]][] = [
    [
      'evbacher/gd2md-html#14',
      'html',
      '<ol><li>Enter:<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></li><li>Save</li></ol>',
      ['item: 1. Enter:\n    | a | b |\n    | --- | --- |\n    | 1 | 2 |', 'item: 2. Save'],
    ],
    [
      'xberg-io/html-to-markdown#59',
      'html',
      '<ul><li>a</li><li>b</li><ul><li>c</li><li>d</li></ul></ul>',
      ['item: - a', 'item: - b\n    - c\n    - d'],
    ],
    [
      'xberg-io/html-to-markdown#455',
      'html',
      '<table><tr><th>k</th><th>v</th></tr><tr><td>x</td><td><code>a\nb</code></td></tr></table>',
      ['table: | k | v |\n| --- | --- |\n| x | `a b` |'],
    ],
    [
      'hamidfzm/glyph#748',
      'md',
      '\ufeff---\ntitle: T\n---\n# Head\n\nOpen it.',
      ['heading1: Head', 'text: Open it.'],
    ],
    [
      'secure-77/Perlite#24',
      'md',
      '---\r\ntags: [a]\r\n---\r\nOpen it.\r\n\r\nClose it.',
      ['text: Open it.', 'text: Close it.'],
    ],
    ['ryo-ebata/cc-audit#327', 'md', '\n \n---\ntitle: T\n---\nOpen it.', ['text: Open it.']],
    [
      'aqueeb/confluence2md#6',
      'html',
      '<table><tr><th>a</th><th>b</th></tr><tr><td>left:<ul><li>foo</li><li>bar</li></ul></td><td>c</td></tr></table>',
      ['table: | a | b |\n| --- | --- |\n| left: • foo • bar | c |'],
    ],
    [
      'Spenhouet/confluence-markdown-exporter#143',
      'html',
      `<p>a</p>${macro('markdown', plain('1. Open *it*\n2. Close it'))}`,
      ['text: a', 'item: 1. Open *it*', 'item: 2. Close it'],
    ],
    [
      'gergelykalman/confluence-markdown-exporter#33',
      'html',
      `<p>a</p>${macro('code', `<ac:parameter ac:name="language">sh</ac:parameter>${plain('ls\n  -l')}`)}`,
      ['text: a', 'code: ```\nls\n  -l\n```'],
    ],
    [
      'matthewwithanm/python-markdownify#220',
      'html',
      '<table><tr><th>a</th><th>b</th></tr><tr><td>Yellow</td><td><p>team</p><table><tr><td>no</td><td>name</td></tr></table></td></tr></table>',
      ['text: a', 'text: b', 'text: Yellow', 'text: team', 'table: | no | name |\n| --- | --- |'],
    ],
    [
      'pchuri/confluence-cli#130',
      'html',
      `<p>a</p>${macro('expand', '<ac:parameter ac:name="title">On Windows</ac:parameter><ac:rich-text-body><p>Open it.</p></ac:rich-text-body>')}${macro('panel', '<ac:parameter ac:name="bgColor">#fff</ac:parameter><ac:parameter ac:name="title">Note</ac:parameter><ac:rich-text-body><p>Slow.</p></ac:rich-text-body>')}`,
      ['text: a', 'text: On Windows', 'text: Open it.', 'text: Note', 'text: Slow.'],
    ],
    [
      'mysticmind/reversemarkdown-net#43',
      'html',
      '<p>ssh &lt;user&gt;@host</p>',
      ['text: ssh \\<user>@host'],
    ],
    [
      'jonstodle/obsius-obsidian-plugin#2',
      'md',
      'Open [[vpn setup|the guide]] and [[Router]].%% ask Bob %%\n\n%%\nprivate\n%%\n\nClose it.',
      ['text: Open the guide and Router.', 'text: Close it.'],
    ],
    [
      'AntTheLimey/gm-apprentice#86',
      'md',
      'Open it.\n\n![[Chrome Jockey.png|300]]',
      [
        'text: Open it.',
        'text: [image: Chrome Jockey.png]',
        'Pictures are named, but not imported: “Chrome Jockey.png”.',
      ],
    ],
    [
      'laurent22/joplin#5626',
      'html',
      '<pre><code><span class="line">a {</span><br><span class="line">  b</span><br><span class="line">}</span></code></pre>',
      ['code: ```\na {\n  b\n}\n```'],
    ],
    [
      'danburzo/percollate#71',
      'html',
      '<p>Open it.</p><p><img alt="" src="data:image/gif;base64,R0lGOD" data-src="https://x.example/shots/menu.png"></p>',
      ['text: Open it.', 'text: \\[image: menu.png\\]', 'Pictures are named, but not imported: “menu.png”.'],
    ],
    [
      'squidfunk/mkdocs-material#580',
      'html',
      '<p>Run:</p><table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre><span></span>1\n2</pre></div></td><td class="code"><div class="highlight"><button title="Copy"></button><pre><code>net stop\nnet start</code></pre></div></td></tr></table>',
      ['text: Run:', 'code: ```\nnet stop\nnet start\n```'],
    ],
  ]
  it.each(cases)('%s', async (_, extension, content, expected) => {
    expect(await describeFile(utf8(content), `a.${extension}`)).toEqual(expected)
  })
})

describe('KBI-18 the siblings of what was mended in PDFs', () => {
  const describePdf = (content: string, parts = {}) =>
    describeFile(buildPdf({ pages: [content], ...parts }), 'a.pdf')
  it.each([
    ['up', '0 1 -1 0 100 50', '0 1 -1 0 112 50'],
    ['to the left', '-1 0 0 -1 300 300', '-1 0 0 -1 300 312'],
    ['down', '0 -1 1 0 100 700', '0 -1 1 0 88 700'],
  ])('a page whose texts run %s is read in their order', async (_, first, second) => {
    const page = `BT /F 10 Tf ${first} Tm (Open it) Tj ${second} Tm (and read) Tj ET`
    expect(await describePdf(page)).toEqual(['text: Open it and read'])
  })
  it('a text that is not level beside others that are is a warning', async () => {
    const stamp = 'BT /F 40 Tf .7 .7 -.7 .7 100 100 Tm (DRAFT) Tj ET '
    expect(await describePdf(`${stamp}BT /F 10 Tf 50 700 Td (Open it) Tj ET`)).toEqual([
      'text: Open it',
      '1 text that is not level is not imported.',
    ])
  })
  it('invisible texts of a scan stay, also below a visible line', async () => {
    const scan = { dict: '<</Type /XObject /Subtype /Image /Width 800 /Height 900>>', stream: 'x' }
    const page =
      'q 595 0 0 842 0 0 cm /I Do Q BT /F 10 Tf 50 700 Td (Archive) Tj 3 Tr 0 -40 Td (Open it) Tj ET'
    expect(await describePdf(page, { objects: [scan], resources: '/XObject <</I 10 0 R>>' })).toEqual([
      'text: Archive',
      'text: Open it',
      '1 picture is not imported.',
    ])
  })
  it('letters that are twice in a word are not copies', async () => {
    const letters = [...'pool']
      .map((letter, n) => `BT /F 10 Tf ${50 + n * 5.3} 700 Td (${letter}) Tj ET `)
      .join('')
    expect(await describePdf(letters)).toEqual(['text: pool'])
  })
  it.each([
    [
      'RunLengthDecode',
      Uint8Array.from([39, ...Buffer.from('BT /F 10 Tf 50 700 Td (Open it) Tj ET   '), 128]),
      'text: Open it',
    ],
  ])('a stream with %s is read', async (filter, stream, expected) => {
    const form = { dict: `<</Subtype /Form /Filter /${filter} /Resources <</Font <</F 3 0 R>>>>>>`, stream }
    const found = await describePdf('/X Do', { objects: [form], resources: '/XObject <</X 10 0 R>>' }).catch(
      String,
    )
    expect(String(found)).toMatch(expected)
  })
  it('a stream in a format that is not known is a warning', async () => {
    const form = { dict: '<</Subtype /Form /Filter /JBIG2Decode>>', stream: new Uint8Array([1]) }
    const page = `/X Do ${pdfText('Open it', 50, 700)}`
    expect(await describePdf(page, { objects: [form], resources: '/XObject <</X 10 0 R>>' })).toEqual([
      'text: Open it',
      '1 part of a page is packed in a way that is not known and is not imported.',
    ])
  })
})

describe('KBI-12 the siblings of what was mended in markdown and HTML', () => {
  it.each([
    ['if [[ -f x ]]; then for %%i in (a) do echo %%i', 'if [[ -f x ]]; then for %%i in (a) do echo %%i'],
    ['Run `[[a|b]] %% c %%` now', 'Run `[[a|b]] %% c %%` now'],
    ['See [[#Reset]] and [[VPN#Split tunnel]]', 'See Reset and VPN > Split tunnel'],
    ['50 %% of it', '50 %% of it'],
    ['%%\nopen', '%%\nopen'],
    ['```\n%%\n[[a]]\n%%\n```', '```\n%%\n[[a]]\n%%\n```'],
  ])('%j', async (markdown, text) => {
    const { blocks } = await read(utf8(markdown), 'a.md')
    expect(blocks.map((block) => block.text)).toEqual([text])
  })
  it('a status of Confluence stays in its line', async () => {
    const status =
      '<ac:structured-macro ac:name="status"><ac:parameter ac:name="colour">Red</ac:parameter><ac:parameter ac:name="title">STOP</ac:parameter></ac:structured-macro>'
    expect(await describeFile(utf8(`<p>a</p><p>Here ${status} you wait.</p>`), 'a.html')).toEqual([
      'text: a',
      'text: Here STOP you wait.',
    ])
  })
})
