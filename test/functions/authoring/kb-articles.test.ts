import { describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { documentOf, docxOf, link, paragraph, partsOf, sendArticle, table, type ZipEntry, zipOf } from '../../support/knowledge.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()
const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

async function converted(content: Uint8Array | string, name: string, type = '') {
  const { admin } = await newAccount(service)
  const sent = await sendArticle(service, admin, content, name, type)
  expect([sent.status, sent.text]).toEqual([201, expect.any(String)])
  const { body } = await admin.call('POST', `/kb-imports/${sent.body.id}/convert`)
  return body as { title: string; format: string; nodes: Record<'kind' | 'title' | 'content', string>[] }
}
const texts = ({ nodes }: Awaited<ReturnType<typeof converted>>) => nodes.map(({ kind, title, content }) => [kind, content || title])

describe('an article', () => {
  it('KBI-07 may be markdown, text, HTML or docx, by its name or its type', async () => {
    expect(await converted('# Fix\n\n1. One', 'fix.MD')).toMatchObject({ format: 'markdown', title: 'Fix' })
    expect(await converted('---\ntitle: "From the front"\n---\n1. One', 'a', 'text/markdown')).toMatchObject({
      format: 'markdown',
      title: 'From the front',
    })
    expect(await converted('1. One', 'Fix it.txt')).toMatchObject({ format: 'text', title: 'Fix it' })
    expect(await converted('<title>A &amp; B</title><p>Text', 'x.htm')).toMatchObject({ format: 'html', title: 'A & B' })
    expect(await converted(docxOf(paragraph('Text')), 'Fix.docx')).toMatchObject({ format: 'docx', title: 'Fix' })
    expect(texts(await converted(Buffer.from('\ufeffDrücken Sie 1️⃣', 'utf16le'), 'a.txt'))).toEqual([['note', 'Drücken Sie 1️⃣']])
    expect(texts(await converted(Buffer.from('Dr\xfccken', 'latin1'), 'a.txt'))).toEqual([['note', 'Drücken']])
    const { admin } = await newAccount(service)
    const content = Buffer.from(docxOf(paragraph('Text'))).toString('base64')
    expect((await admin.call('POST', '/kb-imports', { title: 'Mine', format: 'docx', content })).body).toMatchObject({
      title: 'Mine',
      format: 'docx',
    })
  })

  it('keeps every heading, list, table and code of a Word document in order', async () => {
    const body = [
      paragraph('Restart the spooler', 'berschrift1'),
      paragraph('Only <at> night & quietly.'),
      paragraph('Open the console', '', [1, 0]),
      paragraph('as admin', '', [1, 1]),
      paragraph('Run this', '', [1, 0]),
      paragraph('net stop spooler', 'Quelltext'),
      paragraph('  net start spooler', 'Quelltext'),
      paragraph('Results', 'berschrift2'),
      table([
        ['Code', 'Meaning'],
        ['5', 'Denied'],
      ]),
      table([[paragraph('dir C:\\', 'Quelltext')]]),
      paragraph('a bullet', '', [2, 0]),
      link('the page'),
      '<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>',
      '<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>Once</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>Once</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>',
    ].join('')
    expect(texts(await converted(docxOf(body), 'a.docx', word))).toEqual([
      ['section', 'Restart the spooler'],
      ['note', 'Only <at> night & quietly.'],
      ['step', '1. Open the console\n  - as admin'],
      ['step', '2. Run this\n\n```\nnet stop spooler\n  net start spooler\n```'],
      ['section', 'Results'],
      ['step', 'Code | Meaning\n5 | Denied\n\n```\ndir C:\\\n```'],
      ['step', '- a bullet'],
      ['step', 'See the page (https://kb.example.com/4711)'],
      ['note', 'Once'],
    ])
  })

  it('KBI-07 of another type is 415, and one over 5 MB is 413', async () => {
    const { admin, colleague } = await newAccount(service)
    const status = async (content: Uint8Array | string, name: string, type = '') =>
      (await sendArticle(service, admin, content, name, type)).status
    expect([await status('%PDF-1.7', 'a.pdf', 'application/pdf'), await status('a,b', 'a.csv'), await status('x', 'a')]).toEqual([
      415, 415, 415,
    ])
    expect([
      await status('PNG\u0000\u0001', 'a.md'),
      await status('no zip', 'a.docx'),
      await status(zipOf([{ name: 'xl/workbook.xml', content: '<a/>' }]), 'a.docx'),
    ]).toEqual([415, 415, 415])
    expect(await status(docxOf(paragraph('x')), 'a.txt')).toBe(415)
    const other = await colleague()
    const { status: over } = await sendArticle(service, other, `${'line of text\n'.repeat(1000)}${' '.repeat(5 * 1024 * 1024)}`, 'a.md')
    expect(over).toBe(413)
    expectStatus(await other.call('POST', '/kb-imports', { title: 'x', format: 'text', content: ' '.repeat(5 * 1024 * 1024 + 1) }), 413)
    expectStatus(
      await other.call('POST', '/kb-imports', { title: 'x', format: 'text', content: `x${' '.repeat(5 * 1024 * 1024 - 1)}` }),
      201,
    )
    for (const wrong of [
      { format: 'pdf', content: 'x' },
      { format: 'docx', content: '%%%' },
      { format: 'text', content: ' \n ' },
      { format: 'text', content: 'a\u0000b' },
    ])
      expectStatus(await other.call('POST', '/kb-imports', { title: 'x', ...wrong }), 422)
  })
})

const body = documentOf(paragraph('Text'))
const withDocument = (entry: Partial<ZipEntry>) =>
  zipOf(partsOf(body).map((part) => (part.name === 'word/document.xml' ? { ...part, ...entry } : part)))
const laughs = `<!DOCTYPE w [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, n) => `<!ENTITY ${'bcdefghij'[n]} "${`&${'abcdefghi'[n]};`.repeat(10)}">`).join('')}]>`
const deep = (tag: string, times: number) => `<${tag}>`.repeat(times)
const hostile: [string, string, () => Uint8Array, number][] = [
  ['a bomb', 'a.docx', () => withDocument({ content: Buffer.alloc(200 * 1024 * 1024, 32) }), 422],
  ['a bomb that lies of its size', 'a.docx', () => withDocument({ content: Buffer.alloc(64 * 1024 * 1024, 32), claimed: 1000 }), 422],
  ['8 MB of a tag', 'a.docx', () => withDocument({ content: documentOf('<w:p></w:p>'.repeat(700_000)) }), 422],
  [
    'an archive in an archive in an archive',
    'a.docx',
    () => zipOf([{ name: 'a.zip', content: zipOf([{ name: 'b.zip', content: withDocument({}) }]) }]),
    415,
  ],
  ['a bomb beside the document', 'a.docx', () => zipOf([...partsOf(body), { name: 'x', content: 'x', claimed: 4_000_000_000 }]), 422],
  [
    'thousands of files',
    'a.docx',
    () => zipOf([...partsOf(body), ...Array.from({ length: 2500 }, (_, n) => ({ name: `${n}`, content: '' }))]),
    422,
  ],
  ['more entries than there are', 'a.docx', () => zipOf(partsOf(body), 1999), 422],
  [
    'tricks with paths',
    'a.docx',
    () =>
      zipOf([
        { name: '../word/document.xml', content: body },
        { name: '/word/document.xml', content: body },
        { name: 'word\\document.xml', content: body },
      ]),
    415,
  ],
  [
    'a billion laughs',
    'a.docx',
    () => withDocument({ content: body.replace('<w:document', `${laughs}<w:document`).replace('Text', '&j;') }),
    422,
  ],
  [
    'an entity from elsewhere',
    'a.docx',
    () =>
      withDocument({
        content: body.replace('<w:document', '<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document'),
      }),
    422,
  ],
  ['broken XML', 'a.docx', () => withDocument({ content: body.slice(0, -20) }), 422],
  ['deep XML', 'a.docx', () => withDocument({ content: documentOf(deep('w:tbl', 100_000)) }), 422],
  ['half a file', 'a.docx', () => withDocument({}).subarray(0, 700), 422],
  ['an empty document', 'a.docx', () => docxOf(''), 422],
  ['a deep page', 'a.html', () => Buffer.from(deep('div', 200_000)), 422],
  ['a page of deep lists', 'a.html', () => Buffer.from(deep('ul><li', 100_000)), 422],
  ['more text than nodes hold', 'a.md', () => Buffer.from('Some words. '.repeat(80_000)), 422],
  ['more paragraphs than anybody reads', 'a.txt', () => Buffer.from('x\n\n'.repeat(6000)), 422],
  ['nothing', 'a.md', () => Buffer.from(''), 422],
]

it.each(hostile)('refuses %s at once, and counts nothing', async (_, name, make, status) => {
  const { admin } = await newAccount(service)
  const content = make()
  const before = performance.now()
  const answer = await sendArticle(service, admin, content, name)
  const took = performance.now() - before
  expect([answer.status, answer.body.detail]).toEqual([status, expect.any(String)])
  expect(took).toBeLessThan(1000)
  expect((await admin.call('GET', '/kb-imports/quota')).body.used).toBe(0)
})

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
])('reads markdown of %s in its time', async (_, content) => {
  const before = performance.now()
  const { nodes } = await converted(content, 'a.md')
  expect(performance.now() - before).toBeLessThan(3000)
  expect(nodes.length).toBeGreaterThan(0)
})
