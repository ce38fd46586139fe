import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { jobSteps } from '#rules/budget.ts'
import { readFile } from '#rules/files/read-file.ts'

// Manuals of vendors, as LaTeX and DocBook write them: each word at its place, compressed fonts with a map to
// Unicode, and the objects in a stream of objects. The manual of gnuplot (300 pages of 3,260 characters) takes 78
// million steps, and the two of Network UPS Tools (244 pages) 65.

const words =
  'the configure interface switch port address gateway firmware upgrade reset password network'.split(' ')
const [linesPerPage, wordsPerLine] = [36, 8]

function createManual(pages: number): Uint8Array<ArrayBuffer> {
  const stream = (number: number, dict: string, content: string) => {
    const data = deflateSync(content)
    return [
      `${number} 0 obj<</Length ${data.length}/Filter/FlateDecode${dict}>>stream\n`,
      data,
      '\nendstream endobj\n',
    ]
  }
  const numbers = Array.from({ length: pages }, (_, page) => 20 + page * 2)
  const fonts = ['F1', 'F2', 'F3'].map((name, index) => `/${name} ${10 + index} 0 R`).join('')
  const objects = [
    [1, '<</Type/Catalog/Pages 2 0 R>>'],
    [2, `<</Type/Pages/Count ${pages}/Kids[${numbers.map((number) => `${number} 0 R`).join(' ')}]>>`],
    ...[10, 11, 12].map((number) => [
      number,
      `<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+CMR${number}/FirstChar 0/Widths[${'500 '.repeat(256)}]/ToUnicode 5 0 R>>`,
    ]),
    ...numbers.map((number) => [
      number,
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<<${fonts}>>>>/Contents ${number + 1} 0 R>>`,
    ]),
  ] as [number, string][]
  let offset = 0
  const places = objects.map(([number, text]) => {
    const place = `${number} ${offset} `
    offset += text.length + 1
    return place
  })
  const head = places.join('')
  const map = Array.from({ length: 96 }, (_, index) => {
    const code = (32 + index).toString(16).padStart(2, '0')
    return `<${code}> <00${code}>\n`
  })
  return new Uint8Array(
    Buffer.concat(
      [
        '%PDF-1.5\n',
        ...stream(
          5,
          '',
          `1 begincodespacerange <00> <ff> endcodespacerange 96 beginbfchar ${map.join('')}endbfchar`,
        ),
        ...numbers.flatMap((number, page) => stream(number + 1, '', writePage(page))),
        ...stream(
          6,
          `/Type/ObjStm/N ${objects.length}/First ${head.length}`,
          head + objects.map(([, text]) => text).join(' '),
        ),
        'trailer<</Root 1 0 R>>',
      ].map((part) => Buffer.from(part as string, 'latin1')),
    ),
  )
}

/** Write a page of words, each in pieces with the gaps that kerning makes. */
function writePage(page: number): string {
  const lines = Array.from({ length: linesPerPage }, (_, line) => {
    const pieces = Array.from({ length: wordsPerLine }, (_, word) => {
      const text = words[(page * 7 + line * 3 + word) % words.length] ?? ''
      return `(${text.slice(0, 3)})-28(${text.slice(3)})-333`
    })
    return `BT /F${1 + (line % 3)} 9.96 Tf 1 0 0 1 72 ${720 - line * 14} Tm [${pieces.join('')}]TJ ET\n`
  })
  return lines.join('')
}

it('KBI-31 a manual of 300 pages is read within the steps of a file', async () => {
  const bytes = createManual(300)
  const outcome = await readFile({
    kind: 'article_file',
    input: { bytes, name: 'manual.pdf', type: 'application/pdf' },
    steps: jobSteps,
  })
  expect(outcome).toHaveProperty('result')
})
