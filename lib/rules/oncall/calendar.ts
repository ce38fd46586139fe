// A writer of iCalendar (RFC 5545, https://www.rfc-editor.org/rfc/rfc5545), of the few properties that a calendar of
// shifts has. Compared on 30 Nov 2026: ical-generator 11.1.2 writes the name of a calendar without escaping, so that a
// line break in a name of a schedule adds properties, and keeps control characters; ics 3.12.0 folds after 75
// characters instead of octets.

/** A shift in a calendar. Times are milliseconds since the epoch. */
export interface CalendarEvent {
  /** The same in every copy of the event. */
  uid: string
  title: string
  url: string
  startsAt: number
  endsAt: number
  createdAt: number
  /** When it may last have changed. A copy with a later time is newer. */
  changedAt: number
}

/** How often a calendar is asked to fetch it again. Google decides by itself, in up to a day. */
const refreshInterval = 'PT1H'

/**
 * Write a calendar. Times are in UTC: each program shows them in the zone of its reader, and shifts do not recur, so
 * that no rule about a change of the clock is needed. A shift leaves its reader free for meetings.
 */
export function writeCalendar(name: string, events: readonly CalendarEvent[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Support Flow//On call//EN',
    'CALSCALE:GREGORIAN',
    // Outlook, Google and Apple read the properties with X-; the others are of RFC 7986.
    `NAME:${escapeText(name)}`,
    `X-WR-CALNAME:${escapeText(name)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${refreshInterval}`,
    `X-PUBLISHED-TTL:${refreshInterval}`,
    ...events.flatMap(writeEvent),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${foldLine(line)}\r\n`).join('')
}

function writeEvent({ uid, title, url, startsAt, endsAt, createdAt, changedAt }: CalendarEvent): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    // Without a METHOD, it says when the event was last revised (section 3.8.7.2).
    `DTSTAMP:${writeTime(changedAt)}`,
    `LAST-MODIFIED:${writeTime(changedAt)}`,
    // Some programs keep their copy unless this number is higher.
    `SEQUENCE:${Math.max(0, Math.floor((changedAt - createdAt) / 1000))}`,
    `DTSTART:${writeTime(startsAt)}`,
    `DTEND:${writeTime(endsAt)}`,
    `SUMMARY:${escapeText(title)}`,
    `URL:${url}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}

function writeTime(instant: number): string {
  return new Date(instant).toISOString().replace(/[-:]|\.\d+/g, '')
}

/** Escape a text (section 3.3.11). Control characters are not allowed in one. */
function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n|[\r\n\u2028\u2029]/g, '\\n')
    .replace(/\t/g, ' ')
    .replace(/\p{Cc}/gu, '')
}

const maxLineOctets = 75
const encoder = new TextEncoder()

/** Fold a line after at most 75 octets, between characters (section 3.1). The blank of the next line counts. */
function foldLine(line: string): string {
  let [folded, octets] = ['', 0]
  for (const character of line) {
    const size = encoder.encode(character).length
    if (octets + size > maxLineOctets) [folded, octets] = [`${folded}\r\n `, 1]
    folded += character
    octets += size
  }
  return folded
}
