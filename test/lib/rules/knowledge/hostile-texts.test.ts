import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { replaceCallOuts } from '#rules/knowledge/call-outs.ts'
import { readDocx } from '#rules/knowledge/docx.ts'
import { parseNotes } from '#rules/knowledge/docx-notes.ts'
import { parseStyles } from '#rules/knowledge/docx-parts.ts'
import { readHtml, readHtmlPart } from '#rules/knowledge/html.ts'
import { createLosses, losePicture } from '#rules/knowledge/losses.ts'
import { resolveReferences } from '#rules/knowledge/markdown-references.ts'
import { readPdf } from '#rules/knowledge/pdf.ts'
import { buildDocx, buildZip, documentXml, docxParts } from '#test/support/knowledge.ts'
import { measureThreadCpuTimeMs } from '#test/support/measure.ts'
import { night } from '#test/support/night.ts'
import { buildPdf } from '#test/support/pdf-files.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Return the least processor time of some rounds, in milliseconds. Other processes disturb single rounds. */
async function measureMs(work: () => unknown): Promise<number> {
  const budget = () => createBudget({ steps: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY })
  const rounds: number[] = []
  while (rounds.length < 3) rounds.push(await measureThreadCpuTimeMs(() => runWithin(budget(), work)))
  return Math.min(...rounds)
}

/** Expect that a text of four times the size takes about four times as long, not sixteen times. */
async function expectLinear<Text>(create: (n: number) => Text, read: (text: Text) => unknown, n: number) {
  const [first, second, third] = [create(n), create(2 * n), create(4 * n)]
  const ms = [await measureMs(() => read(first)), await measureMs(() => read(second))] as const
  expect(ms[1]).toBeLessThan(3 * ms[0] + 15)
  expect(await measureMs(() => read(third))).toBeLessThan(8 * ms[0] + 30)
}

it('reads the name of a drawing once, for all of its pictures', () =>
  expectLinear(
    (n) => buildDocx(`<w:p><wp:docPr descr="${'a '.repeat(n * 100)}"/>${'<pic:pic/>'.repeat(n / 2)}</w:p>`),
    readDocx,
    500,
  ))

it('keeps the short name of a picture, not the text that it was cut from', () => {
  const losses = createLosses()
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 50; n++) losePicture(losses, `${n}${'a'.repeat(1024 * 1024)}`)
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * 1024 * 1024)
  expect(losses.pictures).toHaveLength(50)
})

it('reads a style sheet with many starts of comments in one pass', () =>
  expectLinear(
    (n) => `<style>.c4{text-decoration:line-through}${'/* '.repeat(n)}</style><p class="c4">a`,
    (html) => [...readHtml(html)],
    10_000,
  ))

it('names a picture after a long address in one pass', () =>
  expectLinear(
    (n) => `<img src="${'a'.repeat(n)}/">`,
    (html) => readHtmlPart(html, createLosses()),
    10_000,
  ))

it.each([
  ['!!! note', ' ', '"x'],
  [':::image', ' ', 'x'],
  [':::note', ' ', 'x\u2028y'],
  ['> [!note]', ' ', 'x\u2028y'],
  ['{% hint ', 'note ', ''],
])('finds no call-out in a long line, in one pass: %j', (start, part, end) =>
  expectLinear(
    (n) => start + part.repeat(n) + end,
    (line) => replaceCallOuts(line, createLosses()),
    5000,
  ),
)

it('reads a note once, for all of its references', () =>
  expectLinear(
    (n) => {
      const note = `<w:footnote w:id="1"><w:p><w:t>a</w:t></w:p>${'<w:p/>'.repeat(4 * n)}</w:footnote>`
      return buildZip([
        ...docxParts(documentXml(`<w:p>${'<w:footnoteReference w:id="1"/>'.repeat(n)}</w:p>`)),
        { name: 'word/footnotes.xml', content: documentXml(note) },
      ])
    },
    readDocx,
    5000,
  ))

// A text of 600 MB cannot be made.
it.each([
  ['a footnote', '[^1]: ', '[^1] '],
  ['an address', '[a]: http://x/', '[a] '],
])('WIR-47 one line does not repeat %s without limit', (_, definition, use) => {
  const text = `${definition}${'y'.repeat(1980)}\n\n${use.repeat(300_000)}`
  const resolve = () =>
    runWithin(createBudget({ steps: 200_000_000 }), () => resolveReferences(text, createLosses()))
  expect(resolve).toThrow('more than 900,000 characters')
})

it('cuts a note, with the spaces between its paragraphs, to 2,000 characters', () => {
  const paragraphs = '<w:p/>'.repeat(3000)
  const xml = documentXml(
    `<w:footnote w:id="1"><w:p><w:t>a</w:t></w:p>${paragraphs}<w:t>b</w:t></w:footnote>`,
  )
  expect(parseNotes(xml, parseStyles(undefined), createLosses())).toEqual(new Map([['1', 'a']]))
})

it(
  'counts the contents of the PDF forms that are inside of each other, while they are drawn',
  night,
  async () => {
    const names = Array.from({ length: 3 }, (_, n) => `/X${n} ${10 + n} 0 R`).join(' ')
    const read = (page: string, contents: readonly string[]) => {
      const padding = `%${' '.repeat(11 * 1024 * 1024)}`
      const objects = contents.map((content) => ({
        dict: '<</Type /XObject /Subtype /Form>>',
        stream: `${content} ${padding}`,
      }))
      const pdf = buildPdf({ pages: [page], resources: `/XObject <<${names}>>`, objects })
      return runWithin(createBudget({ steps: Number.POSITIVE_INFINITY }), () => readPdf(pdf))
    }
    await expect(read('/X0 Do', ['/X1 Do', '/X2 Do', ''])).rejects.toThrow('too many texts')
    await expect(read('/X0 Do /X1 Do /X2 Do', ['', '', ''])).rejects.toThrow('no text')
  },
)
