import { expect, it } from 'vitest'
import { type CalendarEvent, writeCalendar } from '#rules/oncall/calendar.ts'
import { parseCalendar } from '#test/support/calendars.ts'

const toEvent = (title: string): CalendarEvent => ({
  uid: 'u1',
  title,
  url: 'https://app.example.com/on-call/1',
  startsAt: Date.UTC(2026, 2, 28, 8),
  endsAt: Date.UTC(2026, 2, 29, 7),
  createdAt: Date.UTC(2026, 0, 1),
  changedAt: Date.UTC(2026, 0, 1, 0, 1),
})

it('ONC-52 a calendar has CRLF, lines of at most 75 octets, UTC, and texts that a parser reads back', () => {
  const names = [
    'Plain',
    'Comma, semicolon; backslash \\ and \\n, colon: "quoted"',
    'Line\nbreak\r\nEND:VEVENT\rBEGIN:VALARM\u2028ATTACH:x',
    `${'ä'.repeat(60)} ${'🧯'.repeat(40)} ${'網'.repeat(40)}`,
    'x'.repeat(200),
    'lone \ud83e surrogate, bell \u0007, nul \u0000, tab\t.',
    '\u2068شبكة\u2069 at night',
  ]
  for (const name of names) {
    const text = writeCalendar(name, [toEvent(name)])
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n\u2028]/)
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(text.isWellFormed()).toBe(true)
    const read = name
      .toWellFormed()
      .replace(/\r\n|[\r\u2028]/g, '\n')
      .replace('\t', ' ')
      .replace(/\p{Cc}(?<!\n)/gu, '')
    const calendar = parseCalendar(text)
    expect([calendar.name, calendar.entries.map(([, { title }]) => title)]).toEqual([read, [read]])
    expect(text.match(/^BEGIN:/gm)).toHaveLength(2)
  }
  expect(writeCalendar('Network', [toEvent('Dana')])).toContain(
    [
      'UID:u1',
      'DTSTAMP:20260101T000100Z',
      'LAST-MODIFIED:20260101T000100Z',
      'SEQUENCE:60',
      'DTSTART:20260328T080000Z',
      'DTEND:20260329T070000Z',
      'SUMMARY:Dana',
    ].join('\r\n'),
  )
})
