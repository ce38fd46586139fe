import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { maskReport } from '#rules/exports/mask.ts'
import { fillMarkdown } from '#rules/flows/fill-markdown.ts'
import { toMarkdown } from '#rules/markup/markdown.ts'
import { maskStored } from '#rules/masking/mask.ts'
import { casesByDay } from '#test/support/night.ts'
import { createReport } from '#test/support/report.ts'
import { findChangedValues, placeNames, typedValue } from '#test/support/typed-values.ts'
import { renderHtml, renderMarkdown, renderText } from '#test/support/with-budget.ts'

const fill = (text: string, values: Record<string, unknown>) => fillMarkdown(toMarkdown(text), values)

describe('SES-60 a value is shown as it was typed', () => {
  // `npm run soak` tries more of them, also in a PDF.
  it.each(placeNames)('in every format: %s', async (place) => {
    const tryValue = async (value: string) => {
      expect(await findChangedValues(value, place, { pdf: false })).toEqual([])
    }
    await fc.assert(fc.asyncProperty(typedValue, tryValue), { seed: 4071, numRuns: casesByDay(150) })
  })

  it('in a PDF', async () => {
    const value = 'C:\\.cache\\[old]\\!x *a* _b_ `c` ~~d~~'
    for (const place of placeNames) expect(await findChangedValues(value, place, { pdf: true })).toEqual([])
  })

  it.each([
    ['`{{v}}`', 'a`b', '``a`b``'],
    ['`{{v}}`', '`', '`` ` ``'],
    ['```\n{{v}}\n```', 'a\n```\nb', '````\na\n```\nb\n````'],
    ['- ~~~\n  {{v}}\n  ~~~', 'a\nb', '- ~~~\n  a\n  b\n  ~~~'],
    ['[x](https://a.example/{{v}})', 'a b)&copy', '[x](https://a.example/a%20b%29&amp;copy)'],
    ['<https://a.example/{{v}}>', 'a_b>', '<https://a.example/a%5Fb%3E>'],
    ['| {{v}} | `{{v}}` |\n| - | - |', 'a|b\nc', '| a\\|b c | `a\\|b c` |\n| - | - |'],
    ['{{v}}[x](https://a.example)', 'no!', 'no\\![x](https://a.example)'],
    ['{{v}}', ' a\n\n b ', '&#32;a\\\n\\\n&#32;b&#32;'],
    ['{{v}} {{w}}', 'my_host-01.x', 'my_host-01.x {{w}}'],
  ])('and escaped for its place: %j', (text, value, filled) => {
    expect(fill(text, { v: value })).toBe(filled)
  })
})

it('SES-60 a secret is masked although its characters are escaped', async () => {
  const token = 'ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3x_Y'
  const report = createReport({
    description: fill('See *{{note}}* and {{path}}', { note: `__ ${token} [x]`, path: 'C:\\_x' }),
  })
  const { description } = await runWithin(createBudget(), () => maskReport(report, maskStored))
  expect(description).not.toContain('aB3dE5')
  expect(description).toMatch(/^See \*\\_\\_ \[masked [a-z]+\]/)
  expect(description).toMatch(/and .*$/)
})

it.each([
  ['on C:\\_temp and C:\\.ssh', 'on C:\\_temp and C:\\.ssh'],
  ['del C:\\Temp\\*.log and D:\\Temp\\*.log', 'del C:\\Temp\\*.log and D:\\Temp\\*.log'],
  ['%APPDATA%\\_old\\[x]', '%APPDATA%\\_old\\[x]'],
  ['open \\\\fs01\\_share', 'open \\\\fs01\\_share'],
  ['**C:\\data\\** and \\*no emphasis\\*', 'C:\\data\\ and *no emphasis*'],
  ['5 \\* 3, a\\_b, \\[x\\]', '5 * 3, a_b, [x]'],
])('SES-61 keeps the backslashes of a path that an author wrote: %s', (description, shown) => {
  const report = createReport({ description })
  expect(renderText(report)).toContain(`\n${shown}\n`)
  expect(renderHtml(report)).toContain(
    `<p dir="auto">${shown.replace('C:\\data\\', '<strong>C:\\data\\</strong>')}</p>`,
  )
  expect(renderText(createReport({ description: renderMarkdown(report).split('\n').at(2) ?? '' }))).toContain(
    `\n${shown}\n`,
  )
})
