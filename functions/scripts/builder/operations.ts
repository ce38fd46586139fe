import * as z from 'zod'
import { ScriptTemplate } from '#functions/scripts/scripts/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as builder from './service.ts'

const feature = 'script_builder'

export const scriptBuilderOperations = [
  operation({
    id: 'scripts.builder.create',
    route: 'POST /script-builder/sessions',
    summary: 'Start a script-builder session',
    description:
      'A user can have 5 standalone sessions. Creating a sixth returns 409 `session_limit_reached`; delete one first. Each of my AI sessions has at most one script-builder session; a repeated request returns it with 200.',
    access: 'engineer',
    limit: 'write',
    feature,
    body: schemas.BuilderCreate,
    getOrCreate: true,
    returns: schemas.BuilderSession,
    errors: ['not_found', 'session_limit_reached'],
    handle: ({ ctx, body }) => builder.create(ctx, body),
  }),

  operation({
    id: 'scripts.builder.list',
    route: 'GET /script-builder/sessions',
    summary: 'List my script-builder sessions',
    description:
      'Newest first. With `owner_left`, those of members who can no longer work, for their admins.',
    access: 'engineer',
    limit: 'read',
    feature,
    query: schemas.BuilderQuery,
    paged: true,
    returns: z.array(schemas.BuilderItem),
    handle: ({ ctx, query }) => builder.list(ctx, query),
  }),

  operation({
    id: 'scripts.builder.get',
    route: 'GET /script-builder/sessions/{session_id}',
    summary: 'Get one of my script-builder sessions',
    description:
      'Includes all its messages. When its user can no longer work, account admins and admins of the team read, continue and delete it.',
    access: 'engineer',
    limit: 'read',
    feature,
    params: schemas.BuilderId,
    returns: schemas.BuilderSession,
    handle: ({ ctx, params }) => builder.get(ctx, params.session_id),
  }),

  operation({
    id: 'scripts.builder.sendMessage',
    route: 'POST /script-builder/sessions/{session_id}/messages',
    summary: 'Send a message to the script builder',
    description:
      'The message says what the script must do or what to change. The model receives the last 20 messages and the current script. The message is stored even when the model fails.',
    access: 'engineer',
    limit: 'ai',
    strictLimit: 'ai',
    feature,
    params: schemas.BuilderId,
    body: schemas.BuilderMessage,
    success: 200,
    returns: schemas.BuilderReply,
    errors: ['ai_budget_exhausted', 'ai_provider_error'],
    idempotent: 'leased',
    background: true,
    handle: ({ ctx, params, body }) => builder.sendMessage(ctx, params.session_id, body.message),
  }),

  operation({
    id: 'scripts.builder.saveToLibrary',
    route: 'POST /script-builder/sessions/{session_id}/save-to-library',
    summary: 'Save the script to the library',
    description: 'Saves the script in the body; by default, the current script of the session.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.BuilderId,
    body: schemas.BuilderSave,
    returns: ScriptTemplate,
    handle: ({ ctx, params, body }) => builder.saveToLibrary(ctx, params.session_id, body),
  }),

  operation({
    id: 'scripts.builder.delete',
    route: 'DELETE /script-builder/sessions/{session_id}',
    summary: 'Delete a script-builder session',
    description: 'Scripts that were saved to the library stay.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.BuilderId,
    handle: ({ ctx, params }) => builder.remove(ctx, params.session_id),
  }),
]
