import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as psa from './service.ts'

export const psaOperations = [
  operation({
    id: 'psa.tickets.listBoards',
    method: 'get',
    path: '/integrations/psa/boards',
    summary: 'The boards of the ticketing system, at most an hour old',
    description:
      'Without an active connection: 409 `psa_not_connected`. When the ticketing system fails: 502 with `psa_auth_failed`, `psa_rate_limited`, `psa_unavailable` or `psa_error`.',
    access: 'engineer',
    limit: 'read',
    success: 200,
    returns: z.array(schemas.Board),
    errors: ['conflict', 'provider_error'],
    outward: true,
    handle: ({ ctx }) => psa.listBoards(ctx),
  }),

  operation({
    id: 'psa.tickets.search',
    method: 'get',
    path: '/integrations/psa/tickets',
    summary: 'Search open tickets, the last changed first',
    description: 'Filters narrow the search together. Failures are those of the boards.',
    access: 'engineer',
    limit: '30/minute',
    query: schemas.TicketQuery,
    success: 200,
    returns: schemas.TicketPage,
    errors: ['conflict', 'provider_error'],
    outward: true,
    handle: ({ ctx, query }) => psa.searchTickets(ctx, query),
  }),

  operation({
    id: 'psa.tickets.getContext',
    method: 'get',
    path: '/integrations/psa/tickets/{ticket_id}/context',
    summary: 'A ticket with client, contact, devices, notes and related tickets, at most five minutes old',
    description:
      'A ticket that is not there is 404. A part beside the ticket that cannot be had is left empty and named in `unavailable`. Other failures are those of the boards.',
    access: 'engineer',
    limit: '30/minute',
    params: schemas.TicketId,
    success: 200,
    returns: schemas.TicketContext,
    errors: ['conflict', 'provider_error'],
    outward: true,
    handle: ({ ctx, params }) => psa.context(ctx, params.ticket_id),
  }),
]
