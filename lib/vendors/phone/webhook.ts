import { releaseParts } from '#rules/audience.ts'
import type { OutboundGuard } from '#vendors/net/guard.ts'
import type { WebhookPort } from '#vendors/webhooks/webhooks.ts'
import type { PhoneGateway, PhonePort } from './phone.ts'

// After a 429 without Retry-After.
const defaultPauseSeconds = 30

/**
 * Open a program of the account that sends messages and makes calls itself. It gets them as our webhooks are
 * sent and signed (lib/vendors/webhooks): `webhook-id` is the same at each attempt, by which it knows a
 * repetition. Any 2xx is a success; 410 is final for this message.
 */
export function createPhoneWebhook(
  { baseUrl, secret, sender }: PhoneGateway,
  guard: OutboundGuard,
  webhooks: WebhookPort,
): PhonePort {
  return {
    async send({ id, kind, to, text }) {
      const refusal = await guard.findRefusal(baseUrl, 'sending')
      if (refusal)
        return {
          ok: false,
          status: null,
          error: `The address of the gateway ${refusal}`,
          isGatewayFault: true,
        }
      const payload = JSON.stringify({
        type: 'phone.message',
        timestamp: new Date().toISOString(),
        data: { kind, to, from: sender, text },
      })
      const result = await webhooks.send(baseUrl, { id, payload: releaseParts(payload), secrets: [secret] })
      const { ok, status, isGone, retryAfterSeconds } = result
      if (ok) return { ok, status }
      const failure = {
        ok: false,
        status,
        error: (result.error ?? 'The gateway refused the message').replace('The receiver', 'The gateway'),
        isGatewayFault: true,
      } as const
      if (isGone) return { ...failure, gone: true }
      if (status !== 429) return { ...failure, retryAfterSeconds }
      return {
        ...failure,
        isPostponed: true,
        retryAfterSeconds: retryAfterSeconds ?? defaultPauseSeconds,
      }
    },
  }
}
