import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import {
  buildDocx,
  buildZip,
  documentXml,
  docxLink,
  docxParagraph,
  docxParts,
  docxTable,
  uploadArticle,
  type ZipEntry,
} from '#test/support/knowledge.ts'
import { buildPdf, pdfText } from '#test/support/pdf-files.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const docxType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

async function convertArticle(content: Uint8Array | string, name: string, type = '') {
  const { admin } = await createAccount(service)
  const uploaded = await uploadArticle(service, admin, content, name, type)
  expect([uploaded.status, uploaded.text]).toEqual([201, expect.any(String)])
  const body = await admin.client.authoring.kbImports.convert({ import_id: uploaded.body.id })
  return body as { title: string; format: string; nodes: Record<'kind' | 'title' | 'content', string>[] }
}
const listKindsAndTexts = ({ nodes }: Awaited<ReturnType<typeof convertArticle>>) =>
  nodes.map(({ kind, title, content }) => [kind, content || title])

describe('an article', () => {
  it('KBI-07 accepts markdown, text, HTML, docx and PDF articles, and recognises them by name or type', async () => {
    expect(await convertArticle('# Fix\n\n1. One', 'fix.MD')).toMatchObject({
      format: 'markdown',
      title: 'Fix',
    })
    expect(
      await convertArticle('---\ntitle: "From the front"\n---\n1. One', 'a', 'text/markdown'),
    ).toMatchObject({
      format: 'markdown',
      title: 'From the front',
    })
    expect(await convertArticle('1. One', 'Fix it.txt')).toMatchObject({ format: 'text', title: 'Fix it' })
    expect(await convertArticle('<title>A &amp; B</title><p>Text', 'x.htm')).toMatchObject({
      format: 'html',
      title: 'A & B',
    })
    expect(await convertArticle(buildDocx(docxParagraph('Text')), 'Fix.docx')).toMatchObject({
      format: 'docx',
      title: 'Fix',
    })
    expect(await convertArticle(buildPdf({ pages: [pdfText('Fix it', 50, 700)] }), 'Fix.pdf')).toMatchObject({
      format: 'pdf',
      title: 'Fix',
    })
    expect(
      listKindsAndTexts(await convertArticle(Buffer.from('\ufeffDrücken Sie 1️⃣', 'utf16le'), 'a.txt')),
    ).toEqual([['note', 'Drücken Sie 1️⃣']])
    expect(listKindsAndTexts(await convertArticle(Buffer.from('Dr\xfccken', 'latin1'), 'a.txt'))).toEqual([
      ['note', 'Drücken'],
    ])
    const { admin } = await createAccount(service)
    const content = Buffer.from(buildDocx(docxParagraph('Text'))).toString('base64')
    expect(
      await admin.client.authoring.kbImports.create({ title: 'Mine', format: 'docx', content }),
    ).toMatchObject({
      title: 'Mine',
      format: 'docx',
    })
  })

  it('keeps the headings, lists, tables and code of a Word document in order', async () => {
    const body = [
      docxParagraph('Restart the spooler', 'berschrift1'),
      docxParagraph('Only <at> night & quietly.'),
      docxParagraph('Open the console', '', [1, 0]),
      docxParagraph('as admin', '', [1, 1]),
      docxParagraph('Run this', '', [1, 0]),
      docxParagraph('net stop spooler', 'Quelltext'),
      docxParagraph('  net start spooler', 'Quelltext'),
      docxParagraph('Results', 'berschrift2'),
      docxTable([
        ['Code', 'Meaning'],
        ['5', 'Denied'],
      ]),
      docxTable([[docxParagraph('dir C:\\', 'Quelltext')]]),
      docxParagraph('a bullet', '', [2, 0]),
      docxLink('the page'),
      '<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>',
      '<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>Once</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>Once</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>',
    ].join('')
    expect(listKindsAndTexts(await convertArticle(buildDocx(body), 'a.docx', docxType))).toEqual([
      ['section', 'Restart the spooler'],
      ['note', 'Only \\<at> night & quietly.'],
      ['step', '1. Open the console\n    - as admin'],
      ['step', '2. Run this\n\n```\nnet stop spooler\n  net start spooler\n```'],
      ['section', 'Results'],
      ['note', '| Code | Meaning |\n| --- | --- |\n| 5 | Denied |'],
      ['step', '```\ndir C:\\\n```'],
      ['step', '- a bullet'],
      ['step', 'See the page (https://kb.example.com/4711)'],
      ['note', 'Once'],
    ])
  })

  it('KBI-07 returns 415 for an article of another type, 413 for more than 5 MB, and 422 for invalid content', async () => {
    const { admin, addColleague } = await createAccount(service)
    const uploadAndReadStatus = async (content: Uint8Array | string, name: string, type = '') =>
      (await uploadArticle(service, admin, content, name, type)).status
    expect([
      await uploadAndReadStatus('{\\rtf1', 'a.rtf', 'application/rtf'),
      await uploadAndReadStatus('a,b', 'a.csv'),
      await uploadAndReadStatus('x', 'a'),
    ]).toEqual([415, 415, 415])
    expect([
      await uploadAndReadStatus('PNG\u0000\u0001', 'a.md'),
      await uploadAndReadStatus('no zip', 'a.docx'),
      await uploadAndReadStatus(buildZip([{ name: 'xl/workbook.xml', content: '<a/>' }]), 'a.docx'),
    ]).toEqual([415, 415, 415])
    expect(await uploadAndReadStatus(buildDocx(docxParagraph('x')), 'a.txt')).toBe(415)
    const otherUser = await addColleague()
    const { status: tooLargeStatus } = await uploadArticle(
      service,
      otherUser,
      `${'line of text\n'.repeat(1000)}${' '.repeat(5 * 1024 * 1024)}`,
      'a.md',
    )
    expect(tooLargeStatus).toBe(413)
    await expectRefusal(
      otherUser.client.authoring.kbImports.create({
        title: 'x',
        format: 'text',
        content: ' '.repeat(5 * 1024 * 1024 + 1),
      }),
      413,
    )
    await otherUser.client.authoring.kbImports.create({
      title: 'x',
      format: 'text',
      content: `x${' '.repeat(5 * 1024 * 1024 - 1)}`,
    })
    for (const invalidBody of [
      { format: 'rtf', content: 'x' },
      { format: 'pdf', content: btoa('%PDF-1.7') },
      { format: 'docx', content: '%%%' },
      { format: 'text', content: ' \n ' },
      { format: 'text', content: 'a\u0000b' },
    ])
      expectStatus(await otherUser.call('POST', '/kb-imports', { title: 'x', ...invalidBody }), 422)
  })
})

const documentWithText = documentXml(docxParagraph('Text'))
const buildDocxWith = (entry: Partial<ZipEntry>) =>
  buildZip(
    docxParts(documentWithText).map((part) =>
      part.name === 'word/document.xml' ? { ...part, ...entry } : part,
    ),
  )
const nestedEntities = `<!DOCTYPE w [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, n) => `<!ENTITY ${'bcdefghij'[n]} "${`&${'abcdefghi'[n]};`.repeat(10)}">`).join('')}]>`
const nestTag = (tag: string, times: number) => `<${tag}>`.repeat(times)
const hostileFiles: [string, string, () => Uint8Array, number][] = [
  ['a zip bomb', 'a.docx', () => buildDocxWith({ content: Buffer.alloc(200 * 1024 * 1024, 32) }), 422],
  [
    'a zip bomb that declares a small size',
    'a.docx',
    () => buildDocxWith({ content: Buffer.alloc(64 * 1024 * 1024, 32), declaredSize: 1000 }),
    422,
  ],
  [
    '8 MB of one tag',
    'a.docx',
    () => buildDocxWith({ content: documentXml('<w:p></w:p>'.repeat(700_000)) }),
    422,
  ],
  [
    'an archive in an archive in an archive',
    'a.docx',
    () => buildZip([{ name: 'a.zip', content: buildZip([{ name: 'b.zip', content: buildDocxWith({}) }]) }]),
    415,
  ],
  [
    'a zip bomb beside the document',
    'a.docx',
    () =>
      buildZip([...docxParts(documentWithText), { name: 'x', content: 'x', declaredSize: 4_000_000_000 }]),
    422,
  ],
  [
    'thousands of files',
    'a.docx',
    () =>
      buildZip([
        ...docxParts(documentWithText),
        ...Array.from({ length: 2500 }, (_, n) => ({ name: `${n}`, content: '' })),
      ]),
    422,
  ],
  ['a too large entry count', 'a.docx', () => buildZip(docxParts(documentWithText), 1999), 422],
  [
    'manipulated paths',
    'a.docx',
    () =>
      buildZip([
        { name: '../word/document.xml', content: documentWithText },
        { name: '/word/document.xml', content: documentWithText },
        { name: 'word\\document.xml', content: documentWithText },
      ]),
    415,
  ],
  [
    'a billion laughs',
    'a.docx',
    () =>
      buildDocxWith({
        content: documentWithText
          .replace('<w:document', `${nestedEntities}<w:document`)
          .replace('Text', '&j;'),
      }),
    422,
  ],
  [
    'an external entity',
    'a.docx',
    () =>
      buildDocxWith({
        content: documentWithText.replace(
          '<w:document',
          '<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document',
        ),
      }),
    422,
  ],
  ['broken XML', 'a.docx', () => buildDocxWith({ content: documentWithText.slice(0, -20) }), 422],
  [
    'deeply nested XML',
    'a.docx',
    () => buildDocxWith({ content: documentXml(nestTag('w:tbl', 100_000)) }),
    422,
  ],
  ['a truncated file', 'a.docx', () => buildDocxWith({}).subarray(0, 700), 422],
  ['an empty document', 'a.docx', () => buildDocx(''), 422],
  ['a deeply nested page', 'a.html', () => Buffer.from(nestTag('div', 200_000)), 422],
  ['a page of deeply nested lists', 'a.html', () => Buffer.from(nestTag('ul><li', 100_000)), 422],
  ['more text than the nodes can hold', 'a.md', () => Buffer.from('Some words. '.repeat(80_000)), 422],
  ['too many paragraphs', 'a.txt', () => Buffer.from('x\n\n'.repeat(6000)), 422],
  ['a PDF without texts', 'a.pdf', () => buildPdf({ pages: ['/X Do'] }), 422],
  ['an empty file', 'a.md', () => Buffer.from(''), 422],
]

it.each(hostileFiles)(
  'refuses %s within a second, without using the import quota',
  { retry: 2 },
  async (_, name, build, status) => {
    const { admin } = await createAccount(service)
    const content = build()
    const start = performance.now()
    const response = await uploadArticle(service, admin, content, name)
    const elapsedMs = performance.now() - start
    expect([response.status, response.body.detail]).toEqual([status, expect.any(String)])
    expect(elapsedMs).toBeLessThan(1000)
    expect((await admin.client.authoring.kbImports.getQuota()).used).toBe(0)
  },
)

it.each([
  ['quotes', '>'.repeat(100_000)],
  [
    'lists',
    Array.from({ length: 2000 }, (_, n) => `${' '.repeat(n)}- x`)
      .join('\n')
      .slice(0, 800_000),
  ],
  ['brackets', '['.repeat(300_000)],
  ['pipes', '|a'.repeat(200_000)],
  ['stars', '*a '.repeat(200_000)],
  ['backticks', '`'.repeat(400_000)],
])('reads markdown with many %s in less than 3 seconds', { retry: 2 }, async (_, content) => {
  const start = performance.now()
  const { nodes } = await convertArticle(content, 'a.md')
  expect(performance.now() - start).toBeLessThan(3000)
  expect(nodes.length).toBeGreaterThan(0)
})
