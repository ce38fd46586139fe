import * as z from 'zod'
import { SessionId } from '#functions/sessions/sessions/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as notes from './service.ts'

export const sessionNoteOperations = [
  operation({
    id: 'sessions.notes.listSupportingData',
    route: 'GET /sessions/{session_id}/supporting-data',
    summary: 'List supporting data of a session',
    description: 'Texts and screenshots, oldest first.',
    access: 'user',
    limit: 'read',
    params: SessionId,
    paged: true,
    returns: z.array(schemas.SupportingItem),
    handle: ({ ctx, params, query }) => notes.listSupportingData(ctx, params.session_id, query),
  }),

  operation({
    id: 'sessions.notes.addSupportingData',
    route: 'POST /sessions/{session_id}/supporting-data',
    summary: 'Add supporting data to a session',
    description:
      'Adds a text, or a screenshot whose image may be uploaded later. Only the user of the session and account admins may add data, in every state of the session.',
    access: 'engineer',
    limit: 'write',
    params: SessionId,
    body: schemas.SupportingCreate,
    returns: schemas.SupportingItem,
    handle: ({ ctx, params, body }) => notes.addSupportingData(ctx, params.session_id, body),
  }),

  operation({
    id: 'sessions.notes.updateSupportingData',
    route: 'PUT /sessions/{session_id}/supporting-data/{item_id}',
    summary: 'Update supporting data of a session',
    description: 'Changes the given fields of one item.',
    access: 'engineer',
    limit: 'write',
    params: schemas.ItemId,
    body: schemas.SupportingUpdate,
    returns: schemas.SupportingItem,
    handle: ({ ctx, params, body }) =>
      notes.updateSupportingData(ctx, params.session_id, params.item_id, body),
  }),

  operation({
    id: 'sessions.notes.deleteSupportingData',
    route: 'DELETE /sessions/{session_id}/supporting-data/{item_id}',
    summary: 'Delete supporting data of a session',
    description: 'Exports and notes made from now on are without it.',
    access: 'engineer',
    limit: 'write',
    params: schemas.ItemId,
    handle: ({ ctx, params }) => notes.deleteSupportingData(ctx, params.session_id, params.item_id),
  }),

  operation({
    id: 'sessions.notes.rateSession',
    route: 'PUT /sessions/{session_id}/rating',
    summary: 'Rate a session',
    description:
      'Every user of the account can rate the session. A second rating replaces the first. The session itself does not change.',
    access: 'user',
    limit: 'write',
    params: SessionId,
    body: schemas.RatingPut,
    returns: schemas.Rating,
    handle: ({ ctx, params, body }) => notes.rateSession(ctx, params.session_id, body),
  }),

  operation({
    id: 'sessions.notes.getRating',
    route: 'GET /sessions/{session_id}/rating',
    summary: 'Get the rating of a session',
    description: 'Returns 404 if the session is not rated.',
    access: 'user',
    limit: 'read',
    params: SessionId,
    returns: schemas.Rating,
    handle: ({ ctx, params }) => notes.getRating(ctx, params.session_id),
  }),

  operation({
    id: 'sessions.notes.rateStep',
    route: 'PUT /sessions/{session_id}/steps/{step_id}/feedback',
    summary: 'Rate a step of a session',
    description: 'Records whether the step helped. A second rating by the same user replaces the first.',
    access: 'user',
    limit: 'write',
    params: schemas.SessionStepId,
    body: schemas.FeedbackPut,
    returns: schemas.StepFeedback,
    handle: ({ ctx, params, body }) => notes.rateStep(ctx, params.session_id, params.step_id, body),
  }),
]
