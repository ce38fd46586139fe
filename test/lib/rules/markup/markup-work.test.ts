import { expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { shortenReport, textWork } from '#rules/exports/shorten-report.ts'
import { countMarkup } from '#rules/markup/markup-work.ts'
import { shortenedMark } from '#rules/text/written-bytes.ts'
import { createReport } from '#test/support/report.ts'

it.each([
  ['characters', 'ab', { characters: 2 }],
  ['markup', 'a*', { characters: 2, markup: 1 }],
  [
    'the cells of a table until it ends',
    'a|b\n-|-\nc|d\n\n',
    { characters: 13, markup: 9, cells: 4, indents: 5 },
  ],
  ['the levels of a quote in each line', '>>a\nb', { characters: 5, markup: 3, indents: 4 }],
])('SES-58 counts %s', (_, text, counts) => {
  expect(countMarkup(text)).toEqual({ markup: 0, cells: 0, indents: 0, ...counts })
})

it.each([
  ['characters and lines', 'a\nb', 3 * 15 + 2 * 100, 4 + 2 * 40],
  ['characters that are escaped or have three bytes', '"é', 2 * 15 + 100, 6 + 3 + 40],
])('SES-58 shows a text while there is room for its %s', (_, notes, steps, bytes) => {
  const shorten = (maxSteps: number, maxBytes: number) =>
    runWithin(createBudget({ steps: maxSteps }), () =>
      shortenReport(createReport({ title: '', notes }), { ...textWork, maxBytes }),
    ).notes
  expect([shorten(steps, bytes), shorten(steps - 1, bytes), shorten(steps, bytes - 1)]).toEqual([
    notes,
    shortenedMark,
    shortenedMark,
  ])
})

it('SES-58 keeps a quarter of the work for texts without markup', () => {
  const shorten = (steps: number) =>
    runWithin(createBudget({ steps }), () =>
      shortenReport(createReport({ title: '', description: '*' }), textWork),
    ).description
  const steps = 15 + 100 + 10 + 300 + 100
  expect([shorten(Math.ceil(steps / 0.75)), shorten(steps)]).toEqual(['*', '~~~\n*\n~~~'])
})
