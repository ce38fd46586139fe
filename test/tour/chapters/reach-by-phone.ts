import * as z from 'zod'
import { phoneCredentials } from '#local/vendors/phone/credentials.ts'
import type { Tour } from '#test/tour/client.ts'
import { listWithItem } from '#test/tour/expectations.ts'
import type { Person } from '#test/tour/person.ts'

/**
 * Connect a gateway to phones. Robin proves a number, is called when an alert has waited for five minutes after
 * its e-mail, and tries both.
 */
export async function reachByPhone(
  tour: Tour,
  { admin, robin }: { admin: Person; robin: Person },
): Promise<void> {
  const { accountSid, apiKeySid, secret } = phoneCredentials
  const gateway = {
    provider: 'twilio' as const,
    base_url: `${tour.addresses.dashboard}/twilio`,
    account_sid: accountSid,
    api_key_sid: apiKeySid,
    secret,
    sender: '+15005550006',
    allowed_prefixes: ['+49'],
  }
  await tour.call(() => admin.client.notifications.phoneGateway.put(gateway), {
    returns: z.object({ provider: z.literal('twilio') }),
  })
  const number = `+49301${String(Date.now()).slice(-7)}`
  const { phoneNumber } = robin.client.identity
  await tour.call(() => phoneNumber.create({ number, password: 'copper-lantern-27' }), {
    status: 202,
    returns: z.object({ number: z.null(), pending_number: z.literal(number) }),
  })
  const message = z.object({ to: z.literal(number), text: z.string().regex(/^\d{6} is your/) })
  const { text } = await tour.dashboard('GET', '/desk/phone', {
    poll: true,
    returns: listWithItem(message, 'text message with the code'),
  })
  await tour.call(() => phoneNumber.confirm({ code: text.slice(0, 6) }), {
    returns: z.object({ number: z.literal(number) }),
  })
  const { preferences } = robin.client.notifications
  const steps = [
    { channel: 'email' as const, delay_minutes: 0 },
    { channel: 'voice' as const, delay_minutes: 5 },
  ]
  const { quiet_hours, digest, digest_time } = await preferences.get()
  const kept = { quiet_hours, digest, digest_time }
  await tour.call(() => preferences.replace({ ...kept, alert_steps: steps }), {
    returns: z.object({ alert_steps: z.tuple([z.object(), z.object({ channel: z.literal('voice') })]) }),
  })
  const call = z.object({ channel: z.literal('voice'), ok: z.literal(true) })
  await tour.call(() => preferences.test(), { returns: listWithItem(call, 'call that was accepted') })
}
