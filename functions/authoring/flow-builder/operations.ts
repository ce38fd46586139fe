import * as z from 'zod'
import { Tree } from '#functions/flows/trees/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as builder from './service.ts'

const feature = 'ai_authoring'
const limit = '10/minute'

export const flowBuilderOperations = [
  operation({
    id: 'authoring.flowBuilder.start',
    route: 'POST /ai/flow-builder/conversations',
    summary: 'Start a flow-builder conversation',
    description:
      'Returns a first draft, or a question in `messages` when the goal is too vague. The first draft of a conversation counts as one AI build of the month. Returns 429 `ai_quota_exceeded` with `resets_at` when the quota is used up. The conversation expires after 24 hours.',
    access: 'engineer',
    limit,
    strictLimit: 'ai',
    feature,
    body: schemas.ConversationStart,
    returns: schemas.Conversation,
    errors: ['ai_budget_exhausted', 'ai_provider_error', 'ai_quota_exceeded'],
    idempotent: 'leased',
    background: true,
    handle: ({ ctx, body }) => builder.start(ctx, body),
  }),

  operation({
    id: 'authoring.flowBuilder.list',
    route: 'GET /ai/flow-builder/conversations',
    summary: 'List my flow-builder conversations',
    description:
      'Those that have not expired, newest first. With `owner_left`, those of members who can no longer work, for their admins.',
    access: 'engineer',
    limit,
    feature,
    query: schemas.ConversationQuery,
    paged: true,
    returns: z.array(schemas.ConversationItem),
    handle: ({ ctx, query }) => builder.list(ctx, query),
  }),

  operation({
    id: 'authoring.flowBuilder.get',
    route: 'GET /ai/flow-builder/conversations/{conversation_id}',
    summary: 'Get a flow-builder conversation',
    description:
      'When its user can no longer work, account admins and admins of the team read, continue, save and delete it.',
    access: 'engineer',
    limit,
    feature,
    params: schemas.ConversationId,
    returns: schemas.Conversation,
    handle: ({ ctx, params }) => builder.get(ctx, params.conversation_id),
  }),

  operation({
    id: 'authoring.flowBuilder.sendMessage',
    route: 'POST /ai/flow-builder/conversations/{conversation_id}/messages',
    summary: 'Refine the draft',
    description:
      'The message says what to change. A refinement does not count as a build. Of two concurrent messages one is answered; the other gets 409 `stale_version`. Returns 409 `limit_reached` after 100 turns.',
    access: 'engineer',
    limit,
    strictLimit: 'ai',
    feature,
    params: schemas.ConversationId,
    body: schemas.ConversationMessage,
    success: 200,
    returns: schemas.Conversation,
    errors: ['ai_budget_exhausted', 'ai_provider_error', 'ai_quota_exceeded', 'stale_version'],
    idempotent: 'leased',
    background: true,
    handle: ({ ctx, params, body }) => builder.sendMessage(ctx, params.conversation_id, body.message),
  }),

  operation({
    id: 'authoring.flowBuilder.commit',
    route: 'POST /ai/flow-builder/conversations/{conversation_id}/commit',
    alsoNeeds: ['flows:write'],
    summary: 'Save the draft as a flow',
    description:
      'Creates a flow with status `draft` that belongs to me, and deletes the conversation. Returns 409 `no_draft` for a conversation without a draft.',
    access: 'engineer',
    limit,
    feature,
    params: schemas.ConversationId,
    body: schemas.ConversationCommit,
    returns: Tree,
    errors: ['limit_reached', 'no_draft'],
    handle: ({ ctx, params, body }) => builder.commit(ctx, params.conversation_id, body),
  }),

  operation({
    id: 'authoring.flowBuilder.delete',
    route: 'DELETE /ai/flow-builder/conversations/{conversation_id}',
    summary: 'Delete a flow-builder conversation',
    description: 'The conversation and its draft go. Flows that were saved from it stay.',
    access: 'engineer',
    limit,
    feature,
    params: schemas.ConversationId,
    handle: ({ ctx, params }) => builder.remove(ctx, params.conversation_id),
  }),
]
