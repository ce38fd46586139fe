import { expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { shortenReport, textWork } from '#rules/exports/shorten-report.ts'
import { measureMarkup } from '#rules/markup/markup-work.ts'
import { shortenedMark } from '#rules/text/shortened.ts'
import { createReport } from '#test/support/report.ts'

it.each([
  ['characters', 'ab', 2 * 10, 0],
  ['markup', 'a*', 2 * 10 + 300, 40],
  [
    'the cells of a table until it ends',
    'a|b\n-|-\nc|d\n\n',
    13 * 10 + 9 * 300 + 4 * 400 + 5 * 100,
    9 * 40 + 4 * 22 + 5 * 2,
  ],
  ['the levels of a quote in each line', '>>a\nb', 5 * 10 + 3 * 300 + 4 * 100, 3 * 40 + 4 * 2],
])('SES-58 measures %s', (_, text, steps, bytes) => {
  expect(measureMarkup(text)).toEqual({ steps, bytes })
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
