import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import { AiSessionId, SuggestedFix } from '../sessions/schemas.ts'
import * as schemas from './schemas.ts'
import * as fixes from './service.ts'

const feature = 'ai_sessions'
const at = '/ai-sessions/{session_id}/suggested-fixes'

export const fixOperations = [
  operation({
    id: 'ai.fixes.list',
    method: 'get',
    path: at,
    summary: 'The fixes suggested in an AI session, in the order they were suggested',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    paged: true,
    success: 200,
    returns: z.array(SuggestedFix),
    handle: ({ ctx, params, query }) => fixes.list(ctx, params.session_id, query),
  }),

  operation({
    id: 'ai.fixes.apply',
    method: 'post',
    path: `${at}/{fix_id}/apply`,
    summary: 'Say that a fix is being applied',
    description:
      'Its status stays `proposed` until an outcome is written; a second time changes nothing. 409 `fix_past_proposed` after that.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.FixId,
    success: 200,
    returns: SuggestedFix,
    errors: ['conflict'],
    handle: ({ ctx, params }) => fixes.apply(ctx, params),
  }),

  operation({
    id: 'ai.fixes.clearProposal',
    method: 'delete',
    path: `${at}/{fix_id}/ai-outcome-proposal`,
    summary: 'Reject what the model takes the outcome of a fix to be',
    description: 'The fix keeps its status. One without a proposal stays as it is.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.FixId,
    success: 204,
    handle: ({ ctx, params }) => fixes.clearProposal(ctx, params),
  }),

  operation({
    id: 'ai.fixes.recordOutcome',
    method: 'patch',
    path: `${at}/{fix_id}/outcome`,
    summary: 'Write what became of a fix',
    description:
      'Success, failed and dismissed are final: 409 `fix_terminal` with the `status` afterwards. Partial and pending may follow each other. Clears the model’s proposal. In every state of the session: what became of a fix is often known after the case is closed.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.FixId,
    body: schemas.OutcomePatch,
    success: 200,
    returns: SuggestedFix,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => fixes.recordOutcome(ctx, params, body),
  }),

  operation({
    id: 'ai.fixes.updateScript',
    method: 'patch',
    path: `${at}/{fix_id}/script`,
    summary: 'Write the script of a fix',
    description: 'Applies nothing. A script with parameters may hold them only where a value is safe: 422 with the lines otherwise.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.FixId,
    body: schemas.ScriptPatch,
    success: 200,
    returns: SuggestedFix,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => fixes.writeScript(ctx, params, body),
  }),

  operation({
    id: 'ai.fixes.decideScript',
    method: 'post',
    path: `${at}/{fix_id}/decision`,
    summary: 'Decide what is done with the script of a fix',
    description:
      'The fix keeps its status. Putting the same script of a fix forward again answers the draft that is pending; another script makes another draft. 400 `no_script` for a fix that has neither a template nor a script.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.FixId,
    body: schemas.DecisionCreate,
    success: 200,
    returns: schemas.DecisionMade,
    errors: ['bad_request'],
    handle: ({ ctx, params, body }) => fixes.decide(ctx, params, body),
  }),
]
