import { errors as upstash } from '@upstash/redis'
import { ReplyError } from 'ioredis'
import { expect, it } from 'vitest'
import { toProblem } from '#http/app.ts'

const withCode = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more })
const withCause = (message: string, cause: unknown) => new Error(message, { cause })

/** What each client throws, and the status that a request gets that met it. */
const errors: [client: string, error: unknown, status: number][] = [
  // PostgreSQL: https://www.postgresql.org/docs/18/errcodes-appendix.html
  ...['08000', '08003', '08006', '08P01', '25006', '25P03', '28000', '28P01', '3D000', '40001', '40P01'].map(
    sqlState(503),
  ),
  ...['53000', '53100', '53200', '53300', '53400', '55P03', '57014', '57P01', '57P02', '57P03', '57P04'].map(
    sqlState(503),
  ),
  ...['26000', '40000', '40002', '40003', '57000', '57P05', '58000', '58030', '58P01', '58P02', '58P03'].map(
    sqlState(503),
  ),
  ...['0A000', '25P02', '42601', '42P01', '42501', 'XX000', 'P0001'].map(sqlState(500)),
  ['PostgreSQL: a plan', withCode('0A000', { routine: 'RevalidateCachedQuery' }), 503],
  [
    'Neon',
    Object.assign(
      new Error('Your account or project has exceeded the compute time quota. Upgrade your plan'),
      {
        code: 'XX000',
      },
    ),
    503,
  ],
  [
    'Neon',
    Object.assign(new Error('You have exceeded the limit of concurrently active endpoints'), {
      code: 'XX000',
    }),
    503,
  ],
  // The system, also as the cause of what pg and fetch throw.
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'EAI_AGAIN',
    'ENOTFOUND',
  ].flatMap((code): typeof errors => [
    [`the system: ${code}`, withCode(code), 503],
    [`fetch: ${code}`, Object.assign(new TypeError('fetch failed'), { cause: withCode(code) }), 503],
    [`pg: ${code}`, withCause('Connection terminated', withCode(code, { syscall: 'write' })), 503],
    [`several addresses: ${code}`, new AggregateError([withCode(code), withCode(code)]), 503],
  ]),
  ...['ENOSPC', 'EMFILE', 'EROFS', 'EIO'].map((code): (typeof errors)[number] => [
    `the disk: ${code}`,
    withCode(code),
    503,
  ]),
  ...['ENOENT', 'EACCES', 'EEXIST'].map((code): (typeof errors)[number] => [
    `the disk: ${code}`,
    withCode(code),
    500,
  ]),
  ...[
    'UND_ERR_CONNECT_TIMEOUT',
    'UND_ERR_SOCKET',
    'UND_ERR_HEADERS_TIMEOUT',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ].map((code): (typeof errors)[number] => [
    `undici: ${code}`,
    withCause('fetch failed', withCode(code)),
    503,
  ]),
  ['undici: UND_ERR_INVALID_ARG', withCode('UND_ERR_INVALID_ARG'), 500],
  ['ioredis', new Error('Command timed out'), 503],
  ['ioredis', new Error('Connection is closed.'), 503],
  ['ioredis', new Error("Stream isn't writeable and enableOfflineQueue options is false"), 503],
  ['ioredis', Object.assign(new Error('x'), { name: 'MaxRetriesPerRequestError' }), 503],
  ['ioredis', new ReplyError('LOADING Redis is loading the dataset in memory'), 503],
  ['ioredis', new ReplyError("OOM command not allowed when used memory > 'maxmemory'."), 503],
  ['ioredis', new ReplyError("READONLY You can't write against a read only replica."), 503],
  ['Upstash', new upstash.UpstashError('ERR max requests limit exceeded'), 503],
  ['Neon', Object.assign(new Error('Server error (HTTP status 500)'), { name: 'NeonDbError' }), 503],
  ['Neon', new Error('WebSocket connection failed'), 503],
  ['workerd', new Error('Network connection lost.'), 503],
  ['workerd', new Error('internal error; reference = 7b1hgkd3'), 503],
  ['R2', new Error('get: We encountered an internal error. Please try again. (10001)'), 503],
  ['nodemailer', withCode('EDNS'), 503],
  ['our own code', new TypeError("Cannot read properties of undefined (reading 'id')"), 500],
  ['our own code', new RangeError('Maximum call stack size exceeded'), 500],
  ['our own code', 'a text', 500],
]

function sqlState(status: number) {
  return (code: string): (typeof errors)[number] => [`PostgreSQL: ${code}`, withCode(code), status]
}

it.each(errors)('WIR-28 an error of %s (%o) is answered with %i', (_, error, status) => {
  const problem = toProblem(error)
  expect([problem.status, problem.headers['retry-after']]).toEqual([status, status === 503 ? '5' : undefined])
})
