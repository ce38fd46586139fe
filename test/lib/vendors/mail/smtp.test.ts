import { createServer } from 'node:net'
import type { SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, it } from 'vitest'
import { checkMail } from '#ops/doctor.ts'
import { parseNodeConfig } from '#platform/node/settings.ts'
import { night } from '#test/support/night.ts'
import { sampleSettings } from '#test/support/settings.ts'
import { startSmtpServer, type TestSmtpServer } from '#test/support/smtp-server.ts'
import { smtpMail } from '#vendors/mail/smtp.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(() => Promise.all(opened.splice(0).map((server) => server.close())))

async function start(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const server = await startSmtpServer(options)
  opened.push(server)
  return server
}

const from = 'Support Flow, Inc. <flow@example.com>'
const mail = {
  deliveryId: 'delivery-1',
  to: 'ada@example.com',
  subject: 'Čau',
  html: '<p>h</p>',
  text: 't',
  matter: null,
}
const others = ['b@example.com', 'c@example.com'].map((to) => ({ ...mail, to }))
const open = (url: string, options = {}) => smtpMail({ url, from, ...options })
/** For a server that hangs. */
const openImpatient = (url: string) => open(url, { timeoutMs: 300 })
const refuse = (responseCode: number, message = 'ada@example.com') =>
  Object.assign(new Error(message), { responseCode })
/** The header fields of a message, each on one line. */
const readHeaders = (raw = '') => (raw.split('\r\n\r\n')[0] ?? '').replaceAll(/\r\n\s+/g, ' ').split('\r\n')

describe('an e-mail through a mail server', () => {
  it.each([
    ['TLS', { secure: true }, 1],
    ['STARTTLS', {}, 1],
    ['neither, when the setting says so', { hideSTARTTLS: true }, 0],
  ])(
    'NOT-101 is sent with %s, with the headers that stop answers and offer to unsubscribe',
    async (_, options, signIns) => {
      const server = await start(options)
      const headers = {
        'List-Unsubscribe': '<https://flow.example/u>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }
      const result = await open(server.url, { replyTo: 'desk@example.com' }).send(
        [{ ...mail, headers }],
        'key',
      )
      expect(result).toEqual({ ok: true, status: null })
      expect(server.messages.map(({ to }) => to)).toEqual([['ada@example.com']])
      expect(server.signIns()).toBe(signIns)
      expect(readHeaders(server.messages[0]?.raw)).toEqual(
        expect.arrayContaining([
          'From: "Support Flow, Inc." <flow@example.com>',
          'To: ada@example.com',
          'Reply-To: desk@example.com',
          'Subject: =?UTF-8?Q?=C4=8Cau?=',
          'Auto-Submitted: auto-generated',
          'X-Auto-Response-Suppress: All',
          'List-Unsubscribe: <https://flow.example/u>',
          'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
        ]),
      )
    },
  )
  it('NOT-102 has the same Message-ID at each attempt, and another one for each recipient and delivery', async () => {
    const server = await start()
    const mails = [mail, ...others, { ...mail, deliveryId: 'delivery-2' }]
    // A new port is a process that has lost its memory.
    for (let attempt = 0; attempt < 2; attempt++) await open(server.url).send(mails, `key-${attempt}`)
    const ids = server.messages.map(
      ({ raw }) => readHeaders(raw).find((line) => line.startsWith('Message-ID')) ?? '',
    )
    expect(new Set(ids).size).toBe(4)
    expect(ids.slice(4)).toEqual(ids.slice(0, 4))
    for (const id of ids) expect(id).toMatch(/^Message-ID: <[\w-]{27}@example\.com>$/)
    expect(server.connections()).toBe(2)
  })
  it('NOT-102 is not sent again by the same process once the server has accepted it', async () => {
    let answers = [250, 451]
    const server = await start({
      onRcptTo: (_address, _session, done) => done(answers.shift() === 451 ? refuse(451) : null),
    })
    const port = open(server.url)
    const first = await port.send([mail, ...others], 'key')
    expect([...(first.ok ? (first.failures?.keys() ?? []) : [])]).toEqual([1])
    answers = []
    expect(await port.send([mail, ...others], 'key')).toEqual({ ok: true, status: null })
    expect(server.messages.map(({ to }) => to[0]).sort()).toEqual([
      'ada@example.com',
      'b@example.com',
      'c@example.com',
    ])
  })
  const failed = { ok: false, status: null }
  const permanent = { isRefused: true, gone: true }
  it.each([
    [
      'onRcptTo',
      550,
      '5.1.1 No such user',
      { error: 'The mail server refused the e-mail (550 5.1.1): No such user', ...permanent },
    ],
    [
      'onData',
      554,
      'Spam for ada@example.com',
      { error: 'The mail server refused the e-mail (554): Spam for [masked email]', ...permanent },
    ],
    [
      'onRcptTo',
      451,
      '4.7.1 Try later',
      { error: 'The mail server answered 451 4.7.1: Try later', endsCall: false },
    ],
    ['onData', 452, 'Full', { error: 'The mail server answered 452: Full', endsCall: false }],
    ['onMailFrom', 550, '5.7.1 Who?', { error: 'The mail server answered 550 5.7.1: Who?', endsCall: false }],
  ] as const)(
    'NOT-101 that %s answers with %i "%s" does not stop the others',
    async (phase, code, text, failure) => {
      let count = 0
      const answer = (done: (error?: Error | null) => void) => done(++count === 1 ? refuse(code, text) : null)
      const server = await start({
        [phase]: (
          first: { resume?: () => void },
          _session: unknown,
          done: (error?: Error | null) => void,
        ) => {
          first.resume?.()
          answer(done)
        },
      })
      expect(await open(server.url).send([mail, ...others], 'key')).toEqual({
        ok: true,
        status: null,
        failures: new Map([[0, { ...failed, ...failure }]]),
      })
    },
  )
  it('NOT-101 is not tried again in the same call when the server refuses the sign-in', async () => {
    const server = await start()
    const url = server.url.replace(/:[^:@/]+@/, ':secret-value@')
    const result = await open(url).send([mail, ...others], 'key')
    const failure = {
      ...failed,
      error: 'The mail server refused the sign-in (535): Wrong password',
      endsCall: true,
    }
    expect(result).toEqual({
      ok: true,
      status: null,
      failures: new Map([0, 1, 2].map((index) => [index, failure])),
    })
    expect(server.signIns()).toBe(1)
  })
  it.each([
    ['has no TLS', { disabledCommands: ['STARTTLS'] }, (port: number) => `smtp://localhost:${port}`],
    ['has the certificate of another name', {}, (port: number) => `smtp://127.0.0.1:${port}`],
    ['has the certificate of another name', { secure: true }, (port: number) => `smtps://127.0.0.1:${port}`],
  ])('NOT-101 is not sent when the server %s', async (_, options, toUrl) => {
    const server = await start(options)
    const result = await open(toUrl(server.port)).send([mail], 'key')
    const error = 'The mail server has no TLS, or no valid certificate'
    expect(result).toEqual({
      ok: true,
      status: null,
      failures: new Map([[0, { ...failed, error, endsCall: true }]]),
    })
    expect(server.messages).toEqual([])
  })
  const hang = () => {}
  it.each([
    ['greeting', { onConnect: hang }],
    ['sign-in', { onAuth: hang }],
    ['sender', { onMailFrom: hang }],
    ['recipient', { onRcptTo: hang }],
    ['message', { onData: hang }],
  ])('NOT-101 is given up when the server hangs at the %s', async (_, options) => {
    const server = await start(options)
    const [failure] = await readFailures(openImpatient(server.url).send([mail, ...others], 'key'))
    expect(failure).toEqual({ ...failed, error: 'No answer within 0.3 s', endsCall: true })
  })
  it.each(['smtp', 'smtps'])(
    'NOT-101 is given up when a server of %s never speaks, or closes at once',
    night,
    async (protocol) => {
      for (const [closes, error] of [
        [false, 'No answer within 0.3 s'],
        [true, 'The connection failed'],
      ] as const) {
        const silent = createServer((socket) => void (closes && socket.destroy())).listen(0, '127.0.0.1')
        await new Promise((resolve) => silent.once('listening', resolve))
        const { port } = silent.address() as { port: number }
        const [failure] = await readFailures(
          openImpatient(`${protocol}://localhost:${port}`).send([mail], 'key'),
        )
        expect(failure).toMatchObject({ error, endsCall: true })
        silent.close()
      }
    },
  )
  it('NOT-101 waits for the next call, as no attempt, when a slow server takes the time of this one', async () => {
    let count = 0
    const server = await start({ onMailFrom: (_address, _session, done) => void (++count === 1 && done()) })
    const failures = await readFailures(
      open(server.url, { timeoutMs: 5000, callTimeoutMs: 500 }).send([mail, ...others], 'key'),
    )
    expect(failures).toHaveLength(2)
    for (const failure of failures) expect(failure).toMatchObject({ isPostponed: true, retryAfterSeconds: 1 })
    expect(server.messages).toHaveLength(1)
  })
  it.each([
    ['to', { to: 'ada@example.com, eve@example.com' }],
    ['to', { to: 'ada@example.com\r\nRCPT TO:<eve@example.com>' }],
    ['subject', { subject: 'Hello\r\nBcc: eve@example.com\r\n\r\nText' }],
    ['replyTo', { replyTo: 'x@example.com\r\nBcc: eve@example.com' }],
    ['headers', { headers: { 'List-Unsubscribe': '<x>\r\nBcc: eve@example.com' } }],
    ['text', { text: '.\r\nMAIL FROM:<eve@example.com>\r\nRCPT TO:<eve@example.com>' }],
  ])('NOT-101 has no further recipient or header by its %s %j', async (_, changes) => {
    const server = await start()
    await open(server.url).send([{ ...mail, ...changes }], 'key')
    expect(server.messages.length).toBeLessThan(2)
    for (const { to, raw } of server.messages) {
      expect(to.join()).not.toBe('eve@example.com')
      expect(to).toHaveLength(1)
      expect(readHeaders(raw).filter((line) => /^(bcc|cc|rcpt|mail from)\b/i.test(line))).toEqual([])
    }
  })
})

async function readFailures(sent: ReturnType<ReturnType<typeof smtpMail>['send']>) {
  const result = await sent
  return result.ok ? [...(result.failures?.values() ?? [])] : []
}

describe('the settings of a mail server', () => {
  it.each([
    ['http://localhost', 'must be smtp'],
    ['localhost:25', 'must be smtp'],
    ['smtp://desk:secret-value@relay:25?tls=off', 'must not have a password without TLS'],
  ])('NOT-101 refuse %s', (SMTP_URL, message) => {
    const parse = () => parseNodeConfig({ ...sampleSettings, OBJECTS_DIR: 'x', SMTP_URL })
    expect(parse).toThrow(message)
    expect(parse).not.toThrow('secret-value')
  })
  it('OPS-06 are tried by the doctor, with the sign-in', async () => {
    const server = await start()
    const check = async (SMTP_URL: string) =>
      (await checkMail({ SMTP_URL, MAIL_FROM: from })).map(({ problems }) => problems)
    expect(await check(server.url)).toEqual([[]])
    expect(await check(server.url.replace('desk:', 'desk:x'))).toEqual([
      ['The mail server refused the sign-in (535): Wrong password'],
    ])
    expect(await checkMail({})).toEqual([])
  })
  it('NOT-101 are tried for /ready without the sign-in', async () => {
    const server = await start()
    expect(await open(server.url).ping()).toEqual({ isLimited: false })
    expect(server.signIns()).toBe(0)
    await expect(open('smtp://localhost:1').ping()).rejects.toThrow()
  })
})
