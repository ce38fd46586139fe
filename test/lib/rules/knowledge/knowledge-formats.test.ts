import { describe, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { readArticleFile, readArticleText } from '#rules/knowledge/article.ts'
import { ArticleError } from '#rules/knowledge/blocks.ts'
import { readBlocksOf } from '#test/support/articles.ts'
import { buildDocx, docxParagraph } from '#test/support/knowledge.ts'

const encode = (content: string, encoding: BufferEncoding = 'utf8') =>
  new Uint8Array(Buffer.from(content, encoding))
const readFile = (content: string | Uint8Array<ArrayBuffer>, name: string, type = '') =>
  runWithin(createBudget(), () =>
    readArticleFile({ bytes: typeof content === 'string' ? encode(content) : content, name, type }),
  )
const describeRefusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'read',
    (error: unknown) => (error instanceof ArticleError ? [error.kind, error.message] : error),
  )

describe('the format of an article', () => {
  it.each([
    ['a.md', '', 'markdown'],
    ['a.MARKDOWN', '', 'markdown'],
    ['a.mdown', '', 'markdown'],
    ['a.mkd', '', 'markdown'],
    ['a.text', '', 'text'],
    ['a.html', '', 'html'],
    ['a.xhtml', '', 'html'],
    ['a.b.txt', 'text/html', 'text'],
    ['a', 'Text/HTML ; charset=utf-8', 'html'],
    ['a.unknown', 'text/x-markdown', 'markdown'],
    ['a', 'application/xhtml+xml', 'html'],
    ['a', 'text/plain', 'text'],
  ])('of the file %j with the type %j is %s', async (name, type, format) => {
    expect((await readFile('x', name, type)).format).toBe(format)
  })

  it('of a Word document may be known by its type only', async () => {
    const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    expect((await readFile(buildDocx(docxParagraph('x')), 'a', type)).format).toBe('docx')
  })

  it.each([
    ['x', 'a', '', ['unsupported_format', 'The file must be markdown, text, HTML, docx or PDF']],
    ['x', 'md', '', ['unsupported_format', 'The file must be markdown, text, HTML, docx or PDF']],
    ['x', 'a.docx', '', ['unsupported_format', 'The content is not docx']],
    ['PK\u0003\u0004', 'a.txt', '', ['unsupported_format', 'The content is not text']],
    ['a\u0000b', 'a.txt', '', ['unsupported_format', 'The content is not text']],
    ['a\u001bb', 'a.html', '', ['unsupported_format', 'The content is not text']],
    ['', 'a.md', '', ['invalid', 'The article is empty']],
    [' \n ', 'a.txt', '', ['invalid', 'The article is empty']],
  ])('refuses %j as %j', async (content, name, type, refusal) => {
    expect(await describeRefusal(readFile(content, name, type))).toEqual(refusal)
  })
})

describe('the title of an article', () => {
  it.each([
    ['<title> A\n b </title><h1>C</h1>', 'd.html', 'A b'],
    ['<title> </title><h1>C</h1>', 'd.html', 'C'],
    ['<p>x</p><h1>C</h1>', 'd.e.html', 'd.e'],
    ['<svg><title>Icon</title></svg><div><title>A</title></div><p>x</p>', 'd.html', 'A'],
    ['# C', 'd.md', 'C'],
    ['x', 'd  e.md', 'd e'],
    ['x', '.md', 'Untitled'],
    [`<title>${'x'.repeat(301)}</title>x`, 'd.html', 'x'.repeat(300)],
    [`<title>${'x'.repeat(299)}😀</title>x`, 'd.html', `${'x'.repeat(299)}\ufffd`],
    ['---\ntitle: "A b"\ntags: x\n---\n# C', 'd.md', 'A b'],
    ["---\ntitle: 'A'\n---\n# C", 'd.md', 'A'],
    ['---\ntitle: ""\n---\n# C', 'd.md', 'C'],
    ['---\ntags: x\n---\n# C', 'd.md', 'C'],
  ])('of %j in the file %s is %j', async (content, name, title) => {
    expect((await readFile(content, name)).title).toBe(title)
  })

  it('is the given one for a text', async () => {
    expect(await runWithin(createBudget(), () => readArticleText('markdown', 'Mine', '# A'))).toEqual({
      format: 'markdown',
      title: 'Mine',
      blocks: [{ kind: 'heading', level: 1, text: 'A' }],
      warnings: [],
    })
    await expect(runWithin(createBudget(), () => readArticleText('text', 'Mine', ' '))).rejects.toThrow(
      new ArticleError('The article is empty'),
    )
  })
})

describe('the encoding of an article', () => {
  it.each<[string, Uint8Array<ArrayBuffer>, string]>([
    ['UTF-8', encode('é😀'), 'é😀'],
    ['UTF-8 with a byte order mark', encode('\ufeffé'), 'é'],
    ['UTF-16, little endian', encode('\ufeffé', 'utf16le'), 'é'],
    ['UTF-16, big endian', new Uint8Array([0xfe, 0xff, 0, 0xe9]), 'é'],
    ['Windows-1252', encode('\x93é\x94', 'latin1'), '“é”'],
    ['Windows-1252 that starts with a byte of a mark', encode('ÿé', 'latin1'), 'ÿé'],
    ['Windows-1252 that starts with the other byte of a mark', encode('þé', 'latin1'), 'þé'],
    ['Windows-1252 whose second byte is one of a mark', encode('aþb', 'latin1'), 'aþb'],
    ['Windows-1252 whose second byte is the other one of a mark', encode('aÿb', 'latin1'), 'aÿb'],
  ])('may be %s', async (_, bytes, text) => {
    expect((await readFile(bytes, 'a.txt')).blocks).toEqual([{ kind: 'text', level: 0, text }])
  })

  it('may contain carriage returns', async () => {
    expect((await readFile('a\r\rb\r\n\r\nc', 'a.txt')).blocks.map(({ text }) => text)).toEqual([
      'a',
      'b',
      'c',
    ])
  })
})

const listBlocks = (format: 'markdown' | 'text', content: string) =>
  readBlocksOf(format, content).map(({ kind, level, text }) => [kind, level, text])

describe('a plain text', () => {
  it.each([
    [
      'A\n===\nB\n---\nc',
      [
        ['heading', 1, 'A'],
        ['heading', 2, 'B'],
        ['text', 0, 'c'],
      ],
    ],
    ['A\n==\nb', [['text', 0, 'A\n\\==\nb']]],
    ['a\nB\n---', [['text', 0, 'a\nB\n\\---']]],
    ['\n---\na', [['text', 0, '\\---\na']]],
    [
      'a\n\n\n\nb\n',
      [
        ['text', 0, 'a'],
        ['text', 0, 'b'],
      ],
    ],
    [
      'a\n- b\nc',
      [
        ['text', 0, 'a'],
        ['item', 0, '- b\nc'],
      ],
    ],
    [
      '- a\n\n  b\n\nc',
      [
        ['item', 0, '- a\n\n  b'],
        ['text', 0, 'c'],
      ],
    ],
    [
      '- a\n\n b',
      [
        ['item', 0, '- a'],
        ['text', 0, ' b'],
      ],
    ],
    [
      'a\n\n  b',
      [
        ['text', 0, 'a'],
        ['text', 0, '  b'],
      ],
    ],
    [
      '- a\n\n  b\n  c\n- d',
      [
        ['item', 0, '- a\n\n  b\n  c'],
        ['item', 0, '- d'],
      ],
    ],
    ['   * a\n    * b', [['item', 0, '   * a\n    * b']]],
    [
      '• a\n– b\n(3) c\n4) d\nSTEP 5 e\nstep 6: f\n7.g\n-h',
      [
        ['item', 0, '• a'],
        ['item', 0, '– b'],
        ['item', 0, '(3) c'],
        ['item', 0, '4) d'],
        ['item', 0, 'STEP 5 e'],
        ['item', 0, 'step 6: f\n7.g\n-h'],
      ],
    ],
  ])('is split at empty lines, markers and underlines: %j', (content, blocks) => {
    expect(listBlocks('text', content)).toEqual(blocks)
  })
})

describe('a markdown text', () => {
  it.each([
    ['### A `b` ###', [['heading', 3, 'A b']]],
    [
      'A\n=\nB\n-',
      [
        ['heading', 1, 'A'],
        ['heading', 2, 'B'],
      ],
    ],
    ['####### A', [['text', 0, '####### A']]],
    [
      'a\n\n***\n\nb',
      [
        ['text', 0, 'a'],
        ['text', 0, 'b'],
      ],
    ],
    [
      '- a\n\n  ---\n\n  b\n- c',
      [
        ['item', 0, '- a\n\n  ---\n\n  b'],
        ['item', 0, '- c'],
      ],
    ],
    [
      '- # A\n- b',
      [
        ['item', 0, '- # A'],
        ['item', 0, '- b'],
      ],
    ],
    [
      '> # A\n>\n> b\n\nc',
      [
        ['text', 0, '> # A\n>\n> b'],
        ['text', 0, 'c'],
      ],
    ],
    [
      '~~~sh\n# x\n~~~\ny',
      [
        ['code', 0, '~~~sh\n# x\n~~~'],
        ['text', 0, 'y'],
      ],
    ],
    ['\n\na', [['text', 0, 'a']]],
    ['<details open>\n<summary>A</summary>\nb\n</details>', [['text', 0, '**A**\nb']]],
    ['<details>x\ny</details>\n<summary>A', [['text', 0, 'x\ny\n<summary>A']]],
    ['---\na: b\n---\nc', [['text', 0, 'c']]],
    ['---\na: b\n---', []],
    [
      '---\nno colon\n---\nc',
      [
        ['heading', 2, 'no colon'],
        ['text', 0, 'c'],
      ],
    ],
    [
      ' ---\na: b\n---\nc',
      [
        ['heading', 2, 'a: b'],
        ['text', 0, 'c'],
      ],
    ],
  ])('is split into its outermost blocks: %j', (content, blocks) => {
    expect(listBlocks('markdown', content)).toEqual(blocks)
  })
})
