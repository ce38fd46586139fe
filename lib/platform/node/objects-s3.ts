import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import { readAtMost } from '#vendors/net/read-at-most.ts'
import { maxRemovedObjects, type ObjectsPort } from '#vendors/uploads/uploads.ts'
import { maxObjectBytes, requireObjectKey, requireObjectSize } from './object-keys.ts'

/** Where the bucket is, and the key that opens it. */
export interface S3Settings {
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

interface S3Request {
  method: 'GET' | 'PUT' | 'DELETE' | 'HEAD'
  /** Without a key, the request is about the bucket. */
  key?: string
  query?: string
  body?: Uint8Array<ArrayBuffer>
  contentType?: string
}

interface S3Answer {
  status: number
  /** S3's error code, such as `NoSuchKey`. */
  code: string | undefined
  bytes: Uint8Array<ArrayBuffer>
}

type SendRequest = (request: S3Request) => Promise<S3Answer>

/**
 * Create a port that stores objects in a bucket of S3 or a compatible store, addressed by path. Each call
 * ends after `timeoutMs`, a read with its whole body; one that S3 asks to repeat is repeated once. The key
 * needs s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket. Without the last, S3 answers 403
 * instead of 404 for a missing object:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
 */
export function s3Objects(settings: S3Settings, timeoutMs: number): ObjectsPort {
  const send = createSender(settings, timeoutMs)
  const remove = async (key: string) => {
    const answer = await send({ method: 'DELETE', key })
    // S3 answers 204 for a missing object too; some compatible stores do not.
    if (answer.code !== 'NoSuchKey') requireSuccess('DeleteObject', answer)
  }
  return {
    async put(key, bytes, contentType = 'image/jpeg') {
      requireObjectSize(bytes.byteLength)
      requireSuccess('PutObject', await send({ method: 'PUT', key, body: bytes, contentType }))
    },
    async get(key) {
      const answer = await send({ method: 'GET', key })
      if (answer.status === 404 && answer.code === 'NoSuchKey') return null
      return requireSuccess('GetObject', answer).bytes
    },
    remove,
    async removeFolder(folder) {
      requireObjectKey(folder)
      const { keys } = await listPage(send, { 'max-keys': String(maxRemovedObjects), prefix: `${folder}/` })
      for (const key of keys) await remove(key)
      return keys.length
    },
    pingObjects: async () => void requireSuccess('HeadBucket', await send({ method: 'HEAD' })),
  }
}

/** List the keys of the objects in a bucket. */
export async function listS3Objects(
  settings: S3Settings,
  timeoutMs: number,
  pageSize = 1000,
): Promise<string[]> {
  const send = createSender(settings, timeoutMs)
  const all: string[] = []
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page = await listPage(send, {
      'max-keys': String(pageSize),
      ...(token ? { 'continuation-token': token } : {}),
    })
    all.push(...page.keys)
    token = page.nextToken
  }
  return all
}

/**
 * List a page of the keys in a bucket: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
async function listPage(
  send: SendRequest,
  parameters: Record<string, string>,
): Promise<{ keys: string[]; nextToken: string | undefined }> {
  const query = `?${new URLSearchParams({ 'list-type': '2', ...parameters })}`
  const { bytes } = requireSuccess('ListObjectsV2', await send({ method: 'GET', query }))
  const xml = new TextDecoder().decode(bytes)
  // Another page would look like an empty bucket.
  if (!/<ListBucketResult[ >]/.test(xml)) throw new Error('ListObjectsV2: the object store sent no list')
  // The keys of this service have no character that XML escapes.
  const keys = [...xml.matchAll(/<Key>([^<]{1,300})<\/Key>/g)].map(([, key = '']) => key)
  return { keys, nextToken: /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(xml)?.[1] }
}

function createSender(
  { endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Settings,
  timeoutMs: number,
): SendRequest {
  const client = new AwsClient({ service: 's3', region, accessKeyId, secretAccessKey })
  const fetchBounded = createBoundedFetch('objects', { timeoutMs, maxBytes: maxObjectBytes })
  return async ({ method, key, query = '', body, contentType }) => {
    if (key !== undefined) requireObjectKey(key)
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const url = `${endpoint.replace(/(?<!\/)\/+$/, '')}/${bucket}${key === undefined ? query : `/${key}`}`
    const headers = { 'x-amz-content-sha256': hash, ...(contentType ? { 'content-type': contentType } : {}) }
    // AWS asks for a signed content type.
    const sign = () => client.sign(url, { method, headers, body: body ?? null, aws: { allHeaders: true } })
    // The signature must not be sent to another host, so no redirect is followed.
    let response = await fetchBounded(await sign())
    if (repeatedStatuses.has(response.status)) {
      await response.body?.cancel()
      response = await fetchBounded(await sign())
    }
    const maxBytes = response.ok ? maxObjectBytes : maxErrorBytes
    const tooLarge = () => new RangeError(`The object store sent more than ${maxBytes} bytes`)
    const bytes = await readAtMost(response.body, maxBytes, tooLarge)
    return { status: response.status, code: response.ok ? undefined : readErrorCode(bytes), bytes }
  }
}

// S3 asks clients to repeat these: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorBestPractices.html
const repeatedStatuses = new Set([429, 500, 502, 503, 504])
const maxErrorBytes = 64 * 1024

/** Return the code of S3's XML error: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
function readErrorCode(bytes: Uint8Array): string | undefined {
  return /<Code>(\w{1,80})<\/Code>/.exec(new TextDecoder().decode(bytes))?.[1]
}

/** Throw an error with the status and code alone: S3's message may quote the access key. */
function requireSuccess(action: string, answer: S3Answer): S3Answer {
  if (answer.status >= 200 && answer.status < 300) return answer
  throw new Error(`${action}: the object store answered ${answer.status} ${answer.code ?? 'without a code'}`)
}
