import type { SMTPServerOptions } from 'smtp-server'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { signMailEvent } from '#local/vendors/resend.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { startSmtpServer } from '#test/support/smtp-server.ts'
import { startVendorServer, type VendorAnswer } from '#test/support/vendor-server.ts'
import type { MailResult } from '#vendors/mail/mail.ts'
import { resendMail } from '#vendors/mail/resend.ts'
import { smtpMail } from '#vendors/mail/smtp.ts'

// What public reports say of other senders of e-mails, tried on ours. test/reports.tsv has what came of each.

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})
const mail = { deliveryId: 'd1', to: 'ada@example.com', subject: 's', html: 'h', text: 't', matter: null }
const key = 're_7Q2XW9ZV4T8R1_abcdefghijk'
const open = () =>
  resendMail({
    key,
    baseUrl: vendor.origin,
    from: 'Flow <flow@example.com>',
    webhookSecret: `whsec_${btoa('s'.repeat(24))}`,
  })
async function sendByResend(answer: VendorAnswer): Promise<MailResult> {
  vendor.answer = () => answer
  return runWithin(createBudget({ steps: 1e9 }), () =>
    open().send([mail, { ...mail, to: 'bo@example.com' }], 'key-1'),
  )
}

describe('NOT-81 reports about Resend', () => {
  const refused = (statusCode: number, name: string, message: string) => ({
    status: statusCode,
    body: { statusCode, name, message },
  })
  const testing =
    'You can only send testing emails to your own email address (owner@example.org). To send emails to other recipients, please verify a domain at resend.com/domains.'
  const cases: [string, VendorAnswer, unknown][] = [
    [
      'dreamhunter2333/cloudflare_temp_email#695',
      refused(
        422,
        'validation_error',
        'Invalid `from` field. The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.',
      ),
      { ok: false, error: expect.stringMatching(/validation_error: Invalid `from` field/) },
    ],
    [
      'mailersend/mailersend-php#36',
      { status: 422, body: '' },
      { ok: false, status: 422, error: 'The mail provider returned 422' },
    ],
    [
      'Vack99/RED-2.0#151',
      refused(429, 'daily_quota_exceeded', 'You have reached your daily email sending quota.'),
      {
        ok: false,
        isPostponed: true,
        error: expect.stringMatching(/daily_quota_exceeded: You have reached your daily/),
      },
    ],
    [
      'cedarjs/cedar#2808',
      refused(401, 'validation_error', 'API key is invalid'),
      { ok: false, isUnread: true, error: expect.stringMatching(/API key is invalid/) },
    ],
    [
      'ugurkocde/AwesomeIntune#187',
      refused(403, 'validation_error', testing),
      {
        ok: false,
        status: 403,
        error: expect.stringMatching(/^(?!.*owner@).*verify a domain at resend\.com\/domains/),
      },
    ],
    [
      'AkkalDhami/servercn#275',
      {
        body: {
          data: [{ id: '1' }],
          errors: [{ index: 1, message: 'Invalid `to` field for bo@example.com.' }],
        },
      },
      {
        ok: true,
        failures: new Map([
          [
            1,
            expect.objectContaining({
              isRefused: true,
              error: expect.stringMatching(/^(?!.*bo@).*Invalid `to` field/),
            }),
          ],
        ]),
      },
    ],
  ]
  it.each(cases)('%s', async (_, answer, expected) => {
    expect(await sendByResend(answer)).toMatchObject(expected as object)
  })
  it('productdevbook/unemail#119', async () => {
    await sendByResend({ body: { data: [{ id: '1' }, { id: '2' }] } })
    expect(vendor.requests[0]?.headers['idempotency-key']).toBe('key-1')
  })

  const readEvent = async (event: object) => {
    const { body, headers } = await signMailEvent(event, `whsec_${btoa('s'.repeat(24))}`)
    return open().readEvent({ bytes: new Uint8Array(Buffer.from(body)), headers: new Headers(headers) })
  }
  const event = (type: string, data: object) => ({
    type,
    created_at: '2026-07-01T10:00:00.000Z',
    data: { to: ['ada@example.com'], ...data },
  })
  const nothing = { ok: true, event: null }
  const events: [string, object, unknown][] = [
    ['symfony/symfony#65034', event('email.failed', { failed: { reason: 'reached_daily_quota' } }), nothing],
    [
      'get-convex/resend#113',
      event('email.suppressed', { suppressed: { message: 'On the list' } }),
      { ok: true, event: { problem: 'suppressed', address: 'ada@example.com' } },
    ],
    [
      'resend/resend-node#1031',
      {
        type: 'suppression.added',
        created_at: '2026-07-01T10:00:00.000Z',
        data: { id: 'x', email: 'ada@example.com', origin: 'manual', source_id: null },
      },
      nothing,
    ],
    [
      'baptisteArno/typebot.io#2377',
      event('email.bounced', { bounce: { type: 'Transient', subType: 'MailboxFull' } }),
      nothing,
    ],
    ['pathment/pathment#408', event('email.complained', {}), { ok: true, event: { problem: 'complained' } }],
  ]
  it.each(events)('%s', async (_, wire, expected) => {
    expect(await readEvent(wire)).toMatchObject(expected as object)
  })
})

describe('NOT-101 reports about mail servers', () => {
  const refuse = (responseCode: number, message: string) =>
    Object.assign(new Error(message), { responseCode })
  type Phase = 'onRcptTo' | 'onData' | 'onMailFrom' | 'onAuth'
  const sendTo = async (options: SMTPServerOptions, path = '') => {
    const server = await startSmtpServer(options)
    try {
      const port = smtpMail({
        url: path === '' ? server.url : `${path}127.0.0.1:${server.port}`,
        from: 'flow@example.com',
        timeoutMs: 2000,
      })
      const result = await port.send([mail, { ...mail, to: 'bo@example.com' }], 'k')
      return { first: result.ok ? result.failures?.get(0) : result, count: server.messages.length }
    } finally {
      await server.close()
    }
  }
  const failIn = (phase: Phase, code: number, text: string) =>
    sendTo({
      [phase]: (first: { resume?: () => void }, _session: unknown, done: (error?: Error) => void) => {
        first.resume?.()
        done(refuse(code, text))
      },
    })
  const corrected = { ok: false, gone: undefined, isRefused: undefined }
  const cases: [string, Phase, number, string, Record<string, unknown>][] = [
    [
      'eleith/emailjs#202',
      'onRcptTo',
      450,
      '4.2.0 <ada@example.com>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/',
      { ...corrected, error: expect.stringMatching(/^(?!.*ada@).*Greylisted/) },
    ],
    [
      'postalserver/postal#238',
      'onRcptTo',
      451,
      '4.7.1 Greylisted, please try again in 300 seconds',
      { ...corrected, retryAfterSeconds: 300 },
    ],
    [
      'fastify/help#800',
      'onData',
      421,
      '4.3.0 Temporary System Problem. Try again later (10). abc - gsmtp',
      { ...corrected, error: expect.stringMatching(/Temporary System Problem/) },
    ],
    [
      'jstedfast/MailKit#1176',
      'onData',
      554,
      '5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied; Failed to process message',
      { ...corrected, error: expect.stringMatching(/SendAsDenied/) },
    ],
    [
      'swiftmailer/swiftmailer#1030',
      'onData',
      550,
      '5.7.60 SMTP; Client does not have permissions to send as this sender',
      corrected,
    ],
    [
      'simonrob/email-oauth2-proxy#193',
      'onAuth',
      535,
      '5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant. Visit https://aka.ms/smtp_auth_disabled for more information.',
      { ...corrected, error: expect.stringMatching(/aka\.ms\/smtp_auth_disabled/) },
    ],
    [
      'stoatchat/self-hosted#169',
      'onMailFrom',
      538,
      'Error: Must issue a STARTTLS command first',
      { ...corrected, error: expect.stringMatching(/Must issue a STARTTLS command first/) },
    ],
  ]
  it.each(cases)('%s', async (_, phase, code, text, expected) => {
    const { first } = await failIn(phase, code, text)
    const { gone, isRefused } = (first ?? {}) as { gone?: boolean; isRefused?: boolean }
    expect({ ...first, gone, isRefused }).toMatchObject(expected)
  })
  it('Chocobozzz/PeerTube#4060', async () => {
    const { first } = await sendTo({}, 'smtps://desk:x@')
    expect(first).toMatchObject({ ok: false, error: 'The mail server has no TLS, or no valid certificate' })
  })
  it('nodemailer/nodemailer#527', async () => {
    const { first } = await sendTo({ secure: true }, 'smtps://desk:x@')
    expect(first).toMatchObject({ ok: false, error: expect.stringMatching(/certificate/) })
  })
})
