import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import type { Report } from '#rules/exports/report.ts'
import { shortenReport, textWork } from '#rules/exports/shorten-report.ts'
import { removeDescriptions } from '#rules/exports/ticket-note.ts'
import { createTimeFormatter, formatDuration } from '#rules/exports/time-format.ts'
import { toMarkdown } from '#rules/markup/markdown.ts'
import * as blocks from '#rules/markup/parse-blocks.ts'
import { casesByDay } from '#test/support/night.ts'
import { createReport } from '#test/support/report.ts'
import { renderHtml, renderMarkdown, renderText, renderTicketNote } from '#test/support/with-budget.ts'

const parseMarkdown = (text: string) => blocks.parseMarkdown(toMarkdown(text))
const commonmark = new MarkdownIt('commonmark')

/** Return the lines of text that a CommonMark parser reads. */
function readBack(markdown: string): string[] {
  const texts: string[] = []
  for (const token of commonmark.parse(markdown, {})) {
    if (token.type === 'fence' || token.type === 'code_block' || token.type === 'html_block')
      texts.push(token.content)
    if (token.type !== 'inline') continue
    const parts = (token.children ?? []).map(({ type, content }) =>
      type === 'softbreak' || type === 'hardbreak' ? '\n' : content,
    )
    texts.push(parts.join(''))
  }
  return texts.join('\n').split('\n').map(collapseSpaces)
}

const collapseSpaces = (line: string) => line.replace(/[ \t]+/g, ' ').trim()
const splitNonEmptyLines = (text: string) =>
  text
    .split(/\r\n?|\n/)
    .map(collapseSpaces)
    .filter(Boolean)

const markupParts = fc.constantFrom(
  ...[
    '*',
    '_',
    '`',
    '``',
    '#',
    '>',
    '<',
    '&',
    '&amp;',
    '<b>',
    '[',
    ']',
    '](',
    '!',
    '|',
    '~',
    '~~',
    '\\',
    '\\*',
    '-',
    '+',
    '=',
    '===',
  ],
  ...[
    '---',
    '1.',
    '2)',
    '- ',
    '  ',
    '    ',
    '\t',
    '\n',
    '\n\n',
    'http://a.b',
    '<http://a.b>',
    '&#35;',
    'word',
    ' ',
    'é漢',
    '"',
    ':',
    '%',
  ],
)
const textWithMarkup = fc.array(markupParts, { minLength: 1, maxLength: 14 }).map((parts) => parts.join(''))

it('renderText separates a long label from its value', () => {
  const label = 'Serial number of the second firewall'
  expect(renderText(createReport({ facts: [{ label, value: 'FW-2' }] }))).toContain(`${label}: FW-2`)
})

describe('renderMarkdown', () => {
  it('escapes typed text so that a CommonMark reader shows it unchanged', () => {
    fc.assert(
      fc.property(textWithMarkup, (typed) => {
        const report = createReport({
          notes: `n${typed}`,
          facts: [{ label: 'Client', value: `v${typed}` }],
          fallbacks: [{ title: 'Other', outcome: 'Done', isDone: true, note: typed }],
        })
        const lines = [
          ...splitNonEmptyLines(`n${typed}`),
          ...splitNonEmptyLines(`Client: v${typed}`),
          ...splitNonEmptyLines(typed),
        ]
        expect(readBack(renderMarkdown(report))).toEqual(expect.arrayContaining(lines))
      }),
      { numRuns: casesByDay(3000) },
    )
  })

  it.each([
    '![i](https://x.example/i)',
    '!![i](https://x.example/i)',
    '\\\\![i](https://x.example/i)',
    'Look![i](https://x.example/i)!',
    '**a!**![i](https://x.example)',
  ])('WIR-37 writes a link instead of a remote image: %s', (description) => {
    const tokens = commonmark
      .parse(renderMarkdown(createReport({ description })), {})
      .flatMap(({ children }) => children ?? [])
    expect([
      tokens.some(({ type }) => type === 'image'),
      tokens.some(({ type }) => type === 'link_open'),
    ]).toEqual([false, true])
  })

  it('keeps a title unchanged and on one line', () => {
    fc.assert(
      fc.property(textWithMarkup, (typed) => {
        const report = createReport({ title: `T ${typed}`, variables: [{ label: typed, value: 'x' }] })
        expect(readBack(renderMarkdown(report))).toContain(
          collapseSpaces(`T ${typed.replace(/\s*\n\s*/g, ' ')}`),
        )
      }),
      { numRuns: casesByDay(2000) },
    )
  })
})

const textFormats: Record<string, (report: Report) => string> = {
  markdown: renderMarkdown,
  text: renderText,
  html: renderHtml,
  'ticket note': renderTicketNote,
}

describe('descriptions', () => {
  it('SES-51 are read back from the markdown as they were written', () => {
    const description = [
      'Text, **bold**, *italic* and ~~old~~ `a|b`.',
      '| Port | State |\n| --- | --- |\n| Gi0/1 | *up* |',
      '- one\n  1. two\n- [x] three',
      '> quoted',
      '---',
    ].join('\n\n')
    const markdown = renderMarkdown(createReport({ description }))
    expect(parseMarkdown(markdown.slice(markdown.indexOf('Text')))).toEqual(parseMarkdown(description))
    expect(parseMarkdown(description).map(({ kind }) => kind)).toEqual([
      'paragraph',
      'table',
      'list',
      'quote',
      'rule',
    ])
  })

  it('SES-51 keep the backslashes of a path', () => {
    expect(parseMarkdown('*see* \\\\fs01\\share')).toEqual([
      {
        kind: 'paragraph',
        lines: [
          [
            { emphasis: true, text: 'see' },
            { emphasis: false, text: ' \\\\fs01\\share' },
          ],
        ],
      },
    ])
  })

  it.each([
    ['x '.repeat(40), '> '.repeat(60), '- '.repeat(60)],
    ['<b>', '[a](javascript:alert(1))', '![x](data:image/png;base64,AA)', '<https://x.example'],
    ['\\', '*', '**', '[', '|', '|-|', '`', '#'],
  ])('SES-51 keep every word of unusual text', (...parts) => {
    for (const part of parts)
      for (const render of [renderHtml, renderText])
        expect(render(createReport({ description: `start ${part} end` }))).toMatch(/start.*end/s)
  })

  it('SES-51 become code blocks when markup would take more than a second to read', () => {
    const steps = Array.from({ length: 20 }, () => '*a'.repeat(10_000))
    const report = createReport({
      customSteps: steps.map((description) => ({ title: 'x', source: '', description })),
    })
    const limited = shortenReport(report, textWork).customSteps.map(({ description }) => description)
    expect(limited[0]).toBe(steps[0])
    expect(parseMarkdown(limited.at(-1) ?? '')).toEqual([{ kind: 'code', text: steps[0], language: '' }])
  })
})

describe('text formats', () => {
  it.each(Object.entries(textFormats))(
    'the format %s keeps the line breaks of a note, a fact and a variable',
    (_, render) => {
      for (const newline of ['\n', '\r\n', '\r']) {
        const createLines = (name: string) =>
          [`${name} line 1`, `${name} line 2`, `${name} line 3`].join(newline)
        const report = createReport({
          facts: [{ label: 'Target', value: createLines('fact') }],
          variables: [{ label: 'Log', value: createLines('variable') }],
          notes: createLines('note'),
        })
        const rendered = render(report)
        for (const name of ['fact', 'variable', 'note'])
          expect(rendered).toMatch(new RegExp(`${name} line 1 *\\n *${name} line 2 *\\n *${name} line 3`))
      }
    },
  )
})

it('removeDescriptions removes only what a ticket note does not show', () => {
  const customStep = { title: 'Cable', description: 'Hidden 2', source: 'Added during the session' }
  const step = {
    number: '1',
    headers: [{ title: 'Before', description: 'Hidden 4' }],
    details: [],
    title: 'Ping it',
    description: 'Hidden 1',
    answer: 'Done',
    isDone: true,
    durationAndTime: '5 s, now',
    note: 'No answer',
    fallbacks: [],
    customSteps: [customStep],
    evidence: [],
  }
  const report = createReport({
    description: 'Hidden 3',
    steps: [step],
    customSteps: [customStep],
    notes: 'Call back',
  })
  expect(renderTicketNote(removeDescriptions(report))).toBe(renderTicketNote(report))
  expect(JSON.stringify(removeDescriptions(report))).not.toContain('Hidden')
  for (const description of ['Hidden 1', 'Hidden 2', 'Hidden 3', 'Hidden 4'])
    expect(renderText(report)).toContain(description)
})

describe('createTimeFormatter', () => {
  it('agrees with Intl.DateTimeFormat, even at clock changes and for unusual offsets', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/St_Johns',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Pacific/Chatham',
      'America/New_York',
      '+05:53',
    ]
    for (const zone of zones) {
      const formatTime = createTimeFormatter(zone)
      const expectedFormat = new Intl.DateTimeFormat('en-GB', {
        dateStyle: 'medium',
        timeStyle: 'short',
        hourCycle: 'h23',
        timeZone: zone,
      })
      for (const day of ['2026-03-29', '2026-04-04', '2026-10-25', '2026-11-01', '1969-12-31']) {
        for (let minute = 0; minute < 1440; minute += 11) {
          const time = new Date(Date.parse(`${day}T00:00:59Z`) + minute * 60_000).toISOString()
          expect([zone, time, formatTime(time)]).toEqual([
            zone,
            time,
            expectedFormat.format(Date.parse(time)),
          ])
        }
      }
    }
  })
})

it.each([
  [0, '0 s'],
  [59.9, '59 s'],
  [60, '1 min'],
  [61, '1 min 1 s'],
  [3599, '59 min 59 s'],
  [3600, '1 h'],
  [3659, '1 h'],
  [3660, '1 h 1 min'],
  [90_000, '25 h'],
])('formatDuration writes %i seconds as %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})
