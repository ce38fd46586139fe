import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { crc32, decodeBase64, encodeBase64 } from '#rules/text/bytes.ts'
import { findRepeats } from '#rules/text/duplicates.ts'
import { isHostname } from '#rules/text/hostname.ts'
import { html, writeHtmlPage } from '#rules/text/html.ts'
import { walkXml } from '#rules/text/walk-xml.ts'
import { createSlug } from '#rules/text/words.ts'
import { countMarkupSteps, countXmlPieces } from '#rules/text/xml.ts'
import { measureBestCpuTimeMs } from '#test/support/measure.ts'

it.each([0, 1, 2, 3, 0x5fff, 0x6000, 0x6001, 0xc000])('encodeBase64 encodes %i bytes', (length) => {
  const bytes = Uint8Array.from({ length }, (_, n) => n % 256)
  expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
})

it('decodeBase64 decodes each byte, and refuses another text', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, n) => n)
  expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes)
  expect(() => decodeBase64('é')).toThrow()
})

it('WIR-30 decodeBase64 reads the largest body in a part of a second', { retry: 2 }, async () => {
  const longest = 'A'.repeat(10 * 1024 * 1024)
  expect(await measureBestCpuTimeMs(() => decodeBase64(longest))).toBeLessThan(300)
})

it('the CRC-32 is that of zlib', () => {
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  for (const bytes of [Buffer.from(''), Buffer.from('123456789'), everyByte])
    expect(crc32(bytes)).toBe(zlib.crc32(bytes))
})

it.each([
  ['', 0],
  ['abc', 15],
  ['<', 130],
  ['<a></a>', 285],
])('parsing %j takes %i steps', (markup, steps) => {
  expect(countMarkupSteps(markup)).toBe(steps)
})

it.each([
  ['<a b="1">c - ]\n?\t</a>', 0],
  ['<a b="1\n\t&amp;" c=\'">&lt;\'>&lt;</a\n>', 5],
  ['<!-- - > <a b="\n"> --><a/>', 1],
  ['<![CDATA[ ]]] ]]><a b="\n"/>', 4],
  ['<?xml a="?"?><a/>', 1],
  ['<!-- -', 1],
  ['<![CDATA[', 0],
])('WIR-47 reading %j as XML keeps %i pieces of values', (xml, pieces) => {
  expect(countXmlPieces(xml)).toEqual({ steps: pieces * 20, bytes: pieces * 50 })
})

it.each([
  `<a b="${'\n'.repeat(100_000)}"/>`,
  `<a><!--${'- '.repeat(100_000)}--></a>`,
  `<a><![CDATA[${'] '.repeat(100_000)}]]></a>`,
  `<a><?b ${'? '.repeat(100_000)}?></a>`,
  `<a>${'&lt;'.repeat(100_000)}</a>`,
])('WIR-47 a value in pieces is counted by the memory that it takes', (xml) => {
  const limits = { maxDepth: 10, createError: (reason: string) => new Error(reason) }
  const read = (bytes: number) =>
    runWithin(createBudget({ steps: 10_000_000, bytes }), () => walkXml(xml, limits, { onOpenTag() {} }))
  expect(() => read(5_100_000)).not.toThrow()
  expect(() => read(4_900_000)).toThrow('The request is not valid')
})

it.each([
  [[], []],
  [['a', 'b'], []],
  [
    ['SRV01', 'b', ' srv01', 'ＳＲＶ\u200b０１', 'B'],
    [1, 1, 2].map((_, n) => ({ index: n + 2, first: n === 2 ? 1 : 0 })),
  ],
])('findRepeats returns for %j: %j', (texts, expected) => {
  expect(findRepeats(texts)).toEqual(expected)
})

const label = 'x'.repeat(63)
it.each([
  ['a', true],
  ['3com.example', true],
  ['a-b.c', true],
  ['', false],
  ['a.', false],
  ['-a', false],
  ['a-', false],
  ['a_b', true],
  [label, true],
  [`${label}x`, false],
  [`${label}.${label}.${label}.${'x'.repeat(61)}`, true],
  [`${label}.${label}.${label}.${'x'.repeat(62)}`, false],
])('isHostname returns for %s: %s', (text, expected) => {
  expect(isHostname(text)).toBe(expected)
})

it.each([
  ['Printer offline!', 'printer-offline'],
  ['  Ünïcode  Ärger ', 'ünïcode-ärger'],
  ['Łódź ß ø', 'łódź-ss-ø'],
  ['打印机 故障', '打印机-故障'],
  ['ＡＢ\u200bＣ', 'abc'],
  ['हिन्दी', 'हिन्दी'],
  ['\u0301x', 'x'],
  ['CON', 'flow-con'],
  ['Com¹', 'flow-com1'],
  ['!?', 'flow'],
  ['', 'flow'],
  ['x'.repeat(81), 'x'.repeat(80)],
  [`${'x'.repeat(79)} y`, 'x'.repeat(79)],
  ['打'.repeat(90), '打'.repeat(60)],
])('the slug of %j is %s', (name, slug) => {
  expect(createSlug(name, 'flow')).toBe(slug)
})

it.each([
  ['plain', 'plain'],
  [`<a href="x">'&'</a>`, '&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;'],
  ['é😀', 'é😀'],
  ['a&', 'a&amp;'],
])('html writes the text %j as %j, also in an attribute', (text, escaped) => {
  expect(String(html`<p title="${text}">${text}</p>`)).toBe(`<p title="${escaped}">${escaped}</p>`)
})

it('html keeps HTML, joins lists, and writes nothing for false and undefined', () => {
  const items = ['<', html`<b>${'>'}</b>`, [1, false as const, undefined]]
  expect(String(html`<p>${items}</p>`)).toBe('<p>&lt;<b>&gt;</b>1</p>')
})

it('an HTML page loads nothing, and shows images only if it has some', () => {
  const policy = (fields: object) =>
    /Policy" content="(.*?)"/.exec(
      writeHtmlPage({ title: 'T', stylesheet: '', body: html``, ...fields }),
    )?.[1]
  expect([policy({}), policy({ hasImages: false }), policy({ hasImages: true })]).toEqual([
    "default-src 'none'; style-src 'unsafe-inline'",
    "default-src 'none'; style-src 'unsafe-inline'",
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  ])
  expect(writeHtmlPage({ title: '<T>', stylesheet: 'p{}', body: html`<p>B\n` })).toMatch(
    /<title>&lt;T&gt;<\/title>\n<style>[^<]*p\{\}<\/style>/,
  )
})

it('a work budget is used up when more steps are spent than it has', () => {
  const budget = createBudget({ steps: 10 })
  budget.spend(4)
  budget.spend(6)
  expect(() => budget.spend(1)).toThrow(
    expect.objectContaining({
      status: 422,
      body: {
        detail: 'The request is not valid',
        errors: [
          { loc: ['body'], msg: 'takes too much work to process; simplify or split it', type: 'too_complex' },
        ],
      },
    }),
  )
  expect(() => createBudget().spend(25_000_000)).not.toThrow()
  expect(() => createBudget().spend(25_000_001)).toThrow()
})

describe('walkXml', () => {
  const walk = (xml: string, maxDepth = 3, steps = 10_000) => {
    const events: string[] = []
    runWithin(createBudget({ steps }), () =>
      walkXml(
        xml,
        { maxDepth, createError: (reason) => new TypeError(reason) },
        {
          onOpenTag: (name, attributes) => events.push(`<${name} ${JSON.stringify(attributes)}>`),
          onText: (text) => events.push(text),
          onCloseTag: (name) => events.push(`</${name}>`),
        },
      ),
    )
    return events
  }

  it('calls the handlers in the order of the text', () => {
    expect(walk('<a x="1">b\r\nc<d/>\re</a>')).toEqual([
      '<a {"x":"1"}>',
      'b\nc',
      '<d {}>',
      '</d>',
      '\ne',
      '</a>',
    ])
  })

  it('needs only the handler of opening tags', () => {
    const names: string[] = []
    const limits = {
      maxDepth: 2,
      createError: (reason: string) => new TypeError(reason),
    }
    walkXml('<a>b<c/></a>', limits, { onOpenTag: (name) => names.push(name) })
    expect(names).toEqual(['a', 'c'])
  })

  it.each([
    ['<a><b><c><d/></c></b></a>', 'is nested too deeply'],
    ['<a>', 'is not well-formed XML: 1:3: unclosed tag: a'],
    ['<a/><b/>', 'is not well-formed XML: 1:7: documents may contain only one root.'],
    ['<!DOCTYPE a><a/>', 'declares a document type'],
  ])('refuses %s: %s', (xml, reason) => {
    expect(() => walk(xml)).toThrow(new TypeError(reason))
  })

  it('closes elements, so that many of them are not deep', () => {
    expect(walk('<a><b><c/><c/><c/></b><b><c/></b></a>')).toHaveLength(14)
  })

  it('spends the steps of the markup', () => {
    expect(walk('<a/>', 3, 145)).toHaveLength(2)
    expect(() => walk('<a/>', 3, 144)).toThrow(expect.objectContaining({ status: 422 }))
  })
})
