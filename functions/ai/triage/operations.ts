import * as z from 'zod'
import { AiSessionDetail, AiSessionId } from '#functions/ai/sessions/schemas.ts'
import * as presence from '#functions/presence/service.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as triage from './service.ts'

const feature = 'ai_sessions'
const basePath = '/ai-sessions/{session_id}'

/** The parts of a session that a technician edits by hand. */
export const aiTriageOperations = [
  operation({
    id: 'ai.triage.update',
    route: `PATCH ${basePath}/triage`,
    summary: 'Update the triage header',
    description:
      'The model fills only null fields and only adds evidence, so it never overwrites these values. Returns 409 `wrong_state` for a closed session.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    body: schemas.TriagePatch,
    returns: AiSessionDetail,
    errors: ['wrong_state'],
    handle: ({ ctx, params, body }) =>
      presence.addColleagues(
        ctx,
        'ai_session',
        params.session_id,
        triage.update(ctx, params.session_id, body),
      ),
  }),

  operation({
    id: 'ai.triage.putTaskLane',
    route: `PUT ${basePath}/task-lane`,
    summary: 'Replace the task lane',
    description:
      'The task lane holds questions, actions and responses. Returns 422 and changes nothing if a limit is exceeded. Returns 409 `wrong_state` for a closed session.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    body: schemas.TaskLanePut,
    returns: schemas.TaskLaneWithVersion,
    errors: ['wrong_state', 'stale_version'],
    handle: ({ ctx, params, body }) => triage.putTaskLane(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.triage.listBranches',
    route: `GET ${basePath}/branches`,
    summary: 'List the branches of an AI session',
    description: 'The main branch first.',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    paged: true,
    returns: z.array(schemas.Branch),
    handle: ({ ctx, params, query }) => triage.listBranches(ctx, params.session_id, query),
  }),

  operation({
    id: 'ai.triage.createBranch',
    route: `POST ${basePath}/branches`,
    summary: 'Create a branch and activate it',
    description:
      'The branch starts with the messages of the active branch up to `from_message_id`. Returns 409 `limit_reached` if the session has 100 branches, and 409 `wrong_state` for a closed session.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    body: schemas.BranchCreate,
    returns: schemas.Branch,
    errors: ['limit_reached', 'wrong_state'],
    handle: ({ ctx, params, body }) => triage.createBranch(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.triage.activateBranch',
    route: `POST ${basePath}/branches/{branch_id}/activate`,
    summary: 'Activate a branch',
    description: 'The session works on this branch from now on; the other branches stay readable.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.BranchId,
    success: 200,
    returns: schemas.Branch,
    errors: ['wrong_state'],
    handle: ({ ctx, params }) => triage.activateBranch(ctx, params),
  }),

  operation({
    id: 'ai.triage.listFacts',
    route: `GET ${basePath}/facts`,
    summary: 'List the facts of an AI session',
    description: 'Also returns the `state_version` of the session.',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    returns: schemas.FactList,
    handle: ({ ctx, params }) => triage.listFacts(ctx, params.session_id),
  }),

  operation({
    id: 'ai.triage.putFact',
    route: `POST ${basePath}/facts`,
    summary: 'Create or update a fact',
    description:
      'A change adds 1 to `state_version`. Sending the current value of a fact with source `user` changes nothing. Returns 409 `limit_reached` for a new fact if the session has 200 facts, and 409 `wrong_state` for a closed session.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    body: schemas.FactPut,
    returns: schemas.FactWithVersion,
    errors: ['limit_reached', 'wrong_state'],
    handle: ({ ctx, params, body }) => triage.putFact(ctx, params.session_id, body),
  }),
]
