import type * as z from 'zod'
import { type FieldError, Problem } from '#problem.ts'
import { decodeUtf8, notUtf8 } from '#rules/text/bytes.ts'
import { findInexactNumber, findUnstorableText, isTooDeep, maxJsonDepth, readJson } from '#rules/text/json.ts'
import type { RawBody } from '#vendors/net/raw-body.ts'
import { readAtMost } from '#vendors/net/read-at-most.ts'
import { findOversized } from './count-values.ts'
import { readForm } from './form.ts'
import { type AnyOperation, type FormFile, getMaxBody } from './operation.ts'

export type BodyBytes = Uint8Array<ArrayBuffer>

const json = 'application/json'
const noBytes = new Uint8Array()

/** A body as its operation takes it. */
export interface SentBody {
  /** The body before parsing, or the file in it. Idempotency keys compare it. */
  rawBody: string | Uint8Array<ArrayBuffer>
  /** The file of a form, or a raw body. */
  body?: FormFile | RawBody | undefined
  /** The parsed JSON, which its schema has to check. */
  json?: { value: unknown } | undefined
}

/** Receive the bytes of a body within its limit. Throw 413. */
export const receiveBody = async (op: AnyOperation, request: Request): Promise<BodyBytes> =>
  op.method === 'get' ? noBytes : readBytes(request, getMaxBody(op))

/** Read a body. Throw 413 and 415. What is wrong inside the body is added to `errors`. */
export async function readBody(
  op: AnyOperation,
  request: Request,
  errors: FieldError[],
  receiving = receiveBody(op, request),
): Promise<SentBody> {
  const sentBytes = await receiving
  requireMediaType(op, request, sentBytes)
  if (op.bodyFormat === 'raw')
    return { body: { bytes: sentBytes, headers: request.headers }, rawBody: sentBytes }
  if (op.bodyFormat === 'file' && !(op.body && getMediaType(request) === json)) {
    const file = await readForm(sentBytes, request.headers.get('content-type') ?? '', errors)
    return { body: file, rawBody: file?.bytes ?? '' }
  }
  const rawBody = decodeUtf8(sentBytes) ?? (op.body ? undefined : '')
  if (rawBody === undefined) {
    errors.push({ loc: ['body'], ...notUtf8 })
    return { rawBody: sentBytes }
  }
  return { rawBody, json: op.body ? parseJson(op, rawBody, errors) : undefined }
}

/** Parse JSON that PostgreSQL can store. An empty body of PATCH or PUT changes nothing. */
function parseJson(op: AnyOperation, text: string, errors: FieldError[]): SentBody['json'] {
  if (text === '') return { value: op.method === 'patch' || op.method === 'put' ? {} : undefined }
  const maxLevels = op.transport?.maxDepth ?? maxJsonDepth
  if (isTooDeep(text, maxLevels))
    return void errors.push({
      loc: ['body'],
      msg: `must not nest deeper than ${maxLevels} levels`,
      type: 'too_deep',
    })
  let value: unknown
  try {
    value = readJson(text)
  } catch (error) {
    if (error instanceof Problem) throw error
    return void errors.push({ loc: ['body'], msg: 'must be valid JSON', type: 'invalid_json' })
  }
  const inexact = findInexactNumber(text)
  if (inexact !== undefined)
    return void errors.push({
      loc: ['body'],
      msg: `has the number ${inexact}, whose digits would change; send it as text`,
      type: 'inexact_number',
    })
  const oversized = findOversized(op.body as z.ZodType, value)
  for (const error of oversized) errors.push(error)
  if (oversized.length > 0) return undefined
  for (const error of findUnstorableText(value, ['body'])) errors.push(error)
  return { value }
}

/** Read a body of at most `maxBytes`. Throw 413, and 422 when the client leaves in the middle. */
export async function readBytes(request: Request, maxBytes: number): Promise<BodyBytes> {
  const tooLarge = () => new Problem('too_large')
  const length = request.headers.get('content-length')
  if (Number(length) > maxBytes) throw tooLarge()
  if (length === '0') return noBytes
  // The server reads no more than the declared length, so the body needs no stream, which costs as much as a
  // small request does otherwise.
  const reading =
    length !== null && !request.headers.has('transfer-encoding')
      ? request.arrayBuffer().then((buffer) => new Uint8Array(buffer))
      : readAtMost(request.body, maxBytes, tooLarge)
  // A client that leaves in the middle is no failure of the service.
  return reading.catch((cause: unknown) => {
    throw cause instanceof Problem
      ? cause
      : new Problem('invalid', 'The connection ended before the body was complete', { cause })
  })
}

/** Return the media types that an operation accepts; an empty list accepts any. */
function listAcceptedMediaTypes(op: AnyOperation): string[] {
  return [...(op.body ? [json] : []), ...(op.bodyFormat === 'file' ? ['multipart/form-data'] : [])]
}

/** Return the media type of a body, in lower case and without parameters; empty without one. */
export function getMediaType(request: Request): string {
  return request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
}

function requireMediaType(op: AnyOperation, request: Request, sent: Uint8Array): void {
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  // RFC 9110, section 15.5.16
  if (encoding.toLowerCase() !== 'identity')
    throw new Problem('unsupported_media', 'Send the body without compression', {
      headers: { 'accept-encoding': 'identity' },
    })
  const accepted = listAcceptedMediaTypes(op)
  if (sent.byteLength === 0 || accepted.length === 0 || accepted.includes(getMediaType(request))) return
  throw new Problem('unsupported_media', `Send ${accepted.join(' or ')}`)
}
