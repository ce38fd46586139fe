import { Resend } from 'resend'
import { expect, test } from 'vitest'
import { expectStatus } from '../support/answers.ts'
import { secrets, stand } from './stand.ts'

const mail = { from: 'Support <support@example.com>', to: 'ada@example.com', subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' }

async function sender(key = secrets.resendKey) {
  const local = await stand()
  return { ...local, resend: new Resend(key, { baseUrl: `${local.origin}/resend` }) }
}

test('a sent mail lies on the desk under the id that was answered', async () => {
  const { resend, read } = await sender()
  const { data, error } = await resend.emails.send({ ...mail, replyTo: 'desk@example.com' }, { idempotencyKey: 'delivery-1' })
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
      idempotency_key: 'delivery-1',
    },
  ])
})

test('the same idempotency key sends once, and with another body it is a conflict', async () => {
  const { resend, read } = await sender()
  const first = await resend.emails.send(mail, { idempotencyKey: 'k' })
  const again = await resend.emails.send(mail, { idempotencyKey: 'k' })
  expect(again.data).toEqual(first.data)
  const other = await resend.emails.send({ ...mail, subject: 'Other' }, { idempotencyKey: 'k' })
  expect(other.error).toMatchObject({ statusCode: 409, name: 'invalid_idempotent_request' })
  expect(await read('/desk/mail')).toHaveLength(1)
})

test('a batch is one record per mail, and none when one of them is wrong', async () => {
  const { resend, read } = await sender()
  const { data } = await resend.batch.send([mail, { ...mail, to: ['bob@example.com', 'eve@example.com'] }])
  expect(data?.data).toHaveLength(2)
  const refused = await resend.batch.send([mail, { ...mail, to: 'nobody' }])
  expect(refused.error).toMatchObject({ statusCode: 422, name: 'validation_error' })
  const loose = await resend.batch.send([mail, { ...mail, to: 'nobody' }], { batchValidation: 'permissive' })
  expect(loose.data).toMatchObject({ data: [{ id: expect.any(String) }], errors: [{ index: 1 }] })
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
])('%s is refused with 422', async (_, change, name) => {
  const { resend, read } = await sender()
  const { error } = await resend.emails.send({ ...mail, ...change })
  expect(error).toMatchObject({ statusCode: 422, name })
  expect(await read('/desk/mail')).toEqual([])
})

test('a missing key is 401 and a wrong one 403', async () => {
  const { call } = await sender()
  expectStatus(await call('POST', '/resend/emails', mail), 401)
  const { resend } = await sender('re_other')
  expect((await resend.emails.send(mail)).error).toMatchObject({ statusCode: 403, name: 'invalid_api_key' })
})
