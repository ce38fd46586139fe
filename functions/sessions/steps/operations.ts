import { operation } from '../../../lib/http/operation.ts'
import { Tree } from '../../flows/trees/schemas.ts'
import { Session, SessionId } from '../sessions/schemas.ts'
import * as schemas from './schemas.ts'
import * as steps from './service.ts'

/** All of these are for the session's user and account admins, others get 403. */
const running = { access: 'engineer', limit: 'write', params: SessionId } as const

export const sessionStepOperations = [
  operation({
    ...running,
    id: 'sessions.steps.recordDecision',
    method: 'post',
    path: '/sessions/{session_id}/decisions',
    summary: 'Answer the current step and go on',
    description:
      'A decision takes `option_id`, any other step `outcome`; one that does not fit the step is 422. Another step than the current one is 409 `step_not_current` with `current_step_id`. A `fallback` alone is recorded and the session stays where it is.',
    body: schemas.Decide,
    success: 201,
    returns: Session,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => steps.decide(ctx, params.session_id, body),
  }),

  operation({
    ...running,
    id: 'sessions.steps.undoDecision',
    method: 'delete',
    path: '/sessions/{session_id}/decisions/last',
    summary: 'Take the last answer back',
    description: 'Its step is the current one again, and fallback steps recorded since are gone. Without an answer: 409 `no_decision`.',
    success: 200,
    returns: Session,
    errors: ['conflict'],
    handle: ({ ctx, params }) => steps.back(ctx, params.session_id),
  }),

  operation({
    ...running,
    id: 'sessions.steps.addCustomStep',
    method: 'post',
    path: '/sessions/{session_id}/custom-steps',
    summary: 'Record a step that the flow does not have',
    description: 'It stands at its place and does not become the current step. At most 100: 409 `custom_step_limit_reached`.',
    body: schemas.CustomStepCreate,
    success: 201,
    returns: Session,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => steps.addCustomStep(ctx, params.session_id, body),
  }),

  operation({
    ...running,
    id: 'sessions.steps.complete',
    method: 'post',
    path: '/sessions/{session_id}/complete',
    summary: 'Complete a session with its outcome',
    description: 'At any point of a session in progress; 409 `not_in_progress` otherwise.',
    body: schemas.Complete,
    success: 200,
    returns: Session,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => steps.complete(ctx, params.session_id, body),
  }),

  operation({
    ...running,
    id: 'sessions.steps.saveAsTree',
    method: 'post',
    path: '/sessions/{session_id}/save-as-tree',
    summary: 'Make a draft flow of a session, its custom steps included',
    description: 'The new flow is a fork of the session’s. One over the limits of a flow is 400 `flow_invalid`.',
    body: schemas.SaveAsTree,
    success: 201,
    returns: Tree,
    errors: ['bad_request'],
    handle: ({ ctx, params, body }) => steps.saveAsTree(ctx, params.session_id, body),
  }),
]
