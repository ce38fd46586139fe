import ICAL from 'ical.js'

export interface CalendarEntry {
  title: string
  startsAt: number
  endsAt: number
  sequence: number
}

/** Read a calendar as a program would that knows nothing of us. */
export function parseCalendar(text: string): { name: string; entries: [uid: string, CalendarEntry][] } {
  const calendar = new ICAL.Component(ICAL.parse(text))
  const events = calendar.getAllSubcomponents('vevent').map((part) => new ICAL.Event(part))
  return {
    name: readName(text),
    entries: events.map(({ uid, summary, startDate, endDate, sequence }) => [
      uid,
      {
        title: summary,
        startsAt: startDate.toJSDate().getTime(),
        endsAt: endDate.toJSDate().getTime(),
        sequence,
      },
    ]),
  }
}

/** The parser leaves a property with X- as it is, though it is a text (RFC 5545, section 3.8.8.2). */
function readName(text: string): string {
  const [, value = ''] = /^X-WR-CALNAME:(.*)$/m.exec(text.replaceAll('\r\n ', '').replaceAll('\r', '')) ?? []
  return String(ICAL.Property.fromString(`SUMMARY:${value}`).getFirstValue())
}
