import { createHash } from 'node:crypto'
import { SignJWT } from 'jose'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { createApp, type Services } from '../../lib/http/app.ts'
import { job, mountJobs } from '../../lib/http/job.ts'
import { noMetrics } from '../../lib/metrics/metrics.ts'

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
const services = {
  ports: { config: { CORS_ORIGINS: [], PUBLIC_BASE_URL: origin } },
  readClientAddress: () => '192.0.2.1',
  log: () => {},
  metrics: noMetrics,
} as unknown as Services
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
  const declared = await app.request(path, { method: 'POST', body: 'x', headers: { 'upstash-signature': 'x', 'content-length': '65537' } })
  expect(declared.status).toBe(413)
})

it('WIR-32 runs a job that the queue signed', async () => {
  const body = JSON.stringify({ text: 'hello' })
  const headers = { 'upstash-signature': await signMessage(body) }
  const before = handledCount
  const { status } = await app.request(path, { method: 'POST', body, headers })
  expect([status, handledCount - before]).toEqual([200, 1])
})
