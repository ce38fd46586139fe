import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { clockOf } from '../../lib/exports/clock.ts'
import { htmlOf } from '../../lib/exports/html.ts'
import { markdownOf } from '../../lib/exports/markdown.ts'
import type { Report } from '../../lib/exports/report.ts'
import { textOf } from '../../lib/exports/text.ts'
import { briefOf, ticketNoteOf } from '../../lib/exports/ticket-note.ts'
import { reportWith } from '../support/reports.ts'

const commonmark = new MarkdownIt('commonmark')

/** What a CommonMark reader shows, a line for each that it shows. */
function readBack(markdown: string): string[] {
  const shown: string[] = []
  for (const token of commonmark.parse(markdown, {})) {
    if (token.type === 'fence' || token.type === 'code_block' || token.type === 'html_block') shown.push(token.content)
    if (token.type !== 'inline') continue
    const words = (token.children ?? []).map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? '\n' : content))
    shown.push(words.join(''))
  }
  return shown.join('\n').split('\n')
}

const flat = (line: string) => line.replace(/[ \t]+/g, ' ').trim()
const linesIn = (text: string) =>
  text
    .split(/\r\n?|\n/)
    .map(flat)
    .filter(Boolean)

const piece = fc.constantFrom(
  ...['*', '_', '`', '``', '#', '>', '<', '&', '&amp;', '<b>', '[', ']', '](', '!', '|', '~', '~~', '\\', '\\*', '-', '+', '=', '==='],
  ...['---', '1.', '2)', '- ', '  ', '    ', '\t', '\n', '\n\n', 'http://a.b', '<http://a.b>', '&#35;', 'word', ' ', 'é漢', '"', ':', '%'],
)
const text = fc.array(piece, { minLength: 1, maxLength: 14 }).map((pieces) => pieces.join(''))

describe('an export in markdown', () => {
  it('shows in any reader what was typed, whatever it looks like', () => {
    fc.assert(
      fc.property(text, (typed) => {
        const report = reportWith({
          notes: `n${typed}`,
          facts: [{ label: 'Client', value: `v${typed}` }],
          fallbacks: [{ title: 'Other', outcome: 'Done', note: typed }],
        })
        const shown = readBack(markdownOf(report)).map(flat)
        expect(shown).toEqual(expect.arrayContaining([...linesIn(`n${typed}`), ...linesIn(`Client: v${typed}`), ...linesIn(typed)]))
      }),
      { numRuns: 3000 },
    )
  })

  it('keeps a title on its line, as it was typed', () => {
    fc.assert(
      fc.property(text, (typed) => {
        const shown = readBack(markdownOf(reportWith({ title: `T ${typed}`, variables: [{ label: typed, value: 'x' }] })))
        expect(shown.map(flat)).toContain(flat(`T ${typed.replace(/\s*\n\s*/g, ' ')}`))
      }),
      { numRuns: 2000 },
    )
  })
})

const writers: Record<string, (report: Report) => string> = {
  markdown: markdownOf,
  text: textOf,
  html: htmlOf,
  'ticket note': ticketNoteOf,
}

describe('a line that was typed', () => {
  it.each(Object.entries(writers))('stays one in %s: in a note, a fact and a variable', (_, write) => {
    for (const newline of ['\n', '\r\n', '\r']) {
      const said = (what: string) => [`${what} begins`, `${what} goes on`, `${what} ends`].join(newline)
      const fact = { label: 'Target', value: said('fact') }
      const made = write(reportWith({ facts: [fact], variables: [{ label: 'Log', value: said('variable') }], notes: said('note') }))
      for (const what of ['fact', 'variable', 'note'])
        expect(made).toMatch(new RegExp(`${what} begins *\\n *${what} goes on *\\n *${what} ends`))
    }
  })
})

it('a ticket note shows none of what it is spared', () => {
  const step = { number: 1, title: 'Ping it', description: 'Hidden 1', answer: 'Done', time: '5 s, now', note: 'No answer' }
  const addition = { title: 'Cable', description: 'Hidden 2', source: 'Added during the session' }
  const steps = [{ ...step, fallbacks: [], additions: [addition], evidence: [] }]
  const report = reportWith({ description: 'Hidden 3', steps, additions: [addition], notes: 'Call back' })
  expect(ticketNoteOf(briefOf(report))).toBe(ticketNoteOf(report))
  expect(JSON.stringify(briefOf(report))).not.toContain('Hidden')
  for (const hidden of ['Hidden 1', 'Hidden 2', 'Hidden 3']) expect(textOf(report)).toContain(hidden)
})

describe('the clock of a report', () => {
  it('agrees with the zone’s own to the minute, over changes of the clock and odd offsets', () => {
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
      const at = clockOf(zone)
      const usual = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23', timeZone: zone })
      for (const day of ['2026-03-29', '2026-04-04', '2026-10-25', '2026-11-01', '1969-12-31']) {
        for (let minute = 0; minute < 1440; minute += 11) {
          const time = new Date(Date.parse(`${day}T00:00:59Z`) + minute * 60_000).toISOString()
          expect([zone, time, at(time)]).toEqual([zone, time, usual.format(Date.parse(time))])
        }
      }
    }
  })
})
