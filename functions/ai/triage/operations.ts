import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import { AiSessionDetail, AiSessionId, TaskLane } from '../sessions/schemas.ts'
import * as schemas from './schemas.ts'
import * as triage from './service.ts'

const feature = 'ai_sessions'
const at = '/ai-sessions/{session_id}'

/** What a technician writes into a session by hand. */
export const aiTriageOperations = [
  operation({
    id: 'ai.triage.update',
    method: 'patch',
    path: `${at}/triage`,
    summary: 'Write fields of the triage header by hand',
    description: 'The model fills only what is null and only adds evidence, so what is written here stays. 409 when the session is over.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    body: schemas.TriagePatch,
    success: 200,
    returns: AiSessionDetail,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => triage.update(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.triage.putTaskLane',
    method: 'put',
    path: `${at}/task-lane`,
    summary: 'Replace the task lane: questions, actions and responses',
    description: 'Over a limit it is 422 and nothing changes. 409 when the session is over.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    body: TaskLane,
    success: 200,
    returns: TaskLane,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => triage.saveLane(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.triage.listBranches',
    method: 'get',
    path: `${at}/branches`,
    summary: 'The branches of an AI session, the main line first',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    paged: true,
    success: 200,
    returns: z.array(schemas.Branch),
    handle: ({ ctx, params, query }) => triage.branches(ctx, params.session_id, query),
  }),

  operation({
    id: 'ai.triage.createBranch',
    method: 'post',
    path: `${at}/branches`,
    summary: 'Open a branch and go on with it',
    description:
      'It begins with what was said on the active branch up to a message. 409 `too_many_branches` beyond 100, and when the session is over.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    body: schemas.BranchCreate,
    success: 201,
    returns: schemas.Branch,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => triage.openBranch(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.triage.activateBranch',
    method: 'post',
    path: `${at}/branches/{branch_id}/activate`,
    summary: 'Go on with another branch',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.BranchId,
    success: 200,
    returns: schemas.Branch,
    errors: ['conflict'],
    handle: ({ ctx, params }) => triage.activateBranch(ctx, params),
  }),

  operation({
    id: 'ai.triage.listFacts',
    method: 'get',
    path: `${at}/facts`,
    summary: 'What is settled in an AI session, and its state_version',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    success: 200,
    returns: schemas.KnownFacts,
    handle: ({ ctx, params }) => triage.facts(ctx, params.session_id),
  }),

  operation({
    id: 'ai.triage.putFact',
    method: 'post',
    path: `${at}/facts`,
    summary: 'Settle a fact, or correct it',
    description:
      'What changes adds 1 to `state_version`; the same once more changes nothing. 409 `too_many_facts` beyond 200, and when the session is over.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    body: schemas.FactPut,
    success: 201,
    returns: schemas.SettledFact,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => triage.settleFact(ctx, params.session_id, body),
  }),
]
