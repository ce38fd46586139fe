import * as z from 'zod'
import { AiSessionId } from '#functions/ai/sessions/schemas.ts'
import { Approval } from '#functions/sessions/approvals/schemas.ts'
import { SessionId } from '#functions/sessions/sessions/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as runs from './service.ts'

// A person starts a script: neither a program with a key nor a model behind an MCP client does.
const start = {
  access: 'engineer',
  limit: 'write',
  closedToKeys: true,
  success: 202,
  returns: schemas.RunnerRun,
} as const
const requestsApproval = {
  access: 'engineer',
  alsoNeeds: ['scripts:read'],
  limit: 'write',
  strictLimit: 'mail',
  closedToKeys: true,
  body: schemas.RunnerApprovalRequest,
  returns: Approval,
  errors: [
    'already_decided',
    'already_pending',
    'client_mismatch',
    'limit_reached',
    'no_approver',
    'runner_auth_failed',
    'runner_error',
    'runner_not_connected',
    'wrong_state',
  ],
} as const
const feature = 'ai_sessions'

export const runnerRunOperations = [
  operation({
    ...start,
    id: 'runner.runs.startInSession',
    route: 'POST /sessions/{session_id}/runner-runs',
    summary: 'Run a script on a machine',
    description:
      'Queues a script template for the runner, which runs it once. A script of medium or high risk returns 409 `approval_required` until exactly this run is approved in the session; an approval starts one script. A machine of another client than that of the session returns 409 `client_mismatch`, unless `client_name` confirms it. When the job starts the script, all of this must still hold. The stream sends `script_run_finished`, and the output is a script run of the session. Only the user of the session and account admins may start it.',
    params: SessionId,
    body: schemas.RunnerRunCreate,
    errors: ['approval_required', 'client_mismatch', 'limit_reached', 'runner_not_connected', 'wrong_state'],
    handle: ({ ctx, params, body }) => runs.startInSession(ctx, params.session_id, body),
  }),

  operation({
    ...requestsApproval,
    id: 'runner.runs.requestApproval',
    route: 'POST /sessions/{session_id}/runner-runs/approvals',
    summary: 'Request approval of a run',
    description:
      'For a template of medium risk (any engineer may approve) or high risk (admins). The approval starts exactly this script on exactly this machine, once; approvers see the machine and its client. Another value, machine or version of the template, or the next step of the session, needs another one. Returns 409 `client_mismatch` if the machine belongs to another client than the session, unless `client_name` confirms it.',
    params: SessionId,
    errors: [...requestsApproval.errors, 'step_not_current'],
    handle: ({ ctx, params, body }) => runs.requestApproval(ctx, params.session_id, body),
  }),

  operation({
    id: 'runner.runs.listOfSession',
    route: 'GET /sessions/{session_id}/runner-runs',
    summary: 'List runs at the runner of a session',
    description: 'Also those that wait, run or have failed, oldest first.',
    access: 'user',
    limit: 'read',
    params: SessionId,
    paged: true,
    returns: z.array(schemas.RunnerRun),
    handle: ({ ctx, params, query }) => runs.listOfSession(ctx, params.session_id, query),
  }),

  operation({
    ...start,
    id: 'runner.runs.startInAiSession',
    route: 'POST /ai-sessions/{session_id}/runner-runs',
    summary: 'Run a script in an AI session',
    description: 'As in a session of a flow. The text of a fix cannot be run: make it a template.',
    feature,
    params: AiSessionId,
    body: schemas.RunnerRunCreate,
    errors: ['approval_required', 'client_mismatch', 'limit_reached', 'runner_not_connected', 'wrong_state'],
    handle: ({ ctx, params, body }) => runs.startInAiSession(ctx, params.session_id, body),
  }),

  operation({
    ...requestsApproval,
    id: 'runner.runs.requestApprovalInAiSession',
    route: 'POST /ai-sessions/{session_id}/runner-runs/approvals',
    summary: 'Request approval of a run in an AI session',
    description:
      'As in a session of a flow. The approval ends when the session ends; when another engineer picks the session up, it stays, unless they decided it.',
    feature,
    params: AiSessionId,
    handle: ({ ctx, params, body }) => runs.requestApprovalInAiSession(ctx, params.session_id, body),
  }),

  operation({
    id: 'runner.runs.listOfAiSession',
    route: 'GET /ai-sessions/{session_id}/runner-runs',
    summary: 'List runs at the runner of an AI session',
    description: 'Also those that wait, run or have failed, oldest first.',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    paged: true,
    returns: z.array(schemas.RunnerRun),
    handle: ({ ctx, params, query }) => runs.listOfAiSession(ctx, params.session_id, query),
  }),

  operation({
    id: 'runner.runs.cancel',
    route: 'POST /runner/runs/{run_id}/cancel',
    summary: 'Cancel a run that has not started',
    description:
      'Allowed for who started it and account admins. A run that the runner was asked to start returns 409 `wrong_state`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.RunnerRunId,
    success: 200,
    returns: schemas.RunnerRun,
    errors: ['wrong_state'],
    handle: ({ ctx, params }) => runs.cancel(ctx, params.run_id),
  }),
]
