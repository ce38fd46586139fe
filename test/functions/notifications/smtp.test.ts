import { text } from 'node:stream/consumers'
import { afterAll, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'
import { startSmtpServer } from '#test/support/smtp-server.ts'

const refuse = (responseCode: number) =>
  Object.assign(new Error(`${Math.floor(responseCode / 100)}.1.1 secret-text`), { responseCode })
const messages: string[] = []
const server = await startSmtpServer({
  onRcptTo: ({ address }, _session, done) => done(address.startsWith('nobody') ? refuse(550) : null),
  onData: (stream, { envelope }, done) =>
    void text(stream).then((raw) => {
      messages.push(raw)
      const isFirst = messages.filter((message) => message.includes('To: later@')).length === 1
      done(envelope.rcptTo[0]?.address.startsWith('later') && isFirst ? refuse(451) : null)
    }),
})
const service = await startOwnService({ SMTP_URL: server.url, MAIL_FROM: 'Flow <flow@example.com>' })
const { advanceClock } = dashboard(service)
afterAll(() => Promise.all([service.close(), server.close()]))

const waitUntilSettled = () => service.stack.localServer.qstash.waitUntilSettled()

/** Register a person. Return the state of the e-mail that asks for their confirmation. */
async function register(email: string) {
  const fields = { email, password: 'demo-ladder-42-x', full_name: 'Ada Novak', account_name: 'Novak' }
  expectStatus(await postWithoutToken(service, '/auth/register', fields), 201)
  await waitUntilSettled()
  return readDelivery()
}
const readDelivery = async () =>
  (
    await service.sql(
      'select state, attempts, last_status_code, last_error from deliveries order by created_at desc limit 1',
    )
  )[0]

it('NOT-101 sends the e-mails of the service through a mail server, none through Resend', async () => {
  expect(await register('ada@example.com')).toMatchObject({
    state: 'delivered',
    attempts: 1,
    last_error: null,
  })
  expect(messages).toEqual([expect.stringMatching(/^To: ada@example\.com\r$[\s\S]*verify-email/m)])
})

it('NOT-101 fails an e-mail at once when the mail server refuses its recipient', async () => {
  const error = 'The mail server refused the e-mail (550 5.1.1): secret-text'
  expect(await register('nobody@example.com')).toEqual({
    state: 'failed',
    attempts: 1,
    last_status_code: null,
    last_error: error,
  })
})

it('NOT-102 repeats an e-mail that the mail server postpones, with the same Message-ID', async () => {
  const error = 'The mail server answered 451 4.1.1: secret-text'
  expect(await register('later@example.com')).toMatchObject({
    state: 'retrying',
    attempts: 1,
    last_error: error,
  })
  await advanceClock(40)
  await waitUntilSettled()
  expect(await readDelivery()).toMatchObject({ state: 'delivered', attempts: 2 })
  const ids = messages
    .filter((message) => message.includes('To: later@'))
    .map((message) => /^Message-ID: .+$/m.exec(message)?.[0])
  expect(ids).toEqual([ids[0], ids[0]])
})

it('NOT-101 writes neither the password of the mail server nor its texts to the log', () => {
  expect(service.log.join()).not.toMatch(/secret-text|p@ss|p%40ss/)
})
