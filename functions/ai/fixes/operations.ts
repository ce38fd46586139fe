import * as z from 'zod'
import { AiSessionId, OutcomePatch, SuggestedFix } from '#functions/ai/sessions/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as fixes from './service.ts'

const feature = 'ai_sessions'
const basePath = '/ai-sessions/{session_id}/suggested-fixes'

export const fixOperations = [
  operation({
    id: 'ai.fixes.list',
    route: `GET ${basePath}`,
    summary: 'List suggested fixes',
    description: 'In the order in which they were suggested.',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    paged: true,
    returns: z.array(SuggestedFix),
    handle: ({ ctx, params, query }) => fixes.list(ctx, params.session_id, query),
  }),

  operation({
    id: 'ai.fixes.apply',
    route: `POST ${basePath}/{fix_id}/apply`,
    summary: 'Mark a fix as being applied',
    description:
      'The status stays `proposed` until an outcome is recorded. A repeated request changes nothing. Returns 409 `already_decided` once an outcome is recorded.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.FixId,
    success: 200,
    returns: SuggestedFix,
    errors: ['already_decided'],
    handle: ({ ctx, params }) => fixes.apply(ctx, params),
  }),

  operation({
    id: 'ai.fixes.clearProposal',
    route: `DELETE ${basePath}/{fix_id}/ai-outcome-proposal`,
    summary: 'Reject the outcome the model proposes',
    description: 'The fix keeps its status. A fix without a proposal is not changed.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.FixId,
    handle: ({ ctx, params }) => fixes.clearProposal(ctx, params),
  }),

  operation({
    id: 'ai.fixes.recordOutcome',
    route: `PATCH ${basePath}/{fix_id}/outcome`,
    summary: 'Record the outcome of a fix',
    description:
      '`applied_success`, `applied_failed` and `dismissed` are final: a later request gets 409 `already_decided` with the `status`. `applied_partial` and `applied_pending` can be changed. Clears the outcome that the model proposes. Allowed in every state of the session, because an outcome is often known only after the case is closed.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.FixId,
    body: OutcomePatch,
    returns: SuggestedFix,
    errors: ['already_decided'],
    handle: ({ ctx, params, body }) => fixes.recordOutcome(ctx, params, body),
  }),

  operation({
    id: 'ai.fixes.updateScript',
    route: `PATCH ${basePath}/{fix_id}/script`,
    summary: 'Update the script of a fix',
    description:
      'Does not apply the fix. Returns 422 with the line numbers for parameter placeholders in places where a value is not safe.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.FixId,
    body: schemas.ScriptPatch,
    returns: SuggestedFix,
    errors: ['already_decided'],
    handle: ({ ctx, params, body }) => fixes.updateScript(ctx, params, body),
  }),

  operation({
    id: 'ai.fixes.decideScript',
    route: `POST ${basePath}/{fix_id}/decision`,
    alsoNeeds: ['scripts:write'],
    summary: 'Decide how to use a fix’s script',
    description:
      'The fix keeps its status. Proposing the same script again returns the pending draft; a different script creates another draft. Returns 400 `no_script` for a fix with neither a template nor a script, and 409 `approval_required` with `risk` and `risk_reasons` for a template, or a script used once, of medium or high risk. For another decision on such a script, `script` is the template without values.',
    access: 'engineer',
    limit: 'write',
    feature,
    // The script may contain passwords, and the same decision again has the same effect.
    idempotent: false,
    params: schemas.FixId,
    body: schemas.DecisionCreate,
    success: 200,
    returns: schemas.FixDecisionResult,
    errors: ['approval_required', 'no_script'],
    handle: ({ ctx, params, body }) => fixes.decideScript(ctx, params, body),
  }),
]
