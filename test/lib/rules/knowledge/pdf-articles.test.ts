import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { folderAssets } from '#platform/node/static-files.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { renderPdf } from '#rules/exports/pdf.ts'
import { readArticleFile } from '#rules/knowledge/article.ts'
import { ArticleError } from '#rules/knowledge/blocks.ts'
import { buildPdf, type PdfParts, pdfText } from '#test/support/pdf-files.ts'
import { createReport } from '#test/support/report.ts'

const readFile = (bytes: Uint8Array<ArrayBuffer>) =>
  runWithin(createBudget({ steps: jobSteps }), () => readArticleFile({ bytes, name: 'a.pdf', type: '' }))
const readPages = async (pages: readonly string[], parts: Partial<PdfParts> = {}) =>
  (await readFile(buildPdf({ pages, ...parts }))).blocks.map(
    ({ kind, level, text }) => `${kind}${level || ''}: ${text}`,
  )
const describeRefusal = (bytes: Uint8Array<ArrayBuffer>) =>
  readFile(bytes).then(
    () => 'read',
    (error: unknown) => (error instanceof ArticleError ? error.message : error),
  )

describe('KBI-18 a PDF', () => {
  it('KBI-18 has headings by size, and paragraphs of neighbouring lines', async () => {
    const page =
      pdfText('Disk of C:\\_old', 50, 750, 20) +
      pdfText('Only at night (after a', 50, 720) +
      pdfText('backup) *at once*.', 50, 708) +
      pdfText('Next paragraph.', 50, 680) +
      pdfText('Afterwards', 50, 650, 14) +
      pdfText('Done.', 50, 630)
    expect(await readPages([page])).toEqual([
      'heading1: Disk of C:\\_old',
      'text: Only at night (after a backup) \\*at once\\*.',
      'text: Next paragraph.',
      'heading2: Afterwards',
      'text: Done.',
    ])
  })

  it('KBI-18 has lists with their depth, also where a marker is drawn, and code by its font', async () => {
    const page =
      pdfText('1.', 50, 750) +
      pdfText('Open the console', 70, 750) +
      pdfText('of the server', 70, 738) +
      pdfText('as admin', 100, 726) +
      pdfText('2. Run', 50, 714) +
      pdfText('net stop spooler', 70, 702, 10, 'M') +
      pdfText('exit', 82, 690, 10, 'M')
    expect(await readPages([page])).toEqual([
      'item: 1. Open the console of the server\n    - as admin',
      'item: 2. Run',
      'code: ```\nnet stop spooler\n  exit\n```',
    ])
  })

  it('KBI-18 has tables by columns, also with cells of several lines', async () => {
    const page =
      pdfText('Step', 55, 750) +
      pdfText('Command', 150, 750) +
      pdfText('1', 50, 730) +
      pdfText('Get-Disk | where', 150, 736) +
      pdfText('Status', 150, 724) +
      pdfText('2', 50, 700) +
      pdfText('Wait', 150, 700) +
      pdfText('After the table.', 50, 660)
    expect(await readPages([page])).toEqual([
      'table: | Step | Command |\n| --- | --- |\n| 1 | Get-Disk \\| where Status |\n| 2 | Wait |',
      'text: After the table.',
    ])
  })

  it('KBI-18 has no headers, footers and page numbers, and continues a paragraph on the next page', async () => {
    const page = (n: number, text: string) =>
      pdfText('Contoso', 50, 820) + pdfText(text, 50, 700) + pdfText(`Page ${n} of 2`, 50, 20)
    expect(await readPages([page(1, 'A sentence that'), page(2, 'goes on.')])).toEqual([
      'text: A sentence that goes on.',
    ])
  })

  it('KBI-18 has the text of forms', async () => {
    const objects = [
      {
        dict: '<</Type /XObject /Subtype /Form /Matrix [1 0 0 1 0 -100]>>',
        stream: pdfText('In a form', 50, 750),
      },
    ]
    expect(await readPages(['/X Do'], { objects, resources: '/XObject <</X 10 0 R>>' })).toEqual([
      'text: In a form',
    ])
  })

  it('KBI-18 has the characters that a font maps, and letters of names', async () => {
    const map =
      'begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar <0001> <0416> endbfchar 1 beginbfrange <0002> <0003> <0061> endbfrange'
    const objects = [
      {
        dict: '<</Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 11 0 R /DescendantFonts [<</DW 500>>]>>',
      },
      { dict: '<<>>', stream: map },
      {
        dict: '<</Type /Font /Subtype /Type1 /BaseFont /Y /Encoding <</Differences [65 /eacute /uni0141 /fi]>>>>',
      },
    ]
    const page = 'BT /T 10 Tf 50 700 Td <000100020003> Tj ET BT /D 10 Tf 50 600 Td (ABCD) Tj ET'
    const fonts = { dict: '<</Font <</T 10 0 R /D 12 0 R>>>>' }
    const form = { dict: '<</Subtype /Form /Resources 13 0 R>>', stream: page }
    const resources = '/XObject <</X 14 0 R>>'
    expect(await readPages(['/X Do'], { objects: [...objects, fonts, form], resources })).toEqual([
      'text: Жab',
      'text: éŁfiD',
    ])
  })

  it.each([
    ['/f_i', 'fi'],
    ['/f_f_i', 'ffi'],
    ['/t_t.alt', 'tt'],
    ['/s_t', 'st'],
    ['/uni00660069', 'fi'],
    ['/uni0066_eacute', 'fé'],
    ['/u1F600', '😀'],
    ['/Adieresis', 'Ä'],
  ])('KBI-18 has the letters of the glyph %s', async (name, letters) => {
    const font = {
      dict: `<</Type /Font /Subtype /Type1 /BaseFont /Y /Encoding <</Differences [1 ${name}]>>>>`,
    }
    const fonts = { dict: '<</Font <</D 10 0 R>>>>' }
    const form = {
      dict: '<</Subtype /Form /Resources 11 0 R>>',
      stream: 'BT /D 10 Tf 50 600 Td (a\\001b) Tj ET',
    }
    expect(
      await readPages(['/X Do'], { objects: [font, fonts, form], resources: '/XObject <</X 12 0 R>>' }),
    ).toEqual([`text: a${letters}b`])
  })

  it('KBI-18 reads what this service exports', async () => {
    const assets = folderAssets(join(root, 'dist/assets'))
    const branding = { company: 'Northwind IT', colour: '#b4232a', footer: 'Harbour Street 12', logo: null }
    const report = createReport({})
    const pdf = await runWithin(createBudget({ steps: jobSteps }), () =>
      renderPdf(report, { branding, images: new Map(), assets }),
    )
    const { blocks } = await readFile(new Uint8Array(pdf))
    expect(blocks.map(({ text }) => text).join('\n')).toContain(report.title)
  })

  it.each([
    ['a scan', buildPdf({ pages: ['/X Do'] }), /^The PDF has no text, like a scan/],
    ['an empty page', buildPdf({ pages: [''] }), /^The PDF has no text/],
    [
      'an encrypted file',
      buildPdf({ pages: [pdfText('a', 50, 700)], trailer: '/Encrypt 9 0 R' }),
      /^The PDF is encrypted/,
    ],
    ['no page', buildPdf({ pages: [] }), /^The PDF is damaged/],
    ['half a file', buildPdf({ pages: [pdfText('a', 50, 700)] }).slice(0, 30), /^The PDF is damaged/],
    [
      'too many pages',
      buildPdf({ pages: Array.from({ length: 301 }, () => '') }),
      /^The PDF has more than 300 pages/,
    ],
    ['another format', new Uint8Array(Buffer.from('<html>')), /^The content is not pdf/],
  ])('KBI-18 refuses %s', async (_, bytes, message) => {
    expect(await describeRefusal(bytes)).toMatch(message)
  })
})
