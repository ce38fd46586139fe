import pg from 'pg'

/**
 * Return the message of an error. What PostgreSQL reports has its DETAIL and HINT, which often name the cause
 * and the remedy.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof pg.DatabaseError)) return error instanceof Error ? error.message : String(error)
  const { message, detail, hint } = error
  return [message, detail && `DETAIL: ${detail}`, hint && `HINT: ${hint}`].filter(Boolean).join('\n')
}
