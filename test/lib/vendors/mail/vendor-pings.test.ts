import { createServer } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { listen } from '#platform/node/server.ts'
import { resendMail } from '#vendors/mail/resend.ts'
import { qstashQueue } from '#vendors/queue/qstash.ts'

// Answers each request with the status in the first part of its path, and with JSON unless that part ends
// with x.
const server = createServer((request, response) => {
  const [, part = ''] = (request.url ?? '').split('/')
  response
    .writeHead(Number.parseInt(part, 10), { location: '/200' })
    .end(part.endsWith('x') ? 'no JSON' : '{}')
})
const origin = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
afterAll(() => server.closeAllConnections())

const pings = {
  mail: (path: string) => resendMail({ key: 'k', baseUrl: `${origin}/${path}`, from: 'a@b.example' }).ping(),
  queue: (path: string) =>
    qstashQueue({ url: `${origin}/${path}`, token: 't', target: 'http://c.example' }).ping(),
}

describe('the ping of the mail provider', () => {
  it.each(['200', '401', '403', '404', '429'])('takes the status %s for an answer', async (path) => {
    await expect(pings.mail(path)).resolves.toEqual({ isLimited: path === '429' })
  })
  it.each(['300', '302', '500', '503'])('fails for the status %s', async (path) => {
    await expect(pings.mail(path)).rejects.toThrow(`The mail provider returned ${path}`)
  })
  it('fails for an answer that is not JSON', () => expect(pings.mail('200x')).rejects.toThrow(SyntaxError))
})

describe('the ping of the queue', () => {
  it.each(['200', '429'])('takes the status %s for an answer', async (path) => {
    await expect(pings.queue(path)).resolves.toEqual({ isLimited: path === '429' })
  })
  it.each(['302', '401', '500'])('fails for the status %s', async (path) => {
    await expect(pings.queue(path)).rejects.toThrow(`The queue returned ${path}`)
  })
  it('fails for an answer that is not JSON', () => expect(pings.queue('200x')).rejects.toThrow(SyntaxError))
})

describe('an e-mail whose answer has no error code', () => {
  const send = (path: string) =>
    resendMail({ key: 'k', baseUrl: `${origin}/${path}`, from: 'a@b.example' }).send(
      [{ deliveryId: 'd1', to: 'c@d.example', subject: 's', html: 'h', text: 't', matter: null }],
      'key',
    )
  it.each([
    ['502x', 'The mail provider returned 502: no JSON', true],
    ['422', 'The mail provider returned 422', false],
    ['200x', 'The mail provider returned 200: no JSON', true],
  ])('fails with the status %s, and says whether it may have been sent', async (path, error, isUncertain) => {
    expect(await send(path)).toMatchObject({ ok: false, error, isUncertain })
  })
})
