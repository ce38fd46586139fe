import { Resend } from 'resend'
import { expect, test } from 'vitest'
import { createClock } from '#local/clock.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { secrets, startTestServer } from './test-server.ts'

const mail = {
  from: 'Support <support@example.com>',
  to: 'ada@example.com',
  subject: 'Hello',
  html: '<p>Hi</p>',
  text: 'Hi',
}

async function startWithClient(key = secrets.resendKey) {
  const local = await startTestServer()
  return { ...local, resend: new Resend(key, { baseUrl: `${local.origin}/resend` }) }
}

test('the local Resend records a sent e-mail under the returned id', async () => {
  const { resend, read } = await startWithClient()
  const { data, error } = await resend.emails.send(
    { ...mail, replyTo: 'desk@example.com' },
    { idempotencyKey: 'delivery-1' },
  )
  expect(error).toBeNull()
  expect(await read('/desk/mail')).toEqual([
    {
      id: data?.id,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
      from: mail.from,
      to: ['ada@example.com'],
      reply_to: ['desk@example.com'],
      subject: 'Hello',
      html: '<p>Hi</p>',
      text: 'Hi',
      headers: {},
      idempotency_key: 'delivery-1',
      trace_id: null,
    },
  ])
})

test('the local Resend sends one e-mail per idempotency key, and returns 409 for the key with another body', async () => {
  const { resend, read } = await startWithClient()
  const first = await resend.emails.send(mail, { idempotencyKey: 'k' })
  const repeated = await resend.emails.send(mail, { idempotencyKey: 'k' })
  expect(repeated.data).toEqual(first.data)
  const conflict = await resend.emails.send({ ...mail, subject: 'Other' }, { idempotencyKey: 'k' })
  expect(conflict.error).toMatchObject({ statusCode: 409, name: 'invalid_idempotent_request' })
  expect(await read('/desk/mail')).toHaveLength(1)
})

test('a batch records every e-mail; one invalid e-mail rejects the whole batch, or only itself with permissive validation', async () => {
  const { resend, read } = await startWithClient()
  const { data } = await resend.batch.send([mail, { ...mail, to: ['bob@example.com', 'eve@example.com'] }])
  expect(data?.data).toHaveLength(2)
  const strict = await resend.batch.send([mail, { ...mail, to: 'nobody' }])
  expect(strict.error).toMatchObject({ statusCode: 422, name: 'validation_error' })
  const permissive = await resend.batch.send([mail, { ...mail, to: 'nobody' }], {
    batchValidation: 'permissive',
  })
  expect(permissive.data).toMatchObject({ data: [{ id: expect.any(String) }], errors: [{ index: 1 }] })
  expect((await read('/desk/mail')).map(({ to }) => to)).toEqual([
    ['ada@example.com'],
    ['bob@example.com', 'eve@example.com'],
    ['ada@example.com'],
  ])
})

test.each([
  ['no sender', { from: '' }, 'missing_required_field'],
  ['no recipient', { to: '' }, 'missing_required_field'],
  ['a malformed recipient', { to: 'ada@' }, 'validation_error'],
  ['51 recipients', { to: Array(51).fill('ada@example.com') }, 'validation_error'],
  ['a subject of two lines', { subject: 'a\r\nBcc: eve@example.com' }, 'validation_error'],
  ['no content', { html: '', text: '' }, 'validation_error'],
])('an e-mail with %s is refused with 422', async (_, fields, name) => {
  const { resend, read } = await startWithClient()
  const { error } = await resend.emails.send({ ...mail, ...fields })
  expect(error).toMatchObject({ statusCode: 422, name })
  expect(await read('/desk/mail')).toEqual([])
})

test('the local Resend returns 401 without a key and 403 for a wrong key', async () => {
  const { call } = await startWithClient()
  expectStatus(await call('POST', '/resend/emails', mail), 401)
  const { resend } = await startWithClient('re_other')
  expect((await resend.emails.send(mail)).error).toMatchObject({ statusCode: 403, name: 'invalid_api_key' })
})

test('the sixth request within a second is refused with 429 and retry-after, and one a second later is not', async () => {
  const clock = createClock()
  const local = await startTestServer({ clock })
  const headers = { authorization: `Bearer ${secrets.resendKey}` }
  const send = () =>
    fetch(`${local.origin}/resend/emails`, { method: 'POST', headers, body: JSON.stringify(mail) })
  for (let n = 0; n < 5; n++) expectStatus(await send(), 200)
  const refused = await send()
  const { name } = (await refused.json()) as { name: string }
  expect([refused.status, refused.headers.get('retry-after'), name]).toEqual([
    429,
    '1',
    'rate_limit_exceeded',
  ])
  clock.setOffset(1000)
  expectStatus(await send(), 200)
})

test('a batch of 101 e-mails is refused with 422', async () => {
  const { resend, read } = await startWithClient()
  const { error } = await resend.batch.send(Array(101).fill(mail))
  expect(error).toMatchObject({ statusCode: 422, name: 'validation_error' })
  expect(await read('/desk/mail')).toEqual([])
})

test('an idempotency key is forgotten after 24 hours', async () => {
  const clock = createClock()
  const local = await startTestServer({ clock })
  const resend = new Resend(secrets.resendKey, { baseUrl: `${local.origin}/resend` })
  await resend.emails.send(mail, { idempotencyKey: 'k' })
  clock.setOffset(24 * 3600_000 + 1000)
  await resend.emails.send(mail, { idempotencyKey: 'k' })
  expect(await local.read('/desk/mail')).toHaveLength(2)
})
