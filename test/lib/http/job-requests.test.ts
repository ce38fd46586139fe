import { createHash } from 'node:crypto'
import { Hono } from 'hono'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createApp, type Env } from '#http/app.ts'
import { job, logFailure, mountJobs, runJobMessage } from '#http/job.ts'
import type { Problem } from '#problem.ts'
import { createStubServices } from '#test/support/stub-services.ts'

const key = 'sig_0123456789abcdef0123456789abcdef'
const origin = 'https://api.example.com'
const path = '/jobs/notes/send'
let handledCount = 0
const sendNote = job({
  id: 'notes.send',
  path,
  body: z.strictObject({ text: z.string() }),
  handle: async () => {
    handledCount++
  },
})
const services = createStubServices({ config: { CORS_ORIGINS: [], PUBLIC_BASE_URL: origin } })
const app = createApp(services)
mountJobs(app, [sendNote], services, [key])

/** Sign a message as QStash does. */
function signMessage(body: string): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: 'Upstash',
    sub: origin + path,
    nbf: now,
    exp: now + 60,
    body: createHash('sha256').update(body).digest('base64url'),
  }
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(key))
}

/** Post a body of 10 MB in chunks, and return the status and how much of it was read. */
async function postEndless(headers: Record<string, string>) {
  let readBytes = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      readBytes += 16 * 1024
      if (readBytes > 10_000_000) controller.close()
      else controller.enqueue(new Uint8Array(16 * 1024))
    },
  })
  const { status } = await app.request(path, { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
  return { status, readBytes }
}

it('WIR-32 refuses a job without a signature before it reads the body', async () => {
  const { status, readBytes } = await postEndless({})
  expect([status, readBytes <= 16 * 1024]).toEqual([401, true])
})

it('WIR-32 reads at most 64 KB of a job', async () => {
  const { status, readBytes } = await postEndless({ 'upstash-signature': 'x' })
  expect([status, readBytes <= 128 * 1024]).toEqual([413, true])
  const declared = await app.request(path, {
    method: 'POST',
    body: 'x',
    headers: { 'upstash-signature': 'x', 'content-length': '65537' },
  })
  expect(declared.status).toBe(413)
})

it('WIR-32 runs a job that the queue signed', async () => {
  const body = JSON.stringify({ text: 'hello' })
  const headers = { 'upstash-signature': await signMessage(body) }
  const before = handledCount
  const { status } = await app.request(path, { method: 'POST', body, headers })
  expect([status, handledCount - before]).toEqual([200, 1])
})

describe('a job', () => {
  const handled: unknown[] = []
  const jobs = [
    job({
      id: 'a.run',
      path: '/jobs/a/run',
      body: z.strictObject({ id: z.string() }),
      handle: async ({ body }) => void handled.push(body),
    }),
  ]
  const services = createStubServices({ config: { PUBLIC_BASE_URL: 'https://api.example' } })
  const getKind = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: Problem) => error.kind,
    )

  it('runs for its path and its body', async () => {
    expect(await getKind(runJobMessage(services, jobs, '/jobs/a/run', { id: 'x' }))).toBe('done')
    expect(handled).toEqual([{ id: 'x' }])
    expect(await getKind(runJobMessage(services, jobs, '/jobs/b/run', { id: 'x' }))).toBe('not_found')
    expect(await getKind(runJobMessage(services, jobs, '/jobs/a/run', { id: 7 }))).toBe('invalid')
  })
  it.each<[string, Record<string, string>, string, number]>([
    ['without a signature', {}, '{}', 401],
    ['with a wrong signature', { 'upstash-signature': 'x' }, '{}', 401],
    ['with too long a body', { 'upstash-signature': 'x' }, 'x'.repeat(64 * 1024 + 1), 413],
    ['with the longest body', { 'upstash-signature': 'x' }, 'x'.repeat(64 * 1024), 401],
    [
      'with the longest declared length',
      { 'upstash-signature': 'x', 'content-length': String(64 * 1024) },
      '{}',
      401,
    ],
    [
      'with a declared length that is too long',
      { 'upstash-signature': 'x', 'content-length': String(64 * 1024 + 1) },
      '{}',
      413,
    ],
  ])('is refused %s', async (_, headers, body, status) => {
    const app = new Hono<Env>()
    app.use((c, next) => {
      c.set('headers', {})
      return next()
    })
    mountJobs(app, jobs, services, ['key'])
    const answer = await app.request('/jobs/a/run', { method: 'POST', headers, body })
    expect([answer.status, handled.length]).toEqual([status, 1])
  })
  it('logs the failure of a part, and throws it', async () => {
    const lines: object[] = []
    const failing = logFailure(
      { log: (line) => lines.push(line) },
      { part: 'x' },
      Promise.reject(new TypeError('secret')),
    )
    await expect(failing).rejects.toThrow(TypeError)
    expect(lines).toMatchObject([{ part: 'x', error: { name: 'TypeError' } }])
  })
})
