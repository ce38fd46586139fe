import { setHeader } from './respond.ts'

/** A day of the calendar, such as `2027-06-30`. It counts from midnight UTC. */
type Day = `${number}-${number}-${number}`

/**
 * When an operation was deprecated, when it will be removed, and what to call instead: a method and a path
 * under /api/v1.
 */
export interface Deprecation {
  since: Day
  sunset: Day
  successor?: string
}

type HeaderContext = Parameters<typeof setHeader>[0]

/**
 * Announce the removal of an operation in its response: https://www.rfc-editor.org/rfc/rfc9745
 * (`Deprecation`) and
 * https://www.rfc-editor.org/rfc/rfc8594 (`Sunset`).
 */
export function announceRemoval(c: HeaderContext, { since, sunset, successor }: Deprecation): void {
  setHeader(c, 'deprecation', `@${Date.parse(since) / 1000}`)
  setHeader(c, 'sunset', new Date(sunset).toUTCString())
  if (successor) addLink(c, `</api/v1${successor.slice(successor.indexOf('/'))}>; rel="successor-version"`)
}

/** Add a link to the `Link` header of the response. */
export function addLink(c: HeaderContext, link: string): void {
  const { link: present } = c.get('headers')
  setHeader(c, 'link', present ? `${present}, ${link}` : link)
}

/** Return sentences for the documentation of a deprecated operation. */
export function describeRemoval({ sunset, successor }: Deprecation): string {
  return `Removed on ${sunset}.${successor ? ` Use \`${successor}\` instead.` : ''}`
}
