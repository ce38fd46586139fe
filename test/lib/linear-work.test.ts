import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readForm } from '#http/form.ts'
import { Problem } from '#problem.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { parseDrawio } from '#rules/diagrams/drawio.ts'
import { DiagramFileError } from '#rules/diagrams/file-error.ts'
import { parseMermaid } from '#rules/diagrams/mermaid.ts'
import { fillMarkdown } from '#rules/flows/fill-markdown.ts'
import { createAnswerValidator } from '#rules/flows/intake-answers.ts'
import { checkFlowMarkdown } from '#rules/flows/markdown/read.ts'
import { readArticleFile } from '#rules/knowledge/article.ts'
import { ArticleError, type Block } from '#rules/knowledge/blocks.ts'
import { buildNodes } from '#rules/knowledge/nodes.ts'
import { splitIntoSegments } from '#rules/knowledge/segments.ts'
import { escapeMarkdown, toMarkdown } from '#rules/markup/markdown.ts'
import { maskMarkdown } from '#rules/masking/mask-markdown.ts'
import { validateTemplate } from '#rules/scripts/render.ts'
import { writeCsv } from '#rules/text/csv.ts'
import { findUnstorableText, isTooDeep } from '#rules/text/json.ts'
import { joinLines } from '#rules/text/lines.ts'
import { readBlocksOf } from '#test/support/articles.ts'
import { buildDocx, buildZip, documentXml, docxParagraph, docxParts } from '#test/support/knowledge.ts'
import { measureBestCpuTimeMs, measureCpuTimeMs, measureThreadCpuTimeMs } from '#test/support/measure.ts'
import { someByDay } from '#test/support/night.ts'
import { buildPdf, pdfText } from '#test/support/pdf-files.ts'
import { readNotes } from '#vendors/psa/halopsa-wire.ts'
import { inspectImage } from '#vendors/uploads/inspect.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A file whose hostile part is `size` times as long as one of it, and the size to start with. */
type HostileFile<T> = [name: string, size: number, build: (size: number) => T]

const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join('')

/** Read a file. A refusal is fine; any other error would be answered with 500. */
async function readOrRefuse(read: () => unknown): Promise<void> {
  try {
    await read()
  } catch (error) {
    if (!(error instanceof Problem || error instanceof ArticleError || error instanceof DiagramFileError))
      throw error
  }
}

/**
 * A job may cause a second of work. It takes up to twice as long on a machine whose caches other processes
 * use.
 */
const maxMs = 2000
/** The time of small files varies by 20 ms, on a machine three times slower by three times as much. */
const toleranceMs = 60

const maxRounds = 3

/**
 * Expect that four times the hostile part takes about four times as long, and never longer than a job may
 * take. Quadratic work takes 16 times as long in every round; a busy machine disturbs single rounds.
 */
async function expectLinear<T>(
  size: number,
  build: (size: number) => T,
  read: (file: T) => unknown,
): Promise<void> {
  const [file, fourTimes] = [build(size), build(size * 4)]
  const measurements: { ms: number; msOfFourTimes: number }[] = []
  const isLinear = () =>
    measurements.some(({ ms, msOfFourTimes }) => msOfFourTimes < Math.min(maxMs, 8 * ms + toleranceMs))
  while (measurements.length < maxRounds && !isLinear()) {
    const ms = await measureBestCpuTimeMs(() => readOrRefuse(() => read(file)))
    // Once, because the code is compiled by now, and most are linear in the first round.
    measurements.push({
      ms,
      msOfFourTimes: await measureThreadCpuTimeMs(() => readOrRefuse(() => read(fourTimes))),
    })
  }
  expect([measurements, isLinear()]).toEqual([measurements, true])
}

const buildAllNodes = (blocks: readonly Block[]) =>
  buildNodes(splitIntoSegments(blocks).segments, [], () => 'id')
const readDocx = async (bytes: Bytes) =>
  buildAllNodes(
    (await runWithin(createBudget(), () => readArticleFile({ bytes, name: 'a.docx', type: '' }))).blocks,
  )
const readText = (format: 'html' | 'markdown' | 'text') => (content: string) =>
  buildAllNodes(readBlocksOf(format, content))

const buildWith = (name: string, content: string, body = docxParagraph('Text')) =>
  buildZip([...docxParts(documentXml(body)).filter((part) => part.name !== name), { name, content }])
const numbering = (formats: string, uses: string) =>
  buildWith(
    'word/numbering.xml',
    `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="7">${formats}</w:abstractNum><w:num w:numId="1">${uses}</w:num></w:numbering>`,
  )
const listLevel = (depth: string) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="1"/></w:numPr></w:pPr><w:t>a</w:t></w:p>`
const target = (address: string) =>
  `<Relationships><Relationship Id="rId9" Target="${address}" TargetMode="External"/></Relationships>`
const nestedTables = (content: string, depth: number) =>
  `${'<w:tbl><w:tr><w:tc>'.repeat(depth)}${content}${'</w:tc></w:tr></w:tbl>'.repeat(depth)}`

describe('a Word document', () => {
  const files: HostileFile<Bytes>[] = [
    [
      'list formats and uses',
      3000,
      (n) => numbering('<w:numFmt w:val="decimal"/>'.repeat(n), '<w:abstractNumId w:val="7"/>'.repeat(n)),
    ],
    [
      'levels and uses of a list',
      2000,
      (n) =>
        numbering(
          repeat(n, (i) => `<w:lvl w:ilvl="${i}"/><w:numFmt w:val="a"/>`),
          '<w:abstractNumId w:val="7"/>'.repeat(n),
        ),
    ],
    [
      'links of one paragraph',
      4000,
      (n) => buildDocx(`<w:p>${'<w:hyperlink r:id="rId9"><w:t>y</w:t></w:hyperlink>'.repeat(n)}</w:p>`),
    ],
    [
      'links after white space',
      4000,
      (n) =>
        buildDocx(`<w:p><w:t>${' '.repeat(n * 10)}</w:t>${'<w:hyperlink r:id="rId9"/>'.repeat(n)}</w:p>`),
    ],
    ['paragraphs of a nested table', 40_000, (n) => buildDocx(nestedTables('<w:p/>'.repeat(n), 2))],
    ['paragraphs of tables nested 90 times', 10_000, (n) => buildDocx(nestedTables('<w:p/>'.repeat(n), 90))],
    [
      'links that repeat a long address',
      500,
      (n) =>
        buildWith(
          'word/_rels/document.xml.rels',
          target(`http:${'x'.repeat(n * 10)}`),
          `<w:p>${'<w:hyperlink r:id="rId9"/>'.repeat(n)}</w:p>`,
        ),
    ],
    [
      'paragraphs of a style with a long name',
      2000,
      (n) => {
        const styles = `<w:styles xmlns:w="w"><w:style w:styleId="a"><w:name w:val="${'x'.repeat(n * 10)}"/></w:style></w:styles>`
        return buildWith(
          'word/styles.xml',
          styles,
          '<w:p><w:pPr><w:pStyle w:val="a"/></w:pPr></w:p>'.repeat(n),
        )
      },
    ],
    ['carriage returns', 400_000, (n) => buildDocx(`<w:p><w:t>${'\r'.repeat(n)}</w:t></w:p>`)],
    ['attributes of a tag', 10_000, (n) => buildDocx(`<w:p ${repeat(n, (i) => `a${i}="1"`)}/>`)],
    ['tags', 10_000, (n) => buildDocx('<w:p/>'.repeat(n))],
    ['list items', 1000, (n) => buildDocx(listLevel('3').repeat(n))],
  ]
  it.each(someByDay(files, 4))('WIR-30 takes linear time for many %s', (_, size, build) =>
    expectLinear(size, build, readDocx),
  )

  it.each(['-Infinity', '-1000000000', '0.5', '1e9'])(
    'WIR-30 ends for a list level with the depth %s',
    async (depth) => {
      await readOrRefuse(() => readDocx(buildDocx(listLevel(depth))))
      expect(depth).not.toBe('')
    },
  )

  it.each(['__proto__', 'constructor', 'toString'])(
    'WIR-30 ignores an element with the name %s',
    async (name) => {
      await expect(readDocx(buildDocx(`<w:p><w:t>a</w:t></w:p><${name}></${name}>`))).resolves.toHaveLength(1)
    },
  )
})

describe('a PDF', () => {
  const readPdf = async (bytes: Bytes) =>
    buildAllNodes(
      (
        await runWithin(createBudget({ steps: jobSteps }), () =>
          readArticleFile({ bytes, name: 'a.pdf', type: '' }),
        )
      ).blocks,
    )
  const page = (content: string) => buildPdf({ pages: [content] })
  const line = pdfText('a', 50, 700)
  const bytes = (text: string) => new Uint8Array(Buffer.from(`%PDF-${text}`))
  const form = (content: string) =>
    buildPdf({
      pages: [content],
      objects: [{ dict: '<</Subtype /Form>>', stream: line + content }],
      resources: '/XObject <</X 10 0 R>>',
    })
  const files: HostileFile<Bytes>[] = [
    ['lines', 2000, (n) => page(line.repeat(n))],
    [
      'lines of a table',
      1000,
      (n) => page(repeat(n, (i) => pdfText('a', 50, 90_000 - i * 12) + pdfText('b', 200, 90_000 - i * 12))),
    ],
    ['cells of a line', 1000, (n) => page(repeat(n, (i) => pdfText('a', i * 30, 700)))],
    ['items', 1000, (n) => page(repeat(n, (i) => pdfText('1. a', 50 + (i % 50) * 12, 90_000 - i * 12)))],
    ['pages', 60, (n) => buildPdf({ pages: Array.from({ length: n }, () => line) })],
    ['drawings of a form that draws itself', 1, (n) => form('/X Do '.repeat(n * 2))],
    ['open values', 20_000, (n) => bytes('1 0 obj << /A ['.repeat(n))],
    ['trailers in trailers', 5000, (n) => bytes('trailer<</A '.repeat(n))],
    ['streams without an end', 20_000, (n) => bytes('1 0 obj<<>>stream\n'.repeat(n))],
    ['words before an object', 100_000, (n) => bytes('1 '.repeat(n))],
    [
      'ranges of a font',
      2000,
      (n) =>
        buildPdf({
          pages: ['/X Do'],
          objects: [
            {
              dict: '<</Subtype /Form /Resources <</Font <</T 11 0 R>>>>>>',
              stream: `BT /T 1 Tf <${'0001ffff'.repeat(n)}> Tj ET`,
            },
            { dict: '<</Subtype /Type0 /ToUnicode 12 0 R>>' },
            { dict: '<<>>', stream: `${'<0000> <0001> <0041> '.repeat(n)}endbfrange` },
          ],
          resources: '/XObject <</X 10 0 R>>',
        }),
    ],
    [
      'visits of a page with many keys',
      100,
      (n) =>
        buildPdf({
          pages: [line],
          objects: [
            { dict: `<</Type /Pages /Kids [${'11 0 R '.repeat(n)}]>>` },
            { dict: `<</Type /Page ${repeat(n * 50, (i) => `/K${i} 0`)}>>` },
          ],
          trailer: '/Root <</Pages 10 0 R>>',
        }),
    ],
    ['pieces of a cell', 10_000, (n) => page(`BT /F 1 Tf ${'(a) Tj '.repeat(n)}ET`)],
    ['divided lines', 4000, (n) => page(repeat(n, (i) => pdfText('a-', 50, 90_000 - i * 12)))],
    ['sizes of headings', 3000, (n) => page(repeat(n, (i) => pdfText('a', 50, 700 - i, 9 + i / 2)))],
    [
      'cells of rows that follow each other',
      60,
      (n) => page(repeat(n, (i) => repeat(40, (k) => pdfText('a', k * 30, 90_000 - i * 12)))),
    ],
    ['digits of a text', 500_000, (n) => page(`BT /F 1 Tf <${'41'.repeat(n)}> Tj ET`)],
    ['characters of a text', 100_000, (n) => page(`BT /F 1 Tf (${'a'.repeat(n)}) Tj ET`)],
    [
      'numbers of the place of a form',
      20_000,
      (n) =>
        buildPdf({
          pages: ['/X Do '.repeat(n / 100)],
          objects: [{ dict: `<</Subtype /Form /Matrix [${'1 '.repeat(n)}]>>`, stream: line }],
          resources: '/XObject <</X 10 0 R>>',
        }),
    ],
    ['spaces after decompression', 1_000_000, (n) => page(' '.repeat(n))],
  ]
  it.each(someByDay(files, 4))('WIR-30 takes linear time for many %s', (_, size, build) =>
    expectLinear(size, build, readPdf),
  )

  it('WIR-30 refuses forms that draw each other many times', { retry: 2 }, async () => {
    const names = Array.from({ length: 9 }, (_, i) => `/X${i} ${10 + i} 0 R`).join(' ')
    const objects = Array.from({ length: 9 }, (_, i) => ({
      dict: '<</Subtype /Form>>',
      stream: `/X${i + 1} Do `.repeat(8),
    }))
    const file = buildPdf({ pages: ['/X0 Do'], objects, resources: `/XObject <<${names}>>` })
    const before = process.threadCpuUsage()
    await expect(readPdf(file)).rejects.toBeInstanceOf(Problem)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(maxMs)
  })
  it('WIR-30 refuses contents of more than 16 MiB', async () => {
    await expect(readPdf(page(' '.repeat(17 * 1024 * 1024)))).rejects.toThrow(
      'The PDF is too large after decompression',
    )
  })
})

describe('an HTML page', () => {
  const link = '<a href=http:x>y</a>'
  const files: HostileFile<string>[] = [
    ['links of one paragraph', 4000, (n) => link.repeat(n)],
    ['links after white space', 4000, (n) => `http:x${' '.repeat(n * 10)}${'<a href=http:x></a>'.repeat(n)}`],
    ['links of a code block', 4000, (n) => `<pre>${link.repeat(n)}`],
    ['links of a table cell', 4000, (n) => `<table><tr><td>${link.repeat(n)}</table>`],
    ['lines of a deeply nested list', 20_000, (n) => `${'<ul><li>a'.repeat(95)}${'b<br>'.repeat(n)}`],
    ['attributes of a tag', 10_000, (n) => `<a ${repeat(n, (i) => `a${i}=1 `)}>`],
    ['tags', 20_000, (n) => '<b>'.repeat(190) + '</p>'.repeat(n)],
    ['titles of link lists', 5000, (n) => '<p>Share</p>'.repeat(n)],
    ['items of a table of contents', 5000, (n) => `<ul>${'<li><a href="#a">b</a></li>'.repeat(n)}</ul>`],
    ['empty elements in nested elements', 5000, (n) => '<i>'.repeat(150) + '<b></b>'.repeat(n)],
    ['names of a class', 5000, (n) => `<div class="${'has-a toc-b '.repeat(n)}">a</div>`.repeat(5)],
    [
      'cells over many rows and columns',
      3000,
      (n) => `<table>${'<tr><td rowspan=999 colspan=999>a<td>b'.repeat(n)}</table>`,
    ],
    [
      'rows below a cell of many columns',
      5000,
      (n) => `<table><tr><td colspan=99>a<td>b${'<tr><td>a<td>b'.repeat(n)}</table>`,
    ],
    ['lists in table cells', 3000, (n) => `<table>${'<tr><td><ul><li>a<li>b</ul><td>c'.repeat(n)}</table>`],
    ['open comments', 20_000, (n) => '<!--'.repeat(n)],
  ]
  it.each(someByDay(files, 4))('WIR-30 takes linear time for many %s', (_, size, build) =>
    expectLinear(size, build, readText('html')),
  )
})

describe('a markdown or plain text', () => {
  const files: HostileFile<string>[] = [
    ['lines of a nested quote', 20_000, (n) => `${'> '.repeat(90)}a\n${'b\n'.repeat(n)}`],
    ['lines of a nested list', 10_000, (n) => `${'- '.repeat(45)}a\n${'b\n'.repeat(n)}`],
    ['table columns', 10_000, (n) => `|${'a|'.repeat(n)}\n|${'-|'.repeat(n)}\n|${'a|'.repeat(n)}`],
    ['tables', 5000, (n) => 'a|b\n-|-\n'.repeat(n)],
    ['brackets', 50_000, (n) => '['.repeat(n)],
    ['unfinished links in a title', 1600, (n) => '[]('.repeat(n)],
    ['marks in a title', 1200, (n) => '**a '.repeat(n)],
    [
      'quotation marks in the title of the front matter',
      600,
      (n) => `---\na: b\ntitle: ${' "'.repeat(n)}x\n---\ntext`,
    ],
    ['items', 1000, (n) => '- a\n'.repeat(n)],
    ['options of an item', 1000, (n) => `1. a?\n${'   - If a\n'.repeat(n)}`],
    ['decisions', 300, (n) => 'a?\n\n- If a\n- If b\n\n'.repeat(n)],
    ['embedded pictures without an end', 3000, (n) => '![a](data:'.repeat(n)],
    ['references', 3000, (n) => `[a]: http://x.example/a\n\n${'[a] '.repeat(n)}`],
    ['open brackets', 20_000, (n) => `[a]: http://x.example/a\n\n${'['.repeat(n)}`],
    ['comments', 5000, (n) => '<!-- a\n-->'.repeat(n)],
    ['definitions', 5000, (n) => `${repeat(n, (i) => `[${i}]: http://x.example\n`)}\n[1]`],
    ['headings of every level', 300, (n) => repeat(n, (i) => `${'#'.repeat((i % 6) + 1)} a\n\nb\n\n`)],
  ]
  it.each(someByDay(files, 4))('WIR-30 takes linear time for many %s in markdown', (_, size, build) =>
    expectLinear(size, build, readText('markdown')),
  )
  it.each(someByDay(files, 4))('WIR-30 takes linear time for many %s in text', (_, size, build) =>
    expectLinear(size, build, readText('text')),
  )
})

describe('a draw.io file', () => {
  const file = (cells: string) =>
    `<mxfile><diagram name="a"><mxGraphModel><root>${cells}</root></mxGraphModel></diagram></mxfile>`
  const compress = (xml: string) =>
    `<mxfile><diagram>${deflateRawSync(encodeURIComponent(xml)).toString('base64')}</diagram></mxfile>`
  const files: HostileFile<string>[] = [
    [
      'cells in one object with a long label',
      1000,
      (n) => file(`<object label="${'x'.repeat(n * 20)}">${'<mxCell/>'.repeat(n)}</object>`),
    ],
    ['unknown tags', 20_000, (n) => file('<a/>'.repeat(n))],
    ['compressed tags', 20_000, (n) => compress(file('<a/>'.repeat(n)))],
    ['brackets in a label', 20_000, (n) => file(`<mxCell vertex="1" id="a" value="${'&lt;'.repeat(n)}"/>`)],
    [
      'cells in a circle',
      4000,
      (n) => file(repeat(n, (i) => `<mxCell vertex="1" id="${i}" parent="${(i + 1) % n}"/>`)),
    ],
    [
      'placeholders',
      3000,
      (n) =>
        file(
          `<object id="a" b="c" placeholders="1" label="${'%b% '.repeat(n)}"><mxCell vertex="1"/></object>`,
        ),
    ],
    [
      'groups in each other',
      1000,
      (n) =>
        file(repeat(n, (i) => `<mxCell vertex="1" id="${i}" parent="${i % 20 ? i - 1 : ''}" value="a"/>`)),
    ],
    ['elements of an SVG file', 10_000, (n) => `<svg>${'<g content="a">'.repeat(n)}`],
    ['elements of an HTML file', 10_000, (n) => `<div data-mxgraph=''>${'<p>'.repeat(n)}`],
    ['pages', 10_000, (n) => file('').replace('</mxfile>', `${'<diagram/>'.repeat(n)}</mxfile>`)],
  ]
  it.each(someByDay(files, 4))('WIR-30 takes linear time for many %s', (_, size, build) =>
    expectLinear(size, build, (file) =>
      runWithin(createBudget({ steps: jobSteps }), () => parseDrawio(file, 1)),
    ),
  )
})

describe('a mermaid flowchart', () => {
  const files: HostileFile<string>[] = [
    ['open labels', 10_000, (n) => `graph\n${'a['.repeat(n)}`],
    ['open labels on lines', 10_000, (n) => `graph\n${'a[\n'.repeat(n)}`],
    ['open texts', 10_000, (n) => `graph\n${'a["x\n'.repeat(n)}`],
    ['nodes', 10_000, (n) => `graph\na${' & a[b]'.repeat(n)}`],
    ['links', 2000, (n) => `graph\n${'a --- b\n'.repeat(n)}`],
    ['dashes', 100_000, (n) => `graph\na ${'-'.repeat(n)}`],
    ['dots', 100_000, (n) => `graph\na -${'.'.repeat(n)}`],
    ['open link labels', 10_000, (n) => `graph\n${'a -- b\n'.repeat(n)}`],
    ['open link labels on a line', 10_000, (n) => `graph\n${'a -->|b '.repeat(n)}`],
    ['invisible links', 10_000, (n) => `graph\n${'a ~~~ b\n'.repeat(n)}`],
    ['subgraphs', 400, (n) => `graph\n${repeat(n, (i) => `subgraph g${i}\na\nend\n`)}`],
    ['ends', 20_000, (n) => `graph\n${'end\n'.repeat(n)}`],
    ['entity codes', 20_000, (n) => `graph\na["${'#35;'.repeat(n)}"]`],
    ['lines of the front matter', 20_000, (n) => `---\n${'a: b\n'.repeat(n)}---\ngraph`],
    ['lines of an open front matter', 20_000, (n) => `---\n${'a: b\n'.repeat(n)}graph`],
  ]
  const read = (text: string) => {
    try {
      runWithin(createBudget({ steps: jobSteps }), () => parseMermaid(text))
    } catch (error) {
      if (!(error instanceof DiagramFileError)) throw error
    }
  }
  it.each(someByDay(files, 4))('WIR-30 takes linear time for many %s', (_, size, build) =>
    expectLinear(size, build, read),
  )
})

describe('a flow in markdown', () => {
  const file = (body: string, name = 'a') => `---\nname: ${name}\ntype: troubleshooting\n---\n${body}`
  const files: HostileFile<string>[] = [
    ['headings', 20_000, (n) => file('## Solution: a\n'.repeat(n))],
    ['options', 20_000, (n) => file(`## Decision: a\n${'- a -> #b\n'.repeat(n)}`)],
    ['attributes', 40_000, (n) => file(`## Solution: a {#a ${'a=b '.repeat(n)}}`)],
    ['cells of the intake table', 100_000, (n) => file(`## Intake\n|${'a|'.repeat(n)}`)],
    ['open fences', 40_000, (n) => file(`## Solution: a\n${'```\n'.repeat(n)}`)],
    ['brackets in the front matter', 3000, (n) => file('', '['.repeat(n))],
    ['lists in the front matter', 3000, (n) => file('', '- '.repeat(n))],
    ['circles', 100, (n) => file(repeat(n, (i) => `## Action: a {#n${i}}\n-> #n${(i + 1) % n}\n`))],
  ]
  it.each(someByDay(files, 4))('WIR-30 takes linear time for many %s', (_, size, build) =>
    expectLinear(size, build, (text) =>
      runWithin(createBudget({ steps: Number.POSITIVE_INFINITY }), () => checkFlowMarkdown(text)),
    ),
  )
})

describe('a text of an export', () => {
  const texts: HostileFile<string>[] = [
    ['spaces before a line break', 15_000, (n) => `${' '.repeat(n)}x\nx`],
    ['line breaks', 50_000, (n) => '\n '.repeat(n)],
    ['starts of paths', 3000, (n) => '(C:\\_*'.repeat(n)],
    ['backticks', 10_000, (n) => '`` '.repeat(n)],
  ]
  it.each(someByDay(texts, 3))('WIR-30 takes linear time for many %s', (_, size, build) =>
    expectLinear(size, build, joinLines),
  )
  it.each(someByDay(texts, 3))('WIR-30 takes linear time for many %s in markdown', (_, size, build) =>
    expectLinear(size, build, escapeMarkdown),
  )
  const fill = (text: string) =>
    fillMarkdown(toMarkdown(`${text} {{a}} ${'`{{a}}`'.repeat(10)}`), { a: text })
  it.each(someByDay(texts, 3))('WIR-30 takes linear time for many %s as a value', (_, size, build) =>
    expectLinear(size, build, fill),
  )
  const maskEscaped = (text: string) =>
    runWithin(createBudget({ steps: Number.POSITIVE_INFINITY }), () =>
      maskMarkdown(`password ${text}`, (plain) => plain.replaceAll('x', '[masked secret]')),
    )
  it.each(someByDay(texts, 3))('WIR-30 takes linear time for many %s that are masked', (_, size, build) =>
    expectLinear(size, build, maskEscaped),
  )
  it.each(someByDay(texts, 3))('WIR-30 takes linear time for many %s in CSV', (_, size, build) =>
    expectLinear(size, build, (text) => writeCsv([[text]])),
  )
})

describe('a note of a ticket', () => {
  const read = (note_html: string) => readNotes({ actions: [{ id: 1, note_html }] })
  const notes: HostileFile<string>[] = [
    ['open tags', 20_000, (n) => '<'.repeat(n)],
    ['nested elements that are closed by other names', 1000, (n) => `${'<b>'.repeat(n)}${'</i>'.repeat(n)}`],
    ['links', 1000, (n) => '<a href=http:x>a'.repeat(n)],
    ['lines', 5000, (n) => ' <br>'.repeat(n)],
  ]
  it.each(someByDay(notes, 3))('WIR-30 takes linear time for many %s', (_, size, build) =>
    expectLinear(size, build, read),
  )
  it('WIR-30 takes bounded time for many long notes', () =>
    expectLinear(
      100,
      (n) => Array.from({ length: n }, (_, id) => ({ id, note_html: '<b>x</b>'.repeat(8000) })),
      (actions) => readNotes({ actions }),
    ))
})

describe('a script', () => {
  const texts: HostileFile<string>[] = [
    ['placeholders without a parameter', 8000, (n) => '{{b}}\n'.repeat(n)],
    ['open escapes', 10_000, (n) => '{{!\n'.repeat(n)],
  ]
  const parameters_schema = [{ name: 'a', label: 'A', type: 'string' as const, required: true }]
  it.each(someByDay(texts, 3))('WIR-30 takes linear time for many %s', (_, size, build) =>
    expectLinear(size, build, (script_body) =>
      validateTemplate({ language: 'bash', script_body, parameters_schema }),
    ),
  )
})

describe('an image', () => {
  const start = Buffer.from('89504e470d0a1a0a', 'hex')
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const png = (others: Buffer) => {
    const header = chunk('IHDR', Buffer.from('00000001000000010806000000', 'hex'))
    return Buffer.concat([
      start,
      header,
      others,
      chunk('IDAT', Buffer.alloc(1)),
      chunk('IEND', Buffer.alloc(0)),
    ])
  }
  const files: HostileFile<Buffer>[] = [
    ['PNG chunks', 10_000, (n) => png(Buffer.alloc(n * 12, chunk('tEXt', Buffer.alloc(0))))],
    ['brackets in a PNG text', 500_000, (n) => png(chunk('tEXt', Buffer.alloc(n, '<')))],
    [
      'JPEG segments',
      10_000,
      (n) => Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(n * 4, 'ffe10002', 'hex')]),
    ],
    ['JPEG fill bytes', 500_000, (n) => Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(n, 0xff)])],
    [
      'GIF blocks',
      500_000,
      (n) =>
        Buffer.concat([
          Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0!\u00fe', 'latin1'),
          Buffer.alloc(n * 2, '\u0001a'),
        ]),
    ],
  ]
  it.each(someByDay(files, 4))('WIR-30 takes linear time for many %s', (_, size, build) =>
    expectLinear(size, (n) => new Uint8Array(build(n)), inspectImage),
  )
})

describe('a request body', () => {
  const part = '--a\r\ncontent-disposition: form-data; name="x"\r\n\r\n\r\n'
  const mediaTypes = [
    'multipart/form-data; boundary=a',
    'multipart/form-data; xboundary=ZZZZ; boundary=a',
    'multipart/form-data; x="; boundary=ZZZZ"; BOUNDARY="a"',
    'multipart/form-data; boundary=ZZZZ; boundary=a',
  ]
  it.each(mediaTypes)('WIR-30 takes linear time for many form parts with the type %s', (type) =>
    expectLinear(
      8000,
      (n) => new TextEncoder().encode(`${part.repeat(n)}--a--`),
      (body) => readForm(body, type, []),
    ),
  )

  const texts: HostileFile<string>[] = [
    ['brackets', 250_000, (n) => '['.repeat(n)],
    ['texts that cannot be stored', 20_000, (n) => JSON.stringify(Array(n).fill('\0'))],
    ['keys', 20_000, (n) => `{${repeat(n, (i) => `"k${i}":1,`)}"k":1}`],
    ['deep lists', 4000, (n) => `[${`${'['.repeat(30)}1${']'.repeat(30)},`.repeat(n)}1]`],
  ]
  it.each(someByDay(texts, 3))('WIR-30 takes linear time for many %s in JSON', (_, size, build) =>
    expectLinear(size, build, (json) => isTooDeep(json) || findUnstorableText(JSON.parse(json), ['body'])),
  )
})

it('WIR-30 refuses a batch whose patterns take too much work, in less than a second', () => {
  const patterns = ['(\\w?){490}', '(?:a?){300}a{190}']
  for (const pattern of patterns) {
    const form = Array.from({ length: 10 }, (_, index) => ({
      key: `k${index}`,
      label: 'K',
      type: 'text' as const,
      required: true,
      pattern,
    }))
    const answers = Object.fromEntries(form.map(({ key }) => [key, 'a'.repeat(1000)]))
    const validateBatch = () => {
      const validateAnswers = createAnswerValidator(form, { complete: true })
      for (let targets = 0; targets < 100; targets++) validateAnswers(answers)
    }
    expect(measureCpuTimeMs(() => expect(validateBatch).toThrow(Problem))).toBeLessThan(maxMs)
  }
})
