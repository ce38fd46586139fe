import * as z from 'zod'
import { cut, formatJson } from './print.ts'

/** An error that ends the tour. The message names the request and what is wrong with its response. */
export class TourError extends Error {}

export interface ReceivedResponse {
  status: number
  body: unknown
}

export interface Expectation<T> {
  /** The expected status; any success by default. */
  status?: number
  /** Schema of the body: JSON, text, events, or the parameters of a redirect. The parsed value is printed. */
  returns?: z.ZodType<T>
}

type CheckResult<T> = { ok: true; value: T } | { ok: false; problem: string }

const problemLength = 300

/** Compare a response with the expectation. Return the parsed value or the problem. */
export function checkResponse<T>(
  { status, body }: ReceivedResponse,
  { status: expected, returns }: Expectation<T>,
): CheckResult<T> {
  if (expected === undefined ? status >= 300 : status !== expected)
    return {
      ok: false,
      problem: `returned ${status}, expected ${expected ?? 'a success'}: ${cut(formatJson(body), problemLength)}`,
    }
  if (!returns) return { ok: true, value: body as T }
  const parsed = returns.safeParse(body)
  if (parsed.success) return { ok: true, value: parsed.data }
  return { ok: false, problem: `returned ${status}, but ${describeIssues(parsed.error)}` }
}

/**
 * Create the schema of a list that contains at least one such item. The parsed value is the first such item.
 */
export function listWithItem<T>(item: z.ZodType<T>, description: string): z.ZodType<T> {
  return z.array(z.unknown()).transform((items, context) => {
    const found = items.map((candidate) => item.safeParse(candidate)).find(({ success }) => success)
    if (found?.success) return found.data
    context.addIssue({ code: 'custom', message: `there is no ${description}` })
    return z.NEVER
  })
}

export function describeIssues({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ')
}
