import { expect, it } from 'vitest'
import { renderHtml } from '../../lib/exports/html.ts'
import { renderMarkdown } from '../../lib/exports/markdown.ts'
import type { Report, ReportStep } from '../../lib/exports/report.ts'
import { renderText } from '../../lib/exports/text.ts'
import { renderTicketNote } from '../../lib/exports/ticket-note.ts'
import { createReport } from '../support/report.ts'

const createStep = (fields: Partial<ReportStep>): ReportStep => ({
  number: '1',
  headers: [],
  details: [],
  title: 'Ping it',
  description: '',
  answer: '',
  durationAndTime: '5 s, now',
  note: '',
  fallbacks: [],
  customSteps: [],
  evidence: [],
  ...fields,
})

/** Every section and every kind of block once. */
const report: Report = createReport({
  title: 'Printer\noffline',
  description: '# Cause **of** it\n\n> Quoted\n> ~~twice~~\n\n---\n\n![plan](https://x.example/p.png) ![](https://x.example/q.png)',
  facts: [
    { label: 'Ticket', value: 'T-1', href: 'https://psa.example/1' },
    { label: 'Client', value: 'Northwind\n\nBerlin' },
  ],
  variables: [{ label: 'A label that is wider than the column', value: 'x' }],
  steps: [
    createStep({
      headers: [{ title: 'Before', description: 'Read *this*.' }],
      description:
        'Do:\n\n7. `a|b`\n8. - [x] nested\n   - [ ] open\n\n```sh\nls -l\n```\n\n| Port | 漢字 |\n| --- | --- |\n| `a\\|b` | ok |',
      details: [{ label: 'Command', value: 'ping' }],
      answer: 'Yes',
      note: 'First\nsecond\n\n~~~\ncode\n~~~',
      fallbacks: [{ title: 'Reboot', outcome: 'Failed', note: 'Hangs' }],
      customSteps: [{ title: 'Cable', description: 'Changed **it**', source: 'Added' }],
      evidence: [
        { kind: 'text', title: 'Log', content: 'a ```` b\nc', image: null },
        { kind: 'screenshot', title: 'Screen', content: 'Shows the error', image: null },
      ],
    }),
    createStep({ number: '2', title: 'Look', note: 'Short' }),
  ],
  end: { headers: [{ title: 'After', description: '' }], title: 'Solved', description: 'Close it.' },
  fallbacks: [{ title: 'Other', outcome: 'Done', note: '' }],
  customSteps: [{ title: 'Own', description: '', source: 'Before step 1' }],
  evidence: [{ kind: 'text', title: 'Empty', content: '', image: null }],
  notes: 'Call back',
  nextSteps: 'Order a cable',
})

it.each([
  ['md.txt', renderMarkdown],
  ['txt', renderText],
  ['html.txt', (value: Report) => renderHtml(value).replace(/^.*<body>\n/s, '')],
  ['note.txt', renderTicketNote],
])('every section and every kind of block is rendered as %s', async (ending, render) => {
  await expect(render(report)).toMatchFileSnapshot(`export-document.${ending}`)
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
  ['-a', '\\-a'],
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
