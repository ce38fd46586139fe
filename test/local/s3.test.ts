import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { describe, expect, it } from 'vitest'
import { createS3Routes } from '#local/vendors/s3/s3.ts'
import { computeSignature } from '#local/vendors/s3/s3-signature.ts'

const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const common = {
  host: 'examplebucket.s3.amazonaws.com',
  'x-amz-date': '20130524T000000Z',
  'x-amz-content-sha256': hash(''),
}

// The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
it.each([
  [
    'GET',
    '/test.txt',
    { range: 'bytes=0-9' },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'PUT',
    '/test$file.text',
    {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      'x-amz-content-sha256': hash('Welcome to Amazon S3.'),
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  ['GET', '/?lifecycle', {}, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
  ['GET', '/?max-keys=2&prefix=J', {}, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
])(
  'the S3 emulator computes the signature of AWS for its example %s %s',
  (method, path, extra, signature) => {
    const headers = new Headers({ ...common, ...extra })
    const request = { method, url: new URL(`https://${common.host}${path}`), headers }
    expect(computeSignature(request, [...headers.keys()], credentials)).toBe(signature)
  },
)

/**
 * Create an emulator and a function that sends it a signed request, which `change` may alter after signing.
 */
function createBucket() {
  const app = createS3Routes({ bucket: 'uploads', ...credentials })
  return async (method: string, path: string, options: SendOptions = {}) => {
    const { body, signer = {}, change = (request: Request) => request } = options
    const client = new AwsClient({ ...credentials, service: 's3', ...signer })
    const headers = {
      host: 's3.local',
      'x-amz-content-sha256': hash(body ?? ''),
      'content-type': 'image/jpeg',
    }
    const signed = await client.sign(`http://s3.local${path}`, {
      method,
      headers,
      body: body ?? null,
      aws: { allHeaders: true },
    })
    // A client adds this header when it sends the request.
    signed.headers.set('host', 's3.local')
    const response = await app.fetch(change(signed))
    const text = await response.text()
    return { status: response.status, code: /<Code>(\w+)<\/Code>/.exec(text)?.[1], text }
  }
}
interface SendOptions {
  body?: string
  signer?: Partial<ConstructorParameters<typeof AwsClient>[0]>
  change?: (request: Request) => Request
}

it('the S3 emulator stores, returns and deletes an object', async () => {
  const send = createBucket()
  expect(await send('PUT', '/uploads/a/b.jpg', { body: 'first' })).toMatchObject({ status: 200 })
  expect(await send('GET', '/uploads/a/b.jpg')).toMatchObject({ status: 200, text: 'first' })
  expect(await send('HEAD', '/uploads/a/b.jpg')).toMatchObject({ status: 200, text: '' })
  expect(await send('HEAD', '/uploads')).toMatchObject({ status: 200 })
  expect(await send('DELETE', '/uploads/a/b.jpg')).toMatchObject({ status: 204 })
  expect(await send('DELETE', '/uploads/a/b.jpg')).toMatchObject({ status: 204 })
  expect(await send('GET', '/uploads/a/b.jpg')).toMatchObject({ status: 404, code: 'NoSuchKey' })
})

describe('the S3 emulator refuses', () => {
  const withHeader = (name: string, value: string | null) => (request: Request) => {
    const copy = new Request(request)
    if (value === null) copy.headers.delete(name)
    else copy.headers.set(name, value)
    return copy
  }
  const hour = 3_600_000
  const toAmazonTime = (time: number) => new Date(time).toISOString().replace(/[:-]|\.\d{3}/g, '')
  const now = Date.now()
  // On the day of the signature, also in the first hour of a day.
  const skewed = toAmazonTime(new Date(now).getUTCHours() === 0 ? now + hour : now - hour)
  it.each<[string, number, string, string, SendOptions]>([
    [
      'a request without a signature',
      403,
      'AccessDenied',
      '/uploads/a',
      { change: withHeader('authorization', null) },
    ],
    [
      'another kind of signature',
      400,
      'AuthorizationHeaderMalformed',
      '/uploads/a',
      { change: withHeader('authorization', 'AWS x:y') },
    ],
    [
      'another secret key',
      403,
      'SignatureDoesNotMatch',
      '/uploads/a',
      { signer: { secretAccessKey: 'other' } },
    ],
    ['another access key', 403, 'InvalidAccessKeyId', '/uploads/a', { signer: { accessKeyId: 'OTHER' } }],
    [
      'another region',
      400,
      'AuthorizationHeaderMalformed',
      '/uploads/a',
      { signer: { region: 'eu-west-1' } },
    ],
    [
      'an old date',
      400,
      'AuthorizationHeaderMalformed',
      '/uploads/a',
      { change: withHeader('x-amz-date', '20130524T000000Z') },
    ],
    [
      'a time outside 15 minutes',
      403,
      'RequestTimeTooSkewed',
      '/uploads/a',
      { change: withHeader('x-amz-date', skewed) },
    ],
    [
      'an unsigned header of Amazon',
      403,
      'AccessDenied',
      '/uploads/a',
      { change: withHeader('x-amz-acl', 'public-read') },
    ],
    [
      'a changed content type',
      403,
      'SignatureDoesNotMatch',
      '/uploads/a',
      { change: withHeader('content-type', 'text/html') },
    ],
    [
      'no hash of the body',
      400,
      'InvalidRequest',
      '/uploads/a',
      { change: withHeader('x-amz-content-sha256', null) },
    ],
    [
      'another body',
      400,
      'XAmzContentSHA256Mismatch',
      '/uploads/a',
      { body: 'x', change: (request) => new Request(request, { body: 'y' }) },
    ],
    [
      'another path',
      403,
      'SignatureDoesNotMatch',
      '/uploads/a',
      { change: (request) => new Request(`${request.url}b`, request) },
    ],
    ['another bucket', 404, 'NoSuchBucket', '/other/a', {}],
  ])('%s with %i %s', async (_, status, code, path, options) => {
    const send = createBucket()
    expect(await send(options.body === undefined ? 'GET' : 'PUT', path, options)).toMatchObject({
      status,
      code,
    })
  })

  it('a list of the bucket, which it does not support', async () => {
    expect(await createBucket()('GET', '/uploads')).toMatchObject({ status: 405, code: 'MethodNotAllowed' })
  })
})
