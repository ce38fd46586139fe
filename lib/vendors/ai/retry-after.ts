/**
 * Return how long an answer asks to wait, in milliseconds: by `retry-after-ms`, or by `retry-after` in
 * seconds or as a date (RFC 9110, section 10.2.3). Return undefined if it does not ask.
 */
export function parseRetryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const milliseconds = Number.parseFloat(headers?.get('retry-after-ms') ?? '')
  if (milliseconds >= 0) return milliseconds
  const text = headers?.get('retry-after')?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
