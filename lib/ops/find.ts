import { stripVTControlCharacters } from 'node:util'
import { findRefusal } from '#db/refusal.ts'
import type { Finding } from './checks.ts'

/**
 * Run a check, which returns its problems. A call that fails is a problem too, with its reason but without what
 * was sent.
 */
export async function find(
  name: string,
  remedy: string,
  check: () => Promise<string[]>,
  { isWarning = false } = {},
): Promise<Finding> {
  const problems = await check().catch((error: unknown) => [`The check failed: ${describeReason(error)}`])
  return { name, remedy, isWarning, problems }
}

/** Return why a call failed, in one line. */
function describeReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Several addresses of one host that all refuse: https://nodejs.org/docs/latest-v24.x/api/net.html#socketconnect
  const message =
    error instanceof AggregateError ? error.errors.map(describeReason).join(', ') : error.message
  const isVague = message === '' || message === 'fetch failed' || message === 'Connection terminated'
  const reason = isVague && error.cause ? describeReason(error.cause) : (findRefusal(error) ?? message)
  return stripVTControlCharacters(reason).replaceAll(/\s+/g, ' ').trim().slice(0, 300) || error.name
}
