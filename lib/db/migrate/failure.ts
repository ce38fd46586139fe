import pg from 'pg'
import { findRefusal } from '../refusal.ts'

/**
 * Return the message of an error. What PostgreSQL reports has its DETAIL and HINT, which often name the cause
 * and the remedy. A refused connection has a remedy of ours.
 */
export function describeFailure(error: unknown): string {
  const refusal = findRefusal(error)
  if (refusal !== null)
    return `The connection string of the owner is refused (${refusal}): correct its user, password, host, database or \`sslmode\`.`
  if (!(error instanceof pg.DatabaseError)) return error instanceof Error ? error.message : String(error)
  const { message, detail, hint } = error
  return [message, detail && `DETAIL: ${detail}`, hint && `HINT: ${hint}`].filter(Boolean).join('\n')
}
