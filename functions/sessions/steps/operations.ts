import { Tree } from '#functions/flows/trees/schemas.ts'
import * as presence from '#functions/presence/service.ts'
import * as customSteps from '#functions/sessions/custom-steps/service.ts'
import { Session, SessionChanges, SessionId } from '#functions/sessions/sessions/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as steps from './service.ts'

/** Only the session's user and account admins may call these operations; others get 403. */
const stepOperation = { access: 'engineer', limit: 'write', params: SessionId } as const

export const sessionStepOperations = [
  operation({
    ...stepOperation,
    id: 'sessions.steps.recordDecision',
    route: 'POST /sessions/{session_id}/decisions',
    summary: 'Answer the current step',
    description:
      'A decision needs `option_id`, any other step `outcome`; an answer that does not match the step returns 422. The session moves to the next step. A step that is not current returns 409 `step_not_current` with `current_step_id`. A `fallback` without an answer is recorded, and the current step stays. Missing evidence returns 422 at `body.note` or `body.evidence.<key>`. A step that a colleague must approve first returns 409 `approval_required` with the newest `approval`.',
    body: schemas.DecisionCreate,
    returns: Session,
    errors: ['approval_required', 'limit_reached', 'step_not_current', 'subflow_running', 'wrong_state'],
    handle: ({ ctx, params, body }) => steps.recordDecision(ctx, params.session_id, body),
  }),

  operation({
    ...stepOperation,
    id: 'sessions.steps.answer',
    route: 'POST /sessions/{session_id}/answers',
    summary: 'Answer the current step, briefly',
    description:
      'Does what `POST /sessions/{session_id}/decisions` does, and returns only what the answer has changed: not the flow and not the earlier answers.',
    body: schemas.DecisionCreate,
    returns: SessionChanges,
    errors: ['approval_required', 'limit_reached', 'step_not_current', 'subflow_running', 'wrong_state'],
    handle: async ({ ctx, params, body }) =>
      steps.toChanges(await steps.recordDecision(ctx, params.session_id, body)),
  }),

  operation({
    ...stepOperation,
    id: 'sessions.steps.undoDecision',
    route: 'DELETE /sessions/{session_id}/decisions/last',
    summary: 'Undo the last answer',
    description:
      'The step of that answer becomes the current step. Also deletes fallback steps recorded since. Returns 409 `no_decision` if there is no answer.',
    success: 200,
    returns: Session,
    errors: ['no_decision', 'step_not_current', 'subflow_running', 'wrong_state'],
    handle: ({ ctx, params }) => steps.undoDecision(ctx, params.session_id),
  }),

  operation({
    ...stepOperation,
    id: 'sessions.steps.addCustomStep',
    route: 'POST /sessions/{session_id}/custom-steps',
    summary: 'Add a custom step',
    description:
      'Records a step that is not part of the flow. The current step stays. A session can have at most 100 custom steps: 409 `limit_reached`.',
    body: schemas.CustomStepCreate,
    returns: Session,
    errors: ['limit_reached', 'wrong_state'],
    handle: ({ ctx, params, body }) => customSteps.add(ctx, params.session_id, body),
  }),

  operation({
    ...stepOperation,
    id: 'sessions.steps.complete',
    route: 'POST /sessions/{session_id}/complete',
    summary: 'Complete a session',
    description:
      'A session in progress can be completed at every step, unless a sub-flow is running (409 `subflow_running`). Any other session returns 409 `wrong_state`. Completing a sub-flow answers the step that runs it.',
    body: schemas.SessionCompletion,
    success: 200,
    returns: Session,
    errors: ['subflow_running', 'wrong_state'],
    handle: ({ ctx, params, body }) =>
      presence.addColleagues(ctx, 'session', params.session_id, steps.complete(ctx, params.session_id, body)),
  }),

  operation({
    ...stepOperation,
    id: 'sessions.steps.saveAsTree',
    route: 'POST /sessions/{session_id}/save-as-tree',
    alsoNeeds: ['flows:write'],
    summary: 'Save a session as a draft flow',
    description:
      'The new flow is a fork of the session’s flow and includes the custom steps. A flow that exceeds the limits returns 400 `flow_invalid`.',
    body: schemas.SaveAsTree,
    returns: Tree,
    errors: ['flow_invalid', 'limit_reached'],
    handle: ({ ctx, params, body }) => customSteps.saveAsTree(ctx, params.session_id, body),
  }),
]
