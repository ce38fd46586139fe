/**
 * System errors of a connection, of name resolution and of exhausted resources:
 * https://nodejs.org/api/errors.html#common-system-errors
 */
const systemCodes = new Set([
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'ECONNABORTED',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTCONN',
    'EADDRNOTAVAIL',
    'ENOBUFS',
  ],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ENETRESET'],
  ...['EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME', 'ENOTFOUND'],
  ...['EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT', 'EROFS', 'EIO'],
  // nodemailer: https://github.com/nodemailer/nodemailer/blob/master/lib/errors.js
  ...['ECONNECTION', 'EDNS', 'ESOCKET', 'ETLS'],
])

/** Errors of undici, of TLS, and of certificates: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const codePattern =
  /^(UND_ERR_(?!INVALID|ABORTED)\w+|ERR_(TLS|SSL)_\w+|CERT_\w+|UNABLE_TO_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+)$/

/** Errors of ioredis and of the client of Upstash, which have no code. */
const names = new Set([
  'ReplyError',
  'MaxRetriesPerRequestError',
  'ParserError',
  'UpstashError',
  'UpstashJSONParseError',
])

/**
 * Messages of ioredis, of `fetch` in Node and workerd, and of R2, whose errors have neither code nor name:
 * https://developers.cloudflare.com/r2/api/error-codes/
 */
const messagePattern =
  /^(Command timed out|Connection is closed\.|Stream isn't writeable|fetch failed|Network connection lost|internal error; reference = )|\(100(01|43|58)\)$/

const maxDepth = 5

/**
 * Return whether an error says that something this service depends on is away, whichever client tells it:
 * by its code, its name or its message, or those of its causes. A plain error of a client is an outage, not a
 * bug of the request.
 */
export function isOutage(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > maxDepth) return false
  const { code, name, message, cause } = error as Error & { code?: unknown }
  if (typeof code === 'string' && (systemCodes.has(code) || codePattern.test(code))) return true
  if (names.has(name) || messagePattern.test(message)) return true
  const parts: unknown[] = error instanceof AggregateError ? error.errors.slice(0, maxDepth) : []
  return [cause, ...parts].some((part) => isOutage(part, depth + 1))
}
