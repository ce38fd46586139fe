import * as z from 'zod'
import { psaErrors, TicketId } from '#functions/psa/tickets/schemas.ts'
import { SessionId } from '#functions/sessions/sessions/schemas.ts'
import { operation } from '#http/operation.ts'
import { jobSteps } from '#rules/budget.ts'
import * as schemas from './schemas.ts'
import * as pushes from './service.ts'

export const psaPushOperations = [
  operation({
    id: 'psa.pushes.list',
    route: 'GET /integrations/psa/pushes',
    summary: 'List ticket pushes',
    description: 'Lists notes, time entries and new tickets with the state of their push, newest first.',
    access: 'engineer',
    limit: 'read',
    paged: true,
    query: schemas.PushQuery,
    returns: z.array(schemas.Push),
    handle: ({ ctx, query }) => pushes.list(ctx, query),
  }),

  operation({
    id: 'psa.pushes.retry',
    route: 'POST /integrations/psa/pushes/{push_id}/retry',
    summary: 'Retry a failed ticket push',
    description:
      'It is stored at most once, no matter how often it is retried. Returns 409 `not_failed` for one that has not failed.',
    access: 'engineer',
    limit: '10/minute',
    params: schemas.PushId,
    success: 202,
    returns: schemas.Push,
    errors: ['not_failed'],
    handle: ({ ctx, params }) => pushes.retry(ctx, params.push_id),
  }),

  operation({
    id: 'psa.pushes.createNote',
    route: 'POST /integrations/psa/tickets/{ticket_id}/notes',
    summary: 'Add a note to a ticket',
    description:
      'Queues the note, which is retried for 15 minutes. The same note within a minute returns the first push. It is masked if the account masks its exports. With `notify` the ticketing system also mails it; a push that can mail nobody fails, and adds no note.',
    access: 'engineer',
    limit: '30/minute',
    params: TicketId,
    body: schemas.TicketNote,
    success: 202,
    returns: schemas.Push,
    errors: ['psa_not_connected'],
    handle: ({ ctx, params, body }) => pushes.createNote(ctx, params.ticket_id, body),
  }),

  operation({
    id: 'psa.pushes.createTimeEntry',
    route: 'POST /sessions/{session_id}/time-entry',
    alsoNeeds: ['sessions:read'],
    summary: 'Add the time of a session to its ticket',
    description:
      'Queues a time entry for the member of whoever asks or of `user_id`, rounded up by the rule of the connection. A session has one time entry: a repeated request returns it, unless it has failed. When the ticket of the session has changed meanwhile, the entry moves there with its minutes, note and person; one that is billed is 409 `wrong_state`. The time of a sub-flow is a part of the session that runs it: 409 `wrong_state`. Allowed for the session’s user and account admins.',
    access: 'engineer',
    limit: '10/minute',
    params: SessionId,
    body: schemas.TimeEntry,
    success: 202,
    returns: schemas.Push,
    idempotent: 'leased',
    errors: ['no_ticket', 'psa_member_not_mapped', 'wrong_state', ...psaErrors],
    handle: ({ ctx, params, body }) => pushes.createTimeEntry(ctx, params.session_id, body),
  }),

  operation({
    id: 'psa.pushes.createTicket',
    route: 'POST /sessions/{session_id}/ticket',
    alsoNeeds: ['sessions:write'],
    summary: 'Create a ticket from a session',
    description:
      'Queues a new ticket with the result of the session so far. Its number becomes the ticket number of the session. A repeated request returns the first push, unless it has failed. Allowed for the session’s user and account admins.',
    access: 'engineer',
    limit: '10/minute',
    params: SessionId,
    body: schemas.NewTicket,
    success: 202,
    returns: schemas.Push,
    errors: ['already_has_ticket', 'psa_not_connected'],
    maxSteps: jobSteps,
    handle: ({ ctx, params, body }) => pushes.createTicket(ctx, params.session_id, body),
  }),

  operation({
    id: 'psa.pushes.createForSession',
    route: 'POST /sessions/{session_id}/push',
    alsoNeeds: ['sessions:read'],
    summary: 'Push a session to its ticket',
    description:
      'Queues a note with the result of the session, which is retried for 15 minutes. With `notify` the ticketing system also mails it to the contact of the ticket, once; `client_mail` says to whom and when. A push that can mail nobody fails, and adds no note. Allowed for the session’s user and account admins. Returns 409 `no_ticket` if the session’s ticket number is not an id of the ticketing system, and 409 `psa_not_connected` without an active connection.',
    access: 'engineer',
    limit: '10/minute',
    params: SessionId,
    body: schemas.SessionPush,
    success: 202,
    returns: schemas.Push,
    errors: ['no_ticket', 'psa_not_connected'],
    maxSteps: jobSteps,
    handle: ({ ctx, params, body }) => pushes.createForSession(ctx, params.session_id, body),
  }),

  operation({
    id: 'psa.pushes.previewForSession',
    route: 'GET /sessions/{session_id}/push/preview',
    alsoNeeds: ['sessions:read'],
    summary: 'Preview a push of a session',
    description:
      'Returns what a push of this kind would send now, and whom the ticketing system would mail a note with `notify`. The texts are those of a request without a `note` or `summary` of its own. Allowed for the session’s user and account admins. Returns 409 when the push would, and 502 when the ticketing system fails.',
    access: 'engineer',
    limit: '30/minute',
    params: SessionId,
    query: schemas.SessionPushPreviewQuery,
    returns: schemas.PushPreview,
    errors: ['already_has_ticket', 'no_ticket', 'wrong_state', ...psaErrors],
    callsExternalService: true,
    handle: ({ ctx, params, query }) => pushes.previewForSession(ctx, params.session_id, query),
  }),
]
