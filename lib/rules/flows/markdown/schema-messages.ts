import type * as z from 'zod'
import type { ReportProblem } from './line-syntax.ts'

type Issue = z.core.$ZodIssue

/** The names of flow properties in the markdown form, where they differ. */
const markdownNames: Record<string, string> = {
  tree_type: 'type',
  estimated_minutes: 'minutes',
  script_template_id: 'script',
  library_visibility: 'library',
  group_label: 'group',
  next_node_id: 'target id',
  fallback_steps: 'fallback steps',
  url: 'URL',
}

/**
 * Report each schema issue at the line that `getLine` returns for its path. `subject` names a value without a
 * property name.
 */
export function reportSchemaIssues(
  issues: readonly Issue[],
  subject: string,
  getLine: (path: readonly PropertyKey[]) => number,
  report: ReportProblem,
): void {
  for (const issue of issues) {
    const property = issue.path.findLast((part) => typeof part === 'string')
    const name = property === undefined ? subject : (markdownNames[String(property)] ?? String(property))
    report(getLine(issue.path), describeIssue(issue, name))
  }
}

function describeIssue(issue: Issue, name: string): string {
  if (issue.code === 'too_big') return describeTooBig(issue, name)
  if (issue.code === 'too_small')
    return issue.origin === 'string'
      ? `The ${name} must not be empty`
      : `The ${name} must be at least ${issue.minimum}`
  if (issue.code === 'invalid_value') return `The ${name} must be one of ${issue.values.join(', ')}`
  if (issue.code === 'invalid_type') {
    const isMissing = issue.message === 'is required' || /received undefined$/.test(issue.message)
    return isMissing
      ? `The ${name} must be set`
      : `The ${name} must be ${typeNames[issue.expected] ?? issue.expected}`
  }
  return issue.message.startsWith('must') ? `The ${name} ${issue.message}` : `The ${name} must be valid`
}

function describeTooBig({ origin, maximum }: z.core.$ZodIssueTooBig, name: string): string {
  if (origin === 'string') return `The ${name} must have at most ${maximum} characters`
  return origin === 'array'
    ? `There are more than ${maximum} ${name}`
    : `The ${name} must be at most ${maximum}`
}

const typeNames: Record<string, string> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  array: 'a list',
}
