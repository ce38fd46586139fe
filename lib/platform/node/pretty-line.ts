import type { LogLine } from '#log.ts'

/**
 * Format a line of the log for people: time, level, what happened, and the rest as `name=value`. Everything
 * is on one line.
 */
export function formatPretty({ at, level, method, operation, path, status, ms, ...rest }: LogLine): string {
  const time = String(at ?? new Date().toISOString()).slice(11, 23)
  const request = method ? `${method} ${formatValue(operation ?? path)} ${status} ${ms} ms` : ''
  const values = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined)
  return [
    time,
    String(level).toUpperCase().padEnd(5),
    request,
    ...values.map(([name, value]) => `${name}=${formatValue(value)}`),
  ]
    .filter(Boolean)
    .join(' ')
}

/**
 * Return a plain word as it is, and anything else as JSON, which has no line break and no control character.
 */
function formatValue(value: unknown): string {
  return typeof value === 'string' && /^[\w.:/-]+$/.test(value) ? value : JSON.stringify(value)
}
