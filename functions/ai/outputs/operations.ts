import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import { AiSessionId } from '../sessions/schemas.ts'
import * as schemas from './schemas.ts'
import * as outputs from './service.ts'

const feature = 'ai_sessions'
const at = '/ai-sessions/{session_id}'

/** What is written of a session, and how it gets to the ticket. All of it in every state of the session. */
export const aiOutputOperations = [
  operation({
    id: 'ai.outputs.createStatusUpdate',
    method: 'post',
    path: `${at}/status-update`,
    summary: 'Have the model write where a case stands, for colleagues or for the client',
    access: 'engineer',
    limit: 'ai',
    feature,
    params: AiSessionId,
    body: schemas.StatusUpdateCreate,
    success: 200,
    returns: schemas.StatusUpdate,
    errors: ['ai_provider_error'],
    idempotent: 'leased',
    handle: ({ ctx, params, body }) => outputs.statusUpdate(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.outputs.list',
    method: 'get',
    path: `${at}/outputs`,
    summary: 'What was written of an AI session, oldest first',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    paged: true,
    success: 200,
    returns: z.array(schemas.Output),
    handle: ({ ctx, params, query }) => outputs.list(ctx, params.session_id, query),
  }),

  operation({
    id: 'ai.outputs.create',
    method: 'post',
    path: `${at}/outputs`,
    summary: 'Have the model write what stays of an AI session',
    access: 'engineer',
    limit: 'ai',
    feature,
    params: AiSessionId,
    body: schemas.OutputCreate,
    success: 201,
    returns: schemas.Output,
    errors: ['ai_provider_error'],
    idempotent: 'leased',
    handle: ({ ctx, params, body }) => outputs.create(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.outputs.update',
    method: 'patch',
    path: `${at}/outputs/{output_id}`,
    summary: 'Edit an output',
    description: 'Until it is pushed: 409 `already_pushed` after that, unless the push failed.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.OutputId,
    body: schemas.OutputPatch,
    success: 200,
    returns: schemas.Output,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => outputs.update(ctx, params, body),
  }),

  operation({
    id: 'ai.outputs.push',
    method: 'post',
    path: `${at}/outputs/{output_id}/push`,
    summary: 'Write an output on the linked ticket',
    description:
      'As a note that the client sees when it is a mail to the client, else as an internal one; it is written a moment later and tried again for a quarter of an hour. A second push answers the same and writes nothing; after a failure it is tried anew. 409 `no_ticket` without a ticket, `psa_not_connected` without a connection.',
    access: 'engineer',
    limit: '10/minute',
    feature,
    params: schemas.OutputId,
    success: 200,
    returns: schemas.Output,
    errors: ['conflict'],
    handle: ({ ctx, params }) => outputs.push(ctx, params),
  }),

  operation({
    id: 'ai.outputs.retryPush',
    method: 'post',
    path: `${at}/retry-psa-push`,
    summary: 'Try once more to write the documentation of an AI session on its ticket',
    description:
      'For the session’s owner alone. What failed is tried again; of a resolved session that could not be pushed, the documentation is. 409 `nothing_to_retry` otherwise, `no_ticket` without a ticket, `psa_not_connected` without a connection.',
    access: 'engineer',
    limit: '10/minute',
    feature,
    params: AiSessionId,
    success: 200,
    returns: schemas.DocumentationPush,
    errors: ['conflict'],
    handle: ({ ctx, params }) => outputs.retryPush(ctx, params.session_id),
  }),
]
