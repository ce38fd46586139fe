import { jobSteps } from '#rules/budget.ts'
import { type FileRequest, loadReaders } from '#rules/files/read-file.ts'
import { measureBest } from './hostile-process.ts'
import { buildZip, documentXml, docxParagraph, docxParts } from './knowledge.ts'
import { buildPdf, pdfText } from './pdf-files.ts'

// Files with one long value that many parts name. Whoever copies the value per part takes the product of both.
// Prints what each took, as JSON lines: node --expose-gc long-values.ts

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

/** The length of the value, and how many parts name it. */
const sizes = [
  { length: 60_000, uses: 900 },
  { length: 400_000, uses: 1900 },
  { length: 800_000, uses: 900 },
  { length: 300_000, uses: 10_000 },
]

if (import.meta.main) {
  await loadReaders()
  for (const [name, build] of Object.entries(builds))
    for (const [seed, { length, uses }] of sizes.entries()) {
      const request = { ...build(length, uses), steps: jobSteps }
      const result = await measureBest(request)
      console.log(JSON.stringify({ format: name, seed, structure: `${length} × ${uses}`, ...result }))
    }
}
