import { expect, it } from 'vitest'
import type { Report } from '#rules/exports/report.ts'
import { createReport } from '#test/support/report.ts'
import { renderHtml, renderMarkdown, renderText, renderTicketNote } from '#test/support/with-budget.ts'
import { createStep, fullReport } from './export-document.ts'

it.each([
  ['md.txt', renderMarkdown],
  ['txt', renderText],
  ['html.txt', (value: Report) => renderHtml(value).replace(/^.*<main>\n/s, '')],
  ['note.txt', renderTicketNote],
])('every section and every kind of block is rendered as %s', async (ending, render) => {
  await expect(render(fullReport)).toMatchFileSnapshot(`export-document.${ending}`)
})

it.each([
  ['markdown', renderMarkdown, '## Current step\n\n### 3. Wait\n'],
  ['text', renderText, 'CURRENT STEP\n------------\n3. Wait\n'],
  ['HTML', renderHtml, '<h2>Current step</h2>\n<ol class="steps">\n<li>\n<h3 dir="auto">3. Wait</h3>\n</li>'],
  ['a ticket note', renderTicketNote, 'Current step:\n3. Wait\n'],
])('the current step has a section of its own in %s', (_, render, section) => {
  expect(render(createReport({ pendingStep: createStep({ number: '3', title: 'Wait' }) }))).toContain(section)
})

it('renderText underlines a title by its columns, up to 72', () => {
  const countUnderline = (title: string) => renderText(createReport({ title })).split('\n')[1]?.length
  expect(['é', '漢', 'x'.repeat(72), 'x'.repeat(73)].map(countUnderline)).toEqual([1, 2, 72, 72])
})

it('renderText aligns values with the longest label, up to 24 characters', () => {
  const renderLabel = (label: string) =>
    renderText(
      createReport({
        title: 'T',
        facts: [
          { label, value: 'x' },
          { label: 'A', value: 'y' },
        ],
      }),
    )
      .split('\n')
      .slice(3, 5)
  expect(renderLabel('x'.repeat(24))).toEqual([`${'x'.repeat(24)}: x`, `A:${' '.repeat(24)}y`])
  expect(renderLabel('x'.repeat(25))).toEqual([`${'x'.repeat(25)}: x`, `A:${' '.repeat(24)}y`])
  expect(renderLabel('xy')).toEqual(['xy: x', 'A:  y'])
})

it.each([
  ['- a\n  b', '- a\n  b'],
  ['9. a\n   b\n10. c\n    - d', '9. a\n   b\n10. c\n    - d'],
  ['- [x] a\n  b', '- [x] a\n  b'],
])('renderText indents the lines of the list %j to the text of their item', (description, text) => {
  expect(renderText(createReport({ title: 'T', description }))).toBe(`T\n=\n\n${text}\n`)
})

it('renderText limits the width of a column of a table to 40', () => {
  const renderRule = (width: number) =>
    renderText(createReport({ description: `| ${'x'.repeat(width)} | b |\n| --- | --- |\n| c | d |` }))
      .split('\n')
      .slice(4, 6)
  expect(renderRule(40)).toEqual([`${'-'.repeat(40)}-|--`, `c${' '.repeat(39)} | d`])
  expect(renderRule(41)).toEqual([`${'-'.repeat(40)}-|--`, `c${' '.repeat(39)} | d`])
})

it.each([
  ['- a', '\\- a'],
  [' 12) a', '12\\) a'],
  ['1.', '1\\.'],
  ['1234567890. a', '1234567890. a'],
  ['1.5', '1.5'],
  ['-a', '-a'],
  ['---', '\\---'],
  ['a<b~c', 'a\\<b\\~c'],
  ['~', '\\~'],
])('renderMarkdown writes the title %j as %j', (title, escaped) => {
  expect(renderMarkdown(createReport({ title })).split('\n')[0]?.replace(/^# +/, '')).toBe(escaped)
})

it.each([
  ['`` a`b ``', '``a`b``'],
  ['`` `a ``', '`` `a ``'],
  ['**a ** b', '\\*\\*a \\*\\* b'],
  ['***a***', '***a***'],
  ['[a](mailto:a@b.example)', '[a](<mailto:a@b.example>)'],
  ['[a](ftp://b.example)', '\\[a\\](ftp://b.example)'],
  ['- a\n\n1. b', '- a\n\n<!-- -->\n\n1. b'],
  ['- a\n  1. b', '- a\n  1. b'],
  ['- a\n\n  2. b', '- a\n\n  2. b'],
])('renderMarkdown writes the description %j as %j', (description, markdown) => {
  expect(renderMarkdown(createReport({ title: 'T', description }))).toBe(`# T\n\n${markdown}\n`)
})
