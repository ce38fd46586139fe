import type { z } from 'zod'
import type { Say } from './lines.ts'

type Issue = z.core.$ZodIssue

/** What the fields of a flow are called in its markdown form. */
const names: Record<string, string> = {
  tree_type: 'type',
  estimated_minutes: 'minutes',
  script_template_id: 'script',
  library_visibility: 'library',
  group_label: 'group',
  next_node_id: 'id it leads to',
  fallback_steps: 'fallback steps',
  url: 'URL',
}

/** Says what breaks a limit of the flow's shape, each at the line that `lineOf` finds for its path. */
export function sayIssues(issues: readonly Issue[], what: string, lineOf: (path: readonly PropertyKey[]) => number, say: Say): void {
  for (const issue of issues) {
    const field = issue.path.findLast((part) => typeof part === 'string')
    say(lineOf(issue.path), sentence(issue, field === undefined ? what : (names[String(field)] ?? String(field))))
  }
}

function sentence(issue: Issue, name: string): string {
  const is = `The ${name} ${name.endsWith('s') ? 'are' : 'is'}`
  if (issue.code === 'too_big') return tooBig(issue, name, is)
  if (issue.code === 'too_small') return issue.origin === 'string' ? `${is} empty` : `${is} less than ${issue.minimum}`
  if (issue.code === 'invalid_value') return `${is} one of ${issue.values.join(', ')}`
  if (issue.code === 'invalid_type')
    return /received undefined$/.test(issue.message) ? `${is} missing` : `${is} no ${expected(issue.expected)}`
  return issue.message.startsWith('Must') ? `${is} not valid: ${issue.message}` : `${is} not valid`
}

function tooBig({ origin, maximum }: z.core.$ZodIssueTooBig, name: string, is: string): string {
  if (origin === 'string') return `${is} longer than ${maximum} characters`
  return origin === 'array' ? `There are more than ${maximum} ${name}` : `${is} more than ${maximum}`
}

function expected(type: string): string {
  return { int: 'whole number', string: 'text', array: 'list' }[type] ?? type
}
