import { expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { shortenReport, textWork } from '#rules/exports/shorten-report.ts'
import { createTimeFormatter } from '#rules/exports/time-format.ts'
import { trimBlanks } from '#rules/markup/markdown.ts'
import { shortenedMark } from '#rules/text/written-bytes.ts'
import { createReport } from '#test/support/report.ts'
import { renderHtml } from '#test/support/with-budget.ts'

// A character that is markup takes 315 steps with its rendering, any other one 25, a line 100.
const hostile = '*'.repeat(50_000)

it('SES-51 shows a description that takes too much work as a code block, and only the mark when that is too much too', () => {
  const end = { headers: [{ title: 'H', description: '' }], title: 'E', description: 'x' }
  const shorten = (steps: number) =>
    runWithin(createBudget({ steps }), () =>
      shortenReport(createReport({ title: '', description: hostile, end }), textWork),
    )
  expect(shorten(25_000_000).description === hostile).toBe(true)
  const asCode = shorten(2_000_000)
  expect([asCode.description === `~~~\n${hostile}\n~~~`, asCode.end]).toEqual([true, end])
  expect(shorten(700_000).description).toBe(shortenedMark)
})

it('SES-51 fences a code block with more tildes than it has', () => {
  const description = `${hostile}~~~~`
  expect(
    runWithin(createBudget({ steps: 2_000_000 }), () =>
      shortenReport(createReport({ description }), textWork),
    ).description,
  ).toMatch(/^~{5}\n/)
})

it.each([
  ['UTC', '2026-11-21T09:00:00.000Z', '21 Nov 2026, 09:00'],
  ['UTC', '2026-11-21T09:14:59.999Z', '21 Nov 2026, 09:14'],
  ['UTC', '2026-11-21T09:15:00.000Z', '21 Nov 2026, 09:15'],
  ['UTC', '2026-11-21T09:29:00.000Z', '21 Nov 2026, 09:29'],
  ['UTC', '2026-11-21T09:44:00.000Z', '21 Nov 2026, 09:44'],
  ['UTC', '2026-11-21T23:59:00.000Z', '21 Nov 2026, 23:59'],
  ['Europe/Berlin', '2026-11-21T23:59:00.000Z', '22 Nov 2026, 00:59'],
  ['Asia/Kathmandu', '2026-11-21T09:14:00.000Z', '21 Nov 2026, 14:59'],
  ['Asia/Kathmandu', '2026-11-21T09:15:00.000Z', '21 Nov 2026, 15:00'],
  // Its offset is not a multiple of 15 minutes.
  ['Africa/Monrovia', '1970-01-01T00:10:00.000Z', '31 Dec 1969, 23:25'],
  ['Africa/Monrovia', '1970-01-01T00:50:00.000Z', '1 Jan 1970, 00:05'],
])('in %s the time %s is written as %s', (timezone, time, text) => {
  const format = createTimeFormatter(timezone)
  expect([format(time), format(time)]).toEqual([text, text])
})

it.each([
  [' \ta b\t ', 'a b'],
  ['\u00a0a\u00a0', 'a\u00a0'],
  [' ', ''],
  ['', ''],
  ['\na', '\na'],
])('trimBlanks cuts %j to %j', (line, trimmed) => {
  expect(trimBlanks(line)).toBe(trimmed)
})

it('a report as HTML may show its own images', () => {
  expect(renderHtml(createReport({}))).toContain(
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  )
})
