import { createHash } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { findSignatureError, type S3Credentials, type SignatureError } from './s3-signature.ts'

export interface S3Options extends S3Credentials {
  bucket: string
  now?: () => number
}

interface StoredObject {
  bytes: Uint8Array<ArrayBuffer>
  contentType: string
  etag: string
}

type ErrorCode =
  | SignatureError
  | 'NoSuchBucket'
  | 'NoSuchKey'
  | 'MethodNotAllowed'
  | 'XAmzContentSHA256Mismatch'

// Status and message as S3 has them: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
const errors: Record<ErrorCode, [status: 400 | 403 | 404 | 405, message: string]> = {
  AccessDenied: [403, 'Access Denied'],
  AuthorizationHeaderMalformed: [400, 'The authorization header that you provided is not valid.'],
  InvalidAccessKeyId: [403, 'The AWS access key ID that you provided does not exist in our records.'],
  InvalidRequest: [400, 'Missing required header for this request: x-amz-content-sha256'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  NoSuchBucket: [404, 'The specified bucket does not exist'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  RequestTimeTooSkewed: [403, "The difference between the request time and the server's time is too large."],
  SignatureDoesNotMatch: [
    403,
    'The request signature that the server calculated does not match the signature that you provided.',
  ],
  XAmzContentSHA256Mismatch: [
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  ],
}

/**
 * Create an emulator of S3 with one bucket, addressed by path. It keeps objects in memory and verifies each
 * signature.
 */
export function createS3Routes({ bucket, now = Date.now, ...credentials }: S3Options): Hono {
  const app = new Hono()
  const objects = new Map<string, StoredObject>()
  app.use(async (c, next) => {
    const error = findSignatureError(
      { method: c.req.method, url: new URL(c.req.url), headers: c.req.raw.headers },
      credentials,
      now(),
    )
    if (error) return sendError(c, error)
    if (!(await hasSignedBody(c))) return sendError(c, 'XAmzContentSHA256Mismatch')
    return next()
  })
  // Hono routes HEAD as GET.
  app.get('/:bucket', (c) => {
    if (c.req.param('bucket') !== bucket) return sendError(c, 'NoSuchBucket')
    if (c.req.method === 'HEAD') return c.body(null, 200)
    return c.req.query('list-type') === '2'
      ? listObjects(c, [...objects.keys()])
      : sendError(c, 'MethodNotAllowed')
  })
  app.all('/:bucket/:key{.+}', async (c) => {
    if (c.req.param('bucket') !== bucket) return sendError(c, 'NoSuchBucket')
    return answerObjectRequest(c, objects, c.req.param('key'))
  })
  app.all('*', (c) => sendError(c, 'MethodNotAllowed'))
  return app
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
function listObjects(c: Context, keys: readonly string[]): Response {
  const { prefix = '', 'max-keys': limit = '1000', 'continuation-token': start = '0' } = c.req.query()
  const found = keys.filter((key) => key.startsWith(prefix)).sort()
  const end = Number(start) + Number(limit)
  const contents = found.slice(Number(start), end).map((key) => `<Contents><Key>${key}</Key></Contents>`)
  const isTruncated = end < found.length
  if (isTruncated) contents.push(`<NextContinuationToken>${end}</NextContinuationToken>`)
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${contents.join('')}</ListBucketResult>`
  return c.body(xml, 200, { 'content-type': 'application/xml' })
}

async function hasSignedBody(c: Context): Promise<boolean> {
  const expected = c.req.header('x-amz-content-sha256')
  if (expected === 'UNSIGNED-PAYLOAD') return true
  return (
    expected ===
    createHash('sha256')
      .update(await c.req.bytes())
      .digest('hex')
  )
}

async function answerObjectRequest(
  c: Context,
  objects: Map<string, StoredObject>,
  key: string,
): Promise<Response> {
  if (c.req.method === 'PUT') {
    const bytes = new Uint8Array(await c.req.bytes())
    const etag = `"${createHash('md5').update(bytes).digest('hex')}"`
    objects.set(key, { bytes, contentType: c.req.header('content-type') ?? 'binary/octet-stream', etag })
    return c.body(null, 200, { etag })
  }
  if (c.req.method === 'DELETE') {
    objects.delete(key)
    return c.body(null, 204)
  }
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return sendError(c, 'MethodNotAllowed')
  const object = objects.get(key)
  if (!object) return sendError(c, 'NoSuchKey')
  return c.body(object.bytes, 200, { 'content-type': object.contentType, etag: object.etag })
}

function sendError(c: Context, code: ErrorCode): Response {
  const [status, message] = errors[code]
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message><Resource>${encodeURI(c.req.path)}</Resource></Error>`
  return c.body(xml, status, { 'content-type': 'application/xml' })
}
