import { stream } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as acknowledgements from './service.ts'

export const acknowledgementOperations = [
  stream({
    id: 'oncall.acknowledgements.showPage',
    route: 'GET /acknowledge/{token}',
    summary: 'Show the page to acknowledge an escalation',
    description: 'Changes nothing.',
    access: 'public',
    limit: 'public',
    strictLimit: 'public',
    params: schemas.AcknowledgementToken,
    errors: ['token_invalid_or_expired'],
    produces: ['text/html'],
    handle: ({ ctx, params }) => acknowledgements.showPage(ctx, params.token),
  }),

  stream({
    id: 'oncall.acknowledgements.acknowledge',
    route: 'POST /acknowledge/{token}',
    summary: 'Acknowledge an escalation with one click',
    description:
      'The link of a reminder is valid for 24 hours. The escalation policy stops, and the engineer who escalated is notified. Only the first acknowledgement of an escalation counts; it is still unclaimed. Ignores the body.',
    access: 'public',
    platform: 'the link is opened without a sign-in',
    limit: 'public',
    strictLimit: 'public',
    params: schemas.AcknowledgementToken,
    errors: ['token_invalid_or_expired'],
    produces: ['text/html'],
    handle: ({ ctx, params }) => acknowledgements.acknowledge(ctx, params.token),
  }),
]
