import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import { SessionId } from '../sessions/schemas.ts'
import * as schemas from './schemas.ts'
import * as notes from './service.ts'

export const sessionNoteOperations = [
  operation({
    id: 'sessions.notes.listSupportingData',
    method: 'get',
    path: '/sessions/{session_id}/supporting-data',
    summary: 'Snippets and screenshots of a session, in the order they were added',
    access: 'user',
    limit: 'read',
    params: SessionId,
    paged: true,
    success: 200,
    returns: z.array(schemas.SupportingItem),
    handle: ({ ctx, params, query }) => notes.listItems(ctx, params.session_id, query),
  }),

  operation({
    id: 'sessions.notes.addSupportingData',
    method: 'post',
    path: '/sessions/{session_id}/supporting-data',
    summary: 'Add a snippet or a screenshot, or the place of one, to a session',
    description: 'In every state of the session. For its user and account admins.',
    access: 'engineer',
    limit: 'write',
    params: SessionId,
    body: schemas.SupportingCreate,
    success: 201,
    returns: schemas.SupportingItem,
    handle: ({ ctx, params, body }) => notes.addItem(ctx, params.session_id, body),
  }),

  operation({
    id: 'sessions.notes.updateSupportingData',
    method: 'put',
    path: '/sessions/{session_id}/supporting-data/{item_id}',
    summary: 'Change a snippet or a screenshot; what is not given stays',
    access: 'engineer',
    limit: 'write',
    params: schemas.ItemId,
    body: schemas.SupportingUpdate,
    success: 200,
    returns: schemas.SupportingItem,
    handle: ({ ctx, params, body }) => notes.updateItem(ctx, params.session_id, params.item_id, body),
  }),

  operation({
    id: 'sessions.notes.deleteSupportingData',
    method: 'delete',
    path: '/sessions/{session_id}/supporting-data/{item_id}',
    summary: 'Delete a snippet or a screenshot',
    access: 'engineer',
    limit: 'write',
    params: schemas.ItemId,
    success: 204,
    handle: ({ ctx, params }) => notes.removeItem(ctx, params.session_id, params.item_id),
  }),

  operation({
    id: 'sessions.notes.rateSession',
    method: 'put',
    path: '/sessions/{session_id}/rating',
    summary: 'Rate a session; a second rating takes the place of the first',
    description: 'By anyone in the account. The session itself stays as it is.',
    access: 'user',
    limit: 'write',
    params: SessionId,
    body: schemas.RatingPut,
    success: 200,
    returns: schemas.Rating,
    handle: ({ ctx, params, body }) => notes.rate(ctx, params.session_id, body),
  }),

  operation({
    id: 'sessions.notes.getRating',
    method: 'get',
    path: '/sessions/{session_id}/rating',
    summary: 'The rating of a session',
    description: '404 while there is none.',
    access: 'user',
    limit: 'read',
    params: SessionId,
    success: 200,
    returns: schemas.Rating,
    handle: ({ ctx, params }) => notes.rating(ctx, params.session_id),
  }),

  operation({
    id: 'sessions.notes.rateStep',
    method: 'put',
    path: '/sessions/{session_id}/steps/{step_id}/feedback',
    summary: 'Say whether a step of a session helped; once per person, the last one counts',
    access: 'user',
    limit: 'write',
    params: schemas.SessionStepId,
    body: schemas.FeedbackPut,
    success: 200,
    returns: schemas.StepFeedback,
    handle: ({ ctx, params, body }) => notes.giveFeedback(ctx, params.session_id, params.step_id, body),
  }),
]
