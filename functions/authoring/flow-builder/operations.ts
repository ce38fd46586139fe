import { operation } from '../../../lib/http/operation.ts'
import { Tree } from '../../flows/trees/schemas.ts'
import * as schemas from './schemas.ts'
import * as builder from './service.ts'

const feature = 'ai_authoring'
const limit = '10/minute'

export const flowBuilderOperations = [
  operation({
    id: 'authoring.flowBuilder.start',
    method: 'post',
    path: '/ai/flow-builder/conversations',
    summary: 'Begin to build a flow with the model',
    description:
      'Answers a first draft, or a question in `messages` when too little is known to write one. The first draft of a conversation counts as one AI build of the month; over the quota it is 429 `ai_quota_exceeded` with `resets_at`. The conversation lives 24 hours.',
    access: 'engineer',
    limit,
    feature,
    body: schemas.ConversationStart,
    success: 201,
    returns: schemas.Conversation,
    errors: ['ai_provider_error'],
    idempotent: 'leased',
    handle: ({ ctx, body }) => builder.start(ctx, body),
  }),

  operation({
    id: 'authoring.flowBuilder.get',
    method: 'get',
    path: '/ai/flow-builder/conversations/{conversation_id}',
    summary: 'One of my conversations with its messages and the current draft',
    access: 'engineer',
    limit,
    feature,
    params: schemas.ConversationId,
    success: 200,
    returns: schemas.Conversation,
    handle: ({ ctx, params }) => builder.get(ctx, params.conversation_id),
  }),

  operation({
    id: 'authoring.flowBuilder.sendMessage',
    method: 'post',
    path: '/ai/flow-builder/conversations/{conversation_id}/messages',
    summary: 'Say what to change of the draft',
    description:
      'A draft that is refined counts no further build. Of two messages at once one is answered, the other is 409 `conversation_moved`; after 100 turns it is 409 `conversation_full`.',
    access: 'engineer',
    limit,
    feature,
    params: schemas.ConversationId,
    body: schemas.ConversationMessage,
    success: 200,
    returns: schemas.Conversation,
    errors: ['conflict', 'ai_provider_error'],
    idempotent: 'leased',
    handle: ({ ctx, params, body }) => builder.refine(ctx, params.conversation_id, body.message),
  }),

  operation({
    id: 'authoring.flowBuilder.commit',
    method: 'post',
    path: '/ai/flow-builder/conversations/{conversation_id}/commit',
    summary: 'Save the draft as a flow of mine, in status draft',
    description: 'The conversation ends with it. Without a draft it is 409 `no_draft`.',
    access: 'engineer',
    limit,
    feature,
    params: schemas.ConversationId,
    body: schemas.ConversationCommit,
    success: 201,
    returns: Tree,
    errors: ['bad_request', 'conflict'],
    handle: ({ ctx, params, body }) => builder.commit(ctx, params.conversation_id, body),
  }),

  operation({
    id: 'authoring.flowBuilder.delete',
    method: 'delete',
    path: '/ai/flow-builder/conversations/{conversation_id}',
    summary: 'Discard a conversation with its draft',
    access: 'engineer',
    limit,
    feature,
    params: schemas.ConversationId,
    success: 204,
    handle: ({ ctx, params }) => builder.remove(ctx, params.conversation_id),
  }),
]
