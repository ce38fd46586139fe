import { removeLinks } from '#rules/text/plain-name.ts'
import type { EmailContent } from './layout.ts'

export interface DigestItem {
  title: string
  /** A path in the frontend. */
  link: string | null
  /** RFC 3339. */
  created_at: string
  /** The recipient's time zone. */
  timezone: string
  /** The number of events of the digest. */
  total: number
}

/** Return the content of a digest. `items` has its first events, at least one. */
export function writeDigestContent(items: readonly DigestItem[], frontendUrl: string): EmailContent {
  const total = items[0]?.total ?? 0
  const rest = total - items.length
  const notifications = total === 1 ? '1 notification' : `${total} notifications`
  return {
    subject: `Digest: ${notifications}`,
    facts: items.map(({ title, link, created_at, timezone }) => ({
      label: formatTime(created_at, timezone),
      text: removeLinks(title),
      url: link ? frontendUrl + link : undefined,
    })),
    paragraphs: rest > 0 ? [`${rest} more ${rest === 1 ? 'is' : 'are'} in the app.`] : [],
    link: { label: 'Open my notifications', url: `${frontendUrl}/notifications` },
  }
}

function formatTime(time: string, timeZone: string): string {
  const text = new Date(time).toLocaleString('en-GB', {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  })
  // The day and the time stay in one line.
  return text.replace(/, | /, '\u00a0')
}
