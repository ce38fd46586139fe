import { createHash, createHmac } from 'node:crypto'

// Signature version 4 in the Authorization header:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html

/** The parts of a request that are signed. `url` is the one that the client called. */
export interface SignedRequest {
  method: string
  url: URL
  headers: Headers
}

export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
  region: string
}

/** The codes of S3's refusals: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
export type SignatureError =
  | 'AccessDenied'
  | 'AuthorizationHeaderMalformed'
  | 'InvalidAccessKeyId'
  | 'InvalidRequest'
  | 'RequestTimeTooSkewed'
  | 'SignatureDoesNotMatch'

const maxSkewMs = 15 * 60_000
const authorizationPattern =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/

/**
 * Return the code of the refusal that S3 would answer with, or null for a request that is signed with these
 * credentials.
 */
export function findSignatureError(
  request: SignedRequest,
  credentials: S3Credentials,
  now: number,
): SignatureError | null {
  const { headers } = request
  const authorization = headers.get('authorization')
  if (!authorization) return 'AccessDenied'
  const [, accessKeyId, day = '', region, signedHeaders = '', signature] =
    authorizationPattern.exec(authorization) ?? []
  const time = headers.get('x-amz-date') ?? ''
  if (!signature || region !== credentials.region || !time.startsWith(`${day}T`))
    return 'AuthorizationHeaderMalformed'
  if (accessKeyId !== credentials.accessKeyId) return 'InvalidAccessKeyId'
  if (!headers.has('x-amz-content-sha256')) return 'InvalidRequest'
  if (!(Math.abs(parseTime(time) - now) <= maxSkewMs)) return 'RequestTimeTooSkewed'
  const names = signedHeaders.split(';')
  if (listRequiredHeaders(headers).some((name) => !names.includes(name))) return 'AccessDenied'
  return signature === computeSignature(request, names, credentials) ? null : 'SignatureDoesNotMatch'
}

/** Compute the signature over the named headers, as 64 hexadecimal digits. */
export function computeSignature(
  request: SignedRequest,
  names: string[],
  { secretAccessKey, region }: S3Credentials,
): string {
  const time = request.headers.get('x-amz-date') ?? ''
  const day = time.slice(0, 8)
  const canonical = createHash('sha256').update(writeCanonicalRequest(request, names)).digest('hex')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (parent, part) => sign(parent, part),
    `AWS4${secretAccessKey}`,
  )
  return sign(
    key,
    ['AWS4-HMAC-SHA256', time, `${day}/${region}/s3/aws4_request`, canonical].join('\n'),
  ).toString('hex')
}

function sign(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function writeCanonicalRequest({ method, url, headers }: SignedRequest, names: string[]): string {
  const path = url.pathname.split('/').map((segment) => encodeUri(decodeURIComponent(segment)))
  const query = [...url.searchParams].map(([key, value]) => `${encodeUri(key)}=${encodeUri(value)}`).sort()
  const lines = names
    .toSorted()
    .map((name) => `${name}:${(headers.get(name) ?? '').trim().replace(/ +/g, ' ')}\n`)
  const payloadHash = headers.get('x-amz-content-sha256')
  return [
    method,
    path.join('/'),
    query.join('&'),
    lines.join(''),
    names.toSorted().join(';'),
    payloadHash,
  ].join('\n')
}

/** Encode every byte but those of unreserved characters, which is more than encodeURIComponent does. */
function encodeUri(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** List the headers of a request that must be signed. */
function listRequiredHeaders(headers: Headers): string[] {
  return [
    'host',
    ...[...headers.keys()].filter((name) => name === 'content-type' || name.startsWith('x-amz-')),
  ]
}

/** Parse a time such as `20130524T000000Z` into milliseconds, or NaN. */
function parseTime(time: string): number {
  return Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}
