import { TreeId } from '#functions/flows/trees/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as dryRuns from './service.ts'

export const dryRunOperations = [
  operation({
    id: 'sessions.dryRuns.run',
    route: 'POST /trees/{tree_id}/dry-run',
    alsoNeeds: ['flows:read'],
    summary: 'Dry-run a flow',
    description:
      'Returns the state that a session would be in after the answers, and stores and sends nothing. Works for drafts and old versions, too. ' +
      'An answer that a session would refuse is in `errors`, with the same status, code and fields, and changes nothing; the answers after it are played as they would be sent. ' +
      'A missing or invalid answer to the intake form returns 422 at `body.variables.<key>`. A draft without steps returns 400 `flow_empty`.',
    access: 'user',
    limit: 'read',
    params: TreeId,
    body: schemas.DryRunCreate,
    idempotent: false,
    success: 200,
    returns: schemas.DryRun,
    errors: ['flow_empty'],
    handle: ({ ctx, params, body }) => dryRuns.run(ctx, params.tree_id, body),
  }),
]
