import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as streamTickets from './service.ts'

export const streamTicketOperations = [
  operation({
    id: 'identity.streamTickets.create',
    route: 'POST /auth/stream-ticket',
    summary: 'Create a ticket for an EventSource',
    description:
      'For `?ticket=` of an event stream, because a browser’s `EventSource` cannot send an access token. The ticket opens one stream within 60 seconds, and ends with the sign-in. The `EventSource` reconnects by itself: the ids of its events end with a secret, and `Last-Event-ID` with this secret admits the used ticket again for 24 hours. When `readyState` is `CLOSED`, create a new ticket and a new `EventSource` with `last_event_id`, the number before the dot of the last id.',
    access: 'user',
    platform: 'the tenant role cannot read tickets',
    limit: '10/minute',
    strictLimit: 'sign_in',
    returns: schemas.StreamTicket,
    idempotent: false,
    handle: ({ ctx }) => streamTickets.create(ctx),
  }),
]
