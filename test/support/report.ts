import type { Report } from '#rules/exports/report.ts'

/** Return a report in which everything except `fields` and the title is empty. */
export function createReport(fields: Partial<Report>): Report {
  const emptySections = { facts: [], variables: [], steps: [], fallbacks: [], customSteps: [], evidence: [], pendingStep: null, end: null }
  return { title: 'Printer offline', description: '', ...emptySections, notes: '', nextSteps: '', ...fields }
}
