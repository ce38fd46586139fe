import * as z from 'zod'
import { AiSessionId } from '#functions/ai/sessions/schemas.ts'
import { PushPreview } from '#functions/psa/pushes/schemas.ts'
import { psaErrors } from '#functions/psa/tickets/schemas.ts'
import { operation } from '#http/operation.ts'
import { jobSteps } from '#rules/budget.ts'
import * as schemas from './schemas.ts'
import * as outputs from './service.ts'

const feature = 'ai_sessions'
const basePath = '/ai-sessions/{session_id}'

/**
 * Texts that the model writes about a session, and their pushes to the ticket. Allowed in every state of the
 * session.
 */
export const aiOutputOperations = [
  operation({
    id: 'ai.outputs.createStatusUpdate',
    route: `POST ${basePath}/status-update`,
    summary: 'Write a status update with the model',
    description: 'The update is written for colleagues or for the client. Nothing is stored.',
    access: 'engineer',
    limit: 'ai',
    strictLimit: 'ai',
    feature,
    params: AiSessionId,
    body: schemas.StatusUpdateCreate,
    success: 200,
    returns: schemas.StatusUpdate,
    errors: ['ai_budget_exhausted', 'ai_provider_error'],
    idempotent: 'leased',
    background: true,
    handle: ({ ctx, params, body }) => outputs.createStatusUpdate(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.outputs.list',
    route: `GET ${basePath}/outputs`,
    summary: 'List the outputs of an AI session',
    description: 'Oldest first.',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    paged: true,
    returns: z.array(schemas.Output),
    maxSteps: jobSteps,
    handle: ({ ctx, params, query }) => outputs.list(ctx, params.session_id, query),
  }),

  operation({
    id: 'ai.outputs.create',
    route: `POST ${basePath}/outputs`,
    summary: 'Write an output with the model',
    description:
      'Such as a ticket note, a summary for the client or an article, written from what the session knows.',
    access: 'engineer',
    limit: 'ai',
    strictLimit: 'ai',
    feature,
    params: AiSessionId,
    body: schemas.OutputCreate,
    returns: schemas.Output,
    errors: ['ai_budget_exhausted', 'ai_provider_error'],
    idempotent: 'leased',
    background: true,
    handle: ({ ctx, params, body }) => outputs.create(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.outputs.update',
    route: `PATCH ${basePath}/outputs/{output_id}`,
    summary: 'Edit an output',
    description: 'Returns 409 `already_pushed` while a push of the output is queued, and after it succeeded.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.OutputId,
    body: schemas.OutputPatch,
    returns: schemas.Output,
    errors: ['already_pushed'],
    handle: ({ ctx, params, body }) => outputs.update(ctx, params, body),
  }),

  operation({
    id: 'ai.outputs.push',
    route: `POST ${basePath}/outputs/{output_id}/push`,
    alsoNeeds: ['psa:write'],
    summary: 'Push an output to the linked ticket',
    description:
      'Queues a note, which is retried for 15 minutes. The note of a `client_email` is visible to the client; all other notes are internal. With `notify` the ticketing system also mails it to the contact of the ticket; a push that can mail nobody fails, and adds no note. A repeated request adds no second note and sends no second e-mail; after a failure it retries the push. Returns 409 `already_pushed` for `notify` after a push without it, 409 `no_ticket` without a linked ticket, and 409 `psa_not_connected` without an active connection.',
    access: 'engineer',
    limit: '10/minute',
    feature,
    params: schemas.OutputId,
    body: schemas.OutputPush,
    success: 200,
    returns: schemas.Output,
    errors: ['already_pushed', 'no_ticket', 'psa_not_connected'],
    handle: ({ ctx, params, body }) => outputs.push(ctx, params, body),
  }),

  operation({
    id: 'ai.outputs.previewPush',
    route: `GET ${basePath}/outputs/{output_id}/push/preview`,
    alsoNeeds: ['psa:read'],
    summary: 'Preview a push of an output',
    description:
      'Returns the note that a push would add now, and whom the ticketing system would mail with `notify`. Allowed for the engineer who works on the session. Returns 502 when the ticketing system fails.',
    access: 'engineer',
    limit: '30/minute',
    feature,
    params: schemas.OutputId,
    returns: PushPreview,
    errors: ['no_ticket', ...psaErrors],
    callsExternalService: true,
    handle: ({ ctx, params }) => outputs.previewPush(ctx, params),
  }),

  operation({
    id: 'ai.outputs.retryPush',
    route: `POST ${basePath}/retry-psa-push`,
    alsoNeeds: ['psa:write'],
    summary: 'Retry pushing a session’s documentation',
    description:
      'Allowed for the engineer who works on the session. Retries a failed note, or queues the documentation of a resolved session that has no note yet. Returns 409 `not_failed` in all other cases, 409 `no_ticket` without a linked ticket, and 409 `psa_not_connected` without an active connection.',
    access: 'engineer',
    limit: '10/minute',
    feature,
    params: AiSessionId,
    success: 200,
    returns: schemas.DocumentationPush,
    errors: ['no_ticket', 'not_failed', 'psa_not_connected'],
    handle: ({ ctx, params }) => outputs.retryPush(ctx, params.session_id),
  }),
]
