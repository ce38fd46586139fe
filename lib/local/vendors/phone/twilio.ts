import { type Context, Hono } from 'hono'
import type { Clock } from '#local/clock.ts'
import type { Records } from '#local/vendors/records.ts'
import type { PhoneChannel } from '#vendors/phone/phone.ts'
import { phoneCredentials } from './credentials.ts'

const e164 = /^\+[1-9]\d{6,14}$/
const maxCharacters = 1600
const maxTwiml = 4000

/**
 * Numbers that Twilio refuses, as for its own test credentials:
 * https://www.twilio.com/docs/iam/test-credentials
 */
const refusedNumbers: Record<PhoneChannel, Record<string, [code: number, message: string]>> = {
  sms: {
    '+15005550001': [21211, "The 'To' number +15005550001 is not a valid phone number."],
    '+15005550009': [21614, "'To' number is not a valid mobile number"],
    '+15005550004': [21610, 'Attempt to send to unsubscribed recipient'],
  },
  voice: {
    '+15005550001': [13224, 'Dial: Twilio does not support calling this number or the number is invalid'],
    '+15005550004': [21214, "'To' phone number cannot be reached"],
  },
}

const fields: Record<PhoneChannel, string[]> = { sms: ['To', 'From', 'Body'], voice: ['To', 'From', 'Twiml'] }

/**
 * Create what the service uses of Twilio. Each request with the right credentials is recorded.
 * https://www.twilio.com/docs/messaging/api/message-resource
 * https://www.twilio.com/docs/voice/api/call-resource
 */
export function createTwilioRoutes({ records, clock }: { records: Records; clock: Clock }): Hono {
  const app = new Hono()
  const { accountSid, apiKeySid, secret } = phoneCredentials
  const accepted = [accountSid, apiKeySid].map((user) => `Basic ${btoa(`${user}:${secret}`)}`)
  app.use('*', async (c, next) => {
    if (!accepted.includes(c.req.header('authorization') ?? '')) return refuse(c, 401, 20003, 'Authenticate')
    return next()
  })
  for (const [kind, path] of [
    ['sms', 'Messages'],
    ['voice', 'Calls'],
  ] as const)
    app.post(`/2010-04-01/Accounts/:sid/${path}.json`, async (c) => {
      if (c.req.param('sid') !== accountSid)
        return refuse(c, 404, 20404, `The requested resource ${c.req.path} was not found`)
      const form = new URLSearchParams(await c.req.text())
      const error = findError(kind, form)
      const [to, from] = [form.get('To') ?? '', form.get('From')]
      const text = kind === 'sms' ? (form.get('Body') ?? '') : readTwiml(form.get('Twiml') ?? '')
      const { id } = records.add('phone', { provider: 'twilio', kind, to, from, text, refused: error?.[1] })
      if (error) return refuse(c, 400, ...error)
      const sid = `${kind === 'sms' ? 'SM' : 'CA'}${id.replaceAll('-', '')}`
      const created = new Date(clock.now()).toUTCString()
      return c.json({ sid, account_sid: accountSid, to, from, status: 'queued', date_created: created }, 201)
    })
  app.all('*', (c) => refuse(c, 404, 20404, `The requested resource ${c.req.path} was not found`))
  return app
}

function findError(kind: PhoneChannel, form: URLSearchParams): [number, string] | undefined {
  const unknown = [...form.keys()].find((key) => !fields[kind].includes(key))
  if (unknown) return [20001, `Unknown parameter ${unknown}`]
  const [to, from, text] = fields[kind].map((field) => form.get(field) ?? '')
  if (!to) return [21604, "A 'To' phone number is required."]
  if (!e164.test(to)) return [21211, `The 'To' number ${to} is not a valid phone number.`]
  if (!from || !e164.test(from)) return [21212, `The 'From' number ${from} is not a valid phone number.`]
  if (!text) return [21602, 'Message body is required.']
  if (kind === 'sms' && text.length > maxCharacters)
    return [21617, 'The concatenated message body exceeds the 1600 character limit']
  if (kind === 'voice' && (text.length > maxTwiml || !/^<Response>.*<\/Response>$/s.test(text)))
    return [21218, 'Invalid TwiML']
  return refusedNumbers[kind][to]
}

/** Return what a call says. */
const readTwiml = (twiml: string) =>
  [...twiml.matchAll(/<Say>(.*?)<\/Say>/gs)]
    .map(([, said = '']) => said.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))))
    .join('\n')

/** https://www.twilio.com/docs/usage/twilios-response#error-and-exception-responses */
const refuse = (c: Context, status: 400 | 401 | 404, code: number, message: string) =>
  c.json({ code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }, status)
