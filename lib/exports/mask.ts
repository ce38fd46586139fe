import type { Report } from './report.ts'

/** Characters of one report that are masked at most: beyond, a request's time could not bear it. */
export const maskLimit = 6_000_000

/** No text of a report leaves when it could not be masked. */
export class MaskingError extends Error {}

/** Every text of a report masked, so that all formats hide the same. Throws a MaskingError, whatever went wrong. */
export function maskReport(report: Report, mask: (text: string) => string): Report {
  let size = 0
  const known = new Map<string, string>()
  const cover = (value: unknown): unknown => {
    if (typeof value === 'string') {
      size += value.length
      if (size > maskLimit) throw new MaskingError('The report is too long to be masked')
      if (value.length > 200) return mask(value)
      const masked = known.get(value) ?? mask(value)
      known.set(value, masked)
      return masked
    }
    if (Array.isArray(value)) return value.map(cover)
    if (typeof value !== 'object' || value === null) return value
    const covered: Record<string, unknown> = {}
    for (const key in value) covered[key] = cover((value as Record<string, unknown>)[key])
    return covered
  }
  try {
    return cover(report) as Report
  } catch (error) {
    // The cause may quote what it failed on, so it is named and not kept.
    throw error instanceof MaskingError ? error : new MaskingError(`Masking failed: ${error instanceof Error ? error.name : 'unknown'}`)
  }
}
