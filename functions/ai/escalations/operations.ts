import * as z from 'zod'
import { AiSessionDetail, AiSessionId, Handoff } from '#functions/ai/sessions/schemas.ts'
import { operation, stream } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as escalations from './service.ts'

const feature = 'ai_sessions'

/** The queue of escalated sessions, and the operations with which a colleague claims and picks up one. */
/** What a colleague does with an escalation before they work on it. */
const takesEscalation = {
  access: 'engineer',
  limit: 'write',
  strictLimit: 'mail',
  feature,
  success: 200,
  errors: ['already_claimed', 'wrong_state'],
} as const

export const escalationOperations = [
  operation({
    id: 'ai.escalations.listQueue',
    route: 'GET /ai-sessions/queue',
    summary: 'List waiting escalations',
    description:
      'The most urgent first, then the oldest. Lists the escalations of my team, those without a team, those that target me and those I claimed. Account admins and users without a team see all escalations of the account. My own escalations and those already picked up are left out.',
    access: 'engineer',
    limit: 'read',
    feature,
    paged: true,
    returns: z.array(schemas.QueueItem),
    handle: ({ ctx, query }) => escalations.listQueue(ctx, query),
  }),

  stream({
    id: 'ai.escalations.stream',
    route: 'GET /ai-sessions/escalations/stream',
    summary: 'Stream escalation events',
    description:
      'Server-sent events, each with an `id`, and a heartbeat comment every 25 seconds. After a reconnect with `Last-Event-ID`, the missed events among the last 256 come first. `overflow` reports how many events the client missed: it read too slowly or they are no longer stored. Fetch the queue again after it. A client that loses its stream reconnects after `retry` milliseconds, 2 to 5 s. A user may have 5 open streams. A sixth closes the oldest, which first receives `replaced` with a `retry` of 5 minutes; its client should close the EventSource. The stream ends at the next heartbeat after the user signs out, is deactivated or becomes a viewer. It stays open when the access token expires. An `EventSource` needs a `ticket`, see `POST /auth/stream-ticket`. On Cloudflare, `Upgrade: websocket` opens a WebSocket with the same events as JSON messages `{id, event, data}`; elsewhere it returns 426 `websocket_unavailable`. A browser sends its token as a protocol: `new WebSocket(url, ["support-flow", "bearer.<token>"])`. The first message is `connected`; reconnect with the last `id` as `last_event_id`. Send `ping` every 25 seconds and nothing else. Close codes: 4401 the sign-in has ended, 4409 replaced by a newer connection, 4408 64 events without a ping, 1008 another message than `ping`, 1013 the sign-in could not be checked. After 4401 and 4409 do not reconnect; otherwise wait 2 to 5 s.',
    access: 'engineer',
    // Five streams that a proxy cuts every few seconds all return.
    limit: '60/minute',
    feature,
    callsExternalService: true,
    transport: { acceptsSocket: true, acceptsTicket: true },
    query: schemas.StreamQuery,
    errors: ['websocket_unavailable'],
    produces: ['text/event-stream'],
    events: schemas.EscalationEvents,
    handle: ({ ctx, query }) => escalations.streamEvents(ctx, query.last_event_id),
  }),

  operation({
    ...takesEscalation,
    id: 'ai.escalations.claim',
    route: 'POST /ai-sessions/{session_id}/handoffs/{handoff_id}/claim',
    summary: 'Claim an escalation',
    description:
      'Idempotent for the current claimant. If several colleagues claim at once, one wins. The others get 409 `already_claimed` with `winner` and `claimed_at`. The engineer who escalated gets 403. After the claim, the claimant may read the session.',
    params: schemas.HandoffId,
    returns: Handoff,
    handle: ({ ctx, params }) => escalations.claim(ctx, params.session_id, params.handoff_id),
  }),

  operation({
    ...takesEscalation,
    id: 'ai.escalations.acknowledge',
    route: 'POST /ai-sessions/{session_id}/handoffs/{handoff_id}/acknowledge',
    summary: 'Acknowledge an escalation',
    description:
      'Its escalation policy stops, and the engineer who escalated is notified; it is still unclaimed. Only the first acknowledgement counts; a later one changes nothing. The engineer who escalated gets 403. Returns 409 `wrong_state` without a policy.',
    params: schemas.HandoffId,
    returns: Handoff,
    handle: ({ ctx, params }) => escalations.acknowledge(ctx, params.session_id, params.handoff_id),
  }),

  operation({
    ...takesEscalation,
    id: 'ai.escalations.pickUp',
    route: 'POST /ai-sessions/{session_id}/pickup',
    summary: 'Pick up an escalated session',
    description:
      'Claims the open handoff of the session if it is unclaimed, makes the session active, and sets `picked_up_by_id` to me; `user_id` stays who created it. Returns 409 `already_claimed` if a colleague has claimed the handoff. A repeated request changes nothing.',
    params: AiSessionId,
    returns: AiSessionDetail,
    handle: ({ ctx, params }) => escalations.pickUp(ctx, params.session_id),
  }),
]
