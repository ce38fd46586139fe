import { z } from 'zod'
import { operation, stream } from '../../../lib/http/operation.ts'
import { AiSessionDetail, AiSessionId, Handoff } from '../sessions/schemas.ts'
import * as schemas from './schemas.ts'
import * as escalations from './service.ts'

const feature = 'ai_sessions'

/** What waits for a colleague, and how one takes it. */
export const escalationOperations = [
  operation({
    id: 'ai.escalations.listQueue',
    method: 'get',
    path: '/ai-sessions/queue',
    summary: 'Escalations that wait, the most urgent first and of those the oldest',
    description:
      'Those of my team and of no team, those aimed at me and those I claimed; an account admin and who has no team see all of the account. What I escalated myself is left out, and so is what was picked up.',
    access: 'engineer',
    limit: 'read',
    feature,
    paged: true,
    success: 200,
    returns: z.array(schemas.QueueItem),
    handle: ({ ctx, query }) => escalations.queue(ctx, query),
  }),

  stream({
    id: 'ai.escalations.stream',
    method: 'get',
    path: '/ai-sessions/escalations/stream',
    summary: 'Hear of my account’s escalations as they happen',
    description:
      'Server-sent events, each with an `id`: `handoff_created` `{handoff_id, session_id, title, engineer_name, psa_ticket_id, target_user_id, created_at}`, `handoff_assessment_ready` `{handoff_id, session_id, assessment_status}`, and a heartbeat comment every 25 seconds. After a reconnect with `Last-Event-ID` what was missed of the last 256 events comes first. `overflow` `{dropped}` says how many events were dropped because the client read too slowly, or are kept no more: fetch the queue again. The stream ends within a heartbeat when its user signs out, is deactivated or becomes a viewer; it outlives the access token.',
    access: 'engineer',
    limit: '10/minute',
    feature,
    outward: true,
    produces: ['text/event-stream'],
    handle: ({ ctx }) => escalations.listen(ctx),
  }),

  operation({
    id: 'ai.escalations.claim',
    method: 'post',
    path: '/ai-sessions/{session_id}/handoffs/{handoff_id}/claim',
    summary: 'Claim an escalation; of several at once one wins',
    description:
      'Again by who holds it changes nothing. Held by another it is 409 with `winner` and `claimed_at`; by who escalated it, 403. Whoever claimed it may read the session.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.HandoffId,
    success: 200,
    returns: Handoff,
    errors: ['conflict'],
    handle: ({ ctx, params }) => escalations.claim(ctx, params.session_id, params.handoff_id),
  }),

  operation({
    id: 'ai.escalations.pickUp',
    method: 'post',
    path: '/ai-sessions/{session_id}/pickup',
    summary: 'Take an escalated session over',
    description: 'Claims its open handoff when nobody has, and makes the session active in my hands. Again changes nothing.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    success: 200,
    returns: AiSessionDetail,
    errors: ['conflict'],
    handle: ({ ctx, params }) => escalations.pickup(ctx, params.session_id),
  }),
]
