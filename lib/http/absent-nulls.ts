import * as z from 'zod'

type Path = readonly PropertyKey[]

/**
 * Parse a JSON value in which null stands for an optional field that is left out: clients send back what an answer
 * had. A field that may be null keeps it, and a required one is refused.
 */
export function parseWithoutNulls(schema: z.ZodType, value: unknown): z.ZodSafeParseResult<unknown> {
  const result = schema.safeParse(value)
  if (result.success) return result
  const nulls = listIssuePaths(result.error.issues).filter((path) => isNullAt(value, path))
  if (nulls.length === 0) return result
  const shortened = structuredClone(value)
  for (const path of nulls) removeAt(shortened, path)
  const repeated = schema.safeParse(shortened)
  if (repeated.success) return repeated
  // What is required is refused as it was sent.
  const required = new Set(repeated.error.issues.map(({ path }) => JSON.stringify(path)))
  const refused = result.error.issues.filter(
    ({ path }) => isNullAt(value, path) && required.has(JSON.stringify(path)),
  )
  const others = repeated.error.issues.filter(({ path }) => !isNullAt(value, path))
  return { success: false, error: new z.ZodError([...refused, ...others]) }
}

function listIssuePaths(issues: readonly z.core.$ZodIssue[]): Path[] {
  return issues.flatMap((issue) =>
    issue.code === 'invalid_union'
      ? [issue.path, ...issue.errors.flatMap(listIssuePaths).map((path) => [...issue.path, ...path])]
      : [issue.path],
  )
}

function isNullAt(value: unknown, path: Path): boolean {
  let part = value
  for (const key of path) {
    if (typeof part !== 'object' || part === null) return false
    part = (part as Record<PropertyKey, unknown>)[key]
  }
  return part === null && typeof path.at(-1) === 'string'
}

function removeAt(value: unknown, path: Path): void {
  const parent = path.slice(0, -1).reduce((part, key) => (part as Record<PropertyKey, unknown>)[key], value)
  delete (parent as Record<PropertyKey, unknown>)[path.at(-1) as PropertyKey]
}
