import type { OutboundGuard } from '#vendors/net/guard.ts'
import type { WebhookPort } from '#vendors/webhooks/webhooks.ts'
import type { OpenPhone } from './phone.ts'
import { createTwilio } from './twilio.ts'
import { createPhoneWebhook } from './webhook.ts'

/** Open the gateways of every provider. */
export function createPhoneOpener(guard: OutboundGuard, webhooks: WebhookPort): OpenPhone {
  return (gateway) => {
    switch (gateway.provider) {
      case 'twilio':
        return createTwilio(gateway, guard)
      case 'webhook':
        return createPhoneWebhook(gateway, guard, webhooks)
    }
  }
}
