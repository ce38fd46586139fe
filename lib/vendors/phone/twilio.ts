import { escapeXml } from '#rules/text/xml.ts'
import { createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import type { OutboundGuard } from '#vendors/net/guard.ts'
import { parseAnswer } from '#vendors/net/read-answer.ts'
import { readStart } from '#vendors/net/read-at-most.ts'
import { addSentence, readSentence } from '#vendors/net/refusal.ts'
import { failedSend, parseRetryAfter, sendLimits } from '#vendors/net/send-result.ts'
import { optionalNumber } from '#vendors/net/wire.ts'
import type { PhoneGateway, PhoneMessage, PhonePort, PhoneResult } from './phone.ts'

const maxBody = 16 * 1024
// After a 429 without Retry-After: https://www.twilio.com/docs/api/errors/20429
const defaultPauseSeconds = 30

/**
 * What is wrong with the number, so that no other attempt helps. The documentation of each code is at
 * https://www.twilio.com/docs/api/errors/21211
 */
const numberRefusals = new Map([
  [21211, 'The number is invalid'],
  [21214, 'The number cannot be called'],
  [21217, 'The number is invalid'],
  [21610, 'The owner of the number has answered STOP to messages of this sender'],
  [21614, 'The number takes no text messages'],
  [21635, 'The number takes no text messages, because it is a landline'],
  [13224, 'The number is invalid'],
])

/**
 * Open an account of Twilio, or of a gateway with its API.
 * https://www.twilio.com/docs/messaging/api/message-resource and https://www.twilio.com/docs/voice/api/call-resource
 *
 * It has no key by which it knows a repeated request. So after a timeout the next attempt may reach a person
 * twice: for an alert that is better than never.
 */
export function createTwilio(
  { baseUrl, accountSid, apiKeySid, secret, sender }: PhoneGateway,
  guard: OutboundGuard,
): PhonePort {
  const fetchBounded = createBoundedFetch('phone', sendLimits)
  return {
    async send(message) {
      const refusal = await guard.findRefusal(baseUrl, 'sending')
      if (refusal) return fail(`The address of the gateway ${refusal}`)
      const path = message.kind === 'sms' ? 'Messages' : 'Calls'
      try {
        const response = await fetchBounded(
          `${baseUrl}/2010-04-01/Accounts/${accountSid ?? ''}/${path}.json`,
          {
            method: 'POST',
            headers: {
              accept: 'application/json',
              // https://www.twilio.com/docs/iam/api-keys/keys-in-console
              authorization: `Basic ${btoa(`${apiKeySid ?? accountSid}:${secret}`)}`,
              'content-type': 'application/x-www-form-urlencoded',
            },
            body: writeForm(message, sender).toString(),
          },
        )
        return await toResult(response, [secret, message.to])
      } catch (error) {
        return { ...failedSend(error), isGatewayFault: true }
      }
    },
  }
}

function writeForm({ kind, to, text }: PhoneMessage, sender: string | null): URLSearchParams {
  const numbers = { To: to, From: sender ?? '' }
  return new URLSearchParams(
    kind === 'sms' ? { ...numbers, Body: text } : { ...numbers, Twiml: writeTwiml(text) },
  )
}

/**
 * Say a text twice, because whoever wakes up misses its start.
 * https://www.twilio.com/docs/voice/twiml/say
 */
export function writeTwiml(text: string): string {
  const say = `<Say>${escapeXml(text)}</Say>`
  return `<Response><Pause length="1"/>${say}<Pause length="1"/>${say}</Response>`
}

async function toResult(response: Response, secrets: readonly string[]): Promise<PhoneResult> {
  const { status, ok } = response
  const body = await readStart(response, maxBody).catch(() => '')
  // It answers 201 with the resource. A page says that something else is at this address.
  const answer = parseStart(body)
  if (ok && typeof answer?.sid === 'string') return { ok: true, status }
  if (ok) return fail('The gateway did not answer as documented', status)
  // https://www.twilio.com/docs/usage/twilios-response#error-and-exception-responses
  const code = optionalNumber.parse(answer?.code)
  const sentence = await readSentence(body, secrets, 'all')
  const reason = numberRefusals.get(code ?? 0)
  if (reason) return { ok: false, status, error: addSentence(reason, sentence), gone: true }
  if (status === 401 || code === 20003)
    return fail(addSentence('The gateway refused the credentials', sentence), status)
  const retryAfterSeconds = parseRetryAfter(response.headers.get('retry-after'))
  const error = addSentence(`The gateway returned ${code ?? status}`, sentence)
  if (status !== 429) return { ...fail(error, status), retryAfterSeconds }
  return {
    ...fail(error, status),
    isPostponed: true,
    retryAfterSeconds: retryAfterSeconds ?? defaultPauseSeconds,
  }
}

function parseStart(body: string): { code?: unknown; sid?: unknown } | null | undefined {
  try {
    return parseAnswer(body) as { code?: unknown; sid?: unknown } | null
  } catch {
    return undefined
  }
}

const fail = (error: string, status: number | null = null) =>
  ({ ok: false, status, error, isGatewayFault: true }) as const
