import '#field-messages.ts'
import type * as z from 'zod'
import type { FieldError } from '#problem.ts'
import { unknownKey } from './count-values.ts'

/** List what a schema found wrong with a part of the request: `query` or `body`. */
export function listFieldErrors({ issues }: z.ZodError, part: string): FieldError[] {
  return issues.flatMap((issue) => toFieldErrors(issue, part))
}

function toFieldErrors(issue: z.core.$ZodIssue, part: string): FieldError[] {
  if (issue.code === 'invalid_union' && issue.errors.length > 0)
    return findClosestAlternative(issue.errors).flatMap((inner) =>
      toFieldErrors({ ...inner, path: [...issue.path, ...inner.path] }, part),
    )
  const loc = [part, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ loc: [...loc, key], ...unknownKey }))
  const type =
    issue.code === 'custom' && typeof issue.params?.type === 'string' ? issue.params.type : issue.code
  return [{ loc, msg: issue.message, type }]
}

/**
 * Return the issues of the alternative that was most likely meant: its issues lie deepest; among equals, it
 * has the fewest issues.
 */
function findClosestAlternative(alternatives: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] {
  const depth = (issues: readonly z.core.$ZodIssue[]) => Math.min(...issues.map(({ path }) => path.length))
  return alternatives.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)[0] ?? []
}
