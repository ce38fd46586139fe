import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import { ScriptTemplate } from '../scripts/schemas.ts'
import * as schemas from './schemas.ts'
import * as builder from './service.ts'

const feature = 'script_builder'

export const scriptBuilderOperations = [
  operation({
    id: 'scripts.builder.create',
    method: 'post',
    path: '/script-builder/sessions',
    summary: 'Begin to build a script',
    description:
      'At most 5 standalone sessions at once: a sixth is 409 `session_limit_reached`. Beside an AI session of mine there is one: asked for again it is answered with 200.',
    access: 'engineer',
    limit: 'write',
    feature,
    body: schemas.BuilderCreate,
    success: 201,
    getOrCreate: true,
    returns: schemas.BuilderSession,
    errors: ['conflict', 'not_found'],
    handle: ({ ctx, body }) => builder.create(ctx, body),
  }),

  operation({
    id: 'scripts.builder.list',
    method: 'get',
    path: '/script-builder/sessions',
    summary: 'My script-builder sessions, newest first',
    access: 'engineer',
    limit: 'read',
    feature,
    query: schemas.BuilderQuery,
    paged: true,
    success: 200,
    returns: z.array(schemas.BuilderItem),
    handle: ({ ctx, query }) => builder.list(ctx, query),
  }),

  operation({
    id: 'scripts.builder.get',
    method: 'get',
    path: '/script-builder/sessions/{session_id}',
    summary: 'One of my script-builder sessions with all that was said',
    access: 'engineer',
    limit: 'read',
    feature,
    params: schemas.BuilderId,
    success: 200,
    returns: schemas.BuilderSession,
    handle: ({ ctx, params }) => builder.get(ctx, params.session_id),
  }),

  operation({
    id: 'scripts.builder.sendMessage',
    method: 'post',
    path: '/script-builder/sessions/{session_id}/messages',
    summary: 'Say what the script is to do, or what to change of it',
    description: 'The model sees the last 20 messages and the script as it stands. What is said is kept even when the model fails.',
    access: 'engineer',
    limit: 'ai',
    feature,
    params: schemas.BuilderId,
    body: schemas.BuilderMessage,
    success: 200,
    returns: schemas.BuilderReply,
    errors: ['ai_provider_error'],
    idempotent: 'leased',
    handle: ({ ctx, params, body }) => builder.say(ctx, params.session_id, body.message),
  }),

  operation({
    id: 'scripts.builder.saveToLibrary',
    method: 'post',
    path: '/script-builder/sessions/{session_id}/save-to-library',
    summary: 'Save the script to the library, as it stands or as sent along',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.BuilderId,
    body: schemas.BuilderSave,
    success: 201,
    returns: ScriptTemplate,
    handle: ({ ctx, params, body }) => builder.saveToLibrary(ctx, params.session_id, body),
  }),

  operation({
    id: 'scripts.builder.delete',
    method: 'delete',
    path: '/script-builder/sessions/{session_id}',
    summary: 'Close a script-builder session; what was saved of it stays in the library',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.BuilderId,
    success: 204,
    handle: ({ ctx, params }) => builder.remove(ctx, params.session_id),
  }),
]
