import { jobSteps } from '#rules/budget.ts'
import { type FileRequest, loadReaders } from '#rules/files/read-file.ts'
import { measureBest } from './hostile-process.ts'
import { buildZip, documentXml, docxParagraph, docxParts } from './knowledge.ts'
import { buildPdf, pdfText } from './pdf-files.ts'

// Files with one long value that many parts name. Whoever copies the value per part takes the product of both.
// Prints what each took, as JSON lines: node --expose-gc long-values.ts <number of sizes>

type Build = (length: number, uses: number) => Pick<FileRequest, 'kind' | 'input'>

const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join('')
const article = (name: string, bytes: Uint8Array<ArrayBuffer>): Pick<FileRequest, 'kind' | 'input'> => ({
  kind: 'article_file',
  input: { bytes, name, type: '' },
})
const text = (name: string, content: string) => article(name, new Uint8Array(Buffer.from(content)))
const long = (length: number) => 'long '.repeat(length / 5)

const docx = (name: string, content: string, body: string) =>
  article(
    'a.docx',
    buildZip([
      ...docxParts(documentXml(docxParagraph('Text') + body)).filter((part) => part.name !== name),
      { name, content },
    ]),
  )
const word = (name: string, content: string) => `<w:${name} xmlns:w="w">${content}</w:${name}>`
const pdf = (dict: string, uses: string, objects: { dict: string; stream?: string }[] = []) =>
  article('a.pdf', buildPdf({ pages: [`BT /F 1 Tf (a) Tj ET ${uses}`], objects, resources: dict }))
const drawio = (cells: string): Pick<FileRequest, 'kind' | 'input'> => ({
  kind: 'drawio',
  input: {
    content: `<mxfile><diagram name="a"><mxGraphModel><root><mxCell id="0"/>${cells}</root></mxGraphModel></diagram></mxfile>`,
    page: 1,
  },
})
const mermaid = (input: string): Pick<FileRequest, 'kind' | 'input'> => ({
  kind: 'mermaid',
  input: `graph TD\n${input}`,
})
const flow = (front: string, body: string): Pick<FileRequest, 'kind' | 'input'> => ({
  kind: 'flow',
  input: `---\nname: a\ntype: troubleshooting\n${front}---\n\n${body}`,
})

const builds: Record<string, Build> = {
  'docx: the address of a link': (n, uses) =>
    docx(
      'word/_rels/document.xml.rels',
      `<Relationships><Relationship Id="r" Target="http:${'x'.repeat(n)}" TargetMode="External"/></Relationships>`,
      `<w:p>${'<w:hyperlink r:id="r"><w:r><w:t>y</w:t></w:r></w:hyperlink>'.repeat(uses)}</w:p>`,
    ),
  'docx: the name of a style': (n, uses) =>
    docx(
      'word/styles.xml',
      word('styles', `<w:style w:styleId="a"><w:name w:val="${long(n)}"/></w:style>`),
      '<w:p><w:pPr><w:pStyle w:val="a"/></w:pPr><w:r><w:t>y</w:t></w:r></w:p>'.repeat(uses),
    ),
  'docx: a footnote': (n, uses) =>
    docx(
      'word/footnotes.xml',
      word('footnotes', `<w:footnote w:id="1"><w:p><w:r><w:t>${long(n)}</w:t></w:r></w:p></w:footnote>`),
      '<w:p><w:r><w:t>y</w:t><w:footnoteReference w:id="1"/></w:r></w:p>'.repeat(uses),
    ),
  'docx: the text of a list level': (n, uses) =>
    docx(
      'word/numbering.xml',
      word(
        'numbering',
        `<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1${long(n)}"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>`,
      ),
      '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>y</w:t></w:r></w:p>'.repeat(
        uses,
      ),
    ),
  'docx: an alternative text': (n, uses) =>
    docx(
      'word/styles.xml',
      word('styles', ''),
      `<w:p><w:r><w:drawing><wp:docPr descr="${long(n)}"/></w:drawing></w:r></w:p>${'<w:p><w:r><w:drawing/></w:r></w:p>'.repeat(uses)}`,
    ),
  'docx: an entity': (n, uses) =>
    docx(
      'word/styles.xml',
      `<!DOCTYPE a [<!ENTITY e "${long(n)}">]>${word('styles', '')}`,
      `<w:p><w:r><w:t>${'&e;'.repeat(uses)}</w:t></w:r></w:p>`,
    ),
  'pdf: the name of a font': (n, uses) =>
    pdf(
      `/Font <</${'x'.repeat(n)} 10 0 R>>`,
      repeat(uses, () => `BT /F 9 Tf 5 5 Td (b) Tj ET `),
      [{ dict: '<</Subtype /Type1>>' }],
    ),
  'pdf: the map of a font': (n, uses) =>
    pdf(
      '/Font <</T 10 0 R>>',
      repeat(uses, (i) => `BT /T 9 Tf 1 0 0 1 5 ${i * 9} Tm <0041> Tj ET `),
      [
        { dict: '<</Subtype /Type0 /ToUnicode 11 0 R>>' },
        { dict: '<<>>', stream: `1 beginbfchar <0041> <${'0041'.repeat(n / 4)}> endbfchar` },
      ],
    ),
  'pdf: a form': (n, uses) =>
    pdf('/XObject <</X 10 0 R>>', '/X Do '.repeat(uses), [
      { dict: '<</Subtype /Form>>', stream: pdfText('x'.repeat(n), 50, 700) },
    ]),
  'pdf: the content of pages': (n, uses) =>
    article(
      'a.pdf',
      buildPdf({
        pages: [pdfText('a', 50, 700)],
        objects: [
          { dict: `<</Type /Pages /Kids [${repeat(uses, (i) => `${12 + i} 0 R `)}]>>` },
          { dict: '<<>>', stream: pdfText('x'.repeat(n), 50, 700) },
          ...Array.from({ length: uses }, () => ({ dict: '<</Type /Page /Contents 11 0 R>>' })),
        ],
        trailer: '/Root <</Pages 10 0 R>>',
      }),
    ),
  'pdf: an operand of a place': (n, uses) =>
    pdf('', `q ${repeat(uses, () => `(${'x'.repeat(Math.ceil(n / uses))}) Tj `)}Q`),
  'html: a class': (n, uses) =>
    text(
      'a.html',
      `<style>.${'x'.repeat(n)}{text-decoration:line-through}</style>${'<p class=x>y</p>'.repeat(uses)}`,
    ),
  'html: an address of a link': (n, uses) =>
    text('a.html', `<base href="http://x/${'x'.repeat(n)}">${'<p><a href=y>z</a></p>'.repeat(uses)}`),
  'html: an id that links name': (n, uses) =>
    text('a.html', `<h2 id="${'x'.repeat(n)}">y</h2>${'<p><a href="#x">z</a></p>'.repeat(uses)}`),
  'html: a title of headings': (n, uses) =>
    text('a.html', `<title>${long(n)}</title>${'<h1>long</h1><p>y</p>'.repeat(uses)}`),
  'html: a cell of many rows': (n, uses) =>
    text(
      'a.html',
      `<table><tr><td rowspan=${uses}>${long(n)}</td><td>y</td></tr>${'<tr><td>z</td></tr>'.repeat(uses)}</table>`,
    ),
  'html: a cell of many columns': (n, uses) =>
    text(
      'a.html',
      `<table><tr><td colspan=999>${long(n)}</td></tr>${'<tr><td>z</td></tr>'.repeat(uses)}</table>`,
    ),
  'html: a term of definitions': (n, uses) =>
    text('a.html', `<dl><dt>${long(n)}</dt>${'<dd>y</dd>'.repeat(uses)}</dl>`),
  'markdown: a link definition': (n, uses) =>
    text('a.md', `T\n\n[a]: http://x/${'x'.repeat(n)}\n\n${'[a] '.repeat(uses)}`),
  'markdown: the title of a definition': (n, uses) =>
    text('a.md', `T\n\n[a]: http://x/ "${long(n)}"\n\n${'[a]\n\n'.repeat(uses)}`),
  'markdown: a footnote': (n, uses) => text('a.md', `T\n\n[^a]: ${long(n)}\n\n${'y[^a] '.repeat(uses)}`),
  'markdown: a label': (n, uses) => {
    const label = 'x'.repeat(90)
    return text('a.md', `T\n\n[${label}]: http://x/${'y'.repeat(n)}\n\n${`![z][${label}]\n\n`.repeat(uses)}`)
  },
  'markdown: an anchor of the front matter': (n, uses) =>
    text('a.md', `---\na: &a ${'x'.repeat(n)}\nb: [${'*a, '.repeat(uses)}]\ntitle: b\n---\nT\n`),
  'markdown: merged keys of the front matter': (n, uses) =>
    text(
      'a.md',
      `---\na: &a {b: ${'x'.repeat(n)}}\n${repeat(uses, (i) => `c${i}: {<<: *a}\n`)}title: b\n---\nT\n`,
    ),
  'drawio: a placeholder': (n, uses) =>
    drawio(
      `<object label="a" b="${long(n)}" id="1"><mxCell vertex="1" parent="0"/></object>${repeat(uses, (i) => `<object label="%b%" placeholders="1" id="c${i}"><mxCell vertex="1" parent="1"/></object>`)}`,
    ),
  'drawio: a placeholder in one label': (n, uses) =>
    drawio(
      `<object label="${'%b%'.repeat(uses)}" b="${long(n)}" placeholders="1" id="1"><mxCell vertex="1" parent="0"/></object>`,
    ),
  'drawio: a style': (n, uses) =>
    drawio(
      `<mxCell id="1" parent="0" vertex="1" style="${'x'.repeat(n)};"/>${repeat(uses, (i) => `<mxCell id="c${i}" vertex="1" parent="1" value="y"/>`)}`,
    ),
  'drawio: the label of a container': (n, uses) =>
    drawio(
      `<mxCell id="1" parent="0" vertex="1" value="${long(n)}"/>${repeat(uses, (i) => `<mxCell id="c${i}" vertex="1" parent="1" value="y"/>`)}`,
    ),
  'drawio: an id': (n, uses) => {
    const id = 'x'.repeat(n)
    return drawio(
      `<mxCell id="${id}" parent="0" vertex="1" value="y"/>${repeat(uses, (i) => `<mxCell id="e${i}" edge="1" parent="0" source="e${i - 1}" target="0"/>`)}`,
    )
  },
  'mermaid: the label of a device': (n, uses) =>
    mermaid(`a["${long(n)}"]\n${repeat(uses, (i) => `a --> b${i}\n`)}`),
  'mermaid: the title of a group': (n, uses) =>
    mermaid(`subgraph g["${long(n)}"]\n${repeat(uses, (i) => `b${i}\n`)}end\n`),
  'mermaid: a class': (n, uses) =>
    mermaid(`classDef c fill:#f00,${'x'.repeat(n)}\n${repeat(uses, (i) => `b${i}:::c\n`)}`),
  'mermaid: the label of links of groups': (n, uses) =>
    mermaid(
      `${repeat(Math.ceil(Math.sqrt(uses)), (i) => `${i ? ' & ' : ''}a${i}`)} -- "${long(n)}" --> ${repeat(Math.ceil(Math.sqrt(uses)), (i) => `${i ? ' & ' : ''}b${i}`)}\n`,
    ),
  'flow: the title of a step that others name': (n, uses) =>
    flow('', `## Action: ${long(n)} {#a}\n\n${repeat(uses, (i) => `## Action: y {#n${i}}\n\n-> #a\n\n`)}`),
  'flow: an anchor of the front matter': (n, uses) =>
    flow(`tags: &a [${'x'.repeat(n)}]\ncategory: [${'*a, '.repeat(uses)}]\n`, '## Solution: y {#a}\n'),
  'flow: a variable': (n, uses) =>
    flow(
      '',
      `## Intake\n\n| key | label | type |\n|---|---|---|\n| k | ${long(n)} | text |\n\n${repeat(uses, (i) => `## Action: {{k}} {#n${i}}\n\n`)}`,
    ),
}

const page = (operators: string) => article('a.pdf', buildPdf({ pages: [operators] }))
const fields = (n: number, uses: number) =>
  article(
    'a.pdf',
    buildPdf({
      pages: [],
      objects: [
        { dict: '<</Type /Pages /Kids [11 0 R]>>' },
        {
          dict: `<</Type /Page /Contents 12 0 R /Resources <</Font <</F 3 0 R>>>> /Annots [${'13 0 R '.repeat(uses)}]>>`,
        },
        { dict: '<<>>', stream: `BT /F 1 Tf 1 0 0 1 5 7 Tm ${'(a) Tj '.repeat(n)} ET` },
        { dict: '<</Subtype /Widget /Rect [0 900 9 9] /AP <</N 14 0 R>>>>' },
        { dict: '<</Subtype /Form /Resources <</Font <</F 3 0 R>>>>>>', stream: 'BT /F 9 Tf (b) Tj ET' },
      ],
      trailer: '/Root <</Pages 10 0 R>>',
    }),
  )
const bigPart = (name: string, length: number) => ({
  name: `word/${name}.xml`,
  content: word(name, `–${' '.repeat(Math.min(length, 1_600_000) * 5)}`),
})

/** What fills a file alone: many small parts, of which the other generator writes 200,000 at most. */
const fills: Record<string, Build> = {
  'pdf: texts beside fields': (n, uses) => fields(n / 8, Math.min(uses, 1000)),
  'pdf: spaces beside bullets': (n, uses) =>
    page(
      `${repeat(Math.min(400, uses), () => '9 700 m 14 700 l 14 704 l 9 704 l f ')} BT /F 9 Tf 99 700 Td (a) Tj (${' '.repeat(n)}) Tj ET`,
    ),
  'pdf: object streams': (n) =>
    article(
      'a.pdf',
      buildPdf({
        pages: [pdfText('a', 50, 700)],
        objects: Array.from({ length: 3 }, () => ({
          dict: '<</Type /ObjStm /N 1 /First 6>>',
          stream: `99 0  1${' '.repeat(n * 15)}`,
        })),
      }),
    ),
  'docx: parts outside of Latin-1': (n) =>
    article(
      'a.docx',
      buildZip([
        ...docxParts(documentXml(docxParagraph('Text'))).filter(
          ({ name }) => !/styles|notes|numb/.test(name),
        ),
        ...['styles', 'numbering', 'footnotes', 'endnotes'].map((name) => bigPart(name, n)),
      ]),
    ),
  'docx: paragraphs of a cell': (n) =>
    docx(
      'word/styles.xml',
      word('styles', ''),
      `<w:tbl><w:tr><w:tc>${'<w:p/>'.repeat(n / 2)}</w:tc></w:tr></w:tbl>`,
    ),
  'docx: rows': (n) =>
    docx('word/styles.xml', word('styles', ''), `<w:tbl>${'<w:tr/>'.repeat(n / 2)}</w:tbl>`),
  'docx: lists': (n) =>
    docx(
      'word/numbering.xml',
      word(
        'numbering',
        repeat(n / 4, (i) => `<w:num w:numId="${i}"/>`),
      ),
      '',
    ),
  'docx: styles': (n) =>
    docx(
      'word/styles.xml',
      word(
        'styles',
        repeat(n / 4, (i) => `<w:style w:styleId="${i}"/>`),
      ),
      '',
    ),
  'docx: carriage returns': (n) =>
    docx('word/styles.xml', word('styles', '\r'.repeat(Math.min(8_000_000, n * 10))), ''),
  'docx: lines of a text': (n) =>
    docx(
      'word/styles.xml',
      word('styles', ''),
      `<w:p><w:r><w:t>a${'\n'.repeat(Math.min(1_700_000, n * 4))}b</w:t></w:r></w:p>`,
    ),
  'markdown: line feeds': (n) => text('a.md', `a${'\n'.repeat(Math.min(4_900_000, n * 6))}`),
  'markdown: carriage returns': (n) => text('a.md', `a${'\r'.repeat(Math.min(4_900_000, n * 6))}`),
  'markdown: columns': (n) => text('a.md', ['|a', '|-', '|b'].map((cell) => cell.repeat(n / 4)).join('\n')),
  'text: line feeds': (n) => text('a.txt', `a${'\n'.repeat(Math.min(4_900_000, n * 6))}`),
  'html: markdown in a macro': (n) =>
    text(
      'a.html',
      `<ac:structured-macro ac:name="markdown"><ac:plain-text-body><![CDATA[a${'\n'.repeat(Math.min(4_800_000, n * 6))}b]]></ac:plain-text-body></ac:structured-macro>`,
    ),
  'drawio: properties of a style': (n) =>
    drawio(`<mxCell id="1" vertex="1" parent="0" style="${' ;'.repeat(Math.min(1_900_000, n * 3))}"/>`),
  'flow: line feeds': (n) => flow('', `## Action: a {#b}\n\n${'\r'.repeat(Math.min(4_000_000, n * 5))}`),
}

/** The length of the value, and how many parts name it. A reader that copies the first takes 760 MB. */
const sizes = [
  { length: 400_000, uses: 1900 },
  { length: 60_000, uses: 900 },
  { length: 800_000, uses: 900 },
  { length: 300_000, uses: 10_000 },
]

if (import.meta.main) {
  await loadReaders()
  const count = Number(process.argv[2])
  for (const [name, build] of Object.entries({ ...builds, ...fills }))
    for (const [seed, { length, uses }] of sizes.slice(0, count).entries()) {
      const request = { ...build(length, uses), steps: jobSteps }
      const result = await measureBest(request)
      console.log(JSON.stringify({ format: name, seed, structure: `${length} × ${uses}`, ...result }))
    }
}
