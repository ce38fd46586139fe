import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as bounces from './service.ts'

export const bounceOperations = [
  operation({
    id: 'notifications.bounces.receive',
    route: 'POST /notifications/mail-webhook',
    summary: "Receive the mail provider's events",
    description:
      'The headers `svix-id`, `svix-timestamp` and `svix-signature` must sign the raw body, at most five minutes ago. An address whose mail bounces for good, whose owner complains, or that the provider suppresses gets no more e-mails, except those about its own sign-in. A repeated or older event changes nothing.',
    access: 'signed',
    platform: 'an address belongs to no account',
    limit: 'none',
    bodyFormat: 'raw',
    success: 200,
    returns: schemas.Receipt,
    errors: ['mail_events_not_configured'],
    handle: ({ ctx, body }) => bounces.receive(ctx, body),
  }),
]
