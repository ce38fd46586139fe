import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serve } from '@hono/node-server'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createS3Routes } from '#local/vendors/s3/s3.ts'
import { type R2Bucket, r2Objects } from '#platform/cloudflare/r2.ts'
import { maxObjectBytes } from '#platform/node/object-keys.ts'
import { folderObjects, listFolderObjects } from '#platform/node/objects-folder.ts'
import { listS3Objects, type S3Settings, s3Objects } from '#platform/node/objects-s3.ts'
import { night } from '#test/support/night.ts'
import type { UploadsPort } from '#vendors/uploads/uploads.ts'

type Objects = Pick<UploadsPort, 'put' | 'get' | 'remove' | 'removeFolder' | 'pingObjects'>
interface Store {
  objects: Objects
  close(): Promise<unknown>
}

const credentials = {
  bucket: 'uploads',
  region: 'eu-central-1',
  accessKeyId: 'AKLOCAL',
  secretAccessKey: 'local-secret-key',
}

const stores: Record<string, () => Promise<Store>> = {
  async R2() {
    const options = { modules: true, script: 'export default {}', r2Buckets: ['UPLOADS'] }
    const miniflare = new Miniflare(convertV4MiniflareOptions(options))
    const bucket = (await miniflare.getR2Bucket('UPLOADS')) as unknown as R2Bucket
    return { objects: r2Objects(bucket, 5000), close: () => miniflare.dispose() }
  },
  async 'a folder'() {
    const folder = await mkdtemp(join(tmpdir(), 'objects-'))
    return {
      objects: folderObjects(join(folder, 'missing/yet'), 5000),
      close: () => rm(folder, { recursive: true }),
    }
  },
  async S3() {
    const server = await listen(createS3Routes(credentials).fetch)
    return {
      objects: s3Objects({ ...credentials, endpoint: `${server.origin}/` }, 5000),
      close: server.close,
    }
  },
}

type Fetch = (request: Request) => Response | Promise<Response>

async function listen(fetch: Fetch): Promise<{ origin: string; close(): Promise<void> }> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false }, ({ port }) =>
    resolve(port),
  )
  const close = () => new Promise<void>((done) => server.close(() => done()))
  return { origin: `http://127.0.0.1:${await promise}`, close }
}

const key = 'accounts/01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d10/01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d1a.jpg'
const bytes = Uint8Array.from({ length: 70_000 }, (_, n) => n % 256)

describe.each(Object.keys(stores))('the object store on %s', (name) => {
  let store: Store
  let objects: Objects
  beforeAll(async () => {
    store = (await stores[name]?.()) as Store
    objects = store.objects
  })
  afterAll(() => store.close())

  it('returns what was stored, byte by byte, in a buffer of its own', async () => {
    await objects.put(key, bytes)
    const read = await objects.get(key)
    expect(read).toEqual(bytes)
    expect(read?.buffer.byteLength).toBe(bytes.byteLength)
  })

  it('returns null for an object that does not exist', async () => {
    expect(await objects.get('accounts/missing.jpg')).toBe(null)
    expect(await objects.get('nothing/below/this')).toBe(null)
    await objects.put('parent/child.jpg', bytes)
    expect(await objects.get('parent')).toBe(null)
    expect(await objects.get('parent/child.jpg/below')).toBe(null)
  })

  it('replaces an object', async () => {
    await objects.put('replaced.jpg', bytes)
    await objects.put('replaced.jpg', new Uint8Array([1, 2, 3]))
    expect(await objects.get('replaced.jpg')).toEqual(new Uint8Array([1, 2, 3]))
  })

  it('stores an empty object', async () => {
    await objects.put('empty.jpg', new Uint8Array())
    expect(await objects.get('empty.jpg')).toEqual(new Uint8Array())
  })

  it('removes an object, and one that does not exist', async () => {
    await objects.put('removed.jpg', bytes)
    await objects.remove('removed.jpg')
    await objects.remove('removed.jpg')
    expect(await objects.get('removed.jpg')).toBe(null)
  })

  it('removes the objects of a folder and of the folders in it, 100 at a time, and no others', async () => {
    const keys = Array.from({ length: 101 }, (_, n) => `accounts/a1/${n % 2 ? 'exports/' : ''}${n}.jpg`)
    const others = ['accounts/a11/x.jpg', 'accounts/b/x.jpg']
    for (const each of [...keys, ...others]) await objects.put(each, bytes.subarray(0, 10))
    expect([await objects.removeFolder('accounts/a1'), await objects.removeFolder('accounts/a1')]).toEqual([
      100, 1,
    ])
    expect(await objects.removeFolder('accounts/a1')).toBe(0)
    expect(await objects.get(keys[0] ?? '')).toBe(null)
    for (const each of others) expect(await objects.get(each)).not.toBe(null)
    await objects.put(keys[0] ?? '', bytes)
    expect(await objects.get(keys[0] ?? '')).toEqual(bytes)
  })

  it('never returns parts of two objects while several callers replace one', async () => {
    const versions = [1, 2, 3, 4, 5, 6, 7, 8].map((fill) => new Uint8Array(200_000).fill(fill))
    const writes = versions.map((version) => objects.put('raced.jpg', version))
    const reads = Array.from({ length: 20 }, () => objects.get('raced.jpg'))
    await Promise.all(writes)
    for (const read of await Promise.all(reads)) expect(new Set(read ?? [0]).size).toBe(1)
    expect(new Set((await objects.get('raced.jpg')) ?? []).size).toBe(1)
  })

  it('answers a ping', async () => {
    await expect(objects.pingObjects()).resolves.toBeUndefined()
  })
})

describe('an object key', () => {
  const folder = folderObjects(join(tmpdir(), 'never-created'), 1000)
  const s3 = s3Objects({ ...credentials, endpoint: 'http://127.0.0.1:1' }, 1000)
  it.each([
    '../secret',
    'accounts/../../secret',
    '/etc/passwd',
    'accounts//a',
    'accounts/.hidden',
    '.',
    '',
    'a\0b',
    'a\\b',
    'a%2f..%2fb',
    'A.jpg',
    'a?x=1',
    'a'.repeat(101),
    `${'a/'.repeat(200)}a`,
  ])('%j is refused before anything is read or written', async (unsafe) => {
    for (const objects of [folder, s3])
      for (const call of [
        () => objects.put(unsafe, bytes),
        () => objects.get(unsafe),
        () => objects.remove(unsafe),
        () => objects.removeFolder(unsafe),
      ])
        await expect(call()).rejects.toThrow('The object key has an unsafe form')
  })
})

describe('an object store in a folder', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'objects-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('leaves no temporary file behind, neither after a success nor after a failure', async () => {
    const objects = folderObjects(folder, 1000)
    await objects.put('a/b.jpg', bytes)
    // A folder with the name of an object makes the rename fail.
    await expect(objects.put('a', bytes)).rejects.toThrow()
    await objects.pingObjects()
    expect(await readdir(folder, { recursive: true })).toEqual(['a', 'a/b.jpg'])
  })

  it('fails its ping when the folder cannot be written', async () => {
    await folderObjects(folder, 1000).put('file', bytes)
    await expect(folderObjects(join(folder, 'file'), 1000).pingObjects()).rejects.toThrow()
  })

  it('stores and reads no object above the limit', async () => {
    const objects = folderObjects(folder, 1000)
    await expect(objects.put('large', new Uint8Array(maxObjectBytes + 1))).rejects.toThrow(RangeError)
    expect(await objects.get('large')).toBe(null)
    await writeFile(join(folder, 'large'), '')
    await truncate(join(folder, 'large'), maxObjectBytes + 1)
    await expect(objects.get('large')).rejects.toThrow(RangeError)
  })

  it('ends a call when the file system does not answer', async () => {
    const path = join(folder, 'silent')
    await promisify(execFile)('mkfifo', [path])
    // Opening a named pipe blocks until somebody writes to it.
    const call = folderObjects(folder, 50).get('silent')
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' })
    await writeFile(path, '')
  })
})

describe('an object store on S3', () => {
  /** Answer every request with `answer`, run `work` against it, and return the number of requests. */
  async function withAnswer(
    answer: Fetch,
    work: (objects: Objects) => Promise<void>,
    { timeoutMs = 10_000, ...settings }: Partial<S3Settings & { timeoutMs: number }> = {},
  ): Promise<number> {
    let requests = 0
    const server = await listen((request) => {
      requests++
      return answer(request)
    })
    await work(s3Objects({ ...credentials, endpoint: server.origin, ...settings }, timeoutMs))
    await server.close()
    return requests
  }
  /** Call every method of a port, and return what each of them has thrown. */
  async function collectErrors(objects: Objects): Promise<unknown[]> {
    const calls = [objects.put(key, bytes), objects.get(key), objects.remove(key), objects.pingObjects()]
    return (await Promise.allSettled(calls)).map((result) =>
      result.status === 'rejected' ? result.reason : 'nothing',
    )
  }
  const timeout = expect.objectContaining({ name: 'TimeoutError' })
  const failure = (action: string, status: string) =>
    new Error(`${action}: the object store answered ${status}`)
  const failures = (status: string, pingStatus = status) => [
    failure('PutObject', status),
    failure('GetObject', status),
    failure('DeleteObject', status),
    failure('HeadBucket', pingStatus),
  ]

  it('ends every call to a store that does not answer', night, async () => {
    const silent = () => new Promise<Response>(() => {})
    await withAnswer(
      silent,
      async (objects) => {
        expect(await collectErrors(objects)).toEqual([timeout, timeout, timeout, timeout])
      },
      { timeoutMs: 300 },
    )
  })

  it('fails to read an object whose body stalls', async () => {
    const stalled = () =>
      new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) }))
    await withAnswer(
      stalled,
      async (objects) => {
        await expect(objects.get(key)).rejects.toMatchObject({ name: 'TimeoutError' })
      },
      { timeoutMs: 300 },
    )
  })

  it('stops reading an object above the limit', async () => {
    let sent = 0
    const chunk = new Uint8Array(1024 * 1024)
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent++
            controller.enqueue(chunk)
          },
        }),
      )
    await withAnswer(endless, async (objects) => {
      await expect(objects.get(key)).rejects.toThrow(RangeError)
    })
    expect(sent).toBeLessThan(100)
  })

  it('follows no redirect', async () => {
    const requests = await withAnswer(
      (request) => Response.redirect(new URL('/elsewhere', request.url)),
      async (objects) => {
        expect(await collectErrors(objects)).toEqual(failures('302 without a code'))
      },
    )
    expect(requests).toBe(4)
  })

  it('repeats a call once that S3 asks to repeat', async () => {
    let attempts = 0
    const requests = await withAnswer(
      () => new Response(null, { status: ++attempts === 1 ? 503 : 200 }),
      async (objects) => {
        await objects.put(key, bytes)
      },
    )
    expect(requests).toBe(2)
  })

  it('throws the status and the code of an error, without the key or the message', async () => {
    const xml = `<Error><Code>InvalidAccessKeyId</Code><Message>${credentials.accessKeyId} is unknown</Message></Error>`
    await withAnswer(
      () => new Response(xml, { status: 403 }),
      async (objects) => {
        expect(await collectErrors(objects)).toEqual(failures('403 InvalidAccessKeyId', '403 without a code'))
      },
    )
  })

  it('fails when the bucket does not exist, and does not answer that the object is missing', async () => {
    const { fetch } = createS3Routes(credentials)
    await withAnswer(
      (request) => fetch(request),
      async (objects) => {
        expect(await collectErrors(objects)).toEqual(failures('404 NoSuchBucket', '404 without a code'))
      },
      { bucket: 'other' },
    )
  })

  it('does not take another page for an empty folder', async () => {
    await withAnswer(
      () => new Response('<html>Sign in</html>'),
      async (objects) => {
        await expect(objects.removeFolder('accounts/a1')).rejects.toThrow('no list')
      },
    )
  })

  it('removes a missing object from a store that answers 404 for it', async () => {
    await withAnswer(
      () => new Response('<Error><Code>NoSuchKey</Code></Error>', { status: 404 }),
      async (objects) => {
        await expect(objects.remove(key)).resolves.toBeUndefined()
      },
    )
  })

  it('sends no object above the limit', async () => {
    const requests = await withAnswer(
      () => new Response(null),
      async (objects) => {
        await expect(objects.put(key, new Uint8Array(maxObjectBytes + 1))).rejects.toThrow(RangeError)
      },
    )
    expect(requests).toBe(0)
  })

  it('fails with a wrong secret', async () => {
    const { fetch } = createS3Routes(credentials)
    await withAnswer(
      (request) => fetch(request),
      async (objects) => {
        expect(await collectErrors(objects)).toEqual(
          failures('403 SignatureDoesNotMatch', '403 without a code'),
        )
      },
      { secretAccessKey: 'wrong' },
    )
  })
})

it('OPS-03 lists every object of a folder, and none of a folder that is missing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'objects-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await folderObjects(folder, 5000).put(key, bytes)
  await writeFile(join(folder, 'accounts/.left-by-a-crash'), '')
  expect(await listFolderObjects(folder)).toEqual([key])
  expect(await listFolderObjects(join(folder, 'missing'))).toEqual([])
})

it('OPS-03 lists every object of a bucket, page by page', async () => {
  const server = await listen(createS3Routes(credentials).fetch)
  onTestFinished(server.close)
  const settings = { ...credentials, endpoint: server.origin }
  const keys = Array.from({ length: 201 }, (_, n) => `accounts/a/${String(n).padStart(3, '0')}.jpg`)
  const objects = s3Objects(settings, 5000)
  await Promise.all(keys.map((name) => objects.put(name, bytes.slice(0, 9))))
  expect(await listS3Objects(settings, 5000, 100)).toEqual(keys)
  await expect(listS3Objects({ ...settings, bucket: 'other' }, 5000)).rejects.toThrow('NoSuchBucket')
})
