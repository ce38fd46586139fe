import * as z from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as psa from './service.ts'

export const psaOperations = [
  operation({
    id: 'psa.tickets.listBoards',
    method: 'get',
    path: '/integrations/psa/boards',
    summary: 'List ticket boards',
    description:
      'The list is at most an hour old. Returns 409 `psa_not_connected` without an active connection. Returns 502 with `psa_auth_failed`, `psa_rate_limited`, `psa_unavailable` or `psa_error` when the ticketing system fails.',
    access: 'engineer',
    limit: 'read',
    success: 200,
    returns: z.array(schemas.Board),
    errors: ['psa_auth_failed', 'psa_error', 'psa_not_connected', 'psa_rate_limited', 'psa_unavailable'],
    callsExternalService: true,
    handle: ({ ctx }) => psa.listBoards(ctx),
  }),

  operation({
    id: 'psa.tickets.search',
    method: 'get',
    path: '/integrations/psa/tickets',
    summary: 'Search open tickets',
    description:
      'The most recently changed first. A ticket must match all filters. Returns 409 `psa_not_connected` without an active connection, and 502 when the ticketing system fails.',
    access: 'engineer',
    limit: '30/minute',
    query: schemas.TicketQuery,
    success: 200,
    returns: schemas.TicketPage,
    errors: ['psa_auth_failed', 'psa_error', 'psa_member_not_mapped', 'psa_not_connected', 'psa_rate_limited', 'psa_unavailable'],
    callsExternalService: true,
    handle: ({ ctx, query }) => psa.search(ctx, query),
  }),

  operation({
    id: 'psa.tickets.getContext',
    method: 'get',
    path: '/integrations/psa/tickets/{ticket_id}/context',
    summary: 'Get a ticket with its context',
    description:
      'Includes the client, contact, devices, notes and related tickets, at most five minutes old. A part that cannot be read is empty and listed in `unavailable`. Returns 404 for an unknown ticket, 409 `psa_not_connected` without an active connection, and 502 when the ticketing system fails.',
    access: 'engineer',
    limit: '30/minute',
    params: schemas.TicketId,
    success: 200,
    returns: schemas.TicketContext,
    errors: ['psa_auth_failed', 'psa_error', 'psa_not_connected', 'psa_rate_limited', 'psa_unavailable'],
    callsExternalService: true,
    handle: ({ ctx, params }) => psa.getContext(ctx, params.ticket_id),
  }),
]
