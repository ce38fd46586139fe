import { expect, it } from 'vitest'
import { createBudget, jobSteps } from '#rules/budget.ts'
import { limitMarkup } from '#rules/exports/descriptions.ts'
import { renderHtml } from '#rules/exports/html.ts'
import { trimBlanks } from '#rules/exports/markdown-escape.ts'
import { createTimeFormatter } from '#rules/exports/time-format.ts'
import { createReport } from '#test/support/report.ts'

// A plain character takes 10 steps and a character that is markup 310, so this takes exactly the 100,000,000 steps of a second.
const second = `${'*'.repeat(322_580)}${'x'.repeat(20)}`

it.each([
  ['of one second', second, second],
  ['of more than a second', `${second}x`, `~~~\n${second}x\n~~~`],
  ['of more than a second with a fence', `${second}~~~~`, `~~~~~\n${second}~~~~\n~~~~~`],
])('limitMarkup writes a description %s as markdown or as a code block', (_, description, limited) => {
  expect(limitMarkup(createReport({ description }), createBudget({ steps: jobSteps })).description === limited).toBe(true)
})

it('limitMarkup counts all descriptions together, and leaves empty ones', () => {
  const end = { headers: [{ title: 'H', description: '' }], title: 'E', description: 'x' }
  const report = limitMarkup(createReport({ description: second, end }), createBudget({ steps: jobSteps }))
  expect([report.description === second, report.end]).toEqual([true, { ...end, description: '~~~\nx\n~~~' }])
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
  expect(renderHtml(createReport({}))).toContain("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
})
