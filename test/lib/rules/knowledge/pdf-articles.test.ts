import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { folderAssets } from '#platform/node/static-files.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { renderPdf } from '#rules/exports/pdf.ts'
import { readArticleFile } from '#rules/knowledge/article.ts'
import { ArticleError } from '#rules/knowledge/blocks.ts'
import { createPdfParser } from '#rules/knowledge/pdf-syntax.ts'
import { createRandom, pick } from '#test/soak/random.ts'
import { measureBestCpuTimeMs } from '#test/support/measure.ts'
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

it('KBI-18 a name has the characters that it escapes', () => {
  const parser = createPdfParser(new Uint8Array(Buffer.from('/A#42#zz#4 /#41#')))
  expect([parser.next(), parser.next()]).toEqual([{ name: 'AB#zz#4' }, { name: 'A#' }])
})

it('KBI-18 a number is the one that its digits say, whatever their number and places', () => {
  const random = createRandom(20261130)
  const digits = (most: number) =>
    Array.from({ length: Math.floor(random() * most) }, () => Math.floor(random() * 10)).join('')
  const one = (...texts: string[]) => pick(random, texts)
  const numbers = Array.from(
    { length: 20_000 },
    () => one('', '', '-', '+') + digits(18) + one('', '.', '.0') + digits(9) + one('', '', 'e2', '-1', '.5'),
  ).filter((text) => /^[-+]?\.?\d/.test(text))
  const parser = createPdfParser(new Uint8Array(Buffer.from(`${numbers.join(' \n')} `)))
  expect(numbers.map(() => parser.next())).toEqual(numbers.map(Number.parseFloat))
  expect(parser.next()).toBeUndefined()
  const references = createPdfParser(new Uint8Array(Buffer.from('12 0 R 007 0 R 12 0 RG -3 0 R')))
  expect(Array.from({ length: 5 }, () => references.next())).toEqual([
    { ref: 12 },
    { ref: 7 },
    12,
    0,
    { word: 'RG' },
  ])
  expect(references.next()).toBe(-3)
})

it('WIR-30 the escapes of a long name are no list', { retry: 2 }, async () => {
  const bytes = new Uint8Array(Buffer.from(`/${'#41'.repeat(1_000_000)}`))
  const read = () => runWithin(createBudget({ steps: jobSteps }), () => createPdfParser(bytes).next())
  expect(await measureBestCpuTimeMs(read)).toBeLessThan(150)
})

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

  it('KBI-18 leaves out what is on a layer that is switched off, and says so', async () => {
    const off = (place: string) => pdfText('Switched off', 50, 700).replace('BT', `/OC /${place} BDC BT`)
    const layers = '/OCProperties <</OCGs [10 0 R 11 0 R] /D <</OFF [11 0 R]>>>>'
    const form = `<</Subtype /Form /OC 11 0 R /Resources <</Font <</F 3 0 R>>>>>>`
    const objects = [
      { dict: '<</Type /OCG /Name (On)>>' },
      { dict: '<</Type /OCG /Name (Off)>>' },
      { dict: '<</Type /OCMD /OCGs [11 0 R]>>' },
      { dict: `<</Type /Catalog /Pages 2 0 R ${layers}>>` },
      { dict: form, stream: pdfText('In a form that is switched off', 50, 650) },
    ]
    const resources = '/Properties <</On 10 0 R /Off 11 0 R /Any 12 0 R>> /XObject <</X 14 0 R>>'
    const seen = '/OC /On BDC /Span BMC'
    const page = `${off('Off')} EMC ${off('Any')} /P BMC EMC EMC /X Do ${seen} ${pdfText('Switched on', 50, 600)} EMC EMC`
    const { blocks, warnings } = await readFile(
      buildPdf({ pages: [page], objects, resources, trailer: '/Root 13 0 R' }),
    )
    expect(blocks.map(({ text }) => text)).toEqual(['Switched on'])
    expect(warnings).toEqual(['1 hidden text is not imported.'])
  })

  it.each([2, 32])(
    'KBI-18 leaves out a note on the page with the flag %i, which is not shown',
    async (flag) => {
      const objects = [
        { dict: '<</Subtype /Form /Resources <</Font <</F 3 0 R>>>>>>', stream: pdfText('A note', 0, 0) },
        {
          dict: `<</Type /Page /Parent 2 0 R /Contents 12 0 R /Annots [<</Subtype /FreeText /F ${flag} /Rect [50 600 90 620] /AP <</N 10 0 R>>>>]>>`,
        },
        { dict: '<<>>', stream: pdfText('The page', 50, 700) },
        { dict: '<</Type /Pages /Kids [11 0 R] /Resources <</Font <</F 3 0 R>>>>>>' },
        { dict: '<</Type /Catalog /Pages 13 0 R>>' },
      ]
      expect(await readPages([], { objects, trailer: '/Root 14 0 R' })).toEqual(['text: The page'])
    },
  )

  it.each([
    ['its page', '', 843],
    ['the part of its page that a viewer shows', '>> /CropBox [400 700 0 100] /Other <<', 701],
    ['a page that is turned', '>> /Rotate 270 /CropBox [0 100 400 700] /Other <<', 701],
  ])('KBI-12 leaves out the text beside %s', async (_, resources, above) => {
    const page =
      pdfText('Seen', 50, 650) +
      pdfText('Beside it', 600, 500) +
      pdfText('Above it', 50, above) +
      pdfText('-', -90, 400)
    const { blocks, warnings } = await readFile(buildPdf({ pages: [page], resources }))
    expect(blocks.map(({ text }) => text)).toEqual(['Seen'])
    expect(warnings).toEqual(['1 hidden text is not imported.'])
  })

  it('KBI-18 has the newest of objects with one number, packed or not', async () => {
    const page = (contents: number) => `<</Type /Page /Parent 2 0 R /Contents ${contents} 0 R>>`
    const packed = (contents: number) => ({
      dict: '<</Type /ObjStm /N 1 /First 4>>',
      stream: `9 0 ${page(contents)}`,
    })
    const texts = [
      { dict: '<<>>', stream: pdfText('Old', 50, 700) },
      { dict: '<<>>', stream: pdfText('New', 50, 700) },
    ]
    const tree = [
      { dict: '<</Type /Pages /Kids [9 0 R] /Resources <</Font <</F 3 0 R>>>>>>' },
      { dict: '<</Type /Catalog /Pages 12 0 R>>' },
    ]
    const build = (...versions: { dict: string; stream?: string }[]) =>
      readPages([], { objects: [...texts, ...tree, ...versions], trailer: '/Root 13 0 R' })
    const alone = (contents: number) => ({ dict: `<<>>\nendobj\n9 0 obj\n${page(contents)}` })
    expect(await build(packed(10), alone(11))).toEqual(['text: New'])
    expect(await build(alone(10), packed(11))).toEqual(['text: New'])
    expect(await build(packed(10), packed(11))).toEqual(['text: New'])
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

  it.each([
    [
      'Differences',
      '/Encoding <</Differences [1 /f_i /g123 /f_q9]>>',
      '(con\\001g \\002x)',
      'config x',
      '1 letter',
    ],
    ['several letters', '/Encoding <</Differences [1 /g1 /g2]>>', '(a\\001b\\002c\\001)', 'abc', '3 letters'],
    ['a code that the encoding has not', '/Encoding /WinAnsiEncoding', '(a\\002b)', 'ab', '1 letter'],
    ['ToUnicode', '/ToUnicode 11 0 R', '(a\\001b)', 'ab', '1 letter'],
  ])('KBI-18 counts the letters that have no Unicode value: %s', async (_, entries, codes, text, count) => {
    const map = '1 beginbfchar <01> <FFFD> endbfchar 2 beginbfchar <61> <0061> <62> <0062> endbfchar'
    const bytes = buildPdf({
      pages: [`BT /X 10 Tf 50 700 Td ${codes} Tj ET\n`],
      resources: '/Font <</X 10 0 R>>',
      objects: [
        { dict: `<</Type /Font /Subtype /Type1 /BaseFont /Y ${entries}>>` },
        { dict: '<<>>', stream: map },
      ],
    })
    const { blocks, warnings } = await readFile(bytes)
    expect(blocks.map((block) => block.text)).toEqual([text])
    expect(warnings).toEqual([
      expect.stringMatching(
        `^${count} of the PDF cannot be read and (is|are) left out, such as in “.*\ufffd.*”\\.$`,
      ),
    ])
  })
  it.each([
    ['ser-', 'vice', 'service'],
    ['PRINT-', 'ERS', 'PRINT-ERS'],
    ['PRINT-', 'ers', 'PRINT-ers'],
    ['Auf-', 'und Abbau', 'Auf- und Abbau'],
    ['ser\\255', 'vice', 'service'],
    ['Windows-', 'Server', 'Windows-Server'],
    ['KB-', '42', 'KB-42'],
    ['a -', 'b', 'a - b'],
  ])('KBI-18 joins a word that two lines divide: %s %s', async (first, second, text) => {
    const show = (line: string, y: number) => `BT /F 10 Tf 50 ${y} Td (${line}) Tj ET\n`
    expect(await readPages([show(first, 700) + show(second, 688)])).toEqual([`text: ${text}`])
  })
  it.each([
    [
      'a circle',
      (x: number, y: number) =>
        `${x} ${y + 2} m ${x} ${y + 3.1} ${x + 0.9} ${y + 4} ${x + 2} ${y + 4} c ${x + 3.1} ${y + 4} ${x + 4} ${y + 3.1} ${x + 4} ${y + 2} c ${x + 4} ${y + 0.9} ${x + 3.1} ${y} ${x + 2} ${y} c ${x + 0.9} ${y} ${x} ${y + 0.9} ${x} ${y + 2} c h f\n`,
    ],
    ['a square', (x: number, y: number) => `${x} ${y} 4 4 re f\n`],
    ['a ring', (x: number, y: number) => `${x} ${y} 4 4 re S\n`],
    [
      'in the space of a browser',
      (x: number, y: number) => `q .25 0 0 -.25 0 842 cm ${x * 4} ${(842 - y) * 4} 16 -16 re f Q\n`,
    ],
    ['a picture', (x: number, y: number) => `q 6 0 0 4 ${x} ${y} cm /I Do Q\n`],
    [
      'a picture in the page',
      (x: number, y: number) => `q 4 0 0 4 ${x} ${y} cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q\n`,
    ],
    ['a sign without a letter', (x: number, y: number) => pdfText('\u0001', x, y - 1, 10, 'D')],
    ['a sign of Wingdings', (x: number, y: number) => pdfText('\u0002', x, y - 1, 10, 'D')],
    ['a box', (x: number, y: number) => pdfText('\u0003', x, y - 1, 10, 'D')],
  ])('KBI-18 has items for bullets that are drawn: %s', async (name, draw) => {
    const parts = {
      objects: [
        { dict: '<</Type /XObject /Subtype /Image /Width 8 /Height 8>>', stream: 'x' },
        {
          dict: '<</Type /Font /Subtype /Type1 /BaseFont /Y /Encoding <</Differences [1 /g7 /uniF0A7 /uniF0A8]>>>>',
        },
      ],
      resources: '/XObject <</I 10 0 R>> /Font <</D 11 0 R /F 3 0 R>>',
    }
    const marker = name === 'a box' ? '- [ ] ' : '- '
    const texts = ['Sign the contract', 'Read the old', 'tickets', 'Ask Bob']
    const page =
      pdfText('Do this:', 50, 740) +
      texts
        .map(
          (text, n) => (text === 'tickets' ? '' : draw(55, 721 - n * 13)) + pdfText(text, 70, 720 - n * 13),
        )
        .join('')
    expect(await readPages([page], parts)).toEqual([
      'text: Do this:',
      `item: ${marker}Sign the contract`,
      `item: ${marker}Read the old tickets`,
      `item: ${marker}Ask Bob`,
    ])
    // Shapes at other places are no bullets.
    if (!/sign|box/.test(name))
      expect(
        await readPages([`${draw(300, 700)}${draw(55, 500)}${pdfText('Text', 50, 700)}`], parts),
      ).toEqual(['text: Text'])
  })
  it('KBI-18 has items that are told by their indent and by gaps, or room at the end of their lines', async () => {
    const long = 'The whole width of the page is filled by this line of the article'
    const wrong: string[] = []
    for (const size of [8, 11, 16])
      for (const indent of [1.5, 3, 5])
        for (const pitch of [1.2, 1.5, 2.2]) {
          const lines = [
            ['Do this before you call the vendor, whose hours are short:', 0],
            ['Sign the contract', indent],
            ['Read the old tickets of the client, which are in the archive', indent],
            ['of last year', indent],
            ['Ask Bob', indent],
            [long, 0],
          ] as const
          let y = 800
          const page = lines
            .map(([text, x], n) => {
              y -= size * (n === 3 ? 1.2 : n === 0 || n === 5 ? 2 : pitch)
              return pdfText(text, 40 + x * size, y, size)
            })
            .join('')
          const found = (await readPages([page])).slice(1, 4).join('|')
          if (
            found !==
            'item: - Sign the contract|item: - Read the old tickets of the client, which are in the archive of last year|item: - Ask Bob'
          )
            wrong.push(`${size} ${indent} ${pitch}: ${found}`)
        }
    expect(wrong).toEqual([])
  })
  it.each([
    [
      'one paragraph further in',
      [
        [50, 'A text'],
        [80, 'A quote that goes on in the whole width of the'],
        [80, 'page'],
      ],
    ],
    [
      'lines in the middle',
      [
        [50, 'A text that is as wide as the page is, or is nearly so'],
        [120, 'Title'],
        [110, 'of the page'],
      ],
    ],
    [
      'a first line further in',
      [
        [50, 'A text that is as wide as the page is, or is nearly so'],
        [70, 'This starts'],
        [50, 'and goes on.'],
      ],
    ],
    [
      'a text as far out',
      [
        [50, 'One thing.'],
        [50, 'Another thing.'],
      ],
    ],
  ] as [string, [number, string][]][])('KBI-18 has no list for %s', async (_, lines) => {
    const page = lines.map(([x, text], n) => pdfText(text, x, 740 - n * 12)).join('')
    expect((await readPages([page])).filter((block) => !block.startsWith('text'))).toEqual([])
  })
  it('KBI-18 has headings by bold lines between texts', async () => {
    const parts = {
      objects: [{ dict: '<</Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold>>' }],
      resources: '/Font <</B 10 0 R /F 3 0 R>>',
    }
    const page = [
      ['Resolution', 'B', 700],
      ['Restart the service and wait until the others have seen it.', 'F', 684],
      ['Note: this', 'B', 660],
      ['takes a minute.', 'F', 648],
      ['Sign out at once.', 'B', 620],
      ['Then sign in again with the new password of the account.', 'F', 600],
    ] as const
    expect(
      await readPages([page.map(([text, font, y]) => pdfText(text, 50, y, 10, font)).join('')], parts),
    ).toEqual([
      'heading1: Resolution',
      'text: Restart the service and wait until the others have seen it.',
      'heading1: Note: this',
      'text: takes a minute.',
      'text: Sign out at once.',
      'text: Then sign in again with the new password of the account.',
    ])
  })
  it.each([
    ['', '/FontDescriptor <</Type /FontDescriptor /Flags 33>>', 'code'],
    ['', '/FontDescriptor <</Type /FontDescriptor /Flags 32>>', 'text'],
  ])('KBI-18 has code in a font of fixed pitch, whatever its name%s: %s', async (_, descriptor, kind) => {
    const show = (text: string, y: number) => pdfText(text, 50, y, 10, 'X')
    const blocks = await readPages([show('net stop spooler', 700) + show('net start spooler', 688)], {
      resources: '/Font <</X 10 0 R>>',
      objects: [{ dict: `<</Type /Font /Subtype /Type1 /BaseFont /Hack ${descriptor}>>` }],
    })
    expect(blocks.map((block) => block.split(':')[0])).toEqual([kind])
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

  // Written by qpdf 11: `qpdf --encrypt "" owner 256 --extract=n -- in.pdf out.pdf`, and so on.
  const encrypted = readdirSync(join(root, 'test/lib/rules/knowledge/encrypted'))
  const readEncrypted = (name: string) =>
    new Uint8Array(readFileSync(join(root, 'test/lib/rules/knowledge/encrypted', name)))
  const needsPassword = /^The PDF is encrypted, and opening it needs a password or a right/
  it.each(encrypted)(
    'KBI-18 has the texts of a file with restrictions, without its password: %s',
    async (name) => {
      const bytes = readEncrypted(name)
      if (name.startsWith('password')) expect(await describeRefusal(bytes)).toMatch(needsPassword)
      else
        expect((await readFile(bytes)).blocks.map(({ text }) => text)).toEqual([
          'Restart the router',
          '1. Wait a minute',
        ])
    },
  )
  it.each(encrypted)('KBI-18 reads or refuses %s with a damaged entry of its encryption', async (name) => {
    const content = Buffer.from(readEncrypted(name)).toString('latin1')
    const damaged = ['V', 'R', 'Length', 'P', 'O', 'U', 'UE', 'CF', 'StmF', 'CFM', 'ID', 'Filter'].flatMap(
      (key) => [
        content.replaceAll(new RegExp(`/${key}(?=[\\s/<([])`, 'g'), `/${'z'.repeat(key.length)}`),
        content.replace(
          new RegExp(`(/${key} )(\\d+)`),
          (_, start: string, digits: string) => start + '9'.repeat(digits.length),
        ),
        content.replace(new RegExp(`(/${key} <)([\\da-f]{8})`), '$1>       '),
        content.replace(new RegExp(`(/${key} )/Standard`), '$1/Adobe.PP'),
      ],
    )
    for (const text of new Set(damaged)) {
      const result = await describeRefusal(new Uint8Array(Buffer.from(text, 'latin1')))
      expect([expect.any(String), 'read']).toContainEqual(result)
    }
  })

  it.each([
    ['a scan', buildPdf({ pages: ['/X Do'] }), /^The PDF has no text, like a scan/],
    ['an empty page', buildPdf({ pages: [''] }), /^The PDF has no text/],
    [
      'an encrypted file',
      buildPdf({ pages: [pdfText('a', 50, 700)], trailer: '/Encrypt 9 0 R' }),
      needsPassword,
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
