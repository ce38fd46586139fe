import type { Report } from '../../lib/exports/report.ts'

/** A report of nothing but what is said. */
export function reportWith(change: Partial<Report>): Report {
  const none = { facts: [], variables: [], steps: [], fallbacks: [], additions: [], evidence: [] }
  return { title: 'Printer offline', description: '', ...none, notes: '', nextSteps: '', ...change }
}
