import { expect, it } from 'vitest'
import { writeCsv } from '#rules/text/csv.ts'

const writeOne = (text: string) => writeCsv([[text]]).slice(1, -2)

it('RPT-13 writes CSV by RFC 4180, as UTF-8 with a byte order mark', () => {
  expect(
    writeCsv([
      ['name', 'n'],
      ['A "B", C', 1.5],
      ['two\r\nlines', null],
      ['ü', -2],
    ]),
  ).toBe('\uFEFF"name","n"\r\n"A ""B"", C",1.5\r\n"two\r\nlines",\r\n"ü",-2\r\n')
})

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', ' =1', '＝1', '＋1', '－1', '＠A'])(
  'RPT-13 makes a text of %j, which a spreadsheet would run as a formula',
  (text) => {
    expect(writeOne(text)).toMatch(/^"'/)
  },
)

it.each(['a;=1+1', 'a\t-1', 'a\n@b', 'a\r\n+1', 'a; =1', 'a;;=1'])(
  'RPT-13 makes a text of the formula after a separator in %j',
  (text) => {
    expect(writeOne(text)).toMatch(/[;\t\r\n]\s*'\s*[=+\-@]/)
  },
)

it.each(['Printer – offline', 'a=b', 'C-1', 'dana@northwind.example', 'x, -y', "it's"])(
  'RPT-13 leaves the harmless text %j as it is',
  (text) => {
    expect(writeOne(text)).toBe(`"${text}"`)
  },
)
