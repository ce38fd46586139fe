import { getSqlState } from './sqlstate.ts'

// A wrong user or password, and a database that does not exist:
// https://www.postgresql.org/docs/18/errcodes-appendix.html
const refusedStates: ReadonlySet<string> = new Set(['28000', '28P01', '3D000'])
// A host that no name server knows, and certificates: https://nodejs.org/docs/latest-v24.x/api/tls.html#x509-certificate-error-codes
const refusedCodes =
  /^(?:ENOTFOUND|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/
const withoutTls = 'The server does not support SSL connections'

/**
 * Return why a server refuses a connection, when only another connection string helps: its own sentence, which
 * quotes a user, a host or a database, and no password. Return null for a server that is away, and any other
 * error.
 */
export function findRefusal(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const isRefused =
    refusedCodes.test(code) ||
    error.message.includes(withoutTls) ||
    refusedStates.has(getSqlState(error) ?? '')
  if (!isRefused || error.name === 'SettingError') return findRefusal(error.cause)
  // The cause has the sentence of the server where a driver wraps it.
  return findRefusal(error.cause) ?? error.message.replaceAll(/\s+/g, ' ').trim()
}
