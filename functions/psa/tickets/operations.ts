import * as z from 'zod'
import { Board, Status } from '#functions/psa/connection/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as psa from './service.ts'

export const psaOperations = [
  operation({
    id: 'psa.tickets.listBoards',
    route: 'GET /integrations/psa/boards',
    summary: 'List ticket boards',
    description:
      'The list is at most an hour old. Returns 409 `psa_not_connected` without an active connection. Returns 502 with `psa_auth_failed`, `psa_rate_limited`, `psa_unavailable` or `psa_error` when the ticketing system fails.',
    access: 'engineer',
    limit: 'read',
    returns: z.array(Board),
    errors: schemas.psaErrors,
    callsExternalService: true,
    handle: ({ ctx }) => psa.listBoards(ctx),
  }),

  operation({
    id: 'psa.tickets.search',
    route: 'GET /integrations/psa/tickets',
    summary: 'Search open tickets',
    description:
      'The most recently changed first. A ticket must match all filters. Returns 409 `psa_not_connected` without an active connection, and 502 when the ticketing system fails.',
    access: 'engineer',
    limit: '30/minute',
    query: schemas.TicketQuery,
    returns: schemas.TicketPage,
    errors: [...schemas.psaErrors, 'psa_member_not_mapped'],
    callsExternalService: true,
    handle: ({ ctx, query }) => psa.search(ctx, query),
  }),

  operation({
    id: 'psa.tickets.listStatuses',
    route: 'GET /integrations/psa/boards/{board_id}/statuses',
    summary: 'List the statuses of a board',
    description:
      'The list is at most an hour old. Returns 409 `psa_not_connected` without an active connection.',
    access: 'engineer',
    limit: 'read',
    params: schemas.BoardId,
    returns: z.array(Status),
    errors: schemas.psaErrors,
    callsExternalService: true,
    handle: ({ ctx, params }) => psa.listStatuses(ctx, params.board_id),
  }),

  operation({
    id: 'psa.tickets.searchCompanies',
    route: 'GET /integrations/psa/companies',
    summary: 'Search clients',
    description: 'Returns at most 25 clients of the ticketing system, for a new ticket.',
    access: 'engineer',
    limit: '30/minute',
    query: schemas.CompanyQuery,
    returns: z.array(schemas.CompanyItem),
    errors: schemas.psaErrors,
    callsExternalService: true,
    handle: ({ ctx, query }) => psa.searchCompanies(ctx, query.text),
  }),

  operation({
    id: 'psa.tickets.update',
    route: 'PATCH /integrations/psa/tickets/{ticket_id}',
    summary: 'Change or assign a ticket',
    description:
      'Changes the status, the board or the assigned member at the ticketing system, and returns the ticket. A repeated request changes nothing. Returns 404 for an unknown ticket, and 502 when the ticketing system fails.',
    access: 'engineer',
    limit: '30/minute',
    params: schemas.TicketId,
    body: schemas.TicketUpdate,
    returns: schemas.Ticket,
    errors: [...schemas.psaErrors, 'psa_member_not_mapped'],
    handle: ({ ctx, params, body }) => psa.update(ctx, params.ticket_id, body),
  }),

  operation({
    id: 'psa.tickets.getContext',
    route: 'GET /integrations/psa/tickets/{ticket_id}/context',
    summary: 'Get a ticket with its context',
    description:
      'Includes the client, contact, devices, notes and related tickets, at most five minutes old. A part that cannot be read is empty and listed in `unavailable`. Returns 404 for an unknown ticket, 409 `psa_not_connected` without an active connection, and 502 when the ticketing system fails.',
    access: 'engineer',
    limit: '30/minute',
    params: schemas.TicketId,
    returns: schemas.TicketContext,
    errors: schemas.psaErrors,
    callsExternalService: true,
    handle: ({ ctx, params }) => psa.getContext(ctx, params.ticket_id),
  }),
]
